"""Runs in batches, against an endpoint at the wire through the SDKs' real clients."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.budget import Ceiling
from probe.providers import OpenAIChat, Request
from probe.providers.anthropic_messages import Anthropic
from probe.spec import read_spec
from tests.probe.batched_for_tests import run, sound
from tests.probe.batches_for_tests import KEY, FakeBatches
from tests.probe.experiments_for_tests import CELLS
from tests.probe.runs import count, query

PROVIDERS = ("openai", "anthropic")
WORST_USD = 0.012
"""More than the small experiment can cost in batches, and less than twice as much."""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATCH_KEY", KEY)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_replies_of_batches_stand_as_live_ones_do(tmp_path: Path, provider: str) -> None:
    """The bytes of a live request, half the price, one line a cell, none of them twice."""
    fake = FakeBatches()

    ended = await run(tmp_path, fake, provider, "batch_requests = 10")
    again = await run(tmp_path, fake, provider, "batch_requests = 10")

    assert (ended.how, ended.asked, ended.failed, ended.waiting) == ("done", CELLS, 0, 0)
    assert (again.asked, again.held) == (0, CELLS)
    sound(tmp_path, fake)
    assert [len(made.lines) for made in fake.batches] == [10, 10, 4]
    store = tmp_path / "store"
    found = (
        "SELECT DISTINCT outcome, text LIKE 'reply %end', prompt_tokens, cached_tokens FROM replies"
    )
    cached = 40 if provider == "anthropic" else None
    assert query(store, found) == [("ok", True, 100, cached)]
    usd = query(store, "SELECT sum(usd), count(*), count(DISTINCT started_at) FROM attempts")
    assert usd == [(pytest.approx(CELLS * (100 * 1.0 + 40 * 2.0) / 1e6 / 2), CELLS, 3)]
    assert count(store, "SELECT count(*) FROM batch_events WHERE event = 'taken'") == 3
    model = read_spec(tmp_path / "small.toml").models[0].model_copy(update={"mode": "live"})
    live = Anthropic(model) if provider == "anthropic" else OpenAIChat(model, "http://elsewhere")
    rows = query(
        store, "SELECT key, text FROM cells JOIN prompts USING (prompt_hash) WHERE is_first"
    )
    assert fake.bodies == {str(key): live.body(Request(text=str(text))) for key, text in rows}


@pytest.mark.parametrize(
    ("provider", "how"),
    [
        ("openai", "expired"),
        ("openai", "500"),
        ("anthropic", "cancelled"),
        ("anthropic", "missing"),
    ],
)
async def test_lines_that_brought_nothing_are_asked_again_in_a_further_batch(
    tmp_path: Path, provider: str, how: str
) -> None:
    """Those that were answered are not."""
    seen: set[str] = set()

    def outcome(prompt: str, _times: int) -> str:
        first = prompt not in seen
        seen.add(prompt)
        return how if first and "gate of the garden" in prompt else "ok"

    ends_as = how if how in {"expired", "cancelled"} else "completed"
    fake = FakeBatches(outcome=outcome, ends_as=ends_as)

    ended = await run(tmp_path, fake, provider)

    assert (ended.how, ended.failed) == ("done", 0)
    store = tmp_path / "store"
    again = {line["custom_id"] for line in fake.batches[1].lines}
    assert len(again) == CELLS // 3
    assert len(fake.batches) == 2
    assert count(store, "SELECT count(*) FROM replies") == CELLS
    assert count(store, "SELECT count(*) FROM attempts") == CELLS + len(again)
    tried = query(store, "SELECT DISTINCT key FROM attempts WHERE attempt = 2")
    assert {str(row[0]) for row in tried} == again
    assert {line["custom_id"] for line in fake.batches[0].lines} > again


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_what_a_provider_refuses_for_good_fails_at_once_and_filters_are_replies(
    tmp_path: Path, provider: str
) -> None:
    def outcome(prompt: str, _times: int) -> str:
        if "letter by the window" in prompt:
            return "400"
        return "filtered" if "gate of the garden" in prompt else "ok"

    fake = FakeBatches(outcome=outcome)

    ended = await run(tmp_path, fake, provider)

    store = tmp_path / "store"
    assert count(store, "SELECT count(*) FROM failures WHERE permanent AND kind = 'http 400'") == 8
    assert count(store, "SELECT count(*) FROM replies WHERE outcome = 'filtered'") == 8
    assert (ended.failed, ended.asked, len(fake.batches)) == (8, CELLS - 8, 1)


async def test_tries_are_counted_over_batches_and_end(tmp_path: Path) -> None:
    fake = FakeBatches(outcome=lambda *_: "expired", ends_as="expired")

    ended = await run(tmp_path, fake, extra="attempts = 3")

    assert (ended.failed, len(fake.batches)) == (CELLS, 3)
    found = query(tmp_path / "store", "SELECT DISTINCT attempts, kind, permanent FROM failures")
    assert found == [(3, "batch expired", False)]


async def test_results_that_come_torn_are_fetched_again_before_anything_is_bought_anew(
    tmp_path: Path,
) -> None:
    fake = FakeBatches(torn=1)

    await run(tmp_path, fake)

    assert len(fake.batches) == 1
    sound(tmp_path, fake)


@pytest.mark.parametrize("usd", [0.0001, 0.0012])
async def test_a_ceiling_in_dollars_holds_before_a_batch_is_sent(
    tmp_path: Path, usd: float
) -> None:
    """The worst case of a whole batch is reserved beside what has been spent."""
    fake = FakeBatches()

    ended = await run(tmp_path, fake, ceiling=Ceiling(usd=usd))

    assert ended.spent
    assert bool(fake.batches) == (usd > 0.001)
    worst = """
        SELECT coalesce(max(usd_at_most + (
            SELECT coalesce(sum(usd), 0) FROM attempts AS a
            JOIN batch_events AS e ON event = 'taken'
            JOIN batches AS c ON c.batch_id = e.batch_id AND a.started_at = c.intended_at
            WHERE c.intended_at < b.intended_at)), 0) FROM batches AS b"""
    found = float(str(query(tmp_path / "store", worst)[0][0]))
    assert found <= usd
    assert found > 0.8 * usd or not fake.batches


async def test_a_queue_of_tokens_is_not_exceeded(tmp_path: Path) -> None:
    """What does not fit waits for a batch to end."""
    fake = FakeBatches(looks=2)

    await run(tmp_path, fake, extra="batch_queued_tokens = 1300")

    sound(tmp_path, fake)
    store = tmp_path / "store"
    assert count(store, "SELECT max(tokens) FROM batches") <= 1300
    assert 2 <= len(fake.batches) <= 4
    early = """
        SELECT count(*) FROM batches AS b JOIN batch_events AS e USING (batch_id)
        WHERE e.event = 'taken' AND e.happened_at > (
            SELECT min(intended_at) FROM batches AS c WHERE c.intended_at > b.intended_at)"""
    assert count(store, early) == 0


@pytest.mark.parametrize(
    ("fake", "said", "fix"),
    [
        (FakeBatches(refuse=[(429, "too many")] * 99), "http 429: too many", "mend it"),
        (FakeBatches(most_bytes=2000), "http 413: the file has", "set batch_mb"),
        (FakeBatches(fail={0: "invalid_json"}), "invalid_json in this batch", "mend it"),
        (FakeBatches(fail={0: "billing_hard_limit_reached"}), "billing_hard_limit", "add credit"),
    ],
)
async def test_a_batch_that_is_refused_gives_one_line_and_its_cells_stay_to_be_asked(
    tmp_path: Path, fake: FakeBatches, said: str, fix: str
) -> None:
    ended = await run(tmp_path, fake, extra="patience_s = 0.05")

    assert [str(down).count("\n") for down in ended.down] == [0]
    assert said in str(ended.down[0])
    assert fix in str(ended.down[0])
    assert (ended.how, ended.waiting, ended.asked) == ("stopped", 0, 0)
    assert len(fake.batches) <= 1


async def test_a_full_queue_and_a_429_are_waited_for(tmp_path: Path) -> None:
    """What was reserved for batches that were not taken is there for the one that is."""
    fake = FakeBatches(refuse=[(429, "slow down")], fail={0: "token_limit_exceeded"})

    ended = await run(tmp_path, fake, ceiling=Ceiling(usd=WORST_USD))

    assert ended.how == "done"
    assert len(fake.batches) == 2
    sound(tmp_path, fake)
    worst = float(str(query(tmp_path / "store", "SELECT max(usd_at_most) FROM batches")[0][0]))
    assert worst < WORST_USD < 2 * worst
    closed = query(tmp_path / "store", "SELECT event FROM batch_events WHERE detail LIKE '%:%'")
    assert closed == [("not created",), ("failed",)]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_wrong_key_gives_one_line(
    tmp_path: Path, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line names the variable and quotes no key."""
    monkeypatch.setenv("BATCH_KEY", "sk-other-0815")
    fake = FakeBatches()

    ended = await run(tmp_path, fake, provider)

    said = str(ended.down[0])
    assert "http 401: this key is not known" in said
    assert "check the key in $BATCH_KEY" in said
    assert "sk-other" not in said
    assert fake.batches == []
