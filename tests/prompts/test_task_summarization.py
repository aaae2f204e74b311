"""Summarization: what counts as the summary, and ROUGE held against its package and by hand."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from prompts.tasks import Answer, Unparsed
from prompts.tasks.base import Task
from prompts.tasks.summarization import METRICS, SUMMARIZATION

RECAP = (
    "Clara finds the letter that her brother hid before the wedding. She tells nobody, but Tom "
    "sees her burn it, and at the party he asks for the truth. In the end both leave the town."
)
OTHER = "Tom learns at a party that Clara has burned a hidden letter, and the two leave."
ASKED = {"summary": ""}
moderate = settings(max_examples=100, deadline=None)


def said(reply: str) -> str | None:
    answer = SUMMARIZATION.parse(reply, ASKED, ())
    return answer.value["summary"] if isinstance(answer, Answer) else None


def rouge(summary: str | None, *recaps: str) -> dict[str, float]:
    answer = Unparsed("") if summary is None else Answer({"summary": summary})
    marked = SUMMARIZATION.mark(answer, {"summary": recaps[0]}, recaps[1:])
    assert (marked.right, marked.units) == (0, 0)
    assert all(measure.den == 1 for measure in marked.measures)
    assert [measure.metric for measure in marked.measures if measure.headline] == ["rouge1"]
    return {measure.metric: measure.num for measure in marked.measures}


def test_it_is_a_task_whose_windows_are_joined() -> None:
    task: Task = SUMMARIZATION

    assert task.joined
    assert task.chance(ASKED, ()) is None
    assert task.schema(ASKED, ())["required"] == ["summary"]  # type: ignore[index]


@pytest.mark.parametrize(
    "reply",
    [
        "Clara leaves.",
        "  Clara leaves.\n\n",
        "Summary: Clara leaves.",
        "**Summary:** Clara leaves.",
        "**Summary**: Clara leaves.",
        "**Summary**\n\nClara leaves.",
        "# Summary\nClara leaves.",
        "### Episode Summary\n\nClara leaves.",
        "Recap: Clara leaves.",
        "Synopsis: Clara leaves.",
        "A brief summary: Clara leaves.",
        "Summary of the passage:\nClara leaves.",
        "Here is a summary of the passage:\n\nClara leaves.",
        "Here's a short recap: Clara leaves.",
        "Here’s the summary:\nClara leaves.",
        "Sure! Here is a summary of the scene: Clara leaves.",
        "Certainly, in one paragraph:\nClara leaves.",
        "Below is a concise summary of the events:\n\nClara leaves.",
        "This is what happens: Clara leaves.",
        "```\nClara leaves.\n```",
        "```markdown\nClara leaves.\n```",
        "<think>Who is Clara?\nLet me see.</think>\nClara leaves.",
        '{"summary": "Clara leaves."}',
        '{"Summary": "Clara leaves."}',
        '{"summary": ["Clara leaves."]}',
        '```json\n{"summary": "Clara leaves."}\n```',
        'Here it is:\n{"summary": "Clara leaves."}',
    ],
)
def test_the_summary_is_what_stands_below_a_heading(reply: str) -> None:
    assert said(reply) == "Clara leaves."


@pytest.mark.parametrize(
    "reply",
    [
        "Clara leaves.\n\nTom stays.",
        "- Clara leaves.\n- Tom stays.",
        "The scene opens with this: Clara leaves.",
        "In a summary trial, Clara leaves.",
        "Here, Clara leaves. Tom: a broken man.",
        "I cannot sum up this passage.",
        "Clara {who hid} leaves.",
        "1.",
    ],
)
def test_all_words_of_a_reply_are_its_summary(reply: str) -> None:
    """Also those of one that declines: they are marked, and share little with a recap."""
    assert said(reply) == reply


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("...", "empty"),
        ("Summary:", "empty"),
        ("```\n```", "empty"),
        ("<think>Clara leaves.", "empty"),
        ('{"summary": ""}', "empty"),
        ('{"summary": null}', "null"),
        ('{"summary": {"text": "Clara"}}', "no text"),
        ('{"recap": "Clara leaves."}', "without 'summary'"),
        ("{}", "without 'summary'"),
        ('{"summary": "Clara lea', "breaks off"),
    ],
)
def test_a_reply_without_a_summary_says_why_and_scores_0(reply: str, reason: str) -> None:
    read = SUMMARIZATION.parse(reply, ASKED, ())

    assert isinstance(read, Unparsed)
    assert reason in read.reason
    assert rouge(said(reply), RECAP) == dict.fromkeys(METRICS, 0)


@pytest.mark.parametrize(
    ("summary", "recap", "scores"),
    [
        # 3 of 3 and of 6 words; 2 of 2 and of 5 pairs; the longest common run of words in order: 3.
        ("The cat sat.", "the cat sat on the mat", (2 / 3, 4 / 7, 2 / 3)),
        # 4 of 4 words both ways, 1 of 3 pairs, and 2 in order.
        ("on mats sat cats", "cat sat on mats", (1, 1 / 3, 1 / 2)),
        ("dogs barked", "dog barks", (1, 1, 1)),
        ("a dog", "the cat", (0, 0, 0)),
        ("猫が座った", "the cat", (0, 0, 0)),
    ],
)
def test_rouge_is_what_a_hand_computes(
    summary: str, recap: str, scores: tuple[float, float, float]
) -> None:
    """F = 2PR / (P + R) over words, pairs of words and words in order, after stemming."""
    assert list(rouge(summary, recap).values()) == pytest.approx(scores)


def test_rouge_is_that_of_its_package_for_the_best_recap() -> None:
    """Each metric by itself takes its best recap."""
    rng, words = random.Random(2004), f"{RECAP} {OTHER}".split()
    best_differs = False
    for _ in range(60):
        summary = " ".join(rng.choices(words, k=rng.randint(1, 40)))
        each = [
            {
                metric: RougeScorer([metric], use_stemmer=True).score(recap, summary)[metric]
                for metric in METRICS
            }
            for recap in (RECAP, OTHER)
        ]
        best = {metric: max(scores[metric].fmeasure for scores in each) for metric in METRICS}
        best_differs |= len({scores["rouge1"].fmeasure < 0.3 for scores in each}) > 1

        assert rouge(summary, RECAP, OTHER) == pytest.approx(best, abs=1e-12)

    assert best_differs


@pytest.mark.parametrize("form", ["{}", "Summary: {}", "**Summary**\n\n{}", "```\n{}\n```"])
@pytest.mark.parametrize("recap", [RECAP, OTHER])
def test_a_recap_given_as_asked_has_full_marks(form: str, recap: str) -> None:
    for reply in (form.format(recap), json.dumps({"summary": recap})):
        assert rouge(said(reply), RECAP, OTHER)["rouge1"] == 1
        assert rouge(said(reply), recap) == dict.fromkeys(METRICS, 1)


def test_the_package_is_loaded_only_to_mark() -> None:
    """It brings others that take seconds to load, which no command line should wait for."""
    code = (
        "import sys, prompts.tasks.summarization; "
        "sys.exit(int('rouge_score' in sys.modules or 'nltk' in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@moderate
@given(st.text() | st.text(alphabet='Summary: is{}"[]\n#*`Here'))
def test_no_reply_makes_the_parser_or_the_marks_fail(reply: str) -> None:
    summary = said(reply)

    assert summary is None or any(char.isalnum() for char in summary)
    assert all(0 <= score <= 1 for score in rouge(summary, RECAP, reply).values())
