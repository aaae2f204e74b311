"""What a replacement left behind is counted: names, nicknames, titles, places and phrases."""

from __future__ import annotations

import pytest

from prompts import Character
from prompts.datasets.works import works
from prompts.names import replace
from prompts.names.audit import Audit, audit
from tests.prompts.names_for_tests import CAST, EVERYONE, planned

FRIENDS = works()["friends"].cast


def audited(text: str, names: str = "same_culture", work: str = "Friends") -> Audit:
    name_map = planned(text, names=names, cast=FRIENDS, work=work)
    return audit(replace(text, name_map), name_map, FRIENDS, work=work)


def test_the_audit_counts_what_was_replaced_what_leaked_and_what_is_suspect() -> None:
    """An ambiguous form left standing is a leak; an unlisted capitalised word a suspect."""
    text = "Will you, Will? I will. They saw Charlotte and Lady PAGE, then Charlotte."
    name_map = planned(text)
    account = audit(replace(text, name_map), name_map, CAST)

    assert account.replaced == 2
    assert account.leaks == {"Will": 1}
    assert account.suspects == {"Charlotte": 2}


def test_part_of_a_name_that_is_left_standing_is_a_leak() -> None:
    """“Luc” alone still points at Jean-Luc, though the engine knows only the whole."""
    name_map = planned(EVERYONE)
    account = audit(replace("so _Luc_ came, O hear", name_map), name_map, CAST)

    assert account.leaks == {"Luc": 1}


def test_a_new_name_is_neither_a_leak_nor_a_suspect() -> None:
    account = audited("so Monica met Rachel Green, and Ross")

    assert (account.replaced, account.leaks, account.suspects) == (3, {}, {})


def test_nicknames_that_no_one_is_given_are_leaks() -> None:
    """Under a map that leaves them, or where two people may be meant; the word "ray" is none."""
    account = audited("Hey Rach, said Monica; the Gellers and Joseph; Pheebs", "paper_speakers")
    cast = (Character(name="John Reed"), Character(name="John Rivers"))
    name_map = planned("so Jack met John", cast=cast)

    assert account.leaks == {"Gellers": 1, "Joseph": 1, "Pheebs": 1, "Rach": 1}
    assert audit(replace("so Jack met John", name_map), name_map, cast).leaks == {}


def test_places_phrases_and_titles_of_the_work_are_counted_under_every_strategy() -> None:
    text = "How you doin’, Ross? At CENTRAL PERK, or Central\nPerk. They watch Friends. Friends."
    for names in ("original", "same_culture", "masked", "paper_speakers"):
        account = audited(text, names)
        assert account.places == {"Central Perk": 2}
        assert account.phrases == {"how you doin'": 1}
        assert account.titles == {"Friends": 1}
    elsewhere = audited(text, work="Emma")
    assert (elsewhere.places, elsewhere.phrases, elsewhere.titles) == ({}, {}, {})


def test_a_place_whose_name_was_replaced_is_gone() -> None:
    """Luke's Diner under another name says nothing of Luke."""
    cast = works()["gilmore_girls"].cast
    text = "They met at Luke's Diner in Stars Hollow."
    kept = planned(text, names="original", cast=cast, work="Gilmore Girls")
    renamed = planned(text, cast=cast, work="Gilmore Girls")

    before = audit(replace(text, kept), kept, cast, work="Gilmore Girls")
    after = audit(replace(text, renamed), renamed, cast, work="Gilmore Girls")

    assert before.places == {"Luke's Diner": 1, "Stars Hollow": 1}
    assert after.places == {"Stars Hollow": 1}


@pytest.mark.parametrize("work", ["Emma", "emma"])
def test_a_title_that_is_a_name_of_the_cast_is_counted_as_a_name(work: str) -> None:
    cast = works()["emma"].cast
    text = "so Emma went from Hartfield with Emma"
    name_map = planned(text, names="original", cast=cast, work=work)
    account = audit(replace(text, name_map), name_map, cast, work=work)

    assert account.titles == {}
    assert account.places == {"Hartfield": 1}


def test_without_a_work_nothing_of_it_is_counted() -> None:
    name_map = planned("Bazinga, said Sheldon in Pasadena")
    account = audit(replace("Bazinga, said Sheldon in Pasadena", name_map), name_map, CAST)

    assert (account.titles, account.places, account.phrases) == ({}, {}, {})
