"""What a worker and its hub say to each other, and what the worker does about it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from probe.budget import Budget, Ceiling
from probe.ended import Ended
from probe.hub.ahead import Ahead
from probe.hub.wire import PROTOCOL, Hello, ModelReport, Report, Terms, Welcome, version
from probe.run import ModelRun
from probe.worker.cells import HubCells
from probe.worker.errors import HubAway, NotKnown
from probe.worker.link import Link
from probe.worker.settings import Settings
from probe.worker.shelf import Outgoing
from store.rows import Event, FailureRow, ReplyRow

T = TypeVar("T")
_FIRST_WAIT_S: Final = 0.25
_LONGEST_WAIT_S: Final = 5.0


@dataclass(slots=True, kw_only=True)
class Talk:
    """A worker's side of the conversation.

    Attributes:
        run_id: The worker's, which the hub knows it by.
        cells: Of each model that it asks.
        runs: Models that are open.
        budget: Its share of the run's.
        say: Takes a line for the user.
        stop: Called where the hub ends the run.
        was_given: Whether the last terms brought cells.
    """

    settings: Settings
    link: Link
    run_id: str
    runs: Sequence[ModelRun]
    budget: Budget
    ended: Ended
    say: Callable[[str], None]
    stop: Callable[[], None]
    cells: dict[str, HubCells] = field(default_factory=dict)
    was_given: bool = False
    _ahead: defaultdict[str, Ahead] = field(default_factory=lambda: defaultdict(Ahead))
    _hub: str = ""
    _lease_s: float = 0.0
    _number: int = 0
    _told_away: bool = False

    async def hello(self) -> Welcome:
        """Join, or come back with what is held."""
        held = {name: sorted(cells.held) for name, cells in self.cells.items() if cells.held}
        models = self.settings.models
        welcome = await self.link.hello(
            Hello(
                protocol=PROTOCOL,
                version=version(),
                worker=self.run_id,
                name=self.settings.name,
                models=None if models is None else list(models),
                most_in_flight=self.settings.most_in_flight,
                held=held,
            )
        )
        self._hub, self._number, self._lease_s = welcome.hub, 0, welcome.lease_s
        self._drop(set(welcome.lost))
        return welcome

    async def report(self, own: Outgoing, problem: str | None) -> None:
        """Hand over what has come, say how it stands, and keep to what the hub says."""
        await own.send(self.link)
        try:
            sent_at = asyncio.get_running_loop().time()
            terms = await self.link.report(self._standing(problem))
        except NotKnown:
            await self.hello()
            self.say("the hub was restarted, or gave this worker up for a while; going on")
            return
        self._apply(terms, sent_at + self._lease_s)

    async def hand_over(self, outgoing: Outgoing, worker: str) -> None:
        """Bring all of a worker's journal to the hub, and say goodbye for it."""
        await self.when_there(lambda: outgoing.send(self.link))
        await self.when_there(lambda: self.link.bye(worker))

    def _standing(self, problem: str | None) -> Report:
        runs = {run.model.spec.name: run for run in self.runs}
        budget = self.budget
        return Report(
            worker=self.run_id,
            hub=self._hub,
            applied=self._number,
            models={name: self._on(name, runs.get(name)) for name in self.cells},
            usd=budget.usd + budget.uncertain_usd,
            reserved_usd=max(0.0, budget.reserved_usd),
            wanted_usd=budget.wanted_usd,
            requests=budget.requests,
            starved=budget.waiting,
            back=self._given_back(),
            problem=problem,
        )

    def _given_back(self) -> list[str]:
        """Cells of models that take part no more, once nothing of theirs is in flight."""
        back: list[str] = []
        for run in self.runs:
            held = self.cells[run.model.spec.name].held
            if run.through and not run.gate.in_flight and held:
                back += sorted(held)
                held.clear()
        return back

    def _on(self, name: str, run: ModelRun | None) -> ModelReport:
        if run is None:
            down = next((str(each) for each in self.ended.down if each.model == name), None)
            return ModelReport(down=down)
        cells = self.cells[name]
        asking = not run.through and not cells.finished
        return ModelReport(
            wants=self._ahead[name].room(run) if asking and cells.hungry else 0,
            asking=asking,
            in_flight=run.gate.in_flight,
            replies=run.tally.replies,
            down=str(run.down) if run.down else None,
        )

    def _apply(self, terms: Terms, until: float) -> None:
        """Keep to terms until a lease from when they were asked for is over: the hub's ends later.

        After that others may have what this worker holds, so nothing of it is begun.
        """
        self._number = terms.number
        self.budget.share(Ceiling(usd=terms.usd, requests=terms.requests))
        self._drop(set(terms.drop))
        runs = {run.model.spec.name: run for run in self.runs}
        self.was_given = any(own.cells for own in terms.models.values())
        for name, own in terms.models.items():
            cells = self.cells[name]
            cells.add(own.cells)
            if own.finished and not cells.held:
                cells.finish()
            if (run := runs.get(name)) is not None:
                run.gate.share(own.in_flight, own.part, until)
        if terms.stop:
            self.stop()

    def _drop(self, keys: set[str]) -> None:
        """Forget cells that are others' now; what is in flight is finished all the same."""
        if not keys:
            return
        for cells in self.cells.values():
            cells.drop(keys)
        for run in self.runs:
            run.work.drop(keys)

    def settled(self, event: Event) -> None:
        """An event has been written down: its cell is held no more."""
        if isinstance(event, ReplyRow | FailureRow):
            for cells in self.cells.values():
                cells.held.discard(event.key)

    async def when_there(self, act: Callable[[], Awaitable[T]]) -> T:
        """Do something at the hub, again and again while it is away.

        Raises:
            HubAway: It has been for longer than the worker waits.
        """
        clock = asyncio.get_running_loop()
        until, wait_s = clock.time() + self.settings.patience_s, _FIRST_WAIT_S
        while True:
            try:
                done = await act()
            except HubAway as away:
                if clock.time() > until:
                    raise
                if not self._told_away:
                    self._told_away = True
                    self.say(f"{away}; what is held goes on, and nothing is lost")
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
            else:
                if self._told_away:
                    self._told_away = False
                    self.say("the hub answers again")
                return done
