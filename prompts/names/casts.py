"""What a cast's names are made of: who bears which word, what kind of word it is, and nicknames.

Worked out once for a cast and used by every strategy. Pure.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

from prompts.item import Character, Gender
from prompts.names.words import GIVEN_TITLES, fold, is_name_word, name_phrase, plural, words

Kind: TypeAlias = Literal["given", "surname"]
_SHORTEST_PLURAL: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One word of a cast's names, by its folded spelling.

    Attributes:
        spelling: As the cast has it first.
        owners: Names of the people who bear it, in the cast's order.
        kind: Which list a replacement comes from.
        gender: Of its first owner.
    """

    key: str
    spelling: str
    owners: tuple[str, ...]
    kind: Kind
    gender: Gender


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """A form that the cast does not list but its text may use: a nickname, a plural.

    Attributes:
        spelling: The form.
        unit: Key of the word that it is a form of.
        owner: Whose nickname it is; empty for a family's plural.
    """

    spelling: str
    unit: str
    owner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """The proper names of a cast.

    Attributes:
        people: Everyone with a proper name.
        phrases: Names without their titles -> whose they are.
        units: Folded word -> what is known of it.
        spellings: Every spelling of a word -> its folded form.
        marks: For each of `people`, the words of each unit, folded: who stands in a text.
        keys: Every folded word of a name, the parts of "O'Brien" each.
        same: Folded nickname of the cast's own -> the given name it belongs to, where both are one
            person's alone.
        nicknames: Folded word -> a nickname that the cast does not list.
        plurals: Folded word -> the plural of a surname.
        own: Folded word -> the word as spelled; a single letter ("O'Brien") names nobody.
        every: The same with nicknames and plurals.
    """

    people: tuple[Character, ...]
    phrases: Mapping[str, tuple[str, ...]]
    units: Mapping[str, Unit]
    spellings: Mapping[str, str]
    marks: tuple[tuple[Character, tuple[tuple[str, ...], ...]], ...]
    keys: frozenset[str]
    same: Mapping[str, str]
    nicknames: Mapping[str, Extra]
    plurals: Mapping[str, Extra]
    own: Mapping[str, str]
    every: Mapping[str, str]

    def present(self, keys: Iterable[str]) -> list[Character]:
        """People of whose names some word stands among these folded words, in the cast's order."""
        standing = frozenset(keys)
        called = {
            name
            for extras in (self.nicknames, self.plurals)
            for key in extras.keys() & standing
            for name in self.owners(extras[key])
        }
        return [
            person
            for person, units in self.marks
            if person.name in called or any(standing.issuperset(unit) for unit in units)
        ]

    def owners(self, extra: Extra) -> tuple[str, ...]:
        """Whose nickname it is, or everyone of the family."""
        return (extra.owner,) if extra.owner else self.units[extra.unit].owners


@dataclass(frozen=True, slots=True, kw_only=True)
class _Nicknames:
    """The table of nicknames, by folded name.

    Attributes:
        called: What else the bearer of a name may be called. From a nickname back to a given name
            only where no other name has that nickname.
        givens: Given name -> its nicknames, folded, and itself.
    """

    called: Mapping[str, frozenset[str]]
    givens: Mapping[str, frozenset[str]]

    def alike(self, one: str, other: str) -> bool:
        """Whether both may be one name's: the name and its nickname, or two nicknames of it."""
        return any(one in names and other in names for names in self.givens.values())


@cache
def _nicknames() -> _Nicknames:
    raw = tomllib.loads((files("prompts.names") / "nicknames.toml").read_text(encoding="utf-8"))
    called: dict[str, set[str]] = {fold(given): set(line.split()) for given, line in raw.items()}
    bearers: dict[str, list[str]] = {}
    for given, line in raw.items():
        for nickname in line.split():
            bearers.setdefault(fold(nickname), []).append(given)
    for nickname, givens in bearers.items():
        if len(givens) == 1:
            called.setdefault(nickname, set()).update(givens)
    return _Nicknames(
        called={key: frozenset(others) for key, others in called.items()},
        givens={
            fold(given): frozenset(map(fold, (given, *line.split()))) for given, line in raw.items()
        },
    )


@dataclass(frozen=True, slots=True)
class _People:
    """A cast as a key: hashing a hundred people for every prompt would take long."""

    people: tuple[Character, ...] = field(hash=False)
    count: int
    first: str


def cast_of(people: tuple[Character, ...]) -> Cast:
    """What is known of a cast's names; roles are left out."""
    return _cast_of(_People(people, len(people), people[0].name if people else ""))


