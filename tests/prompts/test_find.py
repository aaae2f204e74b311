"""Finding names: the same places as one pattern of all forms would find."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from prompts.names.find import find_names

GAP = r"(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*)"
PIECES = [
    "Ann",
    "An",
    "Anna",
    "Lee",
    "O'Neil",
    "St.",
    " ",
    "\n",
    "_",
    "’s",
    "\u0301",
    ".",
    "a",
    "é",
]
forms = st.lists(
    st.lists(
        st.sampled_from(["Ann", "An", "Anna", "Lee", "O'Neil", "St."]), min_size=1, max_size=3
    ),
    max_size=6,
).map(lambda names: [" ".join(parts) for parts in names])
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def by_one_pattern(text: str, names: list[str]) -> list[tuple[int, int]]:
    """The definition: alternatives in the order of their length, whole words only."""
    if not names:
        return []
    ordered = sorted(names, key=lambda form: (-len(form), form))
    alternatives = "|".join(GAP.join(map(re.escape, form.split())) for form in ordered)
    pattern = rf"(?<![^\W_])(?:{alternatives})(?![^\W_]|[\u0300-\u036f])"
    return [match.span() for match in re.finditer(pattern, text)]


@given(texts, forms)
def test_names_are_found_as_one_pattern_of_all_forms_finds_them(
    text: str, names: list[str]
) -> None:
    assert find_names(text, names) == by_one_pattern(text, names)


def test_a_long_name_wins_over_a_short_one_and_may_cross_a_line() -> None:
    text = "Anna\nLee met Anna, Lee and _Anna_ Leeson; Annas are not meant."

    found = [text[start:end] for start, end in find_names(text, ["Anna", "Lee", "Anna Lee"])]

    assert found == ["Anna\nLee", "Anna", "Lee", "Anna"]
