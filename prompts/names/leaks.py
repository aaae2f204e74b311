"""What gives a work away beside its cast: titles, places and phrases, read once from a file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from prompts.datasets.works import work_titled, works
from prompts.names.find import Place, find_names
from prompts.names.ordinary import starts_anew
from prompts.names.words import words
from prompts.tasks.titles import same_title


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaks:
    """What may stand in a work's text that names it.

    Attributes:
        titles: Every title it is known by.
        places: Places of its own.
        phrases: Phrases of its own, found in any case.
    """

    titles: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()


_NOTHING: Final = Leaks()


@cache
def _listed() -> dict[str, Leaks]:
    """Every work of the file, by its key in the works file or a title."""
    raw = tomllib.loads((files("prompts.names") / "leaks.toml").read_text(encoding="utf-8"))
    return {
        key: Leaks(**{kind: tuple(forms) for kind, forms in entry.items()})
        for key, entry in raw.items()
    }


def listed_works() -> tuple[str, ...]:
    """Keys and titles of the works that places and phrases are listed of."""
    return tuple(_listed())


@lru_cache(maxsize=1 << 8)
def leaks_of(work: str) -> Leaks:
    """What is known of a work; its own title alone where nothing is, and nothing for no work."""
    if not work:
        return _NOTHING
    known = work_titled(work)
    own = known.titles if known else (work,)
    for key, entry in _listed().items():
        by_key = works().get(key)
        titles = by_key.titles if by_key else (key, *entry.titles)
        if any(same_title(title, one) for title in titles for one in own):
            every = tuple(dict.fromkeys((*titles, *entry.titles)))
            return Leaks(titles=every, places=entry.places, phrases=entry.phrases)
    return Leaks(titles=own)


@dataclass(frozen=True, slots=True, kw_only=True)
class Giveaways:
    """Where titles, places and phrases of a work stand in a text."""

    titles: tuple[Place, ...] = ()
    places: tuple[Place, ...] = ()
    phrases: tuple[Place, ...] = ()


@lru_cache(maxsize=16)  # a text is audited under one strategy after another
def giveaways(text: str, work: str) -> Giveaways:
    """What stands in a text that names its work.

    A title of a single word counts inside a sentence only ("Friends").
    """
    known = leaks_of(work)
    titles = (place for place in find_names(text, known.titles) if place.case == "name")
    return Giveaways(
        titles=tuple(
            place
            for place in titles
            if len(words(place.form)) > 1 or not starts_anew(text, place.start)
        ),
        places=tuple(place for place in find_names(text, known.places) if place.case == "name"),
        phrases=tuple(find_names(text, known.phrases, any_case=True)),
    )
