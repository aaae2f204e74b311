"""One map for a work, planned over its whole cast; what is drawn again; when a list runs out."""

from __future__ import annotations

from dataclasses import replace as changed

import pytest

from prompts import Character, Gender, Names, SetAside
from prompts.datasets.works import works
from prompts.names import replace
from prompts.names.casts import cast_of
from prompts.names.lists import cultures, name_list
from prompts.names.planning import NameOptions, plan_map
from prompts.names.strategies import strategy_named
from prompts.names.words import fold
from tests.prompts.names_for_tests import CAST, DRAWN, EVERYONE, FORMS, item_of, planned

FRIENDS = works()["friends"].cast
LETTERS = "bcdfghklmnprstvwz"


def large_cast(people: int, surnames: int) -> tuple[Character, ...]:
    """Made-up people, by turns women, men and unknown, in families."""
    syllables = [f"{a}{vowel}{b}" for a in LETTERS for vowel in "aiu" for b in LETTERS]
    genders: tuple[Gender, ...] = ("female", "male", "unknown")
    return tuple(
        Character(
            name=f"Qx{syllables[n]} Zq{syllables[n % surnames]}", gender=genders[n % len(genders)]
        )
        for n in range(people)
    )


@pytest.mark.parametrize("names", DRAWN)
def test_every_item_of_a_work_has_the_same_map(names: Names) -> None:
    """Each person alone, all together, and in another order: one replacement a character."""
    whole = planned(EVERYONE, names=names)
    shuffled = planned(EVERYONE, names=names, cast=tuple(reversed(CAST)))

    for form in FORMS:
        alone = planned(form, names=names)
        assert alone.forms == whole.forms
        assert alone.people.items() <= whole.people.items()
    if names != "other_cast":  # there the cast's order decides who is given whose names
        assert shuffled.people == whole.people


@pytest.mark.parametrize("names", DRAWN)
def test_a_new_name_that_stands_in_an_items_own_text_is_alone_drawn_again(names: Names) -> None:
    whole = planned(EVERYONE, names=names)
    drawn = whole.forms["Edmond"]
    again = planned(f"{EVERYONE}, {drawn.upper()}", names=names)
    elsewhere = planned(EVERYONE, f"an option: {drawn}", names=names)
    differing = {form for form in whole.forms if whole.forms[form] != again.forms[form]}

    assert differing == {"Edmond", "Edmond Dantès"}
    assert again == elsewhere


