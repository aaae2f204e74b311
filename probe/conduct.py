"""Conducts a run from plan to rows: what to ask, whom, how it is stopped, how it ended."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

from probe.errors import ProviderDown
from probe.plan import Cell, Model, Plan, Survey, survey
from probe.progress import RunDisplay
from probe.providers import Provider
from probe.record import held_keys, provenance, record_plan
from probe.run import Ledger, ModelRun, fan_out
from store.database import Database, insert
from store.errors import StoreBroken
from store.journal import Journal
from store.read import JOURNAL
from store.rows import RunEndRow, RunRow

MakeProvider = Callable[[Model, Path], Provider]


@dataclass(slots=True, kw_only=True)
class Ended:
    """How a run ended.

    Attributes:
        held: Cells that had a reply before (count).
        asked: Replies had (count).
        failed: Cells given up (count).
        down: Models that could not be asked.
    """

    held: int
    asked: int = 0
    failed: int = 0
    interrupted: bool = False
    down: list[ProviderDown] = field(default_factory=list)

    @property
    def how(self) -> str:
        """In one word."""
        if self.interrupted:
            return "interrupted"
        return "stopped" if self.down else "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A run about to start.

    Attributes:
        held: Keys that need no asking.
        providers: What asks each model that has cells left.
    """

    run_id: str
    counted: Survey
    held: set[str]
    providers: dict[str, Provider]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conductor:
    """One start of an experiment on an open store."""

    plan: Plan
    spec_text: str
    database: Database
    make_provider: MakeProvider
    retry_failed: bool = False

    def prepare(self) -> Prepared:
        """Count the plan, record it, and get ready to ask what is not held.

        Blocks: weights may have to be fetched. Nothing is asked yet.
        """
        held = self.database.call(
            lambda connection: held_keys(connection, retry_failed=self.retry_failed)
        )
        counted = survey(self.plan, held)
        record_plan(self.database, self.plan, counted, self.spec_text)
        run_id = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"
        return Prepared(
            run_id=run_id,
            counted=counted,
            held=held,
            providers={
                model.spec.name: self.make_provider(model, self._log(run_id, model))
                for model in self.plan.models
                if counted.tallies[model.spec.name].to_ask > 0
            },
        )

    async def run(self, prepared: Prepared) -> Ended:
        """Ask what is not held. The first signal ends it gently, the second at once."""
        counted, run_id = prepared.counted, prepared.run_id
        ended = Ended(held=sum(tally.held for tally in counted.tallies.values()))
        async with AsyncExitStack() as stack:
            journal = stack.enter_context(closing(Journal(self.database.path / JOURNAL, run_id)))
            served = await self._open(prepared.providers, stack, ended)
            self._record_start(prepared, served)
            display = RunDisplay({name: counted.tallies[name].to_ask for name in served})
            runs = [
                ModelRun(
                    model=model,
                    provider=prepared.providers[model.spec.name],
                    ledger=Ledger(run_id=run_id, journal=journal, database=self.database),
                    watcher=display,
                )
                for model in self.plan.models
                if model.spec.name in served
            ]
            with display:
                await self._fan_out(runs, prepared.held, display, ended)
            for run in runs:
                ended.asked += run.asked
                ended.failed += run.failed
                ended.down += [run.down] if run.down else []
        self._record_end(run_id, ended)
        return ended

    def _log(self, run_id: str, model: Model) -> Path:
        folder = self.database.path / "logs"
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            found = f"{folder} cannot be made ({error.strerror})"
            raise StoreBroken(self.database.path, found, "move what is there away") from None
        return folder / f"{run_id}-{model.spec.name}.log"

    async def _open(
        self, providers: dict[str, Provider], stack: AsyncExitStack, ended: Ended
    ) -> dict[str, object]:
        served: dict[str, object] = {}
        for name, provider in providers.items():
            stack.push_async_callback(provider.close)
            try:
                served[name] = dict((await provider.open()).facts)
            except ProviderDown as down:
                ended.down.append(down)
        return served

    async def _fan_out(
        self, runs: Sequence[ModelRun], held: set[str], display: RunDisplay, ended: Ended
    ) -> None:
        asking = asyncio.create_task(
            fan_out(runs, [_todo(self.plan, run.model, held) for run in runs])
        )

        def on_signal() -> None:
            if ended.interrupted:
                asking.cancel()
                return
            ended.interrupted = True
            display.say("stopping: finishing what is in flight; once more to stop at once")
            for run in runs:
                run.stop()

        loop = asyncio.get_running_loop()
        for signum in _SIGNALS:
            loop.add_signal_handler(signum, on_signal)
        try:
            await asking
        except asyncio.CancelledError:
            if not ended.interrupted:
                raise
        except BaseExceptionGroup as group:
            raise _first(group) from None
        finally:
            for signum in _SIGNALS:
                loop.remove_signal_handler(signum)

    def _record_start(self, prepared: Prepared, served: dict[str, object]) -> None:
        row = RunRow(
            run_id=prepared.run_id,
            experiment_id=prepared.counted.experiment_id,
            started_at=datetime.now(UTC),
            provenance=provenance(self.spec_text, served),
        )
        self.database.call(lambda connection: insert(connection, [row]))

    def _record_end(self, run_id: str, ended: Ended) -> None:
        row = RunEndRow(
            run_id=run_id,
            ended_at=datetime.now(UTC),
            how=ended.how,
            asked=ended.asked,
            failed=ended.failed,
        )
        self.database.call(lambda connection: insert(connection, [row]))


_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def _todo(plan: Plan, model: Model, held: set[str]) -> Iterator[Cell]:
    """A model's cells without a reply; of cells that share a key, the first."""
    for cell in plan.cells(model):
        if cell.key not in held:
            held.add(cell.key)
            yield cell


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
