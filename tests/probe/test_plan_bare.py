"""Plans of tasks that send a passage alone: their cells and what stands in the keys."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from probe.errors import SpecError
from tests.probe.plans_for_tests import URL, cells_of, load

TEXT = "Anna walked to the mill at dawn and nobody saw her go. " * 10


def write(folder: Path, task: str, *, extra: str = "", prompts: str = "", samples: int = 1) -> Path:
    (folder / "passages.jsonl").write_text(
        json.dumps({"id": "a", "work": "Mill", "text": TEXT.strip()}) + "\n", encoding="utf-8"
    )
    path = folder / "bare.toml"
    path.write_text(
        f"""
name = "bare"

[[models]]
name = "fake"
provider = "openai"
model = "fake"
base_url = "{URL}"
{extra}

[[tasks]]
name = "{task}"
dataset = "passages"
path = "passages.jsonl"

[conditions]
names = ["original"]
samples = {samples}
{prompts}
""",
        encoding="utf-8",
    )
    return path


def test_a_likelihood_s_key_is_of_the_text_and_no_sampling_parameter(tmp_path: Path) -> None:
    """Written out by hand; every sample has the same."""
    extra = "params = { temperature = 0.7, max_tokens = 5 }"
    path = write(tmp_path, "passage_likelihood", extra=extra, samples=3)

    cells = cells_of(path)

    canonical = (
        f'{{"api":"likelihood","endpoint":"{URL}","messages":{json.dumps(cells[0].text)},'
        '"model":"fake","params":{},"sample":0}'
    )
    assert TEXT.startswith(cells[0].text)
    assert [cell.key for cell in cells] == [hashlib.sha256(canonical.encode()).hexdigest()] * 3
    assert len({cell.cell_id for cell in cells}) == 3


def test_how_many_of_the_likeliest_tokens_come_along_stands_in_the_key(tmp_path: Path) -> None:
    """And in no other: it is left out where a reply or a continuation is asked for."""

    def keys(task: str, extra: str) -> list[str]:
        return [cell.key for cell in cells_of(write(tmp_path, task, extra=extra))]

    more = "params = { prompt_logprobs = 5 }"
    assert keys("passage_likelihood", more) != keys("passage_likelihood", "")
    assert keys("prefix_continuation", more) == keys("prefix_continuation", "")
    assert keys("guided_instruction", more) == keys("guided_instruction", "")


def test_a_continuation_s_key_holds_its_length_and_what_a_completion_takes(tmp_path: Path) -> None:
    """Greedy unless the file says otherwise; what only a chat takes is left out."""
    extra = 'params = { max_completion_tokens = 5, reasoning_effort = "low", top_p = 0.9 }'
    (cell,) = cells_of(write(tmp_path, "prefix_continuation", extra=extra))

    canonical = (
        f'{{"api":"completions","endpoint":"{URL}","messages":{json.dumps(cell.text)},'
        '"model":"fake","params":{"max_tokens":64,"temperature":0,"top_p":0.9},"sample":0}'
    )
    assert cell.key == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.parametrize(
    ("told", "drawn_at"), [("", "0.8"), ("temperature = 0.0", "0.8"), ("temperature = 0.3", "0.3")]
)
def test_the_first_sample_of_an_output_distribution_is_greedy_and_the_others_drawn(
    tmp_path: Path, told: str, drawn_at: str
) -> None:
    """Whatever temperature the file gives."""
    extra = f"params = {{ {told} }}"
    cells = cells_of(write(tmp_path, "output_distribution", extra=extra, samples=3))

    for cell, temperature in zip(cells, ("0", drawn_at, drawn_at), strict=True):
        canonical = (
            f'{{"api":"completions","endpoint":"{URL}","messages":{json.dumps(cell.text)},'
            f'"model":"fake","params":{{"max_tokens":100,"temperature":{temperature}}},'
            f'"sample":{cell.sample}}}'
        )
        assert cell.key == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.parametrize(
    ("samples", "extra", "said"),
    [
        (1, "", "output_distribution holds draws against one another; set samples = 51"),
        (4, "params = { n = 2 }", "model fake: leave n out for task output_distribution"),
    ],
)
def test_draws_that_cannot_be_held_against_one_another_are_refused(
    tmp_path: Path, samples: int, extra: str, said: str
) -> None:
    with pytest.raises(SpecError, match=said):
        load(write(tmp_path, "output_distribution", extra=extra, samples=samples))


def test_tasks_are_asked_under_the_prompts_they_have(tmp_path: Path) -> None:
    """All three are asked for: a bare passage has one, the guided instruction two."""
    for task, expected in (("passage_likelihood", 1), ("guided_instruction", 2)):
        cells = cells_of(write(tmp_path, task))
        prompts = [cell.condition.prompt.prompt for cell in cells]
        assert sorted(prompts) == ["baseline", "verbatim"][:expected]
        with load(tmp_path / "bare.toml").draw() as drawn:
            assert drawn.cells == expected


def test_a_task_with_none_of_the_prompts_is_refused_with_those_it_has(tmp_path: Path) -> None:
    path = write(tmp_path, "guided_instruction", prompts='prompts = ["gist"]')

    with pytest.raises(SpecError, match=r"guided_instruction: none of conditions.prompts; it has"):
        load(path)
