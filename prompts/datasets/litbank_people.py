"""The people of a LitBank book: from the works file, and from the names its mentions use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from prompts.datasets.litbank_files import Book, BookMention
from prompts.datasets.speakers import gender_of
from prompts.datasets.works import work_titled
from prompts.item import Character
from prompts.names.replace import name_phrase

_ABBREVIATED = re.compile(r"\b(Mr|Mrs|Ms|Dr|St)\b(?![.\w])")
_NOT_PEOPLE: Final = frozenset({"God", "Heaven", "Lord"})


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Whom the name strategies may rename in a book.

    Attributes:
        cast: Everyone, those of the works file first.
        names: Entity of the file -> that person's name in the cast, where it has one.
    """

    cast: tuple[Character, ...]
    names: Mapping[str, str]


def people_of(title: str, book: Book | None) -> People:
    """The cast of a book, with the person each named entity is.

    A cluster is a person where a proper name stands in it; its forms are those names, without what
    describes them ("poor Isabella"). It is one of the works file's people where they share a form.

    Args:
        title: The work.
        book: Its coreference; None where only the works file can be asked.
    """
    work = work_titled(title)
    cast = {person.name: person for person in (work.cast if work else ())}
    names: dict[str, str] = {}
    for entity, mentions in _persons(book).items():
        forms = _names_in(book, mentions)
        if not forms:
            continue
        known = [person for person in cast.values() if set(person.forms) & set(forms)]
        if known:
            new = [form for form in forms if form not in known[0].forms]
            person = replace(known[0], aliases=(*known[0].aliases, *new))
        else:
            name, *aliases = sorted(forms, key=lambda form: -len(form))
            gender = gender_of(name, (_words(book, mention) for mention in mentions))
            person = Character(name=name, aliases=tuple(aliases), gender=gender)
        cast[person.name] = person
        names[entity] = person.name
    return People(cast=tuple(cast.values()), names=names)


def name_of(entity: str) -> str:
    """The name that an entity's mark is made of: "Mr. Weston" from `Mr__Weston-10`."""
    bare = re.sub(r"-\d+\Z", "", entity).split("___")[0]
    words = bare.replace("__", ". ").replace("_s_", "'s ").replace("_", " ").split()
    return _ABBREVIATED.sub(r"\1.", " ".join(words))


def _persons(book: Book | None) -> dict[str, list[BookMention]]:
    """Entities of persons, with their mentions."""
    found: dict[str, list[BookMention]] = {}
    for mention in book.mentions if book else ():
        if mention.kind == "PER":
            found.setdefault(mention.entity, []).append(mention)
    return found


def _words(book: Book | None, mention: BookMention) -> str:
    return " ".join(book.sentences.text[mention.start : mention.end].split()) if book else ""


def _names_in(book: Book | None, mentions: Sequence[BookMention]) -> list[str]:
    proper = (_words(book, mention) for mention in mentions if mention.form == "PROP")
    bare = (_bare(words) for words in proper)
    return list(dict.fromkeys(name for name in bare if name_phrase(name)))


def _bare(words: str) -> str:
    """A proper name without what stands before and after it; empty where there is none."""
    parts = words.split(" ,", maxsplit=1)[0].split()
    first = next((at for at, word in enumerate(parts) if word[0].isupper()), len(parts))
    name = " ".join(parts[first:])
    return "" if name in _NOT_PEOPLE else name
