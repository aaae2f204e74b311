"""DE-COP: which replies give a letter, and that a liking for letters earns one in four."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts import Item
from prompts.tasks import Answer, Unparsed
from prompts.tasks.base import Task, counted
from prompts.tasks.decop import DECOP, LETTERS

ASKED = {"option": ""}
moderate = settings(max_examples=200, deadline=None)


def said(reply: str) -> str | None:
    answer = DECOP.parse(reply, ASKED, LETTERS)
    return answer.value["option"] if isinstance(answer, Answer) else None


def test_it_is_a_task_with_four_options_and_one_prompt() -> None:
    task: Task = DECOP
    item = Item(
        item_id="p1:0123",
        task="decop",
        dataset="",
        work="The Dry Well",
        text="A. It was dry.\n\nB. No water.",
        gold={"option": "A"},
        options=LETTERS,
    )

    assert (task.asks, task.prompts, task.gold_is) == ("reply", ("baseline",), "kept")
    assert task.needs_options
    assert task.chance(item.gold, LETTERS) == 0.25
    assert task.chance(item.gold, ()) is None
    assert task.schema(item.gold, LETTERS)["properties"] == {  # type: ignore[index]
        "option": {"type": "string", "enum": ["A", "B", "C", "D"]}
    }
    assert "A, B, C or D" in task.answer_format(item.gold, LETTERS)
    assert task.passage(item).startswith(item.text)
    assert "“The Dry Well”" in task.passage(item)


@pytest.mark.parametrize(
    "reply",
    [
        "B",
        "b",
        "B.",
        "(B)",
        "[B]",
        "**B**",
        "`B`",
        "B) It was dry.",
        "B. It was dry.",
        "B: It was dry.",
        "B\n\nIt has the original's words.",
        "B - it has the original's words",
        "B is the original.",
        "Option B",
        "Option B is verbatim.",
        "Passage B.",
        "Answer: B",
        "**Answer:** B",
        "The answer is B.",
        "The correct answer is (B).",
        "The verbatim passage is B, not A.",
        "The original is option B.",
        "The passage that stands in the work is passage B.",
        "I believe the correct option would be **B**",
        "A. is shorter.\nB. is older.\nSo the answer is B.",
        "A is a paraphrase, C and D are too.\nThe answer is B.",
        "The words of option B are the original ones.",
        "I would say (B), from memory.",
        '{"option": "B"}',
        '{"Option": "b"}',
        '```json\n{"option": "(B)"}\n```',
        "<think>A? No.</think>B",
        r"$\boxed{B}$",
    ],
)
def test_the_letter_is_read_from_the_forms_replies_take(reply: str) -> None:
    assert said(reply) == "B"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("...\n", "none of"),
        ("E", "none of"),
        ("It was dry.", "none of"),
        ("A passage like this I do not know.", "none of"),
        ("Because of its style, I cannot tell.", "none of"),
        ("Either option B or option C.", "several"),
        ("A. It was dry.\nB. No water.\nC. Dry.\nD. Empty.", "several"),
        ('{"option": null}', "null"),
        ('{"option": true}', "no text"),
        ('{"letter": "B"}', "without 'option'"),
        ('{"option": "B', "breaks off"),
    ],
)
def test_a_reply_without_one_letter_says_why(reply: str, reason: str) -> None:
    read = DECOP.parse(reply, ASKED, LETTERS)

    assert isinstance(read, Unparsed)
    assert reason in read.reason


def test_only_letters_that_are_offered_count() -> None:
    assert DECOP.parse("D", ASKED, ("A", "B")) == Unparsed("names none of the options")


def test_a_letter_is_right_where_the_passage_stands() -> None:
    assert DECOP.mark(Answer({"option": "C"}), {"option": "C"}, ()) == counted(1, 1)
    assert DECOP.mark(Answer({"option": "A"}), {"option": "C"}, ()) == counted(0, 1)
    assert DECOP.mark(Unparsed(""), {"option": "C"}, ()) == counted(0, 1)


@moderate
@given(st.text() | st.text(alphabet='ABCD().: answer is option\n*"{}'))
def test_no_reply_makes_the_parser_fail(reply: str) -> None:
    assert said(reply) in {None, *LETTERS}
