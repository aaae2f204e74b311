"""Conducts a run from plan to rows: what to ask, whom, how it is stopped, how it ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, TypeVar
from uuid import uuid4

from probe.batch.asking import ask
from probe.batch.records import waiting
from probe.budget import Budget, Ceiling
from probe.ended import Ended
from probe.errors import NoCeiling
from probe.feed import Cells, Recording
from probe.hub.hub import About, Hub
from probe.hub.opening import Around, Listen, all_settled, hub_open
from probe.hub.show import WorkersShown
from probe.ledger import Ledger
from probe.plan import Drawn, Model, Plan
from probe.progress import Display, run_display
from probe.provenance import provenance
from probe.providers import Provider
from probe.record import Recorded, Scope, Standing, plan_rows, recorded, standings
from probe.run import ModelRun
from probe.serving import Serving
from probe.sharing import cells_for, recording_for
from probe.snapshot import RunState
from probe.spent import spent
from probe.stopping import guarded, signals_stop
from probe.usage import Usage, reply_limit
from probe.watch import Watch
from prompts.tasks import task_named
from prompts.tasks.base import Asks
from store.database import Database
from store.errors import StoreBroken
from store.journal import Journal
from store.read import JOURNAL, Connection
from store.rows import RunEndRow, RunRow

T = TypeVar("T")
MakeProvider = Callable[[Model, Path], Provider]

_HEAD_START_S: Final = 1.0
_SOON_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A run about to start.

    Attributes:
        done: How much of its plan the store holds already.
        providers: What asks each model that may have cells left.
    """

    drawn: Drawn
    done: Recorded
    scope: Scope
    providers: dict[str, Provider]