@pytest.mark.parametrize("culture", cultures())
@pytest.mark.parametrize("people", [12, 109])
def test_the_lists_are_long_enough_for_large_casts(culture: str, people: int) -> None:
    """A hundred and nine people of fifty-four families."""
    cast = large_cast(people, max(people // 2, 1))
    text = " ".join(person.name for person in cast)
    item = changed(item_of(text, cast), culture=culture)
    for names in ("same_culture", "same_culture_swapped"):
        options = NameOptions(cross_culture="chinese", seed=1)
        strategy = strategy_named(names)
        name_map = plan_map(item, strategy, texts=(text,), options=options, placeholder="P")

        assert len(set(name_map.people.values())) == people


def test_a_list_that_runs_out_sets_the_item_aside_but_not_its_neighbours() -> None:
    """Only the items that name more people than there are names; never half a map."""
    cast = large_cast(600, 600)
    everyone = " ".join(person.name for person in cast)
    few = " ".join(person.name for person in cast[-30:])

    with pytest.raises(SetAside, match="item i1: the english list has no free name left for 'Qx"):
        planned(everyone, cast=cast)
    assert len(set(planned(few, cast=cast).people.values())) == 30


def test_names_of_the_same_length_are_drawn_where_that_is_wanted() -> None:
    """Measured in characters, or by whatever counts the tokens of a model."""
    item = item_of("Monica Geller, Rachel, Ross", FRIENDS, "Friends")

    def lengths(**chosen: object) -> dict[str, str]:
        options = changed(NameOptions(cross_culture="chinese", seed=3), **chosen)  # type: ignore[arg-type]
        strategy = strategy_named("same_culture")
        plan = plan_map(item, strategy, texts=(item.text,), options=options, placeholder="P")
        return dict(plan.forms)

    near = lengths(match_length=True)
    vowels = lengths(
        match_length=True, length=lambda name: sum(char in "aeiou" for char in name.lower())
    )
    any_length = lengths()

    assert all(len(near[form]) == len(form) for form in ("Monica", "Rachel", "Ross", "Geller"))
    assert sum(char in "aeiou" for char in vowels["Monica"].lower()) == 3
    assert near != any_length
    assert lengths(length=len) == any_length


def test_another_works_cast_lends_its_names_person_for_person() -> None:
    """Given name for given name, surname for surname, a woman's for a woman's (E.4)."""
    frasier = works()["frasier"].cast
    text = ", ".join(person.name for person in frasier)
    name_map = planned(text, names="other_cast", cast=frasier, work="Frasier")
    new = {word for shown in name_map.people.values() for word in shown.split()}
    lenders = [key for key, work in works().items() if new <= set(cast_of(work.cast).spellings)]
    assert lenders, "all names come from one other work"
    (lender,) = lenders[:1]
    lent = cast_of(works()[lender].cast)

    assert lender != "frasier"
    assert len(set(name_map.people.values())) == len(frasier)
    for person in frasier:
        given = lent.units[fold(name_map.people[person.name].split()[0])]
        assert (given.kind, given.gender) == ("given", person.gender)
    assert lent.units[fold(name_map.forms["Crane"])].kind == "surname"
    assert name_map.people["Niles Crane"].split()[1] == name_map.forms["Crane"]
    assert planned(text, names="other_cast", cast=frasier, work="frasier", seed=8) != name_map


def test_a_cast_that_no_other_can_serve_is_set_aside() -> None:
    """Not where an item names few enough of it."""
    cast = large_cast(109, 109)

    with pytest.raises(SetAside, match="the largest other cast has no free name left for 'Qx"):
        planned(" ".join(person.name for person in cast), names="other_cast", cast=cast)
    assert len(planned(cast[0].name, names="other_cast", cast=cast).people) == 1


def test_a_work_is_not_lent_the_names_of_its_own_world() -> None:
    """Neither its own nor those of the other book about the same people."""
    hound, adventures = (
        works()[key].cast
        for key in ("the_hound_of_the_baskervilles", "the_adventures_of_sherlock_holmes")
    )
    own, other = cast_of(hound), cast_of(adventures)
    text = ", ".join(person.name for person in hound[:5])
    for seed in range(60):
        name_map = planned(
            text, names="other_cast", cast=hound, work="The Hound of the Baskervilles", seed=seed
        )
        new = {fold(name_map.forms[word]) for word in own.spellings}
        assert not new & own.units.keys()
        assert not new <= other.units.keys()


def test_masks_in_a_seeded_order_are_the_same_masks() -> None:
    item = item_of(EVERYONE)
    orders = set()
    for number in range(20):
        one = changed(item, item_id=f"i{number}")
        options = NameOptions(cross_culture="chinese", seed=7, shuffle_masks=True)
        strategy = strategy_named("masked")
        masks = plan_map(one, strategy, texts=(EVERYONE,), options=options, placeholder="N").people
        orders.add(tuple(masks.items()))
        assert sorted(masks.values(), key=lambda mask: int(mask[1:])) == [
            f"N{n}" for n in range(11)
        ]

    assert len(orders) == 20


def test_the_windows_of_a_document_agree_on_their_masks() -> None:
    """Whoever is in them; items that are no windows number those present from 0."""
    strategy, options = strategy_named("masked"), NameOptions(cross_culture="chinese", seed=7)

    def masks(text: str, parts: int) -> dict[str, str]:
        one = changed(item_of(text), document="d", part=0, parts=parts)
        made = plan_map(one, strategy, texts=(text,), options=options, placeholder="P").people
        return {name: mask for name, mask in made.items() if name in {"Will", "Nüxia"}}

    assert masks("Will", 2)["Will"] == masks("Nüxia", 2)["Will"] != "P0"
    assert masks("Will", 1) == {"Will": "P0"}


@pytest.mark.parametrize(("culture", "drawn"), [("english", "chinese"), ("chinese", "english")])
def test_cross_culture_draws_from_another_culture(culture: str, drawn: str) -> None:
    """A work of the chosen culture itself gets English names, so that the names do change."""
    item = changed(item_of("Jane"), culture=culture)
    options = NameOptions(cross_culture="chinese", seed=7)
    strategy = strategy_named("cross_culture")
    forms = plan_map(item, strategy, texts=("Jane",), options=options, placeholder="P").forms

    assert forms["Jane"] in name_list(drawn).female


def test_only_people_an_item_may_name_are_in_the_map_of_people() -> None:
    """By a word of their name, in any text; the forms are the whole cast's."""
    name_map = planned("Miss Page", "and the Bennets")

    assert set(name_map.people) == {
        *("Lady Page", "Jane Bennet", "Elizabeth Bennet", "Mr. Bennet"),
    }
    assert replace("Jean-Luc", name_map).text != "Jean-Luc"