@lru_cache(maxsize=1 << 8)
def _cast_of(key: _People) -> Cast:
    people = key.people
    proper = tuple(person for person in people if person.proper and name_phrase(person.name))
    phrases: dict[str, list[str]] = {}
    for person in proper:
        for form in person.forms:
            if parts := name_phrase(form):
                _own(phrases, " ".join(parts), person.name)
    units = _units(proper)
    keys = {fold(word) for phrase in phrases for word in words(phrase)}
    spellings = {
        word: fold(word) for phrase in phrases for word in phrase.split() if is_name_word(word)
    }
    same, nicknames = _called(units, keys)
    plurals = _plurals(units, keys | nicknames.keys())
    own = {fold(part): part for word in spellings for part in words(word) if len(part) > 1}
    further = {key: extra.spelling for key, extra in (*nicknames.items(), *plurals.items())}
    return Cast(
        people=proper,
        phrases={phrase: tuple(names) for phrase, names in phrases.items()},
        units=units,
        spellings=spellings,
        marks=tuple((person, _marks(person)) for person in proper),
        keys=frozenset(keys),
        same=same,
        nicknames=nicknames,
        plurals=plurals,
        own=own,
        every={**further, **own},
    )


def _own(owners: dict[str, list[str]], form: str, name: str) -> None:
    names = owners.setdefault(form, [])
    if name not in names:
        names.append(name)


def _marks(person: Character) -> tuple[tuple[str, ...], ...]:
    own = (word for form in person.forms for word in name_phrase(form) if is_name_word(word))
    return tuple(dict.fromkeys(tuple(map(fold, words(word))) for word in own))


def _units(people: Sequence[Character]) -> dict[str, Unit]:
    owners: dict[str, list[str]] = {}
    spelling: dict[str, str] = {}
    first: set[str] = set()
    last: set[str] = set()
    for person in people:
        for form in person.forms:
            parts = [word for word in name_phrase(form) if is_name_word(word)]
            for word in parts:
                _own(owners, fold(word), person.name)
                spelling.setdefault(fold(word), word)
            if len(parts) > 1:
                first.add(fold(parts[0]))
                last.add(fold(parts[-1]))
            elif parts and _title(form) not in {"", *GIVEN_TITLES}:
                last.add(fold(parts[0]))
    gender = {person.name: person.gender for person in people}
    return {
        key: Unit(
            key=key,
            spelling=spelling[key],
            owners=tuple(names),
            kind="surname" if key in last - first else "given",
            gender=gender[names[0]],
        )
        for key, names in owners.items()
    }


def _title(form: str) -> str:
    """The word before a name, as in "Mr. Bennet"; empty where it stands alone."""
    parts = form.split()
    return "" if is_name_word(parts[0]) else parts[0].rstrip(".").casefold()


def _called(units: Mapping[str, Unit], keys: set[str]) -> tuple[dict[str, str], dict[str, Extra]]:
    """Nicknames that the cast lists, and those that it does not, where it is clear whose they are.

    A given name that two people share, and a nickname that two people may have, are nobody's.
    """
    claims: dict[str, Extra] = {}
    claimants: dict[str, set[str]] = {}
    given = [unit for unit in units.values() if unit.kind == "given"]
    for unit in given:
        for other in sorted(_nicknames().called.get(unit.key, ())):
            if (key := fold(other)) not in keys:
                claims.setdefault(key, Extra(spelling=other, unit=unit.key, owner=unit.owners[0]))
                claimants.setdefault(key, set()).update(unit.owners)
    clear = {key: extra for key, extra in claims.items() if len(claimants[key]) == 1}
    return _same(given), clear


def _same(given: Sequence[Unit]) -> dict[str, str]:
    """Given name or nickname -> the one that the cast lists first of those that are one name's."""
    root: dict[str, str] = {}
    by_owner: dict[str, list[Unit]] = {}
    for unit in given:
        if len(unit.owners) == 1:
            by_owner.setdefault(unit.owners[0], []).append(unit)
    for own in by_owner.values():
        for at, unit in enumerate(own):
            first = next((one for one in own[:at] if _nicknames().alike(one.key, unit.key)), None)
            if first is not None:
                root[unit.key] = root.get(first.key, first.key)
    return root


def _plurals(units: Mapping[str, Unit], taken: Iterable[str]) -> dict[str, Extra]:
    known = set(taken)
    found: dict[str, Extra] = {}
    for unit in units.values():
        form = plural(unit.spelling)
        if unit.kind == "surname" and len(unit.key) >= _SHORTEST_PLURAL and fold(form) not in known:
            found.setdefault(fold(form), Extra(spelling=form, unit=unit.key))
    return found
