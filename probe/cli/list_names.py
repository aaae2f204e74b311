"""What `probe names list` shows: strategies, named maps, cultures and their lists."""

from __future__ import annotations

from typing import Final

from prompts.names.lists import cultures, name_list
from prompts.names.maps import DRAWN, NamedMap, built_in_maps

_WHAT: Final = {
    "original": "as the text has them",
    "masked": "a mask for each person: P0, P1 …",
    "same_culture": "other names of the cast's own culture",
    "cross_culture": "names of another culture, by default Chinese",
    "same_culture_swapped": "like same_culture, given names of the other gender",
    "cross_culture_swapped": "like cross_culture, given names of the other gender",
    "other_cast": "the names of another work's cast",
}


def rows() -> list[tuple[object, ...]]:
    """Kind, name and what it is, of everything that replaces names."""
    found: list[tuple[object, ...]] = [("strategy", name, _WHAT.get(name, "")) for name in DRAWN]
    found += [("named map", each.name, _map_told(each)) for each in built_in_maps().values()]
    return found + [("culture", culture, _sizes(culture)) for culture in cultures()]


def culture_rows(culture: str) -> list[tuple[object, ...]]:
    """List, number of names and the names, of one culture.

    Raises:
        UnknownName: There is no such culture.
    """
    lists = name_list(culture)
    return [
        (kind, len(names), " ".join(names))
        for kind, names in (
            ("female", lists.female),
            ("male", lists.male),
            ("surname", lists.surname),
        )
    ]


def _map_told(named: NamedMap) -> str:
    return "; ".join(f"{entry.work}: {len(entry.names)} names" for entry in named.works)


def _sizes(culture: str) -> str:
    lists = name_list(culture)
    return f"{len(lists.female)} female, {len(lists.male)} male, {len(lists.surname)} surnames"
