"""A report as one HTML file that loads nothing, and in which nothing but its own script can run."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from analysis.errors import MissingExtra

if TYPE_CHECKING:
    from analysis.report.values import Report

_PACKAGE: Final = "analysis.report"


def page(report: Report) -> str:
    """A report's HTML; the same report gives the same text.

    Every text goes through the template's escaping but for the figures, which are SVG of our own
    drawing, the packed items, which are base64, and our style sheet and script, whose hashes the
    page's policy names: a script that came in with a reply would have another.

    Raises:
        MissingExtra: Jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - an optional extra
        from markupsafe import Markup  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "jinja2", "reports", "report") from error
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    css, script = _file("report.css"), _file("report.js")
    return environment.from_string(_file("report.html.j2")).render(
        report=report,
        css=Markup(css),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        index=Markup(report.browser.index),  # noqa: S704 - escaped by `script_json`
        figures=[Markup(figure.svg) for figure in report.figures],  # noqa: S704 - our own drawing
        policy=_policy(css, script),
    )


def _file(name: str) -> str:
    return (files(_PACKAGE) / "template" / name).read_text(encoding="utf-8")


def _policy(css: str, script: str) -> str:
    """What the page may do: apply its own sheet, run its own script, show pictures in it."""
    return (
        f"default-src 'none'; style-src {_digest(css)}; script-src {_digest(script)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    made = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(made).decode('ascii')}'"
