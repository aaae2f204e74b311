"""Name cloze: which replies give a name, and accuracy with its case and without."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts.item import PROMPTS
from prompts.tasks import Answer, Unparsed
from prompts.tasks.base import Marked, Measure, Task
from prompts.tasks.name_cloze import MASK, NAME_CLOZE

ASKED = {"name": ""}
moderate = settings(max_examples=200, deadline=None)


def said(reply: str) -> str | None:
    answer = NAME_CLOZE.parse(reply, ASKED, ())
    return answer.value["name"] if isinstance(answer, Answer) else None


def marks(name: str, gold: str = "Emma") -> tuple[int, float]:
    """Whether an answer is right, and whether it is with its case set aside."""
    marked = NAME_CLOZE.mark(Answer({"name": name}), {"name": gold}, ())
    assert (marked.units, marked.measures[0].num) == (1, marked.right)
    return marked.right, marked.measures[1].num


def test_it_is_a_task_whose_gold_no_strategy_changes() -> None:
    """The name stands nowhere in the text, so that no replacement can be known of."""
    task: Task = NAME_CLOZE

    assert (task.asks, task.prompts, task.gold_is) == ("reply", PROMPTS, "kept")
    assert all(MASK in task.instruction(prompt) for prompt in PROMPTS)
    assert len({task.instruction(prompt) for prompt in PROMPTS}) == 3
    assert "<name>" in task.answer_format(ASKED, ())
    assert task.chance(ASKED, ()) is None
    assert task.schema(ASKED, ())["required"] == ["name"]  # type: ignore[index]


@pytest.mark.parametrize(
    "reply",
    [
        "Emma",
        "<name>Emma</name>",
        "<name> Emma </name>.",
        "< NAME >Emma",
        "<name>\nEmma\n</name>",
        "In the form <name>…</name>: <name>Emma</name>",
        "Perhaps Emma.",
        "The passage is known to me.\n\n<name>Emma</name>\n\nIt is from a novel about Harriet.",
        "<think>Is it <name>Jane</name>?</think><name>Emma</name>",
        "<name>**Emma**</name>",
        "<name>Miss Emma</name>",
        "<name>[Emma]</name>",
        "Emma.",
        "**Emma**",
        '"Emma"',
        "“Emma.”",
        "Emma's",
        "Miss Emma",
        "Name: Emma",
        "**Name:** Emma",
        "The name is Emma.",
        "The name is: **Emma**",
        "The name that was replaced by [MASK] is Emma.",
        "The proper name that fills in the mask is “Emma”.",
        "The missing name is most likely Emma.",
        "The answer is Emma",
        "Answer: Emma",
        "[MASK] = Emma",
        "[MASK] is Emma.",
        "It is Emma.",
        "It's Emma.",
        "I think it is Emma, because she speaks of Harriet.",
        "My guess is Emma, from the novel of that name.",
        "Emma (the heroine)",
        "Emma – she is the one who says such things.",
        "Emma\n\nThe passage is from a novel by Jane Austen.",
        "Here is the name:\nEmma",
        '{"name": "Emma"}',
        '{"Name": "Emma"}',
        '```json\n{"name": "Emma"}\n```',
        'The passage speaks of "Emma" and of nobody else that I know.',
    ],
)
def test_the_name_is_read_from_the_forms_replies_take(reply: str) -> None:
    assert said(reply) == "Emma"


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        ("emma", "emma"),
        ("<name>emma</name>", "emma"),
        ("Emma Woodhouse", "Emma Woodhouse"),
        ("<name>Mr. Knightley</name>", "Knightley"),
        ("Mr. Knightley", "Knightley"),
        ("O'Brien", "O'Brien"),
        ("Jean-Luc", "Jean-Luc"),
        ("Éponine", "Éponine"),
        ("李", "李"),
        ("<name>the governess</name>", "the governess"),
        ("King", "King"),
    ],
)
def test_a_name_is_given_as_it_stands_but_for_a_title(reply: str, name: str) -> None:
    """What stands in the tags is the answer, whatever it is."""
    assert said(reply) == name


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("...", "empty"),
        ("<name></name>", "empty"),
        ('{"name": ""}', "empty"),
        ('{"name": null}', "null"),
        ('{"name": {"a": 1}}', "no text"),
        ('{"answer": "Emma"}', "without 'name'"),
        ("I cannot tell which name was replaced.", "sentence"),
        ("I'm sorry, but the passage does not say.", "sentence"),
        ("Unknown", "sentence"),
        ("It is not clear who speaks.", "sentence"),
        ("She was then at Hartfield with her father.", "sentence"),
        ('Either "Emma" or "Jane" would do.', "sentence"),
        ("[MASK]", "sentence"),
    ],
)
def test_no_name_is_made_up(reply: str, reason: str) -> None:
    read = NAME_CLOZE.parse(reply, ASKED, ())

    assert isinstance(read, Unparsed)
    assert reason in read.reason


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("Emma", (1, 1)),
        ("emma", (0, 1)),
        ("EMMA", (0, 1)),
        ("Emma Woodhouse", (0, 0)),
        ("Jane", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_a_name_is_right_letter_for_letter_or_but_for_its_case(
    name: str, right: tuple[int, float]
) -> None:
    assert marks(name) == right


def test_case_is_set_aside_in_other_scripts_too() -> None:
    assert marks("STRASSE", "Straße") == (0, 1)
    assert marks("éponine", "Éponine") == (0, 1)


def test_an_unread_reply_is_wrong() -> None:
    assert NAME_CLOZE.mark(Unparsed(""), {"name": "Emma"}, ()) == Marked(
        right=0,
        units=1,
        measures=(
            Measure(metric="accuracy", num=0, den=1, headline=True),
            Measure(metric="accuracy_folded", num=0, den=1),
        ),
    )


@moderate
@given(st.text() | st.text(alphabet='<name>/ Emisthanr:"[MASK]{}.\n*'))
def test_no_reply_makes_the_parser_fail(reply: str) -> None:
    name = said(reply)

    assert name is None or bool(name.strip())
    assert name is None or marks(name) in {(0, 0), (0, 1), (1, 1)}
