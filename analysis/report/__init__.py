"""What a run found, as one HTML file: `report` makes the values, `page` the file's text."""

from analysis.report.build import MOST, report
from analysis.report.rendering import page
from analysis.report.values import Report

__all__ = ["MOST", "Report", "page", "report"]
