"""Datasets in their native formats, read into items."""

from prompts.datasets.base import Dataset, Selection
from prompts.datasets.registry import DATASETS, dataset_named

__all__ = ["DATASETS", "Dataset", "Selection", "dataset_named"]
