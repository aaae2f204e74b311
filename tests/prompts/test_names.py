"""The name engine: the cases people would ask about, for a cast that has them all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata

import pytest

from prompts import Character, Names, SetAside
from prompts.names import Alignment, NameMap, replace, undo
from prompts.names.lists import name_list
from prompts.names.words import plural
from tests.prompts.names_for_tests import CAST, EVERYONE, planned


def all_of(names: Names = "same_culture", seed: int = 7) -> NameMap:
    """A map with everyone present."""
    return planned(EVERYONE, names=names, seed=seed)


def test_the_same_seed_gives_the_same_map_in_another_process() -> None:
    """Nothing depends on the hash seed of the interpreter; another seed gives another map."""
    program = (
        "import json, sys; from tests.prompts.names_for_tests import planned, EVERYONE; "
        "m = planned(EVERYONE, names=sys.argv[2], seed=int(sys.argv[1])); "
        "print(json.dumps([dict(m.people), dict(m.forms)]))"
    )

    def elsewhere(hash_seed: str, seed: str, names: str) -> object:
        done = subprocess.run(
            [sys.executable, "-c", program, seed, names],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
            text=True,
        )
        return json.loads(done.stdout)

    here, cast = all_of(seed=1), all_of("other_cast", seed=1)

    assert elsewhere("1", "1", "same_culture") == [dict(here.people), dict(here.forms)]
    assert elsewhere("2", "1", "other_cast") == [dict(cast.people), dict(cast.forms)]
    assert elsewhere("1", "2", "same_culture") != [dict(here.people), dict(here.forms)]


def test_a_family_keeps_one_surname_and_titles_stay() -> None:
    """Miss Bennet stays the sister of Jane Bennet."""
    name_map = all_of()
    surname = name_map.forms["Bennet"]
    changed = replace("Miss Bennet, Jane Bennet and MR. BENNET's Lizzy", name_map)

    assert name_map.people["Jane Bennet"].split()[1] == surname
    assert name_map.people["Elizabeth Bennet"].split()[1] == surname
    assert name_map.people["Mr. Bennet"] == f"Mr. {surname}"
    assert changed.text == (
        f"Miss {surname}, {name_map.people['Jane Bennet']} and MR. {surname.upper()}'s "
        f"{name_map.forms['Lizzy']}"
    )


def test_given_names_follow_gender_and_surnames_the_surname_list() -> None:
    """“Dantès” is a surname though it stands alone too; a swap takes the other gender's list."""
    name_map, swapped = all_of("cross_culture"), all_of("cross_culture_swapped")
    chinese = name_list("chinese")

    assert name_map.forms["Jane"] in chinese.female
    assert name_map.forms["Edmond"] in chinese.male
    assert {name_map.forms[name] for name in ("Bennet", "Dantès")} <= set(chinese.surname)
    assert name_map.people["Joan la Pucelle"].split()[1] == "la"
    assert swapped.forms["Jane"] in chinese.male
    assert swapped.forms["Edmond"] in chinese.female
    assert swapped.forms["Bennet"] in chinese.surname


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        *(("King Lear", "male"), ("Queen Margaret", "female"), ("Sir Andrew", "male")),
        *(("Mr. Collins", "surname"), ("Captain Ahab", "surname"), ("Aunt Polly", "female")),
    ],
)
def test_a_title_tells_a_given_name_from_a_surname(form: str, kind: str) -> None:
    """Kings, knights and aunts go by their given name, captains and misters by their surname."""
    cast = (Character(name=form, gender="female" if kind == "female" else "male"),)
    (new,) = planned(form, cast=cast).people.values()

    assert new.split()[0] == form.split(maxsplit=1)[0]
    assert new.split()[1] in getattr(name_list("english"), kind)


