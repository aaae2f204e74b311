"""The task whose samples are held against one another."""

from __future__ import annotations

from prompts.tasks import TASKS
from prompts.tasks.base import Task
from prompts.tasks.output_distribution import OUTPUT_DISTRIBUTION
from prompts.tasks.prefix_continuation import PREFIX_CONTINUATION


def test_the_first_sample_is_greedy_and_all_others_are_drawn() -> None:
    task: Task = OUTPUT_DISTRIBUTION

    assert [task.decoding(sample) for sample in range(3)] == ["greedy", "drawn", "drawn"]
    assert (task.asks, task.reply_tokens) == ("continuation", 100)


def test_no_other_task_minds_which_sample_it_is() -> None:
    others = [task for task in TASKS.values() if task is not OUTPUT_DISTRIBUTION]

    assert {task.decoding(sample) for task in others for sample in range(3)} == {"told"}


def test_a_reply_is_measured_as_a_continuation() -> None:
    gold = {"suffix": "over the hill and down"}
    answer = OUTPUT_DISTRIBUTION.parse("over the hill again", gold, ())

    marked = OUTPUT_DISTRIBUTION.mark(answer, gold, ())

    assert marked == PREFIX_CONTINUATION.mark(answer, gold, ())
    assert marked.measures[0].num == 3
