"""Role detection: which numbers a reply names, and the precision and recall they make."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts import Item, TextSpan
from prompts.tasks import Answer, Unparsed
from prompts.tasks.base import Measure, Task
from prompts.tasks.role_detection import ROLE_DETECTION

LABELS = {str(number): "no" for number in range(1, 21)}
moderate = settings(max_examples=200, deadline=None)


def named(reply: str, gold: Mapping[str, str] = LABELS) -> list[int] | None:
    answer = ROLE_DETECTION.parse(reply, gold, ())
    if isinstance(answer, Unparsed):
        return None
    assert set(answer.value.values()) <= {"yes"}
    return sorted(map(int, answer.value))


def measure(answer: Answer | Unparsed, gold: Mapping[str, str]) -> Measure:
    marked = ROLE_DETECTION.mark(answer, gold, ())
    (one,) = marked.measures
    assert (marked.right, marked.units) == (0, 0)
    assert (one.metric, one.headline) == ("perpetrator", True)
    return one


def test_the_passage_shows_its_mentions() -> None:
    task: Task = ROLE_DETECTION
    spans = (
        TextSpan(label="1", start=0, end=11),
        TextSpan(label="2", start=0, end=3),
        TextSpan(label="3", start=16, end=19),
    )
    item = Item(
        item_id="1",
        task="role_detection",
        dataset="d",
        work="w",
        text="His brother hid her coat.",
        gold={"1": "yes", "2": "no", "3": "no"},
        spans=spans,
    )

    assert task.passage(item) == "[1: [2: His] brother] hid [3: her] coat."
    assert task.chance(item.gold, ()) is None


@pytest.mark.parametrize(
    "reply",
    [
        "3, 7, 12", "3,7,12.", "3 7 12", "3; 7; 12", "3, 7 and 12", "3, 7, and 12", "12, 3, 7, 3",
        "3\n7\n12", "- 3\n- 7\n- 12", "* 3\n\n* 7\n\n* 12", "1. 3\n2. 7\n3. 12", "#3, #7, #12",
        "**3, 7, 12**", "`3, 7, 12`", "[3, 7, 12]", "[3], [7], [12]", "(3, 7, 12)",
        "Mentions 3, 7, 12", "Mentions: 3, 7, 12", "Answer: 3, 7, 12", "**Answer:** 3, 7, 12",
        "The mentions are 3, 7 and 12.", "The answer is [3], [7] and [12].",
        "The mentions that refer to the perpetrator are: 3, 7, 12",
        "The numbers of the mentions that refer to the perpetrator are:\n\n3, 7, 12",
        "Mentions 3, 7, and 12 refer to the perpetrator.", "3, 7 and 12 all refer to the man.",
        "Based on the passage, the man did it. The mentions are 3, 7 and 12.",
        "Perpetrator: the man (3, 7, 12)", "The perpetrator is the man.\n\n3, 7, 12",
        "Victim: 1, 2\nPerpetrator: 3, 7, 12", "3, 7, 12\n\nMention 3 (the man) refers to him.",
        "3, 7, 12\n\n1: the victim\n3: the man", "1: the victim\n3: the man\n\n3, 7, 12",
        "3: the man\n7: he\n12: him", "3. the man\n7. he\n12. him", "3\n7: he\n12: him",
        "- **3**: he\n- **7**: he\n- 12",
        "[3: the man], [7: he], [12: him]", "[3: the man]\n[7: he]\n[12: him]",
        "1. [3: the man]\n2. [7: he]\n3. [12: him]", "[3: the man], [7: he], [12: [5: his] wife]",
        "* [3: the man] – he fled\n* [7: he]\n* [12: him]", "3 (the man), 7 (he) and 12 (him)",
        "3: the man, 7: he, 12: him", "3, 7, 12, 99", "03, 07, 12", r"$\boxed{3, 7, 12}$",
        "```\n3, 7, 12\n```", "<think>1? 2?</think>3, 7, 12",
        '{"mentions": [3, 7, 12]}', '{"mentions": ["3", "7: he", 12]}', '{"mentions": "3, 7, 12"}',
        '```json\n{"mentions": [3, 7, 12]}\n```', 'So: {"mentions": ["[3: he]", "[7]", "12"]}',
    ],
)  # fmt: skip
def test_numbers_are_read_from_the_forms_replies_take(reply: str) -> None:
    """What lies within a copied mark does not count, and numbers no mention has are left aside."""
    assert named(reply) == [3, 7, 12]


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ("7", [7]),
        ("7.", [7]),
        ("The answer is 7.", [7]),
        ("Mention 7 refers to the perpetrator.", [7]),
        ("3-6", [3, 4, 5, 6]),
        ("1, 3–5", [1, 3, 4, 5]),
        ("3 to 5", [3, 4, 5]),
        ("1: the victim\n3: the man\n\n3", [3]),
        ('{"mentions": 7}', [7]),
    ],
)
def test_one_mention_and_ranges_are_read(reply: str, numbers: list[int]) -> None:
    assert named(reply) == numbers


@pytest.mark.parametrize(
    "reply",
    [
        "none", "None.", "**none**", "[]", "Answer: none", "none of them",
        "None of the mentions refer to the perpetrator.", "No mentions refer to the perpetrator.",
        "There are no mentions of the perpetrator.", "None\n\nThe two talk of the weather.",
        "The perpetrator is not mentioned in this passage.", "```\nnone\n```",
        '{"mentions": []}', '{"mentions": "none"}',
    ],
)  # fmt: skip
def test_that_there_is_none_is_an_answer(reply: str) -> None:
    assert named(reply) == []


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("***", "empty"),
        ("<think>3, 7", "empty"),
        ("I cannot determine the perpetrator from this passage.", "names no numbers"),
        ("It is unclear; the perpetrator is not named.", "names no numbers"),
        ("Peter Berglund", "names no numbers"),
        ("N/A", "names no numbers"),
        ("The man appears 3 times.", "names no numbers"),
        ("There are 3 mentions.", "names no numbers"),
        ("The number of mentions is 3", "names no numbers"),
        ("The perpetrator is mentioned 3 times.", "names no numbers"),
        ("none of them except 3", "names no numbers"),
        ("3.7", "names no numbers"),
        ("Victim: 1, 2", "names no numbers"),
        ("Chapter 3: the night", "names no numbers"),
        ("99", "numbers that no mention has"),
        ("0", "numbers that no mention has"),
        ("100, 200", "numbers that no mention has"),
        ("1. the man\n2. he\n3. him", "counts its own lines"),
        ("[3: the man] gave [4: her] a look and left.", "quotes the passage"),
        ("Perpetrator: 3, 7\nAnswer: 3, 8", "several lists"),
        ('{"mentions": null}', "null"),
        ('{"mentions": [true]}', "no list"),
        ('{"mentions": ["he"]}', "no list"),
        ('{"mentions": [3, 7', "breaks off"),
        ('{"answer": [3]}', "without 'mentions'"),
    ],
)
def test_numbers_are_never_guessed(reply: str, reason: str) -> None:
    """Counts, refusals, decimals, a list's own numbers and echoes of the passage are no answer."""
    read = ROLE_DETECTION.parse(reply, LABELS, ())

    assert isinstance(read, Unparsed)
    assert reason in read.reason