@dataclass(slots=True, kw_only=True)
class Conductor:
    """One start of an experiment on an open store.

    Attributes:
        make_provider: Gives what asks a model, from it and a file for its log; may block.
        head_start_s: How long the plan is recorded before asking begins (seconds), or longer where
            it will soon be done: planning beside asking would slow both.
        listen: Where workers are given cells, if they are.
    """

    plan: Plan
    spec_text: str
    database: Database
    make_provider: MakeProvider
    retry_failed: bool = False
    ceiling: Ceiling = field(default_factory=Ceiling)
    head_start_s: float = _HEAD_START_S
    listen: Listen | None = None
    _ended: Ended = field(default_factory=Ended)
    _display: Display[RunState] = field(default_factory=run_display)
    _runs: list[ModelRun] = field(default_factory=list)
    _standings: dict[str, Standing] = field(default_factory=dict)
    _recording: Recording | None = None
    _serving: Serving | None = None
    _hub: Hub | None = None

    def prepare(self) -> Prepared:
        """Draw the plan's items, and get ready to ask what is not held.

        Blocks: weights may have to be fetched. Nothing is asked yet.

        Raises:
            NoCeiling: A ceiling in dollars could not be held, for want of a price or a limit.
        """
        self._check_ceiling()
        drawn = self.plan.draw()
        run_id = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"
        scope = Scope(
            experiment_id=drawn.experiment_id, run_id=run_id, retry_failed=self.retry_failed
        )
        done = self.database.call(lambda owner: recorded(owner, drawn.experiment_id))
        if done.items == drawn.items:
            self._standings.update(self.database.call(partial(standings, scope=scope)))
        return Prepared(
            drawn=drawn,
            done=done,
            scope=scope,
            providers={
                model.spec.name: self.make_provider(model, self._log(run_id, model))
                for model in self.plan.models
                if self._may_ask(model.spec.name) and self._is_asked_here(model)
            },
        )

    @property
    def _asks(self) -> set[Asks]:
        return {task_named(task.name).asks for task in self.plan.spec.tasks}

    def _check_ceiling(self) -> None:
        if self.ceiling.usd is None:
            return
        for model in self.plan.models:
            usage = Usage(model.spec)
            if not usage.priced:
                raise NoCeiling(model.spec.name, "has no price", "give it one under `price`")
            if usage.most_usd(b"") > 0 and reply_limit(model.spec) is None:
                fix = "set max_tokens or max_completion_tokens in its params"
                raise NoCeiling(model.spec.name, "has no limit on the length of its replies", fix)

    def _may_ask(self, model: str) -> bool:
        standing = self._standings.get(model)
        return standing.to_ask > 0 if standing else not self._standings

    def _is_asked_here(self, model: Model) -> bool:
        return self.listen is None or self.listen.asks_here or model.spec.mode == "batch"

    def _log(self, run_id: str, model: Model) -> Path:
        folder = self.database.path / "logs"
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            found = f"{folder} cannot be made ({error.strerror})"
            raise StoreBroken(self.database.path, found, "move what is there away") from None
        return folder / f"{run_id}-{model.spec.name}.log"

    async def run(self, prepared: Prepared) -> Ended:
        """Ask what is not held. The first signal ends it gently, the second at once."""
        with prepared.drawn, signals_stop(self._ended, self._stop, self._display.say):
            try:
                async with AsyncExitStack() as stack:
                    await self._run(prepared, stack)
            except asyncio.CancelledError:
                if not self._ended.interrupted:
                    raise
        if self._ended.trouble is not None:
            raise self._ended.trouble
        self._ended.held = sum(standing.held for standing in self._standings.values())
        return self._ended

    async def _run(self, prepared: Prepared, stack: AsyncExitStack) -> None:
        scope, drawn = prepared.scope, prepared.drawn
        journal = Journal(self.database.path / JOURNAL, scope.run_id)
        ledger = Ledger(
            run_id=scope.run_id,
            journal=stack.enter_context(closing(journal)),
            database=self.database,
            on_failure=self._stop,
        )
        if not prepared.done.known:
            await ledger.keep(*plan_rows(self.plan, drawn, self.spec_text))
        recording = recording_for(self.database, scope.run_id, drawn, prepared.done)
        self._recording = recording
        planning = asyncio.create_task(self._guarded(recording.run()))
        await self._head_start(recording, planning)
        if recording.complete:
            await self._stand(scope)
        await self._record_start(ledger, scope)
        budget = await self._budget()
        serving = Serving(
            models=self.plan.models,
            providers=prepared.providers,
            asks=self._asks,
            ledger=ledger,
            may_ask=self._may_ask,
            say=self._display.say,
            runs=self._runs,
            down=self._ended.down,
        )
        self._serving = serving
        if self._ended.interrupted:
            serving.stop()
        stack.push_async_callback(serving.close)
        together = await serving.open_together(budget)
        watch = Watch(
            database=self.database,
            experiment=self.plan.spec.name,
            display=self._display,
            recording=recording,
            runs=self._runs,
            budget=budget,
            ledger=ledger,
            standings=self._standings,
        )
        with self._display:
            watching = asyncio.create_task(watch.run())
            try:
                async with (
                    self._giving_out(scope, watch) as cells,
                    asyncio.TaskGroup() as tasks,
                ):
                    tasks.create_task(self._guarded(self._stand_when_recorded(recording, scope)))
                    for run in together:
                        asking = ask(run, cells, self.database, drawn.experiment_id)
                        tasks.create_task(self._guarded(asking))
                    turns = serving.ask_in_turn(cells, budget)
                    tasks.create_task(self._guarded(turns))
                await planning
            finally:
                recording.stop()
                watching.cancel()
                await asyncio.wait({watching})
        self._ended.waiting = await self._call(partial(waiting, experiment_id=scope.experiment_id))
        await self._record_end(ledger)
        await self._stand(scope)

    @asynccontextmanager
    async def _giving_out(
        self, scope: Scope, watch: Watch
    ) -> AsyncIterator[Callable[[str], Cells]]:
        """Where each model's cells are had, by its name; a hub gives them to workers too."""
        samples = {model.spec.name: model.spec.request_samples for model in self.plan.models}

        def own(name: str) -> Cells:
            return cells_for(watch.recording, scope, name, samples[name])

        if self.listen is None:
            yield own
            return
        about = About(
            experiment=self.plan.spec.name,
            spec_text=self.spec_text,
            scope=scope,
            models=[model for model in self.plan.models if model.spec.mode != "batch"],
            asks=self._asks,
        )
        around = Around(
            database=self.database,
            recording=watch.recording,
            budget=watch.budget,
            here=self._runs,
            say=self._display.say,
            stop=self._stop,
            spent=self._spent,
            down=self._ended.down.append,
        )
        async with hub_open(self.listen, about, around) as hub:
            self._hub, watch.shown = hub, WorkersShown(hub)
            if self._ended.interrupted:
                hub.stop()
            yield lambda name: hub.desks.get(name) or own(name)
            await all_settled(hub)

    def _spent(self) -> None:
        self._ended.spent = True
        self._stop()

    async def _head_start(self, recording: Recording, planning: asyncio.Task[None]) -> None:
        began, before = time.monotonic(), recording.done.items
        await asyncio.wait({planning}, timeout=self.head_start_s)
        now = recording.done.items
        each_s = (time.monotonic() - began) / max(1, now - before)
        if (recording.drawn.items - now) * each_s < _SOON_S:
            await asyncio.wait({planning}, timeout=_SOON_S)

    async def _call(self, act: Callable[[Connection], T]) -> T:
        return await asyncio.to_thread(self.database.call, act)

    async def _budget(self) -> Budget:
        before = await self._call(partial(spent, experiment=self.plan.spec.name))
        return Budget(
            ceiling=self.ceiling,
            usd=before.usd,
            uncertain_usd=before.uncertain_usd,
            requests=before.requests,
        )

    async def _stand_when_recorded(self, recording: Recording, scope: Scope) -> None:
        await recording.more(recording.drawn.cells)
        if recording.complete:
            await self._stand(scope)

    async def _record_start(self, ledger: Ledger, scope: Scope) -> None:
        row = RunRow(
            run_id=scope.run_id,
            experiment_id=scope.experiment_id,
            started_at=datetime.now(UTC),
            provenance=provenance(self.spec_text),
        )
        await ledger.keep(row)

    async def _record_end(self, ledger: Ledger) -> None:
        ended = self._ended
        for run in self._runs:
            ended.asked += run.tally.replies
            ended.failed += run.tally.failed
            ended.spent |= run.spent
            ended.down += [run.down] if run.down else []
        if self._hub is not None:
            ended.asked += self._hub.replies.total() + self._hub.late
            ended.failed += self._hub.failed.total()
        await ledger.keep(
            RunEndRow(
                run_id=ledger.run_id,
                ended_at=datetime.now(UTC),
                how=ended.how,
                asked=ended.asked,
                failed=ended.failed,
            )
        )

    async def _guarded(self, work: Coroutine[object, object, None]) -> None:
        await guarded(work, self._ended, self._stop)

    def _stop(self) -> None:
        """Take nothing new; finish what is in flight."""
        self.database.hurry()
        if self._recording is not None:
            self._recording.stop()
        if self._serving is not None:
            self._serving.stop()
        if self._hub is not None:
            self._hub.stop()

    async def _stand(self, scope: Scope) -> None:
        """Find out where the models stood before this run, once the plan is recorded."""
        if self._standings or self._recording is None:
            return
        self._standings.update(await self._call(partial(standings, scope=scope)))
