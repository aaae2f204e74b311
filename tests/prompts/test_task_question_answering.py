"""Question answering: what replies are read as, and exact match and F1 held against their rules."""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts.tasks import Answer, Unparsed, squad
from prompts.tasks.base import Marked, Measure, Task
from prompts.tasks.question_answering import QUESTION_ANSWERING as QA

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "friendsqa" / "dat"
ASKED = {"a0": ""}
moderate = settings(max_examples=200, deadline=None)


def said(reply: str) -> str | None:
    answer = QA.parse(reply, ASKED, ())
    return answer.value["answer"] if isinstance(answer, Answer) else None


def marks(answer: str, *golds: str) -> tuple[float, float]:
    """Exact match and F1 of one answer."""
    gold = {f"a{at}": text for at, text in enumerate(golds)}
    marked = QA.mark(Answer({"answer": answer}), gold, ())
    match, overlap = marked.measures
    assert marked.right == match.num
    return match.num, overlap.num


def test_it_is_a_task_whose_headline_is_exact_match() -> None:
    task: Task = QA
    marked = task.mark(Unparsed(""), {"a0": "skates"}, ())

    assert task.schema(ASKED, ())["required"] == ["answer"]  # type: ignore[index]
    assert marked == Marked(
        right=0,
        units=1,
        measures=(
            Measure(metric="exact_match", num=0, den=1, headline=True),
            Measure(metric="f1", num=0, den=1),
        ),
    )


@pytest.mark.parametrize(
    "reply",
    [
        "roller skates",
        " roller skates \r\n",
        "Answer: roller skates",
        "**Answer:** roller skates",
        "**Answer**: roller skates",
        "The answer is roller skates",
        'The answer is: "roller skates"',
        "The answer to the question is roller skates",
        "So the final answer is **roller skates**",
        "Final answer:\nroller skates",
        "Q: What is she on?\nA: roller skates",
        "Question: What is she on?\nAnswer: roller skates",
        "What is she on?\nroller skates",
        "Question: Say what she is on.\nroller skates",
        "According to the passage:\n\nroller skates",
        "roller skates\n\nShe comes in on them.",
        "roller skates\n\nQuestion: Who laughs?\nAnswer: a waiter",
        "Answer: roller skates\nExplanation: the answer is plain\nAnswer: skates",
        "She comes in.\nThe answer is skates?\nAnswer: roller skates",
        "```\nroller skates\n```",
        "```text\nroller skates\n```",
        "`roller skates`",
        "“roller skates”",
        '"roller skates"',
        "> roller skates",
        "<think>On what?\nAnswer: wheels</think>\n\nroller skates",
        r"$\boxed{\text{roller skates}}$",
        r"The answer is $\boxed{roller skates}$",
        '{"answer": "roller skates"}',
        '{"Answer": "roller skates", "why": "she says so"}',
        '{"answer": ["roller skates"]}',
        '```json\n{\n  "answer": "roller skates"\n}\n```',
        'Here it is: {"answer": "roller skates"}',
    ],
)
def test_the_answer_is_read_from_the_forms_replies_take(reply: str) -> None:
    assert said(reply) == "roller skates"


@pytest.mark.parametrize(
    "reply",
    [
        "The passage does not say.",
        "I'm sorry, but I cannot answer that.",
        "No one",
        "N/A",
        "What do you want?",
        "...",
        "the",
        "{on skates}",
        "7",
    ],
)
def test_words_are_an_answer_even_where_they_decline(reply: str) -> None:
    """They are marked, and wrong; only silence and broken JSON are no answer."""
    assert said(reply) == reply
    assert marks(reply, "roller skates")[0] == 0


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("***", "empty"),
        ('""', "empty"),
        ("```\n```", "empty"),
        ("Answer:", "empty"),
        ("<think>She comes in on", "empty"),
        ('{"answer": ""}', "empty"),
        ('{"answer": null}', "null"),
        ('{"answer": true}', "no text"),
        ('{"answer": ["a", "b"]}', "no text"),
        ('{"answer": {"text": "a"}}', "no text"),
        ('{"reply": "roller skates"}', "without 'answer'"),
        ('{"answer": "roller sk', "breaks off"),
        (f'{{"answer": {"9" * 5000}}}', "breaks off"),
    ],
)
def test_a_reply_without_an_answer_says_why(reply: str, reason: str) -> None:
    read = QA.parse(reply, ASKED, ())

    assert isinstance(read, Unparsed)
    assert reason in read.reason


