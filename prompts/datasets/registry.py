"""Every dataset by its name."""

from __future__ import annotations

from prompts.datasets.base import Dataset
from prompts.datasets.characters import CHARACTERS
from prompts.datasets.excerpts import EXCERPTS
from prompts.datasets.shakespeare import SHAKESPEARE
from prompts.datasets.tvshowguess import TVSHOWGUESS
from prompts.errors import UnknownName

DATASETS: dict[str, Dataset] = {
    dataset.name: dataset for dataset in (CHARACTERS, EXCERPTS, SHAKESPEARE, TVSHOWGUESS)
}


def dataset_named(name: str) -> Dataset:
    """The dataset of that name.

    Raises:
        UnknownName: There is none; the message names the nearest.
    """
    try:
        return DATASETS[name]
    except KeyError:
        raise UnknownName("dataset", name, DATASETS) from None
