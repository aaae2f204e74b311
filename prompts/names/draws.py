"""Draws new words for the words of a cast's names: from a list, or from another work's cast.

A source says which words may stand for a word, the best first; `draw` gives each word the first
that is free. Pure, and seeded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeAlias

from prompts.item import Character, Gender
from prompts.names.casts import Cast, Kind, Unit
from prompts.names.lists import name_list
from prompts.names.words import fold

Length: TypeAlias = Callable[[str], int]
_OTHER: dict[Gender, Gender] = {"female": "male", "male": "female", "unknown": "unknown"}


class Source(Protocol):
    """Where new words come from."""

    def ordered(self, units: Iterable[Unit]) -> list[Unit]:
        """The words in the order in which they choose."""
        ...

    def __call__(self, unit: Unit) -> Sequence[str]:
        """What may stand for a word, the best first."""
        ...


def draw(
    units: Iterable[Unit], source: Source, same: Mapping[str, str], taken: Collection[str]
) -> dict[str, str]:
    """Folded word -> its new word, no two alike; words for which nothing is free are left out.

    Args:
        units: The words to be replaced.
        source: What may stand for a word.
        same: Words that become what another one becomes.
        taken: Folded words that may not be drawn.
    """
    new: dict[str, str] = {}
    used = set(taken)
    for unit in source.ordered(units):
        if unit.key in same:
            continue
        pick = next((name for name in source(unit) if fold(name) not in used), None)
        if pick is not None:
            new[unit.key] = pick
            used.add(fold(pick))
    return new


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSource:
    """The lists of a culture, each gone through in a seeded order from a seeded place.

    Words choose in the order of their spelling, so that the cast's order changes nobody's name.

    Attributes:
        swapped: Whether given names come from the other gender's list.
        length: Measures names where the nearest in length are wanted first; None otherwise.
    """

    culture: str
    seed: str
    swapped: bool = False
    length: Length | None = None

    def ordered(self, units: Iterable[Unit]) -> list[Unit]:
        """The words in the order in which they choose."""
        return sorted(units, key=lambda unit: unit.key)

    def __call__(self, unit: Unit) -> Sequence[str]:
        """What may stand for a word, the best first."""
        lists = name_list(self.culture)
        gender = _OTHER[unit.gender] if self.swapped else unit.gender
        pool = lists.surname if unit.kind == "surname" else lists.given(gender)
        order = _shuffled(pool, self.seed)
        start = _number(f"{self.seed}\x1f{unit.key}") % len(order)
        turned = order[start:] + order[:start]
        if self.length is None:
            return turned
        length, wanted = self.length, self.length(unit.spelling)
        return sorted(turned, key=lambda name: abs(length(name) - wanted))


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


@lru_cache(maxsize=1 << 10)
def _shuffled(pool: tuple[str, ...], seed: str) -> tuple[str, ...]:
    return tuple(sorted(pool, key=lambda name: _number(f"{seed}\x1f\x1f{name}")))


@dataclass(frozen=True, slots=True, kw_only=True)
class CastSource:
    """The names of another work's cast, person for person where the genders allow it.

    Words choose in the cast's order: should the other cast be too small, it is its last people who
    go short.

    Attributes:
        targets: Person -> the person of the other cast whose names come first.
        pools: Kind of word and gender -> the other cast's words of that kind, in a seeded order.
    """

    targets: Mapping[str, tuple[str | None, str | None]]
    pools: Mapping[tuple[Kind, Gender], tuple[str, ...]]
    length: Length | None = None

    def ordered(self, units: Iterable[Unit]) -> list[Unit]:
        """The words in the order in which they choose."""
        return list(units)

    def __call__(self, unit: Unit) -> Sequence[str]:
        """What may stand for a word, the best first."""
        given, surname = self.targets.get(unit.owners[0], (None, None))
        first = surname if unit.kind == "surname" else given
        genders: tuple[Gender, ...] = ("female", "male", "unknown")
        nearest = sorted(genders, key=lambda gender: gender != unit.gender)
        rest = [word for gender in nearest for word in self.pools.get((unit.kind, gender), ())]
        if self.length is not None:
            length, wanted = self.length, self.length(unit.spelling)
            return sorted(rest, key=lambda name: abs(length(name) - wanted))
        return rest if first is None else [first, *rest]


def cast_source(cast: Cast, other: Cast, seed: str, length: Length | None = None) -> CastSource:
    """The source that gives a cast the names of another one."""
    ranked = sorted(other.people, key=lambda person: _number(f"{seed}\x1f{person.name}"))
    left = list(ranked)
    targets: dict[str, tuple[str | None, str | None]] = {}
    for person in cast.people:
        target = _alike(person, left, whole=None not in _names(cast, person), other=other)
        if target is not None:
            left.remove(target)
            targets[person.name] = _names(other, target)
    pools: dict[tuple[Kind, Gender], tuple[str, ...]] = {}
    for person in ranked:
        for unit in other.units.values():
            if unit.owners[0] == person.name and unit.key not in other.same:
                at = unit.kind, unit.gender
                pools[at] = (*pools.get(at, ()), unit.spelling)
    return CastSource(targets=targets, pools=pools, length=length)


def _alike(
    person: Character, left: Sequence[Character], *, whole: bool, other: Cast
) -> Character | None:
    """The first of a person's gender, one with as many names if there is one."""
    same = [target for target in left if target.gender == person.gender]
    full = (target for target in same if (None not in _names(other, target)) == whole)
    return next(full, same[0] if same else None)


def _names(cast: Cast, person: Character) -> tuple[str | None, str | None]:
    """The given name and the surname of someone, as spelled; None for what is not known."""
    own = [unit for unit in cast.units.values() if person.name in unit.owners]
    given = next((u.spelling for u in own if u.kind == "given" and u.key not in cast.same), None)
    return given, next((u.spelling for u in own if u.kind == "surname"), None)
