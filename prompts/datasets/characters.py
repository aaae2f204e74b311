"""A list of characters to compare: a plain text file with one name on each line.

Each name is an item: its text is the name, its options are all names of the file in the file's
order, its own among them, and its cast is everyone. Whatever `limit` an experiment sets, the list
that is offered stays whole. The reader knows no author and no work.

Lines end in LF or CRLF, the last one as it likes; spaces around a name and a byte order mark are
taken off. After a tab a line may say `female` or `male`, which decides what kind of given name
replaces one of that person's. Without it a title does ("Mrs.", "Sir"); a person with neither may
get a name of either kind, so that a replaced list says less about who is a woman than the original.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from prompts.datasets.base import Dataset, Selection, read_text
from prompts.errors import DatasetError, UnknownName
from prompts.item import Character, Gender, Item
from prompts.tasks.numbered_replies import name_key
from prompts.tasks.similar_characters import (
    MOST_SIMILAR_CHARACTER,
    MOST_SIMILAR_CHARACTER_REASONED,
    TARGET,
    TEN_MOST_SIMILAR_CHARACTERS,
)
from prompts.tasks.similar_replies import TEN
from prompts.tasks.titles import same_title

_MOST: Final = 1000
_LETTERS: Final = 200
_GENDERS: Final[dict[str, Gender]] = {"female": "female", "male": "male"}
_TITLES: Final[dict[str, Gender]] = {
    **dict.fromkeys(
        "mrs ms miss mistress madam madame dame lady queen princess duchess countess".split(),
        "female",
    ),
    **dict.fromkeys("mr sir master lord king prince duke earl count".split(), "male"),
}
_UNUSED_OPTIONS: Final = (0, 10)  # what an experiment file that says nothing of titles gives
_UNUSED_WORDS: Final = Selection(task="").excerpt_words


def _people(path: Path) -> tuple[Character, ...]:
    lines = read_text(path).removeprefix("\ufeff").removesuffix("\n").split("\n")
    if len(lines) > _MOST:
        fix = "shorten the list: a prompt holds all of it"
        raise DatasetError(path, f"line {_MOST + 1}", f"more than {_MOST} names", fix)
    people: list[Character] = []
    first: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        person = _person(path, f"line {number}", line.removesuffix("\r"))
        key = name_key(person.name)
        if key in first:
            found = f"{person.name!r} reads like {people[first[key]].name!r}"
            found += f" on line {first[key] + 1}"
            fix = "name each once, apart in more than case, accents and punctuation"
            raise DatasetError(path, f"line {number}", found, fix)
        first[key] = len(people)
        people.append(person)
    return tuple(people)


def _person(path: Path, where: str, line: str) -> Character:
    name, _, said = (part.strip() for part in line.partition("\t"))
    if not name:
        raise DatasetError(path, where, "no name", "take empty lines out")
    control = next((char for char in line.replace("\t", " ") if _is_control(char)), None)
    if control is not None:
        fix = "end each line in LF or CRLF, and keep to letters and punctuation"
        raise DatasetError(path, where, f"the control character {control!r}", fix)
    if len(name) > _LETTERS or not any(char.isalpha() for char in name):
        found = f"{name[:40]!r} is no name"
        fix = f"write one name of at most {_LETTERS} letters on each line, without a number"
        raise DatasetError(path, where, found, fix)
    if "\t" in line and said not in _GENDERS:
        fix = "write female or male after the tab, or leave the tab out"
        raise DatasetError(path, where, f"{said[:40]!r} after a tab", fix)
    gender = _GENDERS.get(said) or _TITLES.get(name_key(name).split()[0], "unknown")
    return Character(name=name, gender=gender)


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Zl", "Zp"}


def _check(path: Path, selection: Selection, names: int) -> None:
    """Refuse what a list of names cannot serve."""
    for wanted in selection.works:
        if not same_title(wanted, path.stem):
            raise UnknownName("work", wanted, [path.stem])
    if selection.excerpt_words != _UNUSED_WORDS:
        found = f"excerpt_words = {selection.excerpt_words} for a list of names"
        raise DatasetError(path, "", found, "leave excerpt_words out")
    if selection.options not in _UNUSED_OPTIONS:
        found = f"options = {selection.options}, but all names of the list are offered"
        raise DatasetError(path, "", found, "leave options out")
    fewest = TEN + 1 if selection.task == TEN_MOST_SIMILAR_CHARACTERS.name else 2
    if names < fewest:
        fix = f"{selection.task} needs at least {fewest}, one a line"
        raise DatasetError(path, "", "1 name" if names == 1 else f"{names} names", fix)


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """The characters of a list, one item each, in the file's order.

    Raises:
        DatasetError: The file is not such a list, or the experiment asks of it what no list has.
        UnknownName: `works` names something else than the file.
    """
    cast = _people(root)
    _check(root, selection, len(cast))
    names = tuple(person.name for person in cast)
    for name in names:
        yield Item(
            item_id=name,
            task=selection.task,
            dataset="characters",
            work=root.stem,
            text=name,
            gold={TARGET: name},
            options=names,
            cast=cast,
        )


CHARACTERS = Dataset(
    name="characters",
    title="a list of characters to compare (plain text)",
    tasks=(
        MOST_SIMILAR_CHARACTER.name,
        MOST_SIMILAR_CHARACTER_REASONED.name,
        TEN_MOST_SIMILAR_CHARACTERS.name,
    ),
    licence="that of the list you bring",
    source="your own file",
    path_help="a text file with one name on each line",
    read=read,
)
