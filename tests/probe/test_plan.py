"""Plans: the same file gives the same cells with the same keys on every machine."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from probe.errors import PlanEmpty
from probe.plan import Plan, survey
from probe.resolve import find
from probe.spec import read_spec
from tests.probe.experiments_for_tests import CELLS, write_excerpts, write_experiment

URL = "http://127.0.0.1:8000/v1"
ONE_PROMPT = """Which work does the following passage come from?

Jonathan wrote to Mina from the castle, and Lucy read the letter by the window. It was the day \
numbered 0.

It is one of these:
1. Frankenstein
2. Emma
3. Dracula
Answer with the title of the work and nothing else."""
PINNED = "ade7a84ce69efa61"
"""Start of the sha256 over the sorted keys of the small experiment. It changes with the wording of
a prompt, the name lists or the form of a key, and then every reply that users hold is bought again:
change it only when that is meant, and say so in the changelog."""


def load(path: Path) -> Plan:
    def no_progress(what: str, had: int, size: int | None) -> None:
        raise AssertionError(f"nothing is to be fetched: {what} {had} {size}")

    return find(read_spec(path), path, no_progress)


def keys_digest(path: Path) -> str:
    keys = sorted(cell.key for cell in load(path).cells())
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()


def test_a_key_is_the_sha256_of_what_is_sent_written_out_by_hand(tmp_path: Path) -> None:
    """The prompt and the canonical JSON stand here in full, so neither can move unnoticed."""
    experiment = write_experiment(
        tmp_path, URL, extra="params = { temperature = 0.0, max_tokens = 5 }"
    )
    content = json.dumps(ONE_PROMPT, ensure_ascii=False)
    canonical = (
        f'{{"api":"chat","endpoint":"{URL}","messages":[{{"content":{content},"role":"user"}}],'
        '"model":"fake","params":{"max_tokens":5,"temperature":0},"sample":0}'
    )

    cells = [
        cell
        for cell in load(experiment).cells()
        if cell.condition.prompt.shown.names == "original"
        and cell.condition.prompt.prompt == "baseline"
        and cell.condition.item.item_id == "Dracula_0"
    ]

    assert [cell.text for cell in cells] == [ONE_PROMPT]
    assert cells[0].key == hashlib.sha256(canonical.encode()).hexdigest()


def test_the_keys_of_an_experiment_are_pinned(tmp_path: Path) -> None:
    assert keys_digest(write_experiment(tmp_path, URL)).startswith(PINNED)


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_another_process_plans_the_same_keys(tmp_path: Path, hash_seed: str) -> None:
    """Nothing depends on Python's own hashing, which differs from process to process."""
    experiment = write_experiment(tmp_path, URL)
    code = (
        "import sys; from pathlib import Path; from tests.probe.test_plan import keys_digest;"
        "print(keys_digest(Path(sys.argv[1])))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(experiment)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[2])},
    )

    assert done.stdout.strip() == keys_digest(experiment)


def test_a_plan_is_counted_through_and_knows_what_is_held(tmp_path: Path) -> None:
    plan = load(write_experiment(tmp_path, URL))
    keys = [cell.key for cell in plan.cells()]

    counted = survey(plan, held=set(keys[:5]))

    assert counted.cells == CELLS == len(set(keys))
    assert counted.tallies["fake"].held == 5
    assert counted.experiment_id == survey(plan).experiment_id


def test_an_items_cells_follow_one_another(tmp_path: Path) -> None:
    """Whatever part of a plan was asked holds whole items."""
    plan = load(write_experiment(tmp_path, URL))

    items = [cell.condition.item.item_id for cell in plan.cells()]

    assert items == [item for item in dict.fromkeys(items) for _ in range(4)]


def test_a_larger_limit_keeps_the_items_that_were_drawn(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, URL)
    write_excerpts(experiment.parent / "excerpts.jsonl", a_work=10)
    text = experiment.read_text()

    def drawn(limit: int) -> set[str]:
        experiment.write_text(text.replace('choices = "options"', f"limit = {limit}"))
        return {cell.condition.item.item_id for cell in load(experiment).cells()}

    few, many = drawn(4), drawn(9)

    assert len(few) == 4
    assert few < many


def test_samples_have_keys_of_their_own(tmp_path: Path) -> None:
    tail = '[conditions]\nnames = ["original"]\nprompts = ["gist"]\nsamples = 3'

    cells = list(load(write_experiment(tmp_path, URL, tail=tail)).cells())

    assert len({cell.key for cell in cells}) == len(cells) == 6 * 3


def test_the_address_stands_in_the_key_unless_the_endpoint_has_a_name(tmp_path: Path) -> None:
    """A reply is never taken for another server's; a named server may move."""
    named = 'endpoint = "lab"'

    here, there = (keys_digest(write_experiment(tmp_path, u)) for u in (URL, "http://other/v1"))
    kept, moved = (
        keys_digest(write_experiment(tmp_path, u, extra=named)) for u in (URL, "http://other/v1")
    )

    assert here != there
    assert kept == moved


def test_limits_prices_and_names_do_not_change_a_key(tmp_path: Path) -> None:
    free = keys_digest(write_experiment(tmp_path, URL))
    extra = (
        "max_in_flight = 3\ntimeout_s = 5\nprice = { input_usd_per_m = 1, output_usd_per_m = 2 }"
    )

    assert keys_digest(write_experiment(tmp_path, URL, extra=extra)) == free


def test_a_dataset_without_items_says_so(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, URL)
    (tmp_path / "excerpts.jsonl").write_text("\n")

    with pytest.raises(PlanEmpty, match=r"dataset excerpts gave no item; .*check path"):
        survey(load(experiment))