@pytest.mark.parametrize(
    "mention",
    [
        *("_Jane_", "Jane’s", "Jane 's", "JANE", "“Jane”", "Jane-", "JANE:", "Jane\u0301"),
        unicodedata.normalize("NFD", "Dantès"),
        *("Dantes", "DANTÈS", "DANTES", "O’Brien", "O'BRIEN", "Jean-Luc's", "NÜXIA", "Nuxia"),
        unicodedata.normalize("NFD", "Nüxia"),
    ],
)
def test_a_mention_is_found_however_it_is_typed(mention: str) -> None:
    """Italics, possessives, capitals, curly apostrophes and accents, or none, hide no name."""
    changed = replace(f"so {mention} came", planned(mention))

    assert len(changed.edits) == 1
    assert undo(changed.text, changed.edits) == f"so {mention} came"


@pytest.mark.parametrize(
    "text", ["Janes", "Janet", "Willing", "Wills", "Dantèse\u0301", "xJane", "Jane2", "Picardy"]
)
def test_a_longer_word_is_not_a_mention(text: str) -> None:
    """Only a surname has a plural, and only where the text has it."""
    assert replace(text, planned(text)).text == text


def test_the_longest_name_wins_and_none_is_found_inside_another() -> None:
    cast = tuple(
        Character(name=name, gender="female") for name in ("Jane", "Jane Fairfax", "Ann", "Anne")
    )
    name_map = planned("Jane Fairfax, Jane, Anne, Ann", cast=cast, names="masked")

    assert replace("Jane Fairfax, Jane, Anne, Ann; Fairfax", name_map).text == (
        "P1, P4, P2, P3; P1"
    )


def test_names_stand_beside_letters_of_scripts_without_spaces() -> None:
    """And a name in such a script is found inside running text."""
    cast = (Character(name="悟空"), Character(name="Jane"))
    name_map = planned("悟空Jane", cast=cast, names="masked")

    assert replace("他说悟空和Jane很好", name_map).text == "他说P0和P1很好"


def test_a_name_broken_by_a_line_end_keeps_its_line_end_but_a_blank_line_parts_two_names() -> None:
    name_map = all_of()
    jane, bennet = name_map.forms["Jane"], name_map.forms["Bennet"]

    assert replace("Jane\nBennet", name_map).text == f"{jane}\n{bennet}"
    assert replace("Jane\r\nBennet", name_map).text == f"{jane}\r\n{bennet}"
    assert [edit.old for edit in replace("Jane\n\nBennet", name_map).edits] == ["Jane", "Bennet"]


def test_capitals_are_kept_word_for_word() -> None:
    name_map = all_of()
    jane, bennet = name_map.forms["Jane"], name_map.forms["Bennet"]

    assert replace("Jane BENNET", name_map).text == f"{jane} {bennet.upper()}"
    assert replace("JOAN LA PUCELLE", name_map).text.split()[1] == "LA"


@pytest.mark.parametrize(
    ("surname", "family"),
    [
        *(("Li", "Lis"), ("Jones", "Joneses"), ("Marx", "Marxes"), ("Kennedy", "Kennedys")),
        *(("Walsh", "Walshes"), ("Finch", "Finches"), ("Ruiz", "Ruizes"), ("Strauß", "Straußes")),
    ],
)
def test_the_plural_of_a_surname_is_the_english_one(surname: str, family: str) -> None:
    assert plural(surname) == family


def test_a_family_in_the_plural_gets_the_plural_of_its_new_name() -> None:
    """With its possessive, tokenised or not; two people with the name need not be there."""
    cast = (Character(name="Ross Geller"), Character(name="Ann Jones"))
    text = "The Gellers' house, the Gellers ' house. THE GELLERS and the Joneses"
    name_map = planned(text, cast=cast)
    geller, jones = (plural(name_map.forms[name]) for name in ("Geller", "Jones"))

    assert replace(text, name_map).text == (
        f"The {geller}' house, the {geller} ' house. THE {geller.upper()} and the {jones}"
    )
    masked = planned("the Gellers", cast=cast, names="masked")
    assert replace("the Gellers", masked).text == "the P0s"


