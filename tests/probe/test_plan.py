"""Plans: the same file gives the same cells with the same keys on every machine."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from probe.errors import PlanEmpty
from probe.spool import Spool
from prompts import Character, Item
from prompts.names.lists import name_list
from tests.probe.experiments_for_tests import write_experiment
from tests.probe.plans_for_tests import (
    URL,
    cells_of,
    condition,
    drawn,
    item_of,
    keys_digest,
    larger,
    plan_id,
)

ONE_PROMPT = """Which work does the following passage come from?

Jonathan wrote to Mina from the castle, and Lucy read the letter by the window. It was the day \
numbered 0.

It is one of these:
1. Frankenstein
2. Emma
3. Dracula
Answer with the title of the work and nothing else."""


PINNED = "64621162f34dd74f"
"""Start of the sha256 over the sorted keys of the small experiment. It changes with the wording of
a prompt, the name lists or the form of a key, and then every reply that users hold is bought again:
change it only when that is meant, and say so in the changelog."""


def in_order(path: Path) -> list[tuple[int, str]]:
    return [(cell.ordinal, cell.key) for cell in cells_of(path)]


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
        for cell in cells_of(experiment)
        if condition(cell) == ("original", "baseline") and item_of(cell) == "Dracula_0"
    ]

    assert [cell.text for cell in cells] == [ONE_PROMPT]
    assert cells[0].key == hashlib.sha256(canonical.encode()).hexdigest()


def test_a_key_of_the_older_api_is_made_of_the_bare_prompt(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, URL, extra='api = "completions"')

    cell = cells_of(experiment)[0]

    text = json.dumps(cell.text, ensure_ascii=False)
    canonical = (
        f'{{"api":"completions","endpoint":"{URL}","messages":{text},'
        '"model":"fake","params":{},"sample":0}'
    )
    assert cell.key == hashlib.sha256(canonical.encode()).hexdigest()


def test_the_keys_of_an_experiment_are_pinned(tmp_path: Path) -> None:
    assert keys_digest(write_experiment(tmp_path, URL)).startswith(PINNED)


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_another_process_plans_the_same_keys_in_the_same_order(
    tmp_path: Path, hash_seed: str
) -> None:
    """Nothing depends on Python's own hashing, which differs from process to process."""
    experiment = write_experiment(tmp_path, URL)
    code = (
        "import sys; from pathlib import Path; from tests.probe.test_plan import in_order;"
        "print(in_order(Path(sys.argv[1])))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(experiment)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[2])},
    )

    assert done.stdout.strip() == str(in_order(experiment))


def test_the_order_of_the_datasets_file_does_not_matter(tmp_path: Path) -> None:
    """What decides is the seed and each item's name."""
    experiment = larger(tmp_path)
    before = in_order(experiment)
    data = tmp_path / "excerpts.jsonl"
    first, *rest = data.read_text().splitlines(keepends=True)

    # The titles offered are in the order of the works' first appearance: that stays.
    data.write_text(first + "".join(sorted(rest, key=lambda line: ("Emma" not in line, line))))

    assert len(before) == 30 * 4
    assert sorted(key for _, key in in_order(experiment)) == sorted(key for _, key in before)


def test_an_edited_item_changes_its_own_keys_alone(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, URL)
    before = {cell.cell_id: cell.key for cell in cells_of(experiment)}
    data = tmp_path / "excerpts.jsonl"

    data.write_text(data.read_text().replace("It was the day numbered 1.", "It was a Monday.", 1))
    after = {cell.cell_id: cell.key for cell in cells_of(experiment)}

    assert before.keys() == after.keys()
    assert sum(before[cell] != after[cell] for cell in before) == 4


def test_samples_have_keys_of_their_own(tmp_path: Path) -> None:
    tail = '[conditions]\nnames = ["original"]\nprompts = ["gist"]\nsamples = 3'

    cells = cells_of(write_experiment(tmp_path, URL, tail=tail))

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


def test_headers_that_are_sent_stand_in_the_key_however_they_are_spelt(tmp_path: Path) -> None:
    """A server may answer by them."""
    plain, own, spelt, other = (
        keys_digest(write_experiment(tmp_path, URL, extra=extra))
        for extra in (
            "",
            'headers = { X-Route = "a" }',
            'headers = { x-route = "a" }',
            'headers = { X-Route = "b" }',
        )
    )

    assert own == spelt
    assert len({plain, own, other}) == 3


