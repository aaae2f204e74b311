"""What holds for any cast, any text and every strategy: one to one, and back to the original."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts import Character, Names, SetAside
from prompts.names import NameMap, Replaced, SpanInsideName, replace, undo
from prompts.names.casts import cast_of
from prompts.names.words import fold, words
from tests.prompts.names_for_tests import (
    CAST,
    DRAWN,
    FORMS,
    REPLACING,
    cast_and_text,
    planned,
    texts_about,
)

texts = texts_about(tuple(FORMS))
seeds = st.integers(0, 50)
drawn = st.sampled_from(DRAWN)
strategies = st.sampled_from(REPLACING)
moderate = settings(max_examples=80, deadline=None)
Case = tuple[tuple[Character, ...], str]


def changed_under(
    cast: tuple[Character, ...], text: str, names: Names, seed: int = 7
) -> tuple[NameMap, Replaced] | None:
    """The text under a strategy; None where its item is set aside."""
    try:
        name_map = planned(text, names=names, seed=seed, cast=cast)
    except SetAside:
        return None
    return name_map, replace(text, name_map)


@moderate
@given(cast_and_text, strategies, seeds)
def test_undo_gives_any_text_of_any_cast_back_to_the_character(
    case: Case, names: Names, seed: int
) -> None:
    done = changed_under(*case, names, seed)

    if done is not None:
        assert undo(done[1].text, done[1].edits) == case[1]


@moderate
@given(cast_and_text, strategies)
def test_replacing_twice_changes_nothing_more(case: Case, names: Names) -> None:
    """A replacement is never itself taken for one of the cast's names."""
    done = changed_under(*case, names)

    if done is not None:
        assert replace(done[1].text, done[0]).text == done[1].text


@moderate
@given(cast_and_text, strategies)
def test_nothing_changes_outside_the_edits_and_spans_map_exactly(case: Case, names: Names) -> None:
    """Every stretch between mentions keeps its string; a span that cuts a mention is refused."""
    done = changed_under(*case, names)
    if done is None:
        return
    text, changed, alignment = case[1], done[1], done[1].alignment

    bounds = [0, *(at for edit in changed.edits for at in (edit.start, edit.end)), len(text)]
    assert bounds == sorted(bounds)
    new_at = 0
    for start, end in list(pairwise(bounds))[::2]:
        span = alignment.span(start, end)
        assert changed.text[span.start : span.end] == text[start:end]
        new_at += end - start
    assert len(changed.text) == new_at + sum(len(edit.new) for edit in changed.edits)
    for edit in changed.edits:
        assert text[edit.start : edit.end] == edit.old
        span = alignment.span(edit.start, edit.end)
        assert changed.text[span.start : span.end] == edit.new
        for inside in range(edit.start + 1, edit.end):
            with pytest.raises(SpanInsideName, match="cuts through the replaced name"):
                alignment.span(edit.start, inside)
            with pytest.raises(SpanInsideName, match="cuts through the replaced name"):
                alignment.span(inside, edit.end)


@moderate
@given(cast_and_text, strategies, seeds)
def test_people_are_one_to_one_and_forms_up_to_the_person(
    case: Case, names: Names, seed: int
) -> None:
    """Two forms become one only where the same people bear them: nicknames, spellings, masks."""
    done = changed_under(*case, names, seed)
    if done is None:
        return
    cast, name_map = cast_of(case[0]), done[0]
    bearers: dict[str, set[tuple[str, ...]]] = {}
    for form, new in name_map.forms.items():
        single = cast.units[fold(form)].owners if fold(form) in cast.units else ()
        extra = {**cast.nicknames, **cast.plurals}.get(fold(form))
        owners = cast.phrases.get(form, single) or ((extra.owner,) if extra else ())
        bearers.setdefault(new, set()).add(owners)

    assert len(set(name_map.people.values())) == len(name_map.people)
    if names != "masked":
        assert all(len(owners) == 1 for owners in bearers.values())


@moderate
@given(texts_about(tuple(form for form in FORMS if form != "Lizzy")), drawn, seeds)
def test_without_nicknames_the_map_has_an_inverse(text: str, names: Names, seed: int) -> None:
    """No two forms become one, so that the names lead back without the edits."""
    cast = tuple(
        Character(name=person.name, gender=person.gender, proper=person.proper) for person in CAST
    )
    name_map = planned(text, names=names, seed=seed, cast=cast)

    assert len(set(name_map.forms.values())) == len(name_map.forms)


@moderate
@given(cast_and_text, strategies)
def test_no_replacement_stood_in_the_text_before(case: Case, names: Names) -> None:
    """A new name that the passage already uses would make two people one."""
    done = changed_under(*case, names)
    if done is None:
        return
    cast, text = case
    old = {fold(word) for person in cast for form in person.forms for word in words(form)}
    present = {fold(word) for word in words(text)}
    new = {fold(word) for form in done[0].forms.values() for word in words(form)}

    assert not (new - old) & present


@moderate
@given(texts, seeds)
def test_a_character_keeps_one_replacement_whatever_the_item(text: str, seed: int) -> None:
    """Who appears, and in which order, changes nobody's name unless it stands in the text."""
    alone = planned("Nobody", seed=seed)
    name_map = planned(text, seed=seed)
    standing = {fold(word) for word in words(text)}

    for form, new in alone.forms.items():
        if standing.isdisjoint(fold(word) for word in words(new)):
            assert name_map.forms[form] == new
