"""One worker: joins a hub, asks what it is given, hands back what comes, and leaves.

While the hub is away it goes on with what it holds, and keeps every reply in a journal of its own
until the hub has committed it. What it may send at once, and spend, is its share of the run's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

from probe.budget import Budget, Ceiling
from probe.ended import Ended
from probe.feed import Cells, ask_all
from probe.hub.wire import Welcome
from probe.ledger import Ledger
from probe.model_spec import ModelSpec
from probe.plan import Model
from probe.progress import Display, run_display
from probe.provenance import provenance
from probe.providers import Provider
from probe.run import ModelRun
from probe.serving import Serving
from probe.snapshot import RunState
from probe.stopping import guarded, signals_stop
from probe.worker.cells import HubCells
from probe.worker.errors import HubAway, HubRefuses
from probe.worker.link import Link
from probe.worker.settings import Settings
from probe.worker.shelf import Outbox, Outgoing, Shelf
from probe.worker.show import WorkerShown
from probe.worker.talk import Talk
from store.journal import Journal
from store.rows import RunEndRow, RunRow

_EVERY_S: Final = 0.2
"""What has come by then goes to the hub: a dead worker's replies may be bought again till then."""
_SOON_S: Final = 0.02
Resolve = Callable[[ModelSpec, str], Model]
MakeProvider = Callable[[Model, Path], Provider]


