"""The order of asking: whatever part of a plan was asked is a fair sample of it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from probe.plan import BLOCK_ITEMS
from tests.probe.experiments_for_tests import CELLS, write_experiment
from tests.probe.plans_for_tests import (
    URL,
    cells_of,
    condition,
    conditions,
    drawn,
    item_of,
    larger,
    load,
    model_table,
)

PROMPTS = ("baseline", "gist")


TWO_MODELS = model_table("second") + conditions(samples=2)


def test_the_design_is_counted_before_a_cell_is_made(tmp_path: Path) -> None:
    with drawn(write_experiment(tmp_path, URL)) as plan:
        cells = [cell for block in plan.blocks() for cell in block.cells]

        assert plan.cells == CELLS == len(cells) == len({cell.key for cell in cells})
        assert plan.items == 6
        assert [cell.ordinal for cell in cells] == list(range(CELLS))


def test_a_block_holds_whole_items_under_every_condition_of_every_model(tmp_path: Path) -> None:
    """Whatever blocks were asked hold whole items."""
    experiment = larger(tmp_path, tail=TWO_MODELS)
    seen: set[str] = set()

    with drawn(experiment) as plan:
        for block in plan.blocks():
            items = {item_of(cell) for cell in block.cells}
            counts = Counter(
                (item_of(cell), *condition(cell), cell.model.spec.name, cell.sample)
                for cell in block.cells
            )
            assert len(counts) == len(items) * 4 * 2 * 2
            assert set(counts.values()) == {1}
            assert not items & seen
            seen |= items
            assert block.items == len(seen)

    assert len(seen) == 30


def test_a_block_is_shuffled(tmp_path: Path) -> None:
    """A cut through a block falls on all conditions alike: they do not come one after another."""
    with drawn(larger(tmp_path)) as plan:
        first, second = list(plan.blocks())[:2]

    orders = [[condition(cell) for cell in block.cells] for block in (first, second)]
    assert orders[0] != orders[1]
    for order in orders:
        changes = sum(a != b for a, b in pairwise(order))
        assert changes > len(order) / 2


def test_in_any_part_of_a_plan_every_condition_was_asked_about_equally_often(
    tmp_path: Path,
) -> None:
    """For each model, to within one block; and exactly at every block's end."""
    experiment = larger(tmp_path, a_work=11, tail=TWO_MODELS)
    every = {(names, prompt) for names in ("original", "cross_culture") for prompt in PROMPTS}
    block_cells = BLOCK_ITEMS * 2 * 2 * 4

    cells = cells_of(experiment)

    for model in ("fake", "second"):
        counts: Counter[tuple[str, str]] = Counter()
        for place, cell in enumerate(cells, start=1):
            if cell.model.spec.name == model:
                counts[condition(cell)] += 1
            most_apart = 0 if place % block_cells == 0 else BLOCK_ITEMS * 2
            assert max(counts[each] for each in every) <= most_apart + min(
                counts[each] for each in every
            )


def test_models_go_side_by_side(tmp_path: Path) -> None:
    """No model's cells lie far behind another's, so a run over both asks both at once."""
    cells = cells_of(larger(tmp_path, tail=model_table("second") + conditions()))

    assert [cell.model.spec.name for cell in cells] == ["fake", "second"] * (len(cells) // 2)


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_a_plan_goes_on_exactly_where_a_block_ended(tmp_path: Path, blocks: int) -> None:
    with drawn(larger(tmp_path)) as plan:
        whole = list(plan.blocks())
        done = whole[:blocks]

        rest = list(plan.blocks(done[-1].items, sum(len(block.cells) for block in done)))

    assert len(whole) == 4
    assert rest == whole[blocks:]


def test_samples_that_one_request_brings_stand_together(tmp_path: Path) -> None:
    """Wherever the order is cut at a multiple of the unit, no request's samples are parted."""
    tail = model_table("second", "params = { n = 3 }") + conditions(samples=6)
    experiment = larger(tmp_path, extra="params = { n = 2 }", tail=tail)

    with drawn(experiment) as plan:
        cells = [cell for block in plan.blocks() for cell in block.cells]
        unit = plan.plan.unit

    assert unit == 2 * 6
    assert len(cells) % unit == 0
    for model, n in (("fake", 2), ("second", 3)):
        own = [cell for cell in cells if cell.model.spec.name == model]
        for start in range(0, len(own), n):
            together = own[start : start + n]
            assert len({cell.condition.prompt_hash for cell in together}) == 1
            assert [cell.sample for cell in together] == list(
                range(together[0].sample, together[0].sample + n)
            )
            assert together[0].sample % n == 0
            assert len({cell.ordinal // unit for cell in together}) == 1


def test_a_larger_limit_keeps_the_items_that_were_drawn(tmp_path: Path) -> None:
    """And asks them first, so that what was asked before is a beginning of the new plan."""
    experiment = larger(tmp_path)
    text = experiment.read_text()

    def items(limit: int) -> list[str]:
        experiment.write_text(text.replace('choices = "options"', f"limit = {limit}"))
        plan = load(experiment)
        with plan.draw() as found:
            return [found.spool.get(number).item_id for number in found.order]

    few, many = items(4), items(9)

    assert len(few) == 4
    assert many[:4] == few
    assert len(set(many)) == 9
