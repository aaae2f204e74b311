"""Models that are started here have the machine in turn; what is asked elsewhere does not wait."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from probe.errors import ProviderDown
from probe.plan import Model
from probe.providers import Answered, Provider, Reply, Request, Served
from prompts.tasks.base import Asks
from tests.probe.experiments_for_tests import CELLS, write_experiment
from tests.probe.runs import conduct, query

STARTED = """
[[models]]
name = "{name}"
provider = "{provider}"
model = "smollm2-135m"
{extra}
"""


@dataclass(slots=True)
class Events:
    """What happened, in order: a model opened, asked for the first time, closed."""

    order: list[str] = field(default_factory=list)
    open_now: set[str] = field(default_factory=set)
    together: list[set[str]] = field(default_factory=list)


@dataclass(slots=True)
class Noted:
    """Answers in this process, and notes when."""

    name: str
    events: Events
    down: bool = False
    asked: int = 0

    async def open(self, asks: Collection[Asks] = ()) -> Served:
        del asks
        if self.down:
            raise ProviderDown(self.name, "it does not start", "mend it")
        self.events.order.append(f"open {self.name}")
        self.events.open_now.add(self.name)
        self.events.together.append(set(self.events.open_now))
        return Served(facts={"name": self.name})

    def body(self, request: Request) -> bytes:
        return f"{request.sample} {request.text}".encode()

    async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
        del body, asks
        await asyncio.sleep(0)
        if not self.asked:
            self.events.order.append(f"ask {self.name}")
        self.asked += 1
        return Answered(
            Reply(
                outcome="ok",
                text="Emma",
                finish_reason="stop",
                served_model=None,
                fingerprint=None,
                prompt_tokens=1,
                reply_tokens=1,
                raw="{}",
            )
        )

    async def close(self) -> None:
        if self.name in self.events.open_now:
            self.events.open_now.remove(self.name)
            self.events.order.append(f"close {self.name}")


def table(name: str, provider: str = "transformers", extra: str = "") -> str:
    return STARTED.format(name=name, provider=provider, extra=extra)


async def run(folder: Path, extra: str, *, down: str = "") -> tuple[Events, dict[str, Noted]]:
    experiment = write_experiment(folder, "http://127.0.0.1:9/v1", extra=extra)
    events, providers = Events(), {}

    def make(model: Model, _: Path) -> Provider:
        name = model.spec.name
        providers[name] = Noted(name, events, down=name == down)
        return providers[name]

    ended = await conduct(experiment, folder / "store", make_provider=make)
    assert [down in str(each) for each in ended.down] == ([True] if down else [])
    return events, providers


async def test_one_is_closed_before_the_next_is_opened(tmp_path: Path) -> None:
    """The endpoint is open from the start and asked beside the first of them."""
    events, providers = await run(tmp_path, table("one") + table("two", "vllm"))

    own = [event for event in events.order if "fake" not in event]
    assert own == ["open one", "ask one", "close one", "open two", "ask two", "close two"]
    assert events.order[0] == "open fake"
    assert max(map(len, events.together)) == 2
    assert {name: each.asked for name, each in providers.items()} == {
        "fake": CELLS,
        "one": CELLS,
        "two": CELLS,
    }
    served = "SELECT model, facts ->> 'name' FROM served ORDER BY model"
    assert query(tmp_path / "store", served) == [(name, name) for name in ("fake", "one", "two")]


async def test_one_that_is_served_beside_the_others_does_not_wait_for_them(tmp_path: Path) -> None:
    beside = table("two", "vllm", "serve = { beside = true }")

    events, _ = await run(tmp_path, table("one") + beside)

    assert events.order.index("open two") < events.order.index("open one")
    assert {"fake", "one", "two"} in events.together


async def test_one_that_does_not_start_leaves_the_others_their_turn(tmp_path: Path) -> None:
    events, providers = await run(tmp_path, table("one") + table("two", "vllm"), down="one")

    assert "open two" in events.order
    assert providers["two"].asked == CELLS
    assert providers["one"].asked == 0


async def test_one_with_nothing_left_to_ask_is_not_started(tmp_path: Path) -> None:
    """Loading weights takes minutes: the second run starts no server."""
    await run(tmp_path, table("one"))

    events, _ = await run(tmp_path, table("one"))

    assert events.order == []


@pytest.mark.parametrize("provider", ["transformers", "vllm"])
async def test_a_stop_while_one_has_its_turn_starts_no_other(tmp_path: Path, provider: str) -> None:
    other = "vllm" if provider == "transformers" else "transformers"
    experiment = write_experiment(
        tmp_path, "http://127.0.0.1:9/v1", extra=table("one", provider) + table("two", other)
    )
    events = Events()

    @dataclass(slots=True)
    class Stopping(Noted):
        async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
            if self.name == "one":
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.sleep(0.05)
            return await Noted.ask(self, body, asks)

    ended = await conduct(
        experiment,
        tmp_path / "store",
        make_provider=lambda model, _: Stopping(model.spec.name, events),
    )

    assert ended.how == "interrupted"
    assert "open two" not in events.order
    assert "close one" in events.order