FREE = {
    "pace": "max_in_flight = 3\nrequests_per_min = 5\ntokens_per_min = 900",
    "time": "timeout_s = 5\nconnect_s = 2\nfirst_byte_s = 3\nattempts = 2\npatience_s = 1",
    "price": "price = { input_usd_per_m = 1, output_usd_per_m = 2 }",
    "key": 'api_key_env = "SOME_KEY"\nheaders_env = { X-Key = "OTHER_KEY" }',
}


@pytest.mark.parametrize("case", FREE)
def test_limits_prices_and_secrets_change_neither_a_key_nor_the_plan(
    tmp_path: Path, case: str
) -> None:
    plain = write_experiment(tmp_path, URL)
    keys, plan = keys_digest(plain), plan_id(plain)

    changed = write_experiment(tmp_path, URL, extra=FREE[case])

    assert keys_digest(changed) == keys
    assert plan_id(changed) == plan


CHANGES = {
    "seed": ("seed = 3", "seed = 4"),
    "a condition": ('"cross_culture"]', '"cross_culture", "masked"]'),
    "samples": ("[conditions]", "[conditions]\nsamples = 2"),
    "another culture": ("[conditions]", '[conditions]\ncross_culture = "greek"'),
    "fewer items": ('choices = "options"', 'choices = "options"\nlimit = 5'),
    "fewer titles": ('choices = "options"', 'choices = "options"\noptions = 2'),
    "open": ('choices = "options"', 'choices = "open"'),
    "a model's name": ('name = "fake"', 'name = "other"'),
    "the model": ('model = "fake"', 'model = "other"'),
    "a parameter": ('model = "fake"', 'model = "fake"\nparams = { top_p = 0.5 }'),
    "the experiment's name": ('name = "small"', 'name = "large"'),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_change_of_what_is_asked_makes_another_plan(tmp_path: Path, case: str) -> None:
    experiment = write_experiment(tmp_path, URL)
    before = plan_id(experiment)
    right, other = CHANGES[case]
    text = experiment.read_text()
    assert right in text

    experiment.write_text(text.replace(right, other, 1))

    assert plan_id(experiment) != before


def test_a_changed_text_makes_another_plan(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, URL)
    before = plan_id(experiment)
    data = experiment.parent / "excerpts.jsonl"

    data.write_text(data.read_text().replace("numbered 1", "numbered one", 1))

    assert plan_id(experiment) != before


def test_an_item_that_cannot_be_shown_is_set_aside_with_the_reason(tmp_path: Path) -> None:
    """It is asked under its other names, and its place in the design is counted."""
    experiment = write_experiment(tmp_path, URL)
    chinese = name_list("chinese")
    every_name = " ".join(chinese.female + chinese.male + chinese.surname)
    crowd = {"id": "x", "source": "Emma", "text": f"Emma Woodhouse knew {every_name}."}
    data = tmp_path / "excerpts.jsonl"
    data.write_text(data.read_text() + json.dumps(crowd))

    with drawn(experiment) as plan:
        blocks = list(plan.blocks())

    aside = [each for block in blocks for each in block.aside]
    cells = [cell for block in blocks for cell in block.cells]
    assert [(each.item.item_id, each.names) for each in aside] == [("x", "cross_culture")]
    assert "the chinese list has no free name left" in aside[0].reason
    assert {condition(cell)[0] for cell in cells if item_of(cell) == "x"} == {"original"}
    assert [cell.ordinal for cell in cells] == list(range(7 * 4 - 2))
    assert plan.cells == 7 * 4


def test_a_dataset_without_items_says_so(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, URL)
    (tmp_path / "excerpts.jsonl").write_text("\n")

    with pytest.raises(PlanEmpty, match=r"dataset excerpts gave no item; .*check path"):
        drawn(experiment)


def test_items_come_back_from_the_disk_as_they_were_in_any_order() -> None:
    spool = Spool()
    items = [
        Item(
            item_id=f"i{n}",
            task="source_identification",
            dataset="excerpts",
            work="Émma",
            text="“Yes” " * n,
            gold={"title": "Emma"},
            options=("Emma", "Dracula"),
            cast=(Character(name="Mr. Knightley", aliases=("George",), gender="male"),),
        )
        for n in range(20)
    ]

    numbers = [spool.add(item) for item in items]
    back = [spool.get(number) for number in reversed(numbers)]
    late = spool.add(items[3])

    assert back == items[::-1]
    assert spool.get(late) == items[3]
    assert len(spool) == 21
    spool.close()