@dataclass(slots=True, kw_only=True)
class Worker:
    """One start of a worker.

    Attributes:
        resolve: Gives a model from its part of the file and what stands for it at the hub; raises
            where that is something else here.
        make_provider: Gives what asks a model, from it and a file for its log; may block.
    """

    settings: Settings
    link: Link
    resolve: Resolve
    make_provider: MakeProvider
    run_id: str = field(init=False)
    _runs: list[ModelRun] = field(default_factory=list)
    _budget: Budget = field(default_factory=lambda: Budget(ceiling=Ceiling()))
    _ended: Ended = field(default_factory=Ended)
    _display: Display[RunState] = field(default_factory=run_display)
    _talk: Talk = field(init=False)
    _serving: Serving | None = None

    def __post_init__(self) -> None:
        self.run_id = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"
        self._talk = Talk(
            settings=self.settings,
            link=self.link,
            run_id=self.run_id,
            runs=self._runs,
            budget=self._budget,
            ended=self._ended,
            say=self._display.say,
            stop=self._stop,
        )

    async def run(self) -> Ended:
        """Work until the hub has nothing left. The first signal ends it gently.

        Raises:
            HubRefuses: The hub does not let it in.
            HubAway: It has not answered for too long.
            ProbeError: A model cannot be asked here.
            StoreError: The journal cannot be written.
        """
        shelf = Shelf(self.settings.state)
        try:
            with signals_stop(self._ended, self._stop, self._display.say):
                async with self.link:
                    await self._work(shelf)
        except asyncio.CancelledError:
            if not self._ended.interrupted:
                raise
        finally:
            shelf.close()
        if self._ended.trouble is not None:
            raise self._ended.trouble
        return self._ended

    async def _work(self, shelf: Shelf) -> None:
        talk = self._talk
        for outgoing in shelf.left_behind():  # of workers that died here
            await talk.hand_over(outgoing, outgoing.path.stem)
            shelf.done(outgoing)
            self._display.say(f"handed over what an earlier worker left: {outgoing.path.name}")
        welcome = await talk.when_there(talk.hello)
        models = [
            self.resolve(ModelSpec.model_validate(model.spec), model.endpoint)
            for model in welcome.models
        ]
        talk.cells.update({model.spec.name: HubCells() for model in models})
        own = shelf.take(self.run_id)
        with closing(Journal(own.path.parent, self.run_id)) as journal, self._display:
            ledger = Ledger(
                run_id=self.run_id,
                journal=journal,
                database=Outbox(settled=talk.settled),
                on_failure=self._stop,
            )
            await ledger.keep(
                RunRow(
                    run_id=self.run_id,
                    experiment_id=welcome.experiment_id,
                    started_at=datetime.now(UTC),
                    provenance=provenance(welcome.spec_text),
                )
            )
            async with self._shown(welcome.experiment, ledger), self._reporting(own, ledger):
                await self._ask(models, welcome, ledger)
            await ledger.keep(self._end())
            await talk.hand_over(own, self.run_id)
        shelf.done(own)

    async def _ask(self, models: list[Model], welcome: Welcome, ledger: Ledger) -> None:
        self._serving = serving = Serving(
            models=models,
            providers=await asyncio.to_thread(self._providers, models),
            asks=set(welcome.asks),
            ledger=ledger,
            may_ask=lambda _: True,
            say=self._display.say,
            runs=self._runs,
            down=self._ended.down,
        )
        if self._ended.interrupted:
            serving.stop()
        try:
            together = await serving.open_together(self._budget)
            async with asyncio.TaskGroup() as tasks:
                for run in together:
                    tasks.create_task(self._guarded(ask_all(run, self._of(run.model.spec.name))))
                tasks.create_task(self._guarded(serving.ask_in_turn(self._of, self._budget)))
        finally:
            await serving.close()

    def _providers(self, models: list[Model]) -> Mapping[str, Provider]:
        folder = self.settings.state / "logs"
        folder.mkdir(exist_ok=True)
        return {
            model.spec.name: self.make_provider(
                model, folder / f"{self.run_id}-{model.spec.name}.log"
            )
            for model in models
        }

    def _of(self, name: str) -> Cells:
        return self._talk.cells[name]

    async def _guarded(self, work: Coroutine[object, object, None]) -> None:
        await guarded(work, self._ended, self._stop)

    @asynccontextmanager
    async def _reporting(self, own: Outgoing, ledger: Ledger) -> AsyncIterator[None]:
        """Report to the hub while work goes on."""
        reporting = asyncio.create_task(self._report_always(own, ledger))
        try:
            yield
        finally:
            reporting.cancel()
            with suppress(asyncio.CancelledError):
                await reporting

    async def _report_always(self, own: Outgoing, ledger: Ledger) -> None:
        talk = self._talk
        try:
            while True:
                await talk.when_there(lambda: talk.report(own, ledger.problem))
                for run in self._runs:
                    run.end_hangs()
                hungry = any(cells.hungry for cells in talk.cells.values())
                await asyncio.sleep(_SOON_S if hungry and talk.was_given else _EVERY_S)
        except (HubAway, HubRefuses) as error:
            self._ended.trouble = self._ended.trouble or error
            self._stop()

    def _end(self) -> RunEndRow:
        ended = self._ended
        for run in self._runs:
            ended.asked += run.tally.replies
            ended.failed += run.tally.failed
            ended.down += [run.down] if run.down else []
        return RunEndRow(
            run_id=self.run_id,
            ended_at=datetime.now(UTC),
            how=ended.how,
            asked=ended.asked,
            failed=ended.failed,
        )

    def _stop(self) -> None:
        """Take nothing new; finish what is in flight."""
        self._budget.close()
        for cells in self._talk.cells.values():
            cells.finish()
        if self._serving is not None:
            self._serving.stop()

    @asynccontextmanager
    async def _shown(self, experiment: str, ledger: Ledger) -> AsyncIterator[None]:
        """Show how it goes."""
        shown = WorkerShown(
            experiment=experiment,
            run_id=self.run_id,
            runs=self._runs,
            cells=self._talk.cells,
            budget=self._budget,
        )

        async def look() -> None:
            while True:
                self._display.show(shown.state(ledger.problem))
                await asyncio.sleep(_EVERY_S)

        looking = asyncio.create_task(look())
        try:
            yield
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
            self._display.show(shown.state(ledger.problem))
