"""Guided instruction: the work named and not, and replies held against the true second piece."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from prompts import Item, Manner, NamePolicy, render, show
from prompts.tasks import Answer, Unparsed
from prompts.tasks.base import Task
from prompts.tasks.guided_instruction import GUIDED_INSTRUCTION, WORK

TRUE = "and the well was dry, for no rain had come that year."
GOLD = {"suffix": TRUE}
moderate = settings(max_examples=100, deadline=None)


def item(question: str = "") -> Item:
    return Item(
        item_id="1",
        task="guided_instruction",
        dataset="",
        work="The Dry Well",
        text="They went down,",
        gold=GOLD,
        question=question,
    )


def said(reply: str) -> str | None:
    answer = GUIDED_INSTRUCTION.parse(reply, {"suffix": ""}, ())
    return answer.value["suffix"] if isinstance(answer, Answer) else None


def marks(reply: str) -> list[float]:
    """ROUGE-L and whether the reply is exact."""
    marked = GUIDED_INSTRUCTION.mark(GUIDED_INSTRUCTION.parse(reply, GOLD, ()), GOLD, ())
    assert [(one.metric, one.den, one.headline) for one in marked.measures] == [
        ("rougeL", 1, True),
        ("exact", 1, False),
    ]
    return [measure.num for measure in marked.measures]


def test_it_is_a_task_with_two_instructions() -> None:
    task: Task = GUIDED_INSTRUCTION

    assert task.prompts == ("baseline", "verbatim")
    assert (task.asks, task.gold_is, task.needs_options) == ("reply", "text", False)
    assert task.chance(GOLD, ()) is None
    assert task.schema(GOLD, ())["required"] == ["suffix"]  # type: ignore[index]
    with pytest.raises(KeyError):
        task.instruction("gist")


def test_only_the_guided_instruction_names_the_work_and_the_place() -> None:
    general, guided = map(GUIDED_INSTRUCTION.instruction, GUIDED_INSTRUCTION.prompts)

    said_of, placed = GUIDED_INSTRUCTION.said_of, item("The Dry Well, chapter 2")

    assert said_of(placed, general) == general
    assert "comes from The Dry Well. " in said_of(item(), guided)
    assert "comes from The Dry Well, chapter 2. " in said_of(placed, guided)
    assert WORK not in said_of(item(), guided)
    assert said_of(item(), f"From {WORK}:") == "From The Dry Well:"


def test_the_prompt_that_is_sent_names_the_work() -> None:
    shown = show(item("The Dry Well, chapter 2"), "original", NamePolicy())
    prompt = render(shown, Manner(prompt="verbatim"))

    assert "comes from The Dry Well, chapter 2. " in prompt.text
    assert WORK not in prompt.text


def test_the_passage_shows_the_first_piece_alone_and_the_form_its_length() -> None:
    """What is asked is the same under both instructions but for the work."""
    assert GUIDED_INSTRUCTION.passage(item("The Dry Well, chapter 2")) == "They went down,"
    assert "about 12 words" in GUIDED_INSTRUCTION.answer_format(GOLD, ())


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (TRUE, [1, 1]),
        (f'"{TRUE}"', [1, 1]),
        (f"```\n{TRUE}\n```", [1, 1]),
        (json.dumps({"suffix": TRUE}), [1, 1]),
        # ROUGE's words are the same, the case is not.
        (TRUE.upper(), [1, 0]),
        # All 12 words and 4 more: P = 12/16, R = 1.
        (f"{TRUE} So they left it.", [2 * 0.75 / 1.75, 1]),
        # 3 of 4 words stand in order: "the well was" of P = 3/4, R = 3/12.
        ("the well was deep", [2 * 0.75 * 0.25 / 1, 0]),
        ("xyzzy", [0, 0]),
        ("", [0, 0]),
    ],
)
def test_replies_are_marked_as_a_hand_marks_them(reply: str, expected: list[float]) -> None:
    assert marks(reply) == pytest.approx(expected)


def test_rouge_is_that_of_its_package() -> None:
    reply = "and the wells were dry: no rain came in that year"
    score = RougeScorer(["rougeL"], use_stemmer=True).score(TRUE, reply)["rougeL"].fmeasure

    assert 0 < score < 1
    assert marks(reply)[0] == pytest.approx(score)


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("<think>Which book?</think>\nand so on", "and so on"),
        ('{"suffix": "and so on"}', "and so on"),
        ("I do not know this text.", "I do not know this text."),
    ],
)
def test_all_words_of_a_reply_are_its_continuation(reply: str, read: str) -> None:
    assert said(reply) == read


@pytest.mark.parametrize("reply", ["", "...", '""', "```\n```", '{"suffix": ""}', '{"a": "b"}'])
def test_a_reply_without_words_is_no_answer(reply: str) -> None:
    """`...` is one: an ellipsis may follow in a text."""
    assert (said(reply) is None) == (reply != "...")


def test_silence_scores_nothing() -> None:
    marked = GUIDED_INSTRUCTION.mark(Unparsed("the model refused"), GOLD, ())

    assert [measure.num for measure in marked.measures] == [0, 0]


@moderate
@given(st.text())
def test_no_reply_makes_the_marks_fail(reply: str) -> None:
    assert all(0 <= value <= 1 for value in marks(reply))
