"""Conducts a run from plan to rows: what to ask, whom, how it is stopped, how it ended."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, TypeVar
from uuid import uuid4

from probe.budget import Budget, Ceiling
from probe.errors import NoCeiling, ProviderDown
from probe.feed import Recording
from probe.ledger import Ledger
from probe.plan import Drawn, Model, Plan
from probe.progress import Display, run_display
from probe.provenance import provenance
from probe.providers import Provider
from probe.record import Recorded, Scope, Standing, plan_rows, recorded, spent, standings
from probe.run import ModelRun
from probe.serving import Serving, ask_all
from probe.snapshot import RunState
from probe.usage import Usage, reply_limit
from probe.watch import Watch
from prompts.tasks import task_named
from store.database import Database
from store.errors import StoreBroken, StoreError
from store.journal import Journal
from store.read import JOURNAL, Connection
from store.rows import RunEndRow, RunRow

T = TypeVar("T")
MakeProvider = Callable[[Model, Path], Provider]

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_HEAD_START_S: Final = 1.0
_SOON_S: Final = 5.0


@dataclass(slots=True, kw_only=True)
class Ended:
    """How a run ended.

    Attributes:
        held: Cells that needed no asking (count).
        asked: Replies had (count).
        failed: Cells given up (count).
        spent: Whether a ceiling left no room for another request.
        down: Models that could not be asked.
        trouble: What ended the run early on our side, such as a disk that is gone.
    """

    held: int = 0
    asked: int = 0
    failed: int = 0
    interrupted: bool = False
    spent: bool = False
    down: list[ProviderDown] = field(default_factory=list)
    trouble: BaseException | None = None

    @property
    def how(self) -> str:
        """In one word."""
        if self.trouble is not None:
            return "broken"
        if self.interrupted:
            return "interrupted"
        if self.down:
            return "stopped"
        return "spent" if self.spent else "done"


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
    """

    plan: Plan
    spec_text: str
    database: Database
    make_provider: MakeProvider
    retry_failed: bool = False
    ceiling: Ceiling = field(default_factory=Ceiling)
    head_start_s: float = _HEAD_START_S
    _ended: Ended = field(default_factory=Ended)
    _display: Display[RunState] = field(default_factory=run_display)
    _runs: list[ModelRun] = field(default_factory=list)
    _standings: dict[str, Standing] = field(default_factory=dict)
    _recording: Recording | None = None
    _serving: Serving | None = None

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
                if self._may_ask(model.spec.name)
            },
        )

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
        with prepared.drawn, self._signals():
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
        recording = Recording(database=self.database, drawn=drawn, done=prepared.done)
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
            asks={task_named(task.name).asks for task in self.plan.spec.tasks},
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
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(self._guarded(self._stand_when_recorded(recording, scope)))
                    for run in together:
                        tasks.create_task(self._guarded(ask_all(run, recording, scope)))
                    turns = serving.ask_in_turn(recording, scope, budget)
                    tasks.create_task(self._guarded(turns))
                await planning
            finally:
                recording.stop()
                watching.cancel()
                await asyncio.wait({watching})
        await self._record_end(ledger)
        await self._stand(scope)

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
        """Do a part of the run; if the store fails, what is in flight elsewhere is finished."""
        try:
            await work
        except StoreError as error:
            self._ended.trouble = self._ended.trouble or error
            self._stop()
        except BaseExceptionGroup as group:
            stores, others = group.split(StoreError)
            if others is not None:
                raise
            if stores is not None:
                self._ended.trouble = self._ended.trouble or _first(stores)
            self._stop()

    def _stop(self) -> None:
        """Take nothing new; finish what is in flight."""
        if self._recording is not None:
            self._recording.stop()
        if self._serving is not None:
            self._serving.stop()

    @contextmanager
    def _signals(self) -> Iterator[None]:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def on_signal() -> None:
            if self._ended.interrupted and task is not None:
                task.cancel()
                return
            self._ended.interrupted = True
            self._display.say("stopping: finishing what is in flight; once more to stop at once")
            self._stop()

        for signum in _SIGNALS:
            loop.add_signal_handler(signum, on_signal)
        try:
            yield
        finally:
            for signum in _SIGNALS:
                loop.remove_signal_handler(signum)

    async def _stand(self, scope: Scope) -> None:
        """Find out where the models stood before this run, once the plan is recorded."""
        if self._standings or self._recording is None:
            return
        self._standings.update(await self._call(partial(standings, scope=scope)))


def _first(group: BaseExceptionGroup[StoreError]) -> StoreError:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
