"""Conducts a run from plan to rows: what to ask, whom, how it is stopped, how it ended."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
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
class Conductor:
    """One start of an experiment on an open store."""

    plan: Plan
    spec_text: str
    database: Database
    make_provider: MakeProvider

    def prepare(self) -> tuple[Survey, set[str]]:
        """Count the plan, record it, and say which keys are held."""
        held = self.database.call(held_keys)
        counted = survey(self.plan, held)
        record_plan(self.database, self.plan, counted, self.spec_text)
        return counted, held

    async def run(self, counted: Survey, held: set[str]) -> Ended:
        """Ask what is not held. The first signal ends it gently, the second at once."""
        ended = Ended(held=sum(tally.held for tally in counted.tallies.values()))
        todo = [m for m in self.plan.models if counted.tallies[m.spec.name].to_ask > 0]
        run_id = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"
        providers = {m.spec.name: self.make_provider(m, self._log(run_id, m)) for m in todo}
        journal = Journal(self.database.path / JOURNAL, run_id)
        ledger = Ledger(run_id=run_id, journal=journal, database=self.database)
        try:
            served = await self._open(providers, ended)
            self._record_start(run_id, counted, served)
            display = RunDisplay({name: counted.tallies[name].to_ask for name in served})
            runs = [
                ModelRun(model=m, provider=providers[m.spec.name], ledger=ledger, watcher=display)
                for m in todo
                if m.spec.name in served
            ]
            with display:
                await self._fan_out(runs, held, display, ended)
            for run in runs:
                ended.asked += run.asked
                ended.failed += run.failed
                ended.down += [run.down] if run.down else []
        finally:
            for provider in providers.values():
                await provider.close()
            journal.close()
        self._record_end(run_id, ended)
        return ended

    def _log(self, run_id: str, model: Model) -> Path:
        folder = self.database.path / "logs"
        folder.mkdir(exist_ok=True)
        return folder / f"{run_id}-{model.spec.name}.log"

    async def _open(self, providers: dict[str, Provider], ended: Ended) -> dict[str, object]:
        served: dict[str, object] = {}
        for name, provider in providers.items():
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

    def _record_start(self, run_id: str, counted: Survey, served: dict[str, object]) -> None:
        row = RunRow(
            run_id=run_id,
            experiment_id=counted.experiment_id,
            started_at=datetime.now(UTC),
            provenance=provenance(served),
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
