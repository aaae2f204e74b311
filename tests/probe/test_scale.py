"""The model in `docs/scale.md` says what a simulation of the pipeline does, and measured runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.model_spec import ModelSpec
from probe.prices import price_of
from probe.providers.openai_batches import FORM
from probe.scale.figures import costs, figures
from probe.scale.model import (
    PARTS,
    Endpoint,
    Experiment,
    Machines,
    Part,
    cells_within_disk,
    cells_within_question,
    cells_within_time,
    outlook,
    question_s,
    steady_s,
)
from tests.probe.scale_checks_for_tests import Check, checks, far
from tests.probe.scale_page_for_tests import page, times
from tests.probe.scale_simulation_for_tests import Simulated, as_fewer

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
AGREE = 0.05
"""How far the model may be from the simulation."""
MEASURED = 0.30
"""How far either may be from what was measured."""
SMALL = Experiment(
    cells=1_500,
    cells_of_prompt=10,
    prompt_tokens=566,
    reply_tokens=20,
    prompt_chars=2_262,
    body_chars=800,
)
QUICK = Endpoint(latency_s=0.002, in_flight=24)
BY_PART: dict[Part, tuple[Endpoint, Machines]] = {
    "requests a minute": (replace(QUICK, requests_per_min=6_000), Machines()),
    "tokens a minute": (replace(QUICK, tokens_per_min=3e6), Machines()),
    "latency": (replace(QUICK, latency_s=0.8), Machines(workers=2)),
    "process": (QUICK, Machines()),
    "hub": (QUICK, Machines(workers=4)),
    "disk's rate": (QUICK, Machines(disk_mb_per_s=4.0)),
}


def test_each_part_limits_somewhere() -> None:
    assert {*BY_PART, "writer"} == set(PARTS)


@pytest.mark.parametrize("part", BY_PART)
def test_the_simulation_agrees_where_a_part_limits(part: Part) -> None:
    """On a store so small that the writer is no matter."""
    endpoint, machines = BY_PART[part]
    small = replace(costs(), write_s=1e-6)
    found = outlook(SMALL, endpoint, machines, small)

    run = Simulated(experiment=SMALL, endpoint=endpoint, machines=machines, costs=small).run()

    assert found.slowest == part
    assert run.env.now == pytest.approx(found.asking_s, rel=AGREE)


GRID = [
    (cells, per_min, workers)
    for cells in (1e4, 1e6, 1e7, 1e8, 1e9)
    for per_min, workers in ((500.0, 0), (30_000.0, 4), (None, 0), (None, 4))
]


@pytest.mark.parametrize(("cells", "per_min", "workers"), GRID)
def test_the_simulation_agrees_at_every_size(
    cells: float, per_min: float | None, workers: int
) -> None:
    """A long run is simulated as a short one whose store grows so much faster."""
    endpoint, machines = replace(QUICK, requests_per_min=per_min), Machines(workers=workers)
    experiment = replace(SMALL, cells=cells)
    found = outlook(experiment, endpoint, machines, costs())
    few, own, times = as_fewer(experiment, costs(), 1_200)

    run = Simulated(experiment=few, endpoint=endpoint, machines=machines, costs=own).run()

    assert times * run.env.now == pytest.approx(found.asking_s, rel=AGREE)


def test_the_simulation_keeps_to_its_limits() -> None:
    """What the simulation is made of: places, rates, and bytes for every reply."""
    told = Endpoint(latency_s=0.3, in_flight=24, requests_per_min=3_000)

    run = Simulated(
        experiment=replace(SMALL, cells=400),
        endpoint=told,
        machines=Machines(),
        costs=costs(),
        every_s=1.0,
    ).run()

    assert run.committed == 400
    assert run.most_open <= 24
    assert max(run.sent_in.values()) <= 50 * 1.25 + 1  # a bucket holds a quarter of a second
    assert run.answers_s == sorted(run.answers_s)
    assert len(run.answers_s) >= 7
    each = outlook(replace(SMALL, cells=1), told, Machines(), costs())
    assert run.stored_bytes == pytest.approx(400 * (each.journal_bytes + each.database_bytes))


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.what)
def test_measured_runs_are_as_the_model_and_the_simulation_say(check: Check) -> None:
    assert check.model == pytest.approx(check.measured, rel=MEASURED)
    assert check.simulated == pytest.approx(check.measured, rel=MEASURED)


def test_the_writer_goes_on_as_it_grew_in_stores_up_to_ten_times_as_large() -> None:
    assert [each.cells for each in far()] == [3 * 10**7, figures()["store_cells"].value]
    for each in far():
        assert each.model == pytest.approx(each.measured, rel=MEASURED)


@pytest.mark.parametrize("workers", [0, 4])
@pytest.mark.parametrize("seconds", [60.0, 86_400.0, 3e7])
def test_the_cells_of_a_time_take_that_time(seconds: float, workers: int) -> None:
    told, machines = replace(QUICK, requests_per_min=30_000.0), Machines(workers=workers)

    cells = cells_within_time(seconds, SMALL, told, machines, costs())

    found = outlook(replace(SMALL, cells=cells), told, machines, costs())
    assert found.asking_s - told.latency_s == pytest.approx(seconds)


def test_the_writer_leads_from_where_its_reply_takes_as_long_as_the_slowest_part() -> None:
    own = costs()
    found = outlook(SMALL, QUICK, Machines(), own)
    slowest_s = max(steady_s(SMALL, QUICK, Machines(), own).values())

    leads = own.write_s + 2 * own.growth_s * found.writer_leads_from

    assert leads == pytest.approx(slowest_s)


def test_limits_of_questions_and_disks_are_their_inverses() -> None:
    own = costs()

    assert question_s(cells_within_question(60, own), own) == pytest.approx(60)
    cells = cells_within_disk(500, SMALL, own)
    found = outlook(replace(SMALL, cells=cells), QUICK, Machines(), own)
    assert found.journal_bytes + found.database_bytes == pytest.approx(500e9)


def test_bytes_are_those_of_bodies_and_of_shares_of_prompts() -> None:
    """By hand, of round figures: a body of 800 and a tenth of a prompt of 1,000 + 2,262."""
    own = replace(costs(), journal_bytes=700, database_bytes=600, prompt_bytes=1_000)

    found = outlook(replace(SMALL, cells=10), QUICK, Machines(), own)

    assert found.journal_bytes == pytest.approx(10 * (700 + 800))
    assert found.database_bytes == pytest.approx(10 * (600 + 800 + 326.2))


def test_money_is_the_prices_of_tokens() -> None:
    """A million prompts of 566 tokens at 0.15 dollars a million, 20 tokens back at 0.60."""
    priced = replace(QUICK, input_usd_per_m=0.15, output_usd_per_m=0.60)

    found = outlook(replace(SMALL, cells=1e6), priced, Machines(), costs())

    assert found.usd == pytest.approx(84.9 + 12.0)
    assert found.batch_usd == pytest.approx(found.usd / 2)


def test_batches_are_as_the_program_makes_and_prices_them() -> None:
    own = Endpoint(latency_s=1, in_flight=1)
    assert (own.batch_requests, own.batch_bytes) == (FORM.requests, FORM.size_bytes)
    assert own.batch_discount == figures()["batch_discount"].value
    told = {
        "name": "m",
        "provider": "openai",
        "base_url": "https://api.openai.com/v1",
        "model": "gpt-4o-mini",
    }
    live, batch = (
        price_of(ModelSpec.model_validate({**told, "mode": mode})) for mode in ("live", "batch")
    )
    assert live is not None
    assert batch is not None
    assert batch.input_usd_per_m == live.input_usd_per_m * (1 - own.batch_discount)


def test_batches_wait_for_the_queue() -> None:
    """Two million tokens in open batches are 3,533 prompts of 566: 29 fillings for 10^5."""
    told = replace(QUICK, batch_queued_tokens=2e6)

    found = outlook(replace(SMALL, cells=1e5), told, Machines(), costs())

    assert found.batches == 2
    more = outlook(replace(SMALL, cells=2.5e5), told, Machines(), costs())
    assert more.batches == 5  # of 50,000 lines each; by size 78,000 would fit
    heavy = outlook(replace(SMALL, cells=1e5, prompt_chars=9_700), told, Machines(), costs())
    assert heavy.batches == 5  # 200 MB hold 20,000 lines of 10 kB
    assert found.batches_s == 29 * 86_400


def test_the_page_is_made_from_the_model() -> None:
    """Else: python -m tests.probe.scale_page_for_tests > docs/scale.md."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_a_small_account_has_its_tokens_to_wait_for() -> None:
    """By hand: 10,000 requests of 586 tokens at 200,000 a minute take 29.3 minutes."""
    assert "| 10^4 | 1 | 29 min: tokens a minute |" in times()