@pytest.mark.parametrize(
    ("called", "name"),
    [("Rach", "Rachel"), ("Rachel", "Rach"), ("Lizzy", "Elizabeth"), ("Joseph", "Joey")],
)
def test_a_nickname_that_is_nobody_elses_becomes_what_the_name_becomes(
    called: str, name: str
) -> None:
    """A reader of the new text still knows that the two are one person; both ways."""
    cast = (Character(name=f"{name} Green", aliases=(name,)),)
    name_map = planned(f"{called} came", cast=cast)
    listed = planned(called, cast=(Character(name=f"{name} Green", aliases=(called,)),))

    assert name_map.forms[called] == name_map.forms[name]
    assert listed.forms[called] == listed.forms[name]
    masked = planned(f"{called} Green came", cast=cast, names="masked")
    assert replace(f"{called} Green came, {called}", masked).text == "P0 came, P0"


@pytest.mark.parametrize(
    ("people", "called"),
    [
        (("Elizabeth Bennet", "Elizabeth Elliot"), "Lizzy"),
        (("Rachel Green", "Rach Berry"), "Rach"),
        (("Charles Bingley", "Charlotte Lucas"), "Charlie"),
        (("Ned Land",), "Edward"),
    ],
)
def test_a_nickname_that_may_be_anothers_is_no_ones(people: tuple[str, ...], called: str) -> None:
    """Two of that name, someone listed under it, or a nickname of many names."""
    cast = tuple(Character(name=name) for name in people)
    forms = planned(f"{called} came", cast=cast).forms
    owners = [form for form in forms if called not in form and forms[form] == forms.get(called)]

    assert owners == []


def test_a_listed_nickname_of_a_shared_name_has_one_of_its_own() -> None:
    """Kitty and Lady Catherine are both Catherine; were Kitty that too, she might be the lady."""
    cast = (
        Character(name="Kitty Bennet", aliases=("Kitty", "Catherine Bennet"), gender="female"),
        Character(name="Lady Catherine de Bourgh", gender="female"),
    )
    forms = planned("Kitty, Catherine", cast=cast).forms

    assert forms["Kitty"] != forms["Catherine"]
    assert (
        planned("Kitty, Catherine", cast=cast[:1]).forms["Kitty"]
        == (planned("Kitty, Catherine", cast=cast[:1]).forms["Catherine"])
    )


def test_a_word_that_is_given_name_and_surname_is_drawn_as_a_given_name() -> None:
    cast = tuple(Character(name=name, gender="male") for name in ("Linton Grey", "Edgar Linton"))

    assert planned("Linton", cast=cast).forms["Linton"] in name_list("english").male


@pytest.mark.parametrize(
    ("text", "left", "replaced"),
    [
        ("Will he come? I will.", ["Will"], []),
        ("I will. So Will came.", [], ["Will"]),
        ("\n                  Bottom of the bottom", ["Bottom"], []),
        ("“Page one,” said Page of the page.", ["Page"], ["Page"]),
        ("Will came.", [], ["Will"]),
        ("Will you come, Will?", ["Will"], ["Will"]),
        ("I will go.\nWill: Go!\nWILL:\nGo!", [], ["Will", "WILL"]),
        ("SHE WILL GO. Will came; he will.", ["WILL", "Will"], []),
        ("the bottom. Nick Bottom came.", [], ["Nick Bottom"]),
    ],
)
def test_ordinary_words_are_told_from_names_by_case_and_position(
    text: str, left: list[str], replaced: list[str]
) -> None:
    """A capital that may be the sentence's is left, and so is one among capitals; both reported."""
    changed = replace(text, planned(text))

    assert list(changed.ambiguous) == left
    assert [edit.old for edit in changed.edits] == replaced


