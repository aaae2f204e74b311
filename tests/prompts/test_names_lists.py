"""The data of the name engine: lists that can be drawn from, and facts that are well formed."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest

from prompts import UnknownName
from prompts.names.leaks import leaks_of, listed_works
from prompts.names.lists import cultures, name_list
from prompts.names.words import fold, is_name_word, words

LONG = {"chinese", "english", "german", "italian", "japanese", "russian", "spanish"}


@pytest.mark.parametrize("culture", cultures())
def test_every_list_has_single_words_and_no_repeats(culture: str) -> None:
    """Within a culture no name is in two lists, so that none is drawn twice."""
    names = name_list(culture)
    every = [*names.female, *names.male, *names.surname]

    assert len({fold(name) for name in every}) == len(every)
    for name in every:
        assert len(words(name)) == 1
        assert name.istitle()
        assert is_name_word(name)
        assert unicodedata.is_normalized("NFC", name)


@pytest.mark.parametrize("culture", sorted(LONG))
def test_the_lists_of_living_languages_are_long(culture: str) -> None:
    names = name_list(culture)

    assert min(map(len, (names.female, names.male, names.surname))) > 115
    if culture == "chinese":
        assert min(len(names.female), len(names.male)) >= 150
        assert len(names.surname) >= 120


def test_the_old_cultures_are_still_there() -> None:
    assert {"english", "chinese", "french", "greek", "italian", "roman"} <= set(cultures())
    with pytest.raises(UnknownName, match="unknown culture 'klingon'"):
        name_list("klingon")


@pytest.mark.parametrize("culture", cultures())
def test_no_list_has_a_common_word(culture: str) -> None:
    common = {"grant", "will", "mark", "rose", "may", "grace", "page", "young", "green", "brown"}
    names = name_list(culture)
    found = {fold(name) for pool in (names.female, names.male, names.surname) for name in pool}

    assert not found & common


def test_what_gives_a_work_away_is_listed_once_and_found_by_title_and_key() -> None:
    for key in listed_works():
        entry = leaks_of(key)
        assert len(entry.places) + len(entry.phrases) > 5
        assert entry.titles
        for forms in (entry.titles, entry.places, entry.phrases):
            assert max(Counter(map(str.casefold, forms)).values(), default=1) == 1
            assert all(words(form) for form in forms)
    assert leaks_of("friends") == leaks_of("Friends")
    assert leaks_of("The Tragedy of Hamlet, Prince of Denmark").titles[0] == "Hamlet"
    assert leaks_of("A Book of One's Own").titles == ("A Book of One's Own",)
    assert leaks_of("").titles == ()
