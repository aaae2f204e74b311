"""Finding names: the same places as one pattern of all forms would find, and case and accents."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts.names.find import find_names, spread
from prompts.names.words import fold, words

GAP = r"(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*)"
PIECES = ["Ann", "An", "Anna", "Lee", "O'Neil", "St.", " ", "\n", "_", "’s", "'", ".", "a", "é"]
NAMES = ["Ann", "An", "Anna", "Lee", "O'Neil", "Jean-Luc"]
forms = st.lists(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
    max_size=6,
).map(lambda names: [" ".join(parts) for parts in names])
texts = st.lists(st.sampled_from(PIECES + NAMES), max_size=25).map("".join)


def by_one_pattern(text: str, names: list[str]) -> list[tuple[int, int]]:
    """The definition: alternatives, most words first, whole words only."""
    if not names:
        return []
    ordered = sorted(names, key=lambda form: -len(words(form)))
    alternatives = "|".join(
        GAP.join(re.escape(part).replace("'", "['’]") for part in form.split()) for form in ordered
    )
    pattern = rf"(?<![^\W_])(?:{alternatives})(?![^\W_])"
    return [match.span() for match in re.finditer(pattern, text)]


@given(texts, forms)
def test_names_are_found_as_one_pattern_of_all_forms_finds_them(
    text: str, names: list[str]
) -> None:
    found = [(place.start, place.end) for place in find_names(text, names) if place.case == "name"]

    assert found == by_one_pattern(text, names)


def test_a_long_name_wins_over_a_short_one_and_may_cross_a_line() -> None:
    text = "Anna\nLee met Anna, Lee and _Anna_ Leeson; Annas are not meant."

    found = [text[p.start : p.end] for p in find_names(text, ["Anna", "Lee", "Anna Lee"])]

    assert found == ["Anna\nLee", "Anna", "Lee", "Anna"]


@given(st.text(max_size=60))
def test_the_words_of_any_text_are_where_they_are_said_to_be(text: str) -> None:
    """In order, apart, each once; and each is found under its folded form."""
    own = spread(text)
    found = [own.word(index) for index in range(len(own.starts))]

    assert tuple(found) == words(text)
    assert all(end <= start for end, start in zip(own.ends, own.starts[1:], strict=False))
    assert sorted(at for places in own.places.values() for at in places) == [*range(len(found))]
    for key, places in own.places.items():
        assert {fold(own.word(index)) for index in places} == {key}


@given(st.text(max_size=30))
def test_folding_sets_case_and_the_way_of_writing_accents_aside(word: str) -> None:
    for form in ("NFC", "NFD"):
        assert fold(unicodedata.normalize(form, word)) == fold(word)
    assert fold(fold(word)) == fold(word)


@pytest.mark.parametrize(
    ("form", "text", "case"),
    [
        ("Dantès", "Dantes", "name"),
        ("Dantes", "DANTE\u0300S", "name"),
        ("MacBeth", "Macbeth", "name"),
        ("Joan la Pucelle", "Joan La Pucelle", "name"),
        ("The Count", "the Count", "name"),
        ("The Count", "the count", "lower"),
        ("The Count", "The count", None),
        ("Rose Green", "rose Green", None),
        ("O'Brien", "O’BRIEN", "name"),
        ("St. Clair", "St Clair", "name"),
        ("St. Clair", "St.\nClair", "name"),
        ("St. Clair", "St.\n\nClair", None),
        ("Jean-Luc", "Jean Luc", None),
        ("Monica", "monica", "lower"),
        ("Monica", "mOnica", None),
    ],
)
def test_how_a_form_stands_is_said(form: str, text: str, case: str | None) -> None:
    found = find_names(text, [form])

    assert [place.case for place in found] == ([case] if case else [])
    assert [place.case for place in find_names(text, [form], any_case=True)] == (
        ["name"] if case or fold(form) == fold(text) else []
    )