@pytest.mark.parametrize(
    ("name", "text", "left", "replaced"),
    [
        ("May", "In May she met May. May I come?", 2, 1),
        ("Mark", "Mark my words, Mark. Then Mark went.", 1, 2),
        ("Grace", "Your Grace, this is Grace. Grace of God.", 2, 1),
        ("Rose", "Rose to the top went Rose, who rose.", 1, 1),
        ("Penny", "Penny for your thoughts? Penny slept. A penny fell to Penny.", 2, 1),
    ],
)
def test_names_that_are_words_are_told_apart_by_their_neighbours(
    name: str, text: str, left: int, replaced: int
) -> None:
    changed = replace(text, planned(text, cast=(Character(name=name),)))

    assert (len(changed.ambiguous), len(changed.edits)) == (left, replaced)


def test_speakers_in_lower_case_are_replaced_and_speech_in_lower_case_is_not() -> None:
    """Labels do not make the name an ordinary word of the text either."""
    cast = (Character(name="Monica Geller", aliases=("Monica",)), Character(name="Will"))
    text = "monica : I will. Monica!\nmr. geller : Will you?\nwill (to monica) : Yes.\nthe will"
    changed = replace(text, planned(text, cast=cast, names="masked")).text

    assert changed == "p0 : I will. P0!\nmr. p0 : Will you?\np1 (to p0) : Yes.\nthe will"


def test_a_text_without_capitals_has_its_names_replaced_but_for_listed_words() -> None:
    cast = (Character(name="Monica", gender="female"), Character(name="Will", gender="male"))
    text = "so monica said that she will, and " + "then they went on and on " * 4
    name_map = planned(text, cast=cast, names="masked")

    assert replace(text, name_map).text == text.replace("monica", "p0")
    assert replace("monica", name_map).text == "p0"
    assert replace("a gift for monica", name_map).text == "a gift for monica"


def test_two_people_alike_set_the_item_aside_where_both_may_be_named() -> None:
    twins = (Character(name="Jane"), Character(name="Jane", aliases=("Jenny",)))

    for names in ("same_culture", "masked", "other_cast"):
        with pytest.raises(SetAside, match="two people of the cast are called 'Jane'"):
            planned("Jane", cast=twins, names=names)
        assert planned("Nobody", cast=twins, names=names).people == {}


def test_two_people_whose_names_differ_in_capitals_alone_are_set_aside() -> None:
    cast = (Character(name="Macbeth"), Character(name="MacBeth"))

    with pytest.raises(SetAside, match="item i1: two people of the cast have the same name"):
        planned("Macbeth", cast=cast)


def test_spellings_of_one_name_become_one_name() -> None:
    """A label printed AEneas is the Aeneas of the text, and AENEAS is found in capitals."""
    cast = (Character(name="Aeneas", aliases=("AEneas",), gender="male"),)
    name_map = planned("Aeneas", cast=cast)
    changed = replace("AEneas, Aeneas and AENEAS", name_map)
    new = name_map.people["Aeneas"]

    assert changed.text == f"{new}, {new} and {new.upper()}"


def test_masks_are_numbered_by_appearance_and_a_shared_surname_has_its_own() -> None:
    """Everyone is one placeholder under every form; what two people share names neither."""
    text = "Jane Bennet and Lizzy; Jane, Miss Bennet, Mr. Bennet and the Bennets; P1 and p3"
    name_map = planned(text, names="masked", cast=CAST[:3])

    assert list(name_map.people.values()) == ["P0", "P2", "P4"]
    assert replace(text, name_map).text == ("P0 and P2; P0, Miss P5, Mr. P4 and the P5s; P1 and p3")


def test_roles_and_the_original_strategy_rename_nobody() -> None:
    clown = (Character(name="First Clown", proper=False), Character(name="King"))

    assert planned("First Clown", cast=clown).forms == {}
    assert planned("Jane", names="original").forms == {}
    assert replace("Jane", planned("Jane", names="original")).text == "Jane"


def test_an_empty_alignment_maps_every_span_onto_itself() -> None:
    span = Alignment(()).span(2, 5)

    assert (span.start, span.end) == (2, 5)
