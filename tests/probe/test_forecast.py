"""What a plan would cost, counted two ways, in ranges that hold what happens."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from probe.forecast import (
    Forecast,
    Known,
    Range,
    cost_usd,
    forecast,
    prompt_tokens,
    reply_tokens,
    requests,
    time_s,
)
from probe.model_spec import ModelSpec
from probe.plan import Model
from probe.record import Standing
from probe.usage import estimate_tokens
from prompts.names.lists import name_list
from store.read import open_read
from tests.probe.experiments_for_tests import CELLS, write_experiment
from tests.probe.plans_for_tests import URL, cells_of, conditions, drawn, larger, model_table
from tests.probe.stored_for_tests import (
    failure_of,
    keys,
    left,
    put,
    record,
    reply_to,
    scope_of,
    store_in,
)

TWIN = f'[[models]]\nname = "twin"\nprovider = "openai"\nmodel = "fake"\nbase_url = "{URL}"\n'
DEAR = {"input_usd_per_m": 2.0, "output_usd_per_m": 8.0}
KNOWN = Known(replies=50, prompt_ratio=1.1, reply_tokens=20.0, latency_s=3.0)
LEFT = Standing(cells=120, held=20, to_ask=100)
ESTIMATED = 10_000
"""Tokens of the prompts of these cells."""


def model(**told: object) -> Model:
    usual = {"name": "m", "provider": "openai", "model": "m", "base_url": "http://host/v1"}
    return Model(spec=ModelSpec.model_validate(usual | told), endpoint="here")


def of(experiment: Path, store: Path, *, retry_failed: bool = False) -> Forecast:
    """The forecast of an experiment file against a store."""
    reader = open_read(store)
    try:
        with drawn(experiment) as plan:
            return forecast(plan, reader, retry_failed=retry_failed)
    finally:
        reader.close()


@dataclass(frozen=True, slots=True)
class Stored:
    """An experiment whose plan a store holds, with some replies and failures."""

    experiment: Path
    store: Path


@pytest.fixture
def stored(tmp_path: Path) -> Stored:
    experiment = write_experiment(tmp_path, URL, tail=TWIN + model_table("other") + conditions(2))
    chinese = name_list("chinese")
    every_name = " ".join(chinese.female + chinese.male + chinese.surname)
    crowd = {"id": "x", "source": "Emma", "text": f"Emma Woodhouse knew {every_name}."}
    data = tmp_path / "excerpts.jsonl"
    data.write_text(data.read_text() + json.dumps(crowd))
    with drawn(experiment) as plan, store_in(tmp_path) as database:
        record(database, plan)
        every = keys(left(database, scope_of(plan)))
        other = keys(left(database, scope_of(plan), "other"))
        put(
            database,
            *(reply_to(key) for key in (*every[:7], *other[:3])),
            *(failure_of(key, permanent=True) for key in (every[7], every[8], other[5])),
            failure_of(every[9], permanent=False),
        )
    return Stored(experiment, tmp_path / "store")


def test_without_a_store_all_is_to_be_asked(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, URL)

    with drawn(experiment) as plan:
        found = forecast(plan, None)

    texts = [cell.text for cell in cells_of(experiment)]
    tokens = sum(map(estimate_tokens, texts))
    assert found.standings == {"fake": Standing(cells=CELLS, held=0, to_ask=CELLS)}
    assert found.prompt_tokens == {"fake": tokens}
    assert found.known == {}


@pytest.mark.parametrize("retry_failed", [False, True])
def test_a_plan_counts_the_same_cell_by_cell_and_out_of_the_store(
    stored: Stored,
    retry_failed: bool,  # noqa: FBT001 - a case
) -> None:
    """Held replies, failures, keys that models share and items that are set aside included."""
    recorded = of(stored.experiment, stored.store, retry_failed=retry_failed)
    # Under another name the plan is not in the store, but its cells' replies are.
    text = stored.experiment.read_text()
    stored.experiment.write_text(text.replace('name = "small"', 'name = "renamed"'))

    counted = of(stored.experiment, stored.store, retry_failed=retry_failed)

    assert counted.standings == recorded.standings
    assert counted.prompt_tokens == recorded.prompt_tokens
    assert sorted(counted.set_aside) == sorted(recorded.set_aside)
    assert [aside[:3] for aside in counted.set_aside] == [("excerpts", "x", "cross_culture")]


def test_what_is_held_needs_no_asking_and_a_shared_key_is_asked_once(stored: Stored) -> None:
    standings = of(stored.experiment, stored.store).standings

    cells = 2 * (7 * 4 - 2)
    assert standings["fake"].cells == standings["twin"].cells == standings["other"].cells == cells
    assert standings["fake"].held == standings["twin"].held == 9
    assert standings["fake"].to_ask + standings["twin"].to_ask == cells - 9
    assert (standings["other"].held, standings["other"].to_ask) == (4, cells - 4)


def test_a_plan_that_is_recorded_in_part_is_counted_whole(tmp_path: Path) -> None:
    experiment = larger(tmp_path)
    with drawn(experiment) as plan, store_in(tmp_path) as database:
        part = record(database, plan, most_chunks=1)

    assert part.cells == 8 * 4
    assert of(experiment, tmp_path / "store").standings["fake"].to_ask == 30 * 4


def test_replies_that_are_held_tell_how_they_are(stored: Stored) -> None:
    found = of(stored.experiment, stored.store)

    known = found.known["fake"]
    assert (known.replies, known.reply_tokens, known.latency_s) == (7, 4.0, 2.0)
    with drawn(stored.experiment) as plan:
        held = [cell for block in plan.blocks() for cell in block.cells]
    estimated = [estimate_tokens(c.text) for c in held if c.model.spec.name == "fake"][:7]
    assert known.prompt_ratio == pytest.approx(7 * 100 / sum(estimated))
    assert found.known["other"].replies == 3


def test_known_replies_narrow_every_range() -> None:
    asked = model(params={"max_tokens": 50}, price=DEAR)

    wide, narrow = (
        (prompt_tokens(asked, ESTIMATED, known), reply_tokens(asked, LEFT, known))
        for known in (None, KNOWN)
    )

    assert wide == (Range(7_500, 12_500), Range(0, 5_000))
    assert narrow == (Range(11_000, 11_000), Range(2_000, 5_000))
    costs = [cost_usd(asked, *tokens) for tokens in (wide, narrow)]
    assert costs == [Range(0.015, 0.065), Range(0.038, 0.062)]


def test_replies_longer_than_the_limit_now_do_not_turn_a_range_round() -> None:
    asked = model(params={"max_tokens": 5})

    assert reply_tokens(asked, LEFT, KNOWN) == Range(500, 500)


def test_samples_that_one_request_brings_share_its_prompt() -> None:
    """What is left is counted in samples; a request of four sends its prompt once."""
    asked = model(params={"max_tokens": 50, "n": 4}, requests_per_min=5, price=DEAR)
    known = Known(replies=5, prompt_ratio=1.0, reply_tokens=80.0, latency_s=3.0)

    prompts, replies = prompt_tokens(asked, ESTIMATED, known), reply_tokens(asked, LEFT, known)

    assert requests(asked, LEFT) == 25
    assert prompts == Range(2_500, 2_500)
    assert replies == Range(25 * 80, 100 * 50)
    assert time_s(asked, LEFT, prompts, replies, None) == Range(300, 300)


def test_without_a_price_there_is_no_cost() -> None:
    assert cost_usd(model(), Range(1, 2), Range(1, 2)) is None


def test_a_local_model_costs_nothing() -> None:
    local = model(provider="local", base_url=None)

    assert cost_usd(local, Range(1, 2), Range(1, 2)) == Range(0, 0)


PROMPTS, REPLIES = Range(7_500, 12_500), Range(0, 5_000)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, None),
        ({"requests_per_min": 10}, Range(600, 600)),
        ({"tokens_per_min": 1_000}, Range(450, 1_050)),
        ({"input_tokens_per_min": 500}, Range(900, 1_500)),
        ({"output_tokens_per_min": 500}, Range(0, 600)),
        ({"requests_per_min": 10, "tokens_per_min": 1_000}, Range(600, 1_050)),
    ],
)
def test_the_tightest_limit_decides_the_time(
    told: dict[str, object], expected: Range | None
) -> None:
    assert time_s(model(**told), LEFT, PROMPTS, REPLIES, None) == expected


def test_known_replies_and_a_ceiling_bound_the_time_from_below() -> None:
    asked = model(max_in_flight=10)

    assert time_s(asked, LEFT, PROMPTS, REPLIES, None) is None
    assert time_s(asked, LEFT, PROMPTS, REPLIES, KNOWN) == Range(30, 30)


@pytest.mark.parametrize(("slots", "seconds"), [(None, 300), (4, 75)])
def test_a_local_model_takes_its_requests_in_turn(slots: int | None, seconds: float) -> None:
    local = model(provider="local", base_url=None, max_in_flight=slots)

    assert time_s(local, LEFT, PROMPTS, REPLIES, KNOWN) == Range(seconds, seconds)
