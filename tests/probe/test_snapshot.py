"""Where a run stands: what is told, how it is drawn, and what other terminals can read."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from probe.progress import lines, picture, short, span
from probe.record import Standing
from probe.run import ModelRun
from probe.snapshot import (
    FILE,
    Meter,
    ModelState,
    RunState,
    model_state,
    read_state,
    remove_state,
    write_state,
)
from tests.probe.clock_for_tests import FakeClock
from tests.probe.experiments_for_tests import write_experiment
from tests.probe.plans_for_tests import URL, conditions, drawn
from tests.probe.stored_for_tests import model_run, store_in

CALM = ModelState(
    model="small",
    to_ask=1000,
    done=250,
    failed=0,
    held=10,
    requests_per_min=300.0,
    tokens_per_min=45_000.0,
    limits_per_min={},
    in_flight=8,
    window=16,
    retries=0,
    refusals=0,
    failures={},
    pause_s=0.0,
    pause_why="",
    left_s=150.0,
    limited_by="",
    down=None,
)
TROUBLED = dataclasses.replace(
    CALM,
    model="a-model-with-quite-a-long-name-for-a-table",
    to_ask=None,
    failed=3,
    limits_per_min={"requests": 500.0, "tokens": 2_000_000.0},
    retries=12,
    refusals=34,
    failures={"http 400": 2, "timeout [x]": 1},
    pause_s=12.0,
    pause_why="http 429",
    left_s=None,
    limited_by="pause",
    down="the key is wrong",
)
STATE = RunState(
    pid=os.getpid(),
    experiment="small",
    run_id="now",
    elapsed_s=61.0,
    cells=4000,
    design_cells=9000,
    usd=1.25,
    most_usd=10.0,
    requests=260,
    most_requests=5000,
    problem="the disk is full [really]",
    models=(CALM, TROUBLED),
)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def run_of(folder: Path, clock: FakeClock, extra: str, samples: int = 1) -> Iterator[ModelRun]:
    experiment = write_experiment(folder, URL, extra=extra, tail=conditions(samples))
    with drawn(experiment) as plan, store_in(folder) as database:
        yield model_run(database, plan, clock)


@pytest.fixture
def run(tmp_path: Path, clock: FakeClock) -> Iterator[ModelRun]:
    """A model that is told limits."""
    yield from run_of(tmp_path, clock, "requests_per_min = 60\ntokens_per_min = 6000")


@pytest.fixture
def free(tmp_path: Path, clock: FakeClock) -> Iterator[ModelRun]:
    """A model without limits, of which one request brings two samples."""
    yield from run_of(tmp_path, clock, "params = { n = 2 }", samples=2)


STANDING = Standing(cells=500, held=100, to_ask=400)


def after_a_minute(run: ModelRun, clock: FakeClock, requests: int, tokens: int) -> ModelState:
    """The state after a minute in which so much was done evenly."""
    meter = Meter()
    model_state(run, meter, STANDING)
    for _ in range(60):
        clock.now_s += 1
        run.tally.requests += requests // 60
        run.tally.replies += requests // 60
        run.usage.input_tokens += tokens // 60
        state = model_state(run, meter, STANDING)
    return state


def test_rates_are_those_of_the_last_moments() -> None:
    meter = Meter()

    meter.rates(0, 0, 0)
    early = [meter.rates(float(at), at * 10, at * 1000) for at in range(1, 61)][-1]
    late = [meter.rates(float(at), 600 + (at - 60), 60_000) for at in range(61, 121)][-1]

    assert list(early) == pytest.approx([600, 60_000])
    assert list(late) == pytest.approx([60, 0])
    assert len(meter.seen) < 30


def test_a_rate_is_steady_where_dozens_of_requests_end_at_once() -> None:
    """As a model on this machine does, whose batches take a minute or more."""
    meter = Meter()

    told = [
        meter.rates(float(at), at // 80 * 24, at // 80 * 2_400, at_once=24)[0] for at in range(900)
    ]

    assert all(15 < rate < 28 for rate in told[500:]), "24 in 80 s are 18 a minute"


def test_before_any_time_has_passed_there_is_no_rate() -> None:
    meter = Meter()

    assert meter.rates(5, 0, 0) == meter.rates(5, 10, 10) == (0.0, 0.0)


def test_the_rate_of_now_and_every_limit_bound_the_time_left(
    run: ModelRun, clock: FakeClock
) -> None:
    """At 60 requests and 12,000 tokens a minute, 6,000 tokens a minute are what takes longest."""
    state = after_a_minute(run, clock, 60, 12_000)

    assert state.requests_per_min == pytest.approx(60)
    assert state.tokens_per_min == pytest.approx(12_000)
    assert state.left_s == pytest.approx(340 * 200 / 6000 * 60)
    assert state.limited_by == "requests"


def test_without_limits_the_rate_of_now_tells_the_time_left(
    free: ModelRun, clock: FakeClock
) -> None:
    """Two samples come with a request."""
    state = after_a_minute(free, clock, 120, 1_200)

    assert state.left_s == pytest.approx((400 - 120) / 2 / 120 * 60)
    assert state.limited_by == ""


def test_while_the_plan_is_being_recorded_the_time_left_cannot_be_told(
    run: ModelRun, clock: FakeClock
) -> None:
    clock.now_s += 1

    state = model_state(run, Meter(), None)

    assert (state.to_ask, state.left_s) == (None, None)


def test_a_run_that_is_through_has_nothing_left(free: ModelRun) -> None:
    free.tally.replies, free.tally.failed = 390, 10

    state = model_state(free, Meter(), STANDING)

    assert state.left_s == 0


def test_before_the_first_reply_a_run_without_limits_cannot_tell(free: ModelRun) -> None:
    assert model_state(free, Meter(), STANDING).left_s is None


def test_a_pause_is_what_holds_a_paused_model(run: ModelRun) -> None:
    run.pause.set(30, "http 429")

    state = model_state(run, Meter(), STANDING)

    assert (state.limited_by, state.pause_s, state.pause_why) == ("pause", 30, "http 429")


async def test_a_full_ceiling_is_what_holds_a_model_without_limits(free: ModelRun) -> None:
    for _ in range(int(free.gate.window)):
        await free.gate.slot({}).__aenter__()

    assert model_state(free, Meter(), STANDING).limited_by == "in flight"


def test_refusals_for_load_are_counted_apart_from_other_troubles(run: ModelRun) -> None:
    run.tally.troubles.update({"http 429": 3, "http 503": 2, "http 529": 1, "timeout": 50})

    assert model_state(run, Meter(), STANDING).refusals == 6


def test_a_state_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    write_state(tmp_path, STATE)

    assert read_state(tmp_path) == STATE
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_the_state_of_a_run_that_was_killed_is_passed_over(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "pass"]) as child:
        child.wait()
    write_state(tmp_path, dataclasses.replace(STATE, pid=child.pid))

    assert read_state(tmp_path) is None


def test_after_a_run_there_is_no_state(tmp_path: Path) -> None:
    write_state(tmp_path, STATE)

    remove_state(tmp_path)
    remove_state(tmp_path)

    assert read_state(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", "{", "3", "[]", "null", '"x"', "{}", '{"models": 3}', '{"models": [], "pid": 1}']
)
def test_a_file_that_is_no_state_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)

    assert read_state(tmp_path) is None


def test_the_state_of_another_version_is_passed_over(tmp_path: Path) -> None:
    write_state(tmp_path, STATE)
    raw = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps(raw | {"colour": "red"}))

    assert read_state(tmp_path) is None


def drawn_at(width: int, state: RunState) -> str:
    console = Console(file=StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(picture(state))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 120])
def test_a_picture_fits_its_terminal(width: int) -> None:
    found = drawn_at(width, STATE)

    assert max(map(len, found.splitlines())) <= width
    assert "small" in found
    assert "the disk is full [really]" in " ".join(found.split())


def test_a_picture_of_nothing_yet_is_drawn() -> None:
    empty = dataclasses.replace(STATE, models=(), most_usd=None, most_requests=None, problem=None)

    assert "61 s so far" in drawn_at(60, empty)
    assert lines(dataclasses.replace(empty, usd=0.0)) == []


def test_plain_lines_say_how_far_how_fast_and_what_went_wrong() -> None:
    calm, troubled, spending, problem = lines(STATE)

    assert calm.startswith("small: 250/1,000, 2 min left; 300 requests/min")
    for part in (
        "253, planning goes on, held by pause",
        "300/500 requests/min",
        "45k/2M tokens/min",
        "34 refused for load",
        "12 retries",
        "3 failed (http 400 × 2, timeout [x] × 1)",
        "paused for 12 s by http 429",
        "stopped",
    ):
        assert part in troubled
    assert spending == "1.2500 of 10.00 US dollars, 260 of 5,000 requests"
    assert problem == "the disk is full [really]"


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (950, "950"), (9_999, "9,999"), (12_500, "12.5k"), (2e6, "2M"), (3.25e9, "3.2G")],
)
def test_counts_in_few_letters(count: float, text: str) -> None:
    assert short(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (89, "89 s"), (720, "12 min"), (12_600, "3.5 h")]
)
def test_spans_in_few_letters(seconds: float, text: str) -> None:
    assert span(seconds) == text
