"""The name engine: properties that hold for any text, and the cases people would ask about."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts import Character, Names, SetAside
from prompts.names import Alignment, NameMap, SpanInsideName, audit, plan_names, replace, undo
from prompts.names.lists import cultures, name_list
from prompts.names.replace import words

CAST = (
    Character(name="Jane Bennet", aliases=("Jane",), gender="female"),
    Character(name="Elizabeth Bennet", aliases=("Lizzy", "Elizabeth"), gender="female"),
    Character(name="Mr. Bennet", gender="male"),
    Character(name="Edmond Dantès", aliases=("Dantès",), gender="male"),
    Character(name="Nüxia", gender="female"),
    Character(name="Conan O'Brien", aliases=("O'Brien",), gender="male"),
    Character(name="Jean-Luc Picard", aliases=("Jean-Luc",), gender="male"),
    Character(name="Nick Bottom", aliases=("Bottom",), gender="male"),
    Character(name="Will", gender="male"),
    Character(name="Lady Page", gender="female"),
    Character(name="Joan la Pucelle", gender="female"),
    Character(name="First Clown", proper=False),
)
PROPER = tuple(character for character in CAST if character.proper)
FORMS = sorted({form for character in PROPER for form in character.forms})
MENTIONS = (
    *FORMS,
    *(form.upper() for form in FORMS),
    *("Bennet", "Miss Bennet", "Miss Page", "Lady Page's", "O'Brien's", "_Jane_", "_Miss Bennet_"),
    *("Jane\nBennet", "Elizabeth  Bennet", "(Dantès)", "Jane's", "Bottom,", "Will!"),
)
PLAIN = (
    *("will", "bottom", "page", "the", "said", "Lydia", "Netherfield", "Janes", "Willing", "x"),
    *("à", "Zürich", "Sheila", "Heather", "Zhang", "Meiling", "Grant", "P0", "p1", "N2", "P0: "),
)
SEPARATORS = (" ", "\n", ", ", ". ", "\n\n", "—", "; ", " “", "”\r\n", "    ")
RENAMING: tuple[Names, ...] = ("same_culture", "cross_culture")
CULTURE: dict[Names, str] = {"same_culture": "english", "cross_culture": "chinese"}

texts = st.lists(
    st.tuples(st.sampled_from(MENTIONS) | st.sampled_from(PLAIN), st.sampled_from(SEPARATORS)),
    max_size=14,
).map(lambda parts: "".join(word + gap for word, gap in parts).strip())
seeds = st.text(max_size=4)
renaming = st.sampled_from(RENAMING)
strategies = st.sampled_from((*RENAMING, "masked"))
moderate = settings(max_examples=60, deadline=None)


def planned(text: str, names: Names, seed: str = "7") -> NameMap:
    culture = CULTURE.get(names, "english")
    return plan_names(CAST, (text,), names, culture=culture, seed=seed)


def inverse(name_map: NameMap) -> NameMap:
    return NameMap(
        people={new: old for old, new in name_map.people.items()},
        forms={new: old for old, new in name_map.forms.items()},
    )


@moderate
@given(texts, renaming, seeds)
def test_the_map_over_people_and_over_forms_is_a_bijection(
    text: str, names: Names, seed: str
) -> None:
    """No two people, and no two forms, become the same name."""
    name_map = planned(text, names, seed)

    assert set(name_map.people) == {character.name for character in PROPER}
    assert len(set(name_map.people.values())) == len(PROPER)
    assert len(set(name_map.forms.values())) == len(name_map.forms)


@moderate
@given(texts, renaming, seeds)
def test_the_inverse_map_gives_the_text_back(text: str, names: Names, seed: str) -> None:
    """Replacing is reversible by the names alone, without the edits."""
    name_map = planned(text, names, seed)
    changed = replace(text, name_map)

    assert replace(changed.text, inverse(name_map)).text == text


@moderate
@given(texts, strategies)
def test_undo_gives_the_text_back(text: str, names: Names) -> None:
    """Under masks too, where the map has no inverse, the edits do."""
    changed = replace(text, planned(text, names))

    assert undo(changed.text, changed.edits) == text


@moderate
@given(texts, strategies)
def test_nothing_changes_outside_the_edits(text: str, names: Names) -> None:
    """Walking old and new text side by side, only the mentions differ."""
    changed = replace(text, planned(text, names))
    old_at = new_at = 0

    for edit in changed.edits:
        gap = edit.start - old_at
        assert text[old_at : edit.start] == changed.text[new_at : new_at + gap]
        assert text[edit.start : edit.end] == edit.old
        assert changed.text[new_at + gap : new_at + gap + len(edit.new)] == edit.new
        old_at, new_at = edit.end, new_at + gap + len(edit.new)
    assert text[old_at:] == changed.text[new_at:]


@moderate
@given(texts, strategies)
def test_spans_map_onto_the_same_words_and_mentions_onto_their_replacement(
    text: str, names: Names
) -> None:
    """Every stretch between mentions keeps its string; a span that cuts a mention is refused."""
    changed = replace(text, planned(text, names))
    alignment = changed.alignment

    bounds = [0, *(at for edit in changed.edits for at in (edit.start, edit.end)), len(text)]
    for start, end in list(pairwise(bounds))[::2]:
        span = alignment.span(start, end)
        assert changed.text[span.start : span.end] == text[start:end]
    for edit in changed.edits:
        span = alignment.span(edit.start, edit.end)
        assert changed.text[span.start : span.end] == edit.new
        for inside in range(edit.start + 1, edit.end):
            with pytest.raises(SpanInsideName, match="cuts through the replaced name"):
                alignment.span(edit.start, inside)
            with pytest.raises(SpanInsideName, match="cuts through the replaced name"):
                alignment.span(inside, edit.end)


@moderate
@given(texts, strategies)
def test_replacing_twice_changes_nothing_more(text: str, names: Names) -> None:
    """A replacement is never itself taken for one of the cast's names."""
    name_map = planned(text, names)
    once = replace(text, name_map)

    assert replace(once.text, name_map).text == once.text


