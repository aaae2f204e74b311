"""Every dataset by its name."""

from __future__ import annotations

from prompts.datasets.base import Dataset
from prompts.datasets.character_identification import CHARACTER_IDENTIFICATION
from prompts.datasets.characters import CHARACTERS
from prompts.datasets.csi import CSI
from prompts.datasets.decop_passages import DECOP_PASSAGES
from prompts.datasets.dialogue import DIALOGUE
from prompts.datasets.excerpts import EXCERPTS
from prompts.datasets.friendsqa import FRIENDSQA
from prompts.datasets.litbank import LITBANK
from prompts.datasets.moviecoref import MOVIECOREF
from prompts.datasets.passages import PASSAGES
from prompts.datasets.personet import PERSONET
from prompts.datasets.play_passages import PLAY_PASSAGES
from prompts.datasets.shakespeare import SHAKESPEARE
from prompts.datasets.summscreen import SUMMSCREEN
from prompts.datasets.tvshowguess import TVSHOWGUESS
from prompts.errors import UnknownName

_ALL: tuple[Dataset, ...] = (
    CHARACTER_IDENTIFICATION,
    CHARACTERS,
    CSI,
    DECOP_PASSAGES,
    DIALOGUE,
    EXCERPTS,
    FRIENDSQA,
    LITBANK,
    MOVIECOREF,
    PASSAGES,
    PERSONET,
    PLAY_PASSAGES,
    SHAKESPEARE,
    SUMMSCREEN,
    TVSHOWGUESS,
)
DATASETS: dict[str, Dataset] = {dataset.name: dataset for dataset in _ALL}


def dataset_named(name: str) -> Dataset:
    """The dataset of that name.

    Raises:
        UnknownName: There is none; the message names the nearest.
    """
    try:
        return DATASETS[name]
    except KeyError:
        raise UnknownName("dataset", name, DATASETS) from None
