"""Where a dataset lies on this machine when an experiment gives no path: fetched, or put there."""

from __future__ import annotations

from pathlib import Path

from probe.errors import ProbeError
from prompts.datasets import Dataset
from prompts.datasets.homes import Home, homes
from store.assets import cache_folder, fetch
from store.catalogue import ASSETS
from store.repositories import Repository, cached, is_cached


class NotHere(ProbeError):
    """A dataset is not on this machine, and no path was given."""

    def __init__(self, name: str, fix: str) -> None:
        super().__init__(name, fix)
        self.name, self.fix = name, fix

    def __str__(self) -> str:
        return f"{self.name} is not here; {self.fix}"


def repository_of(name: str) -> Repository | None:
    """What to fetch for a dataset; None where no program can."""
    home = homes().get(name)
    if home is None or not home.repository:
        return None
    return Repository(
        name=name,
        url=home.repository,
        commit=home.commit,
        paths=home.paths,
        lfs=home.lfs or None,
    )


def place_by_hand(name: str) -> Path:
    """Where a dataset that was downloaded by hand is looked for."""
    return cache_folder() / "datasets" / name / "by-hand"


def is_here(name: str) -> bool:
    """Whether a dataset was fetched or put in its place; nothing is verified."""
    repository = repository_of(name)
    return (repository is not None and is_cached(repository)) or _put(name)


def found(name: str) -> Path | None:
    """What a dataset's reader is given where the user gives no path; None where there is nothing.

    What was put in the dataset's place by hand goes before what was fetched.

    Raises:
        AssetError: The fetched copy is not what was fetched.
    """
    if _put(name):
        return place_by_hand(name)
    repository = repository_of(name)
    folder = cached(repository) if repository is not None else None
    return folder / homes()[name].root if folder is not None else None


def root_of(dataset: Dataset, path: Path | None) -> Path:
    """What a dataset's reader is given: a path of the user's, an asset, or the copy that is here.

    Raises:
        NotHere: There is neither.
        AssetError: An asset cannot be fetched, or the copy is damaged.
    """
    if path is not None:
        return path
    if dataset.asset is not None:
        return fetch(ASSETS[dataset.asset], lambda *_: None)
    here = found(dataset.name)
    if here is None:
        raise NotHere(dataset.name, how_to_have(dataset.name))
    return here


def how_to_have(name: str) -> str:
    """How a user comes by a dataset, in words."""
    home = homes().get(name)
    if home is None:
        return "it is read from a file of your own: give path"
    if not home.repository:
        return by_hand(name, home)
    return f"fetch it with `probe data fetch {name}`, or give path"


def by_hand(name: str, home: Home) -> str:
    """What to download by hand, and where to put it."""
    return (
        f"{home.by_hand} Put it into {place_by_hand(name)}, "
        "or give its folder as path in the experiment file"
    )


def _put(name: str) -> bool:
    place = place_by_hand(name)
    return place.is_dir() and any(place.iterdir())
