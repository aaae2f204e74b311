"""Tasks whose items are made from another task's: descriptions of people, and the control test."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prompts import Character, Item, Manner, NamePolicy, render, show
from prompts.datasets import DATASETS
from prompts.datasets.derived import continued, describing
from prompts.tasks import TASKS, Answer, Unparsed

LINES = (
    "P0: You are late, Joey.",
    "P1: The bus was late. I ran.",
    "[P1 sits down.]",
    "P0: There is soup.",
    "P1: Is there bread?",
    "P2: I ate it.",
    "P0: P2 always does.",
)
CAST = (
    Character(name="Monica Geller", aliases=("Monica",), gender="female"),
    Character(name="Joey Tribbiani", aliases=("Joey",), gender="male"),
    Character(name="Ross Geller", aliases=("Ross",), gender="male"),
)
SCENE = Item(
    item_id="1",
    task="character_guessing",
    dataset="made",
    work="Friends",
    text="\n".join(LINES),
    gold={"P0": "Monica", "P1": "Joey", "P2": "Ross"},
    options=("Ross", "Joey", "Monica"),
    cast=CAST,
)
CONTROL = TASKS["control_test"]


def control() -> Item:
    """The control test of the scene."""
    item = continued(SCENE)
    assert item is not None
    return item


def test_the_first_half_names_its_speakers_and_the_second_asks_for_them() -> None:
    """A speaker who is new in the second half is named there: nothing before says who it is."""
    first, second = control().text.split("\n\nIt goes on:\n\n")

    assert first.split("\n") == [
        "Monica: You are late, Joey.",
        "Joey: The bus was late. I ran.",
        "[P1 sits down.]",
    ]
    assert second.split("\n") == [LINES[3], LINES[4], "Ross: I ate it.", LINES[6]]
    assert control().gold == {"P0": "Monica", "P1": "Joey"}


def test_a_scene_where_only_one_speaks_in_both_halves_is_no_control_test() -> None:
    assert continued(replace(SCENE, text="\n".join(LINES[:3]))) is None


@pytest.mark.parametrize("names", ["other_cast", "cross_culture"])
def test_the_gold_answer_is_the_prompts_and_the_real_one_is_remembered(names: str) -> None:
    """Whoever answers with the people of the show is counted as remembering, and as wrong."""
    shown = show(control(), names, NamePolicy(seed=1)).item
    text = render(show(control(), names, NamePolicy(seed=1)), Manner(prompt="baseline")).text
    recalled = Answer({"P0": "Monica Geller", "P1": "Joey"})

    as_told = CONTROL.mark(Answer(shown.gold), shown.gold, shown.accepted)
    from_memory = CONTROL.mark(recalled, shown.gold, shown.accepted)

    assert f"{shown.gold['P0']}: You are late, {shown.gold['P1']}." in text
    assert "Monica" not in text
    assert [(m.metric, m.num, m.den) for m in as_told.measures] == [
        ("accuracy", 2, 2),
        ("remembered", 0, 2),
    ]
    assert [(m.metric, m.num) for m in from_memory.measures] == [("accuracy", 0), ("remembered", 2)]


REPLIES = {
    "P0: Monica\nP1: Joey": {"P0": "Monica", "P1": "Joey"},
    '{"P0": "Monica Geller", "P1": "Joey", "P2": "Ross"}': {"P0": "Monica Geller", "P1": "Joey"},
    "**P1:** Joey": {"P1": "Joey"},
}


@pytest.mark.parametrize("reply", REPLIES)
def test_any_name_is_an_answer(reply: str) -> None:
    assert CONTROL.parse(reply, control().gold, ()) == Answer(REPLIES[reply])


@pytest.mark.parametrize("reply", ["", "I do not know.", "{}", "P7: Monica"])
def test_a_reply_without_a_name_for_a_label_is_unparsed(reply: str) -> None:
    parsed = CONTROL.parse(reply, control().gold, ())

    assert isinstance(parsed, Unparsed)
    assert [m.num for m in CONTROL.mark(parsed, control().gold, control().accepted).measures] == [
        0,
        0,
    ]


def test_of_a_passage_without_speakers_the_named_are_described_in_their_order() -> None:
    passage = replace(
        SCENE, task="question_answering", text="Ross saw Joey run. Ross laughed.", gold={"a0": "x"}
    )

    item = describing(passage)

    assert item is not None
    assert list(item.gold) == ["Ross Geller", "Joey Tribbiani"]
    assert describing(replace(passage, text="It rained.")) is None


def test_datasets_have_derived_items_where_they_have_those_they_are_made_from() -> None:
    derives = {name: set(dataset.derives) for name, dataset in DATASETS.items()}

    assert derives["tvshowguess"] == {"character_description", "control_test"}
    assert derives["summscreen"] == {"character_description"}
    assert derives["excerpts"] == set()


DESCRIBED = {
    "Monica: She is tidy.\nJoey: He eats.": {"Monica": "She is tidy.", "Joey": "He eats."},
    "1. **Joey:** He eats.": {"Joey": "He eats."},
    '{"Joey": "He eats."}': {"Joey": "He eats."},
    "joey: He eats: always.\nJoey: again": {"Joey": "He eats: always."},
}


@pytest.mark.parametrize("reply", DESCRIBED)
def test_the_first_description_of_each_is_read(reply: str) -> None:
    gold = {"Monica": "", "Joey": ""}

    assert TASKS["character_description"].parse(reply, gold, ()) == Answer(DESCRIBED[reply])


@pytest.mark.parametrize("reply", ["", "They are friends.", '{"Ross": "shy"}', "Joey:"])
def test_a_reply_that_describes_nobody_asked_for_is_unparsed(reply: str) -> None:
    parsed = TASKS["character_description"].parse(reply, {"Joey": ""}, ())

    assert parsed == Unparsed("no line describes one of the people")
