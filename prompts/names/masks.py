"""Masks: every person one placeholder under every form, what two people share one of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import count

from prompts.item import Character
from prompts.names.casts import Cast
from prompts.names.replace import NameMap
from prompts.names.words import fold, is_name_word, name_phrase


def mask(
    present: Sequence[Character], cast: Cast, standing: Collection[str], placeholder: str
) -> NameMap:
    """The masks of those present, numbered in their order.

    A word that two of them share hides both behind one mask; with a title ("Mr. Bennet", beside
    Jane Bennet) it may still be one person's.

    Args:
        present: People an item may name.
        cast: Everyone of the work.
        standing: Folded words of the item's texts; no mask is one of them.
        placeholder: Letter of the masks.
    """
    numbers = (f"{placeholder}{n}" for n in count())
    free = (name for name in numbers if fold(name) not in standing and fold(name) not in cast.keys)
    people = {person.name: next(free) for person in present}
    owned, spelled = _owned(present)
    of_key = {
        key: people[names[0]] if len(names) == 1 else next(free) for key, names in owned.items()
    }
    forms = {form: of_key[fold(form)] for form in spelled}
    forms |= _titled(present, owned, people)
    for key, extra in cast.nicknames.items():
        if key in standing and extra.owner in people:
            forms |= _called(cast, extra.owner, extra.unit, extra.spelling, people[extra.owner])
    for key, extra in cast.plurals.items():
        if key in standing and extra.unit in of_key:
            forms[extra.spelling] = of_key[extra.unit] + "s"
    return NameMap(people=people, forms=forms)


def _owned(present: Sequence[Character]) -> tuple[dict[str, list[str]], list[str]]:
    """Folded phrase or word -> whose it is, and every spelling; phrases first."""
    phrases = [
        (" ".join(parts), person.name)
        for person in present
        for form in person.forms
        if (parts := name_phrase(form))
    ]
    single = [(word, name) for form, name in phrases for word in form.split() if is_name_word(word)]
    owned: dict[str, list[str]] = {}
    for form, name in (*phrases, *single):
        names = owned.setdefault(fold(form), [])
        if name not in names:
            names.append(name)
    return owned, list(dict.fromkeys(form for form, _ in (*phrases, *single)))


def _titled(
    present: Sequence[Character], owned: dict[str, list[str]], people: dict[str, str]
) -> dict[str, str]:
    """Forms with a title that are one person's though the name alone is not."""
    titled: dict[str, list[str]] = {}
    for person in present:
        for form in person.forms:
            names = titled.setdefault(" ".join(form.split()), [])
            names += [person.name] if person.name not in names else []
    found: dict[str, str] = {}
    for form, names in titled.items():
        phrase = " ".join(name_phrase(form))
        shared = len(owned.get(fold(phrase), ())) > 1
        if phrase and phrase != form and shared and len(names) == 1:
            found[form] = form.replace(phrase, people[names[0]])
    return found


def _called(cast: Cast, owner: str, unit: str, nickname: str, new: str) -> dict[str, str]:
    """A nickname alone and before the rest of the name, as in "Rach" and "Rach Green"."""
    forms = {nickname: new}
    for phrase, names in cast.phrases.items():
        first, *rest = phrase.split()
        if rest and names == (owner,) and fold(first) == unit:
            forms[" ".join((nickname, *rest))] = new
    return forms
