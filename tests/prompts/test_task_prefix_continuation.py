"""Prefix continuation: each measure by hand, and held against a full table and ROUGE's package."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from prompts import Item
from prompts.tasks import Answer, Unparsed
from prompts.tasks.base import Task
from prompts.tasks.edit_distance import distance_share, edit_distance
from prompts.tasks.prefix_continuation import MOST_WORDS, PREFIX_CONTINUATION
from tests.prompts.overlap_for_tests import table_distance

TRUE = "the cat sat on the mat"
METRICS = ["common_prefix", "exact", "edit_distance", "rougeL"]
moderate = settings(max_examples=200, deadline=None)


def marks(reply: str, true: str = TRUE) -> list[float]:
    """The metrics in their order, each over 1."""
    gold = {"suffix": true}
    marked = PREFIX_CONTINUATION.mark(PREFIX_CONTINUATION.parse(reply, gold, ()), gold, ())
    assert (marked.right, marked.units) == (0, 0)
    assert [measure.metric for measure in marked.measures] == METRICS
    assert [measure.headline for measure in marked.measures] == [True, False, False, False]
    assert [measure.den for measure in marked.measures[1:]] == [1, 1, 1]
    return [measure.num / measure.den for measure in marked.measures]


def test_it_is_a_task_that_has_a_bare_passage_continued() -> None:
    task: Task = PREFIX_CONTINUATION
    item = Item(
        item_id="1",
        task="prefix_continuation",
        dataset="",
        work="",
        text="Once upon a time",
        gold={"suffix": "there was"},
        question="And then?",
    )

    assert (task.asks, task.prompts, task.reply_tokens) == ("continuation", ("baseline",), 64)
    assert task.gold_is == "text"
    assert task.passage(item) == "Once upon a time"
    assert (task.instruction("baseline"), task.answer_format(item.gold, ())) == ("", "")
    assert task.schema(item.gold, ()) is None
    assert task.chance(item.gold, ()) is None
    assert task.reply_tokens == 2 * MOST_WORDS


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("the cat sat on the mat", [1, 1, 0, 1]),
        (" the cat\nsat on  the mat and slept", [1, 1, 0, 1]),
        # Two words are the same before "sits"; 23 letters of which a becomes i and s is put in;
        # ROUGE's stems "sit" and "sat" differ, five of six stand in order.
        ("the cat sits on the mat", [2 / 6, 0, 2 / 23, 5 / 6]),
        # Case and punctuation count for words and letters, not for ROUGE.
        ("The cat sat on the mat.", [0, 0, 2 / 23, 1]),
        # 3 of 6 words, 11 of 22 letters; ROUGE: P = 1, R = 1/2.
        ("the cat sat", [3 / 6, 0, 11 / 22, 2 / 3]),
        # Nothing in common but letters: "xyzzy" has none of the 22.
        ("xyzzy", [0, 0, 1, 0]),
        # "the" may be at the beginning of a word that goes on.
        ("theory the cat sat on the mat", [0, 0, 11 / 25, 5 / 6]),
        ("", [0, 0, 1, 0]),
        (" \n", [0, 0, 1, 0]),
    ],
)
def test_a_continuation_is_marked_as_a_hand_marks_it(reply: str, expected: list[float]) -> None:
    """Replies are cut to six words, so that what follows costs nothing."""
    assert marks(reply) == pytest.approx(expected)


def test_only_the_first_words_of_a_long_continuation_count() -> None:
    words = [f"w{number}" for number in range(100)]
    assert marks(" ".join(words[:MOST_WORDS]), " ".join(words)) == [1, 1, 0, 1]
    assert marks(" ".join(words[:16]), " ".join(words))[0] == 0.5


def test_a_continuation_is_all_that_the_model_writes() -> None:
    """Thoughts, fences and JSON are part of it; only silence is none."""
    for reply in ("<think>the", "```the```", '{"suffix": "the"}', " the"):
        assert PREFIX_CONTINUATION.parse(reply, {"suffix": ""}, ()) == Answer({"suffix": reply})
    assert PREFIX_CONTINUATION.parse("\n", {"suffix": ""}, ()) == Unparsed("the reply is empty")


def test_refusals_and_silence_are_marked_as_different_throughout() -> None:
    marked = PREFIX_CONTINUATION.mark(Unparsed("the model refused"), {"suffix": TRUE}, ())

    assert [measure.num for measure in marked.measures] == [0, 0, 1, 0]


def test_measures_agree_with_second_implementations() -> None:
    rng, words = random.Random(2023), [*TRUE.split(), "dogs", "dog", "ran,", "Ran"]
    scorer = RougeScorer(["rougeL"], use_stemmer=True)
    for _ in range(100):
        true = " ".join(rng.choices(words, k=rng.randint(1, 12)))
        own = true.split() if rng.random() < 0.5 else []
        reply = " ".join(own[: rng.randint(0, 12)] + rng.choices(words, k=rng.randint(1, 12)))
        said = " ".join(reply.split()[: len(true.split())])
        run = 0
        while run < len(true.split()) and said.split()[run : run + 1] == [true.split()[run]]:
            run += 1

        assert marks(reply, true) == pytest.approx(
            [
                run / len(true.split()),
                float(said == true),
                table_distance(said, true) / max(len(said), len(true)),
                scorer.score(true, said)["rougeL"].fmeasure,
            ]
        )


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("abc", "", 3),
        ("kitten", "sitting", 3),
        ("saturday", "sunday", 3),
        ("abc", "cab", 2),
        ("aaa", "aa", 1),
        ("x" * 100, "x" * 63 + "y" + "x" * 36, 1),
    ],
)
def test_distances_are_what_a_hand_counts(one: str, other: str, distance: int) -> None:
    assert edit_distance(one, other) == distance
    assert distance_share(one, other) == distance / max(len(one), len(other), 1)


@moderate
@given(st.text("ab", max_size=80), st.text("ab", max_size=80))
def test_letters_are_as_far_apart_as_the_full_table_says(one: str, other: str) -> None:
    assert edit_distance(one, other) == table_distance(one, other)


@moderate
@given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 3), max_size=12))
def test_tokens_are_as_far_apart_as_the_full_table_says(one: list[int], other: list[int]) -> None:
    assert edit_distance(one, other) == edit_distance(other, one) == table_distance(one, other)


@moderate
@given(st.text(), st.text(min_size=1).filter(lambda true: bool(true.split())))
def test_no_reply_makes_the_marks_fail(reply: str, true: str) -> None:
    assert all(0 <= value <= 1 for value in marks(reply, true))


def test_the_package_is_loaded_only_to_mark() -> None:
    code = (
        "import sys, prompts.tasks.prefix_continuation, prompts.tasks.guided_instruction; "
        "sys.exit(int('rouge_score' in sys.modules or 'nltk' in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