@pytest.mark.parametrize(
    ("answer", "golds", "match", "overlap"),
    [
        ("Roller Skates!", ("on wheels", "the roller skates"), 1, 1.0),
        ("the roller skates", ("on roller skates",), 0, 0.8),  # 2 * 2 / (2 + 3)
        ("skates skates", ("skates",), 0, 2 / 3),
        ("wheels", ("roller skates", "skates on wheels"), 0, 0.5),
        ("skates roller", ("roller skates",), 0, 1.0),
        ("anthem", ("an anthem",), 1, 1.0),
        (".", ("the",), 1, 1.0),
        ("wheels", (".",), 0, 0.0),
        ("the", ("wheels",), 0, 0.0),
        ("", (".",), 1, 1.0),
    ],
)
def test_marks_follow_the_definition(
    answer: str, golds: tuple[str, ...], match: int, overlap: float
) -> None:
    """Computed by hand: the best over the answers, and texts without words equal each other."""
    assert marks(answer, *golds) == pytest.approx((match, overlap))
    assert squad.f1(answer, golds) == pytest.approx(overlap)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("I don’t know", "I don't know"),
        ("Jane's", "Jane 's"),
        ("I’ll go", "I 'll go"),
        ("a half-hour.", "a half - hour"),
        ("cannot", "can not"),
        ("“skates”", "skates"),
        ("well—yes", "well - yes"),
    ],
)
def test_typing_is_no_difference(answer: str, gold: str) -> None:
    """Curly marks and closed gaps count as the dataset's typing; SQuAD alone would say no."""
    assert marks(answer, gold) == (1, 1.0)
    assert squad.exact_match(answer, [gold]) == 0


# The oracle: SQuAD's rules once more, letter by letter and word by word. ASCII only.


def oracle_words(text: str) -> list[str]:
    kept = [letter for letter in text.lower() if letter not in string.punctuation]
    return [word for word in "".join(kept).split() if word not in {"a", "an", "the"}]


def oracle_f1(answer: str, gold: str) -> float:
    left, right = oracle_words(answer), oracle_words(gold)
    if not left or not right:
        return 1.0 if left == right else 0.0
    remaining, common = list(right), 0
    for word in left:
        if word in remaining:
            remaining.remove(word)
            common += 1
    if not common:
        return 0.0
    precision, recall = common / len(left), common / len(right)
    return 2 * precision * recall / (precision + recall)


def questions() -> Iterator[tuple[list[str], list[str]]]:
    """The accepted answers of each real question, and the words of its dialogue."""
    if not DATA.exists():
        pytest.skip("needs shared/data/friendsqa beside the repository")
    for path in sorted(DATA.glob("*.json")):
        for document in json.loads(path.read_text(encoding="utf-8"))["data"]:
            paragraph: dict[str, Any]
            for paragraph in document["paragraphs"]:
                spoken = " ".join(line["utterance"] for line in paragraph["utterances:"])
                for question in paragraph["qas"]:
                    golds = [answer["answer_text"] for answer in question["answers"]]
                    yield golds, spoken.split()


def perturbed(gold: str, spoken: list[str], rng: random.Random) -> Iterator[str]:
    words = gold.split()
    start = rng.randrange(len(spoken))
    yield gold
    yield f"The {gold.upper()}!"
    yield " ".join(words[1:] or ["none"])
    yield " ".join([*words[:2], rng.choice(spoken)])
    yield " ".join(rng.sample(words, len(words)))
    yield " ".join(spoken[start : start + rng.randint(1, 6)])
    yield re.sub(r"\W", "", gold)


def test_scores_equal_the_definition_on_real_questions() -> None:
    """Hundreds of answers: golds, golds that are changed, and other words of the dialogue."""
    rng, pairs, between = random.Random(20160616), 0, 0
    for golds, spoken in questions():
        for answer in perturbed(rng.choice(golds), spoken, rng):
            match = max(int(oracle_words(answer) == oracle_words(gold)) for gold in golds)
            overlap = max(oracle_f1(answer, gold) for gold in golds)
            closed = {"".join(oracle_words(gold)) for gold in golds}
            same = "".join(oracle_words(answer)) in closed
            pairs += 1
            between += 0 < overlap < 1

            assert squad.exact_match(answer, golds) == match
            assert squad.f1(answer, golds) == pytest.approx(overlap, abs=1e-12)
            assert marks(answer, *golds) == pytest.approx((1, 1) if same else (0, overlap))

    assert pairs > 200
    assert between > 50


def test_every_gold_answer_given_as_asked_has_full_marks() -> None:
    for golds, _ in questions():
        for gold in golds:
            for reply in (gold, f'"{gold}"', f"Answer: {gold}", json.dumps({"answer": gold})):
                answer = said(reply)

                assert answer is not None
                assert marks(answer, *golds) == (1, 1.0)


def test_an_answer_can_be_written_as_utf_8() -> None:
    """JSON may spell half a character, which no file takes."""
    assert said('{"answer": "skates \\ud83d"}') == "skates ?"


@moderate
@given(st.text() | st.text(alphabet='Answer: is{}"[]\n?*`the.QA'), st.text(min_size=1))
def test_no_reply_makes_the_parser_or_the_marks_fail(reply: str, gold: str) -> None:
    answer = said(reply)
    match, overlap = marks(answer or "", gold, reply)

    assert answer is None or answer.strip()
    assert match in {0, 1}
    assert match <= overlap <= 1