@moderate
@given(texts, strategies)
def test_no_replacement_stood_in_the_text_before(text: str, names: Names) -> None:
    """A new name that the passage already uses would make two people one."""
    old = unicodedata.normalize("NFC", text).casefold()
    present = {word.strip("_") for part in old.split() for word in words(part)}
    name_map = planned(text, names)
    drawn = {word for form in name_map.forms.values() for word in form.casefold().split()}
    kept = {word for form in name_map.forms for word in form.casefold().split()}

    assert not (drawn - kept) & present


def test_every_list_has_single_words_and_no_repeats() -> None:
    """The engine draws word by word, so a name with a space would not be found again."""
    for culture in cultures():
        names = name_list(culture)
        for pool in (names.female, names.male, names.surname):
            assert all(len(words(name)) == 1 and name.istitle() for name in pool)
            assert len({name.casefold() for name in pool}) == len(pool) > 15


def test_the_same_seed_gives_the_same_map_in_another_process() -> None:
    """Nothing depends on the hash seed of the interpreter; another seed gives another map."""
    program = (
        "import json, sys; from tests.prompts.test_names import planned; "
        "m = planned('Jane and Will.', 'same_culture', sys.argv[1]); "
        "print(json.dumps([dict(m.people), dict(m.forms)]))"
    )

    def elsewhere(hash_seed: str, seed: str) -> object:
        done = subprocess.run(
            [sys.executable, "-c", program, seed],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
            text=True,
        )
        return json.loads(done.stdout)

    here = planned("Jane and Will.", "same_culture", "a")

    assert elsewhere("1", "a") == elsewhere("2", "a") == [dict(here.people), dict(here.forms)]
    assert elsewhere("1", "b") != elsewhere("1", "a")


def test_a_family_keeps_one_surname_and_titles_stay() -> None:
    """Miss Bennet stays the sister of Jane Bennet."""
    name_map = planned("", "same_culture")
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
    name_map = planned("", "cross_culture")
    chinese = name_list("chinese")

    assert name_map.forms["Jane"] in chinese.female
    assert name_map.forms["Edmond"] in chinese.male
    assert name_map.forms["Bennet"] in chinese.surname
    assert name_map.people["Joan la Pucelle"].split()[1] == "la"


@pytest.mark.parametrize(
    "mention",
    [
        *("_Jane_", "Jane’s", "JANE", "“Jane”", "Jane-"),
        unicodedata.normalize("NFD", "Dantès"),
        *("O’Brien", "O'BRIEN", "Jean-Luc's", "NÜXIA"),
        unicodedata.normalize("NFD", "Nüxia"),
    ],
)
def test_a_mention_is_found_however_it_is_typed(mention: str) -> None:
    """Italics, possessives, capitals, curly apostrophes and combining accents hide no name."""
    changed = replace(f"so {mention} came", planned("", "same_culture"))

    assert len(changed.edits) == 1
    assert undo(changed.text, changed.edits) == f"so {mention} came"


@pytest.mark.parametrize("text", ["Janes", "Janet", "Willing", "Pages", "Bennets", "Dantèse\u0301"])
def test_a_longer_word_is_not_a_mention(text: str) -> None:
    assert replace(text, planned("", "same_culture")).text == text