def test_precision_and_recall_are_sums() -> None:
    """Two of three named are meant, two of four meant are named; silence costs recall alone."""
    gold = {"1": "yes", "2": "no", "3": "yes", "4": "yes", "5": "no", "6": "yes"}
    said = measure(ROLE_DETECTION.parse("1, 2, 3", gold, ()), gold)
    unsaid = measure(Unparsed("empty"), gold)
    none = measure(ROLE_DETECTION.parse("none", gold, ()), gold)

    assert (said.num, said.den, said.recall_num, said.recall_den) == (2, 3, 2, 4)
    assert (unsaid.num, unsaid.den, unsaid.recall_num, unsaid.recall_den) == (0, 0, 0, 4)
    assert none == unsaid
    assert measure(Answer({"9": "yes", "1": "no"}), gold) == unsaid


@moderate
@given(st.lists(st.booleans(), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_the_gold_mentions_given_as_asked_have_full_marks(
    meant: list[bool], rng: random.Random
) -> None:
    """In plain numbers, in any order, with the marks copied, and in JSON."""
    gold = {str(at): "yes" if is_meant else "no" for at, is_meant in enumerate(meant, start=1)}
    numbers = [int(label) for label, is_meant in gold.items() if is_meant == "yes"]
    rng.shuffle(numbers)
    listed = ", ".join(map(str, numbers)) or "none"
    for reply in (
        listed,
        f"Answer: {listed}.",
        f"The mentions that refer to the perpetrator are: {listed}",
        ", ".join(f"[{number}: a [{number + 1}: man]]" for number in numbers) or "None",
        "\n".join(f"- {number}: he" for number in numbers) or "none",
        json.dumps({"mentions": numbers}),
        json.dumps({"mentions": list(map(str, numbers))}),
    ):
        one = measure(ROLE_DETECTION.parse(reply, gold, ()), gold)

        assert one.num == one.den == one.recall_num == one.recall_den == len(numbers)


@moderate
@given(st.text() | st.text(alphabet='[]0137:,-.\n "none{mentis}perpetrator'))
def test_no_reply_makes_the_parser_fail_or_invent(reply: str) -> None:
    """Only labels of the passage come out, and a reply without digits names none of them."""
    numbers = named(reply)

    assert numbers is None or set(map(str, numbers)) <= set(LABELS)
    assert not numbers or any(char.isdigit() for char in reply)
