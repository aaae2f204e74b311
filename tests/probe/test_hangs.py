"""An attempt that nothing ends is given up, and one that waits for a child's work is not."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Never

import pytest

from probe.gate import Timer
from probe.work import Job
from tests.probe.experiments_for_tests import write_experiment
from tests.probe.plans_for_tests import URL, drawn
from tests.probe.stored_for_tests import model_run, query, store_in


class Ahead:
    """The event loop's clock, put forward by hand."""

    def __init__(self) -> None:
        self.by_s = 0.0
        self._loop = asyncio.get_running_loop()

    def time(self) -> float:
        return self._loop.time() + self.by_s

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Timer:
        return self._loop.call_later(delay, callback)


@pytest.mark.parametrize(("provider", "over_s"), [("openai", 330), ("transformers", 3_630)])
async def test_an_attempt_is_given_up_once_its_time_is_long_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str, over_s: int
) -> None:
    clock, sent = Ahead(), asyncio.Event()

    async def never(*_: object) -> Never:
        sent.set()
        await asyncio.Event().wait()
        raise AssertionError

    with (
        store_in(tmp_path) as database,
        drawn(write_experiment(tmp_path, URL, extra="attempts = 1")) as plan,
    ):
        run = model_run(database, plan, clock)
        spec = run.model.spec.model_copy(update={"provider": provider})
        run.model = dataclasses.replace(run.model, spec=spec)
        monkeypatch.setattr(run.provider, "ask", never)
        going = asyncio.create_task(run.run())
        run.work.add([Job(keys=("own",), body=b"{}", input_tokens=1)])
        run.work.no_more()
        await sent.wait()
        clock.by_s = over_s - 1
        run.end_hangs()
        await asyncio.sleep(0.05)
        open_still = not going.done()
        clock.by_s = over_s + 1
        run.end_hangs()
        async with asyncio.timeout(10):
            await going
        found = query(database, "SELECT key, error_kind FROM attempts")

    assert open_still
    assert found == [("own", "hang")]