def test_a_name_broken_by_a_line_end_keeps_its_line_end_but_a_blank_line_parts_two_names() -> None:
    name_map = planned("", "same_culture")
    jane, bennet = name_map.forms["Jane"], name_map.forms["Bennet"]

    assert replace("Jane\nBennet", name_map).text == f"{jane}\n{bennet}"
    assert [edit.old for edit in replace("Jane\n\nBennet", name_map).edits] == ["Jane", "Bennet"]


@pytest.mark.parametrize(
    ("text", "left", "replaced"),
    [
        ("Will he come? I will.", ["Will"], []),
        ("I will. So Will came.", [], ["Will"]),
        ("\n                  Bottom of the bottom", ["Bottom"], []),
        ("“Page one,” said Page of the page.", ["Page"], ["Page"]),
        ("Will came.", [], ["Will"]),
        ("the bottom. Nick Bottom came.", [], ["Nick Bottom"]),
    ],
)
def test_ordinary_words_are_left_where_a_sentence_begins_and_reported(
    text: str, left: list[str], replaced: list[str]
) -> None:
    """Only where the text also has the word in lower case can the capital be the sentence's."""
    changed = replace(text, planned("", "same_culture"))

    assert list(changed.ambiguous) == left
    assert [edit.old for edit in changed.edits] == replaced


def test_a_list_that_runs_out_sets_the_item_aside() -> None:
    """A cast larger than the list is counted with a reason, never given half a map."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    women = [Character(name=f"Q{a}{b}", gender="female") for a in letters for b in letters]

    with pytest.raises(SetAside, match="the english list has no free name left for 'Q"):
        plan_names(women, (), "same_culture", culture="english", seed="")


@pytest.mark.parametrize("names", [*RENAMING, "masked"])
def test_two_people_alike_set_the_item_aside(names: Names) -> None:
    twins = (Character(name="Jane"), Character(name="Jane", aliases=("Jenny",)))

    with pytest.raises(SetAside, match="two people of the cast are called 'Jane'"):
        plan_names(twins, (), names, culture="english", seed="")


def test_two_people_whose_names_differ_in_capitals_alone_are_set_aside() -> None:
    cast = (Character(name="Macbeth"), Character(name="MacBeth"))

    with pytest.raises(SetAside, match="the same name"):
        plan_names(cast, (), "same_culture", culture="english", seed="")


def test_spellings_of_one_name_become_one_name() -> None:
    """A label printed AEneas is the Aeneas of the text, and AENEAS is found in capitals."""
    cast = (Character(name="Aeneas", aliases=("AEneas",), gender="male"),)
    name_map = plan_names(cast, (), "same_culture", culture="english", seed="")
    changed = replace("AEneas, Aeneas and AENEAS", name_map)
    new = name_map.people["Aeneas"]

    assert changed.text == f"{new}, {new} and {new.upper()}"


def test_masks_are_numbered_in_order_and_a_shared_surname_has_its_own() -> None:
    """Everyone is one placeholder under every form; what two people share names neither."""
    cast = CAST[:3]
    name_map = plan_names(cast, ("P1 and p3",), "masked", culture="english", seed="")
    text = "Jane Bennet and Lizzy; Jane, Miss Bennet, Mr. Bennet and the Bennet"
    changed = replace(text, name_map)

    assert list(name_map.people.values()) == ["P0", "P2", "P4"]
    assert changed.text == "P0 and P2; P0, Miss P5, Mr. P4 and the P5"


def test_roles_and_the_original_strategy_rename_nobody() -> None:
    clown = (Character(name="First Clown", proper=False), Character(name="King"))

    assert plan_names(clown, (), "same_culture", culture="english", seed="").forms == {}
    assert planned("Jane", "original").forms == {}
    assert replace("Jane", planned("Jane", "original")).text == "Jane"


def test_the_audit_counts_what_was_replaced_what_leaked_and_what_is_suspect() -> None:
    """An ambiguous form left standing is a leak; an unlisted capitalised word a suspect."""
    text = "Will you, Will? I will. They saw Charlotte and Lady PAGE, then Charlotte."
    name_map = planned(text, "same_culture")
    account = audit(replace(text, name_map), name_map, CAST)

    assert account.replaced == 2
    assert account.leaks == {"Will": 1}
    assert account.suspects == {"Charlotte": 2}


def test_part_of_a_name_that_is_left_standing_is_a_leak() -> None:
    """“Luc” alone still points at Jean-Luc, though the engine knows only the whole."""
    name_map = planned("", "same_culture")
    account = audit(replace("so _Luc_ came, O hear", name_map), name_map, CAST)

    assert account.leaks == {"Luc": 1}


def test_an_empty_alignment_maps_every_span_onto_itself() -> None:
    span = Alignment(()).span(2, 5)

    assert (span.start, span.end) == (2, 5)
