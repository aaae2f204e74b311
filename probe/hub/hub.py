"""The hub: gives cells out under leases, takes replies in, and shares limits and budget out.

All of it runs on the event loop of the process that owns the store. A worker that is not heard of
for as long as a lease lasts is lost: its cells go to others, and what it sends later changes
nothing twice. After a restart the hub gives nothing out until the workers of before are back, or
their leases are over.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from probe.budget import Budget
from probe.errors import ProbeError
from probe.gate import Clock
from probe.hub.arrivals import Arrivals, spent_usd
from probe.hub.desk import Desk
from probe.hub.members import HERE, Ceilings, Member, ModelShares, Use
from probe.hub.tokens import Tokens
from probe.hub.wire import (
    PROTOCOL,
    Hello,
    ModelTerms,
    Report,
    SharedModel,
    Terms,
    Welcome,
    version,
)
from probe.pace import pace_of
from probe.plan import Model
from probe.record import Scope, to_ask_again
from probe.run import ModelRun
from probe.spent import Spent, spent_by_run
from probe.turns import Turns
from prompts.tasks.base import Asks
from store.database import Database
from store.rows import AttemptRow, Event, FailureRow, ReplyRow

_MOST_CELLS: Final = 2_000
_TICK_S: Final = 0.25
_SPENT_S: Final = 3.0


class Refused(ProbeError):
    """The hub does not do what a worker asks."""

    def __init__(self, kind: str, said: str) -> None:
        super().__init__(kind, said)
        self.kind, self.said = kind, said

    def __str__(self) -> str:
        return self.said


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a worker is told of the run."""

    experiment: str
    spec_text: str
    scope: Scope
    models: Collection[Model]
    asks: Collection[Asks]


@dataclass(slots=True, kw_only=True)
class Hub:
    """One run's hub.

    Attributes:
        desks: Of each model whose cells are given out.
        here: Models that this process asks itself.
        lease_s: How long a worker may not be heard of (seconds).
        say: Takes a line for the user.
        replies: Had from workers since the hub began, by model (count); likewise `failed`.
        tokens_used: Of those, prompt and reply (count).
        late: Replies of workers that were lost before the hub began (count).
        on_spent: Called where the ceilings leave no room for anyone's next request.
        on_failure: Called where the store takes nothing more.
        changed: Woken now and then, and whenever a worker leaves.
    """

    about: About
    database: Database
    tokens: Tokens
    desks: Mapping[str, Desk]
    budget: Budget
    here: Sequence[ModelRun]
    clock: Clock
    lease_s: float
    say: Callable[[str], None]
    on_spent: Callable[[], None]
    on_failure: Callable[[], None]
    changed: Turns = field(default_factory=Turns)
    members: dict[str, Member] = field(default_factory=dict)
    replies: Counter[str] = field(default_factory=Counter)
    tokens_used: Counter[str] = field(default_factory=Counter)
    late: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    arrivals: Arrivals = field(init=False)
    stopping: bool = False
    _shares: dict[str, ModelShares] = field(default_factory=dict)
    ceilings: Ceilings = field(init=False)
    _awaited: dict[str, str] = field(default_factory=dict)
    _before: dict[str, Spent] = field(default_factory=dict)
    _lost: dict[str, str] = field(default_factory=dict)
    _until: float = 0.0
    _spent_since: float | None = None

    def __post_init__(self) -> None:
        self.arrivals = Arrivals(
            database=self.database,
            is_out=self._is_out,
            came=self._came,
            failed=self.on_failure,
        )
        self.ceilings = Ceilings(ceiling=self.budget.ceiling)
        self._shares = {
            model.spec.name: ModelShares(pace=pace_of(model.spec), each=model.spec.weights_here)
            for model in self.about.models
            if model.spec.name in self.desks
        }
        self._awaited = dict(self.tokens.workers)
        self._until = self.clock.time() + self.lease_s
        if self._awaited:
            names = ", ".join(sorted(self._awaited.values()))
            self.say(f"waiting for the workers of before: {names} (at most {self.lease_s:g} s)")
            self._shut(shut=True)

    @property
    def finished(self) -> bool:
        """Whether every cell is settled, or all that can be is."""
        return all(desk.finished for desk in self.desks.values())

    async def run(self) -> None:
        """See to leases and shares until it is cancelled."""
        if self._awaited:
            act = partial(spent_by_run, runs=sorted(self._awaited))
            self._before = await asyncio.to_thread(self.database.call, act)
        while True:
            self.tick()
            await asyncio.sleep(_TICK_S)

    def tick(self) -> None:
        """Look once: who is lost, what this process may ask, whether all is spent."""
        now = self.clock.time()
        if self._awaited and now > self._until:
            self.say(f"not heard of again: {', '.join(sorted(self._awaited.values()))}")
            for worker in self._awaited:
                self.tokens.workers.pop(worker, None)
            self._awaited.clear()
            self.tokens.save()
        self._shut(shut=bool(self._awaited))
        for worker, member in list(self.members.items()):
            if now - member.heard > self.lease_s:
                self._lose(worker, now - member.heard)
        self._share_here()
        self._see_whether_spent(now)
        for desk in self.desks.values():
            desk.wake()
        self.changed.wake_all()

    def in_flight(self, model: str) -> int:
        """Requests of a model that may be open at once, everywhere (count)."""
        return self._shares[model].pace.in_flight

    def stop(self) -> None:
        """Tell the workers to finish what is in flight and leave."""
        self.stopping = True

    async def hello(self, hello: Hello) -> Welcome:
        """A worker joins, or comes back.

        Raises:
            Refused: Its version is another, or it asks a model that is none of the run's.
        """
        if (hello.protocol, hello.version) != (PROTOCOL, version()):
            raise Refused(
                "version",
                f"the hub runs gistprobe {version()} (protocol {PROTOCOL}), the worker"
                f" {hello.version} (protocol {hello.protocol}); install the same on both",
            )
        unknown = sorted(set(hello.models or ()) - set(self.desks))
        if unknown:
            known = ", ".join(sorted(self.desks))
            raise Refused("message", f"no model {', '.join(unknown)} to be asked here; {known} are")
        self.arrivals.end(f"{hello.worker}.jsonl")
        lost = await self._restore(hello)
        if own := self._before.pop(hello.worker, None):  # it counts that itself
            self.budget.usd -= own.usd
            self.budget.uncertain_usd -= own.uncertain_usd
            self.budget.requests -= own.requests
        is_new = hello.worker not in self._awaited and hello.worker not in self._lost
        self._awaited.pop(hello.worker, None)
        self._lost.pop(hello.worker, None)
        self.members[hello.worker] = Member(
            hello=hello,
            heard=self.clock.time(),
            report=Report(worker=hello.worker, hub=self.about.scope.run_id),
        )
        self.tokens.workers[hello.worker] = hello.name
        self.tokens.save()
        self.say(f"worker {hello.name} {'has joined' if is_new else 'is back'}")
        return Welcome(
            hub=self.about.scope.run_id,
            experiment=self.about.experiment,
            experiment_id=self.about.scope.experiment_id,
            spec_text=self.about.spec_text,
            lease_s=self.lease_s,
            models=[
                SharedModel(spec=model.spec.model_dump(mode="json"), endpoint=model.endpoint)
                for model in self.about.models
                if model.spec.name in self.desks
                and (hello.models is None or model.spec.name in hello.models)
            ],
            asks=sorted(self.about.asks),
            lost=lost,
        )

    async def _restore(self, hello: Hello) -> list[str]:
        """Note what a worker says it holds; return what it does not hold any more."""
        lost: list[str] = []
        for model, keys in hello.held.items():
            desk = self.desks.get(model)
            if desk is None:
                lost += keys
                continue
            act = partial(to_ask_again, scope=self.about.scope, model=model, keys=keys)
            cells = await asyncio.to_thread(self.database.call, act)
            desk.release(hello.worker)  # what it had, and says nothing of, it does not hold
            lost += set(keys) - {cell.key for cell in cells}
            lost += desk.restore(hello.worker, cells)
        return lost

    async def report(self, report: Report) -> Terms:
        """A worker says how it stands; it hears what it may do.

        Raises:
            Refused: It is none of the hub's: its lease has run out, or the hub has been restarted.
        """
        member = self.members.get(report.worker)
        if member is None or report.hub != self.about.scope.run_id:
            raise Refused("expired", "the hub does not know this worker any more; say hello again")
        member.heard, member.report = self.clock.time(), report
        back = list(report.back)
        if report.applied == member.number:
            self._confirm(report.worker)
        else:  # the answer was lost on its way
            back += member.given
            member.drop += member.told
        for desk in self.desks.values():
            desk.release(report.worker, back)
        member.number += 1
        ceiling = self.ceilings.terms(report.worker, Use.of(report), len(self._awaited))
        member.told, member.drop = member.drop, []
        models = {name: await self._terms(member, name) for name in report.models}
        member.given = [cell.key for terms in models.values() for cell in terms.cells]
        return Terms(
            number=member.number,
            models=models,
            usd=ceiling.usd,
            requests=ceiling.requests,
            drop=member.told,
            stop=self.stopping,
        )

    async def _terms(self, member: Member, model: str) -> ModelTerms:
        worker, desk = member.hello.worker, self.desks.get(model)
        if desk is None:
            return ModelTerms(in_flight=0, part=0.0, finished=True)
        in_flight, part = self._shares[model].tell(worker, self._asking(model))
        wants = min(_MOST_CELLS, member.on(model).wants)
        may = in_flight > 0 and not self.stopping
        cells = await desk.claim(worker, wants) if may else []
        return ModelTerms(
            in_flight=in_flight,
            part=part,
            cells=cells,
            finished=not cells and desk.finished,
        )

    async def bye(self, worker: str) -> None:
        """A worker leaves; all it sent is committed when this returns."""
        await asyncio.to_thread(self.database.catch_up)
        member = self.members.pop(worker, None)
        if member is not None:
            self._leave(worker)
            self.say(f"worker {member.hello.name} has left ({member.replies:,} cells settled)")
            self.changed.wake_all()

    def _lose(self, worker: str, quiet_s: float) -> None:
        member = self.members.pop(worker)
        freed = self._leave(worker)
        self._lost[worker] = member.hello.name
        self.say(
            f"worker {member.hello.name} has not been heard of for {quiet_s:.0f} s;"
            f" its {freed:,} cells go to others"
        )

    def _leave(self, worker: str) -> int:
        """Free what a worker had; return how many cells."""
        self.ceilings.leave(worker)
        for shares in self._shares.values():
            for share in shares.shares():
                share.drop(worker)
        self.tokens.workers.pop(worker, None)
        self.tokens.save()
        return sum(desk.release(worker) for desk in self.desks.values())

    def _asking(self, model: str) -> dict[str, int]:
        """Who asks a model now, and how many requests each wants open at once (count).

        Workers of before a restart count, as long as they may still ask what they hold.
        """
        whole = self._shares[model].pace.in_flight
        asking = dict.fromkeys(self._awaited, whole) | {
            worker: member.hello.most_in_flight or whole
            for worker, member in self.members.items()
            if member.on(model).asking
        }
        if any(run.model.spec.name == model and not run.through for run in self.here):
            asking[HERE] = whole
        return asking

    def _confirm(self, who: str) -> None:
        self.ceilings.confirm(who)
        for shares in self._shares.values():
            for share in shares.shares():
                share.confirm(who)

    def _share_here(self) -> None:
        """What this process may ask beside its workers."""
        for run in self.here:
            name = run.model.spec.name
            if name in self._shares:
                run.gate.share(*self._shares[name].tell(HERE, self._asking(name)))
        budget = self.budget
        use = Use(
            usd=budget.usd + budget.uncertain_usd + budget.reserved_usd,
            wanted_usd=budget.wanted_usd,
            requests=budget.requests,
            starved=budget.waiting,
        )
        budget.share(self.ceilings.terms(HERE, use, len(self._awaited)))
        self._confirm(HERE)

    def _see_whether_spent(self, now: float) -> None:
        """All is spent when nobody has anything open, and nobody's next request fits."""
        open_here = self.budget.open > 0
        busy = open_here or any(member.in_flight for member in self.members.values())
        if busy or not self.ceilings.all_are_spent():
            self._spent_since = None
        elif self._spent_since is None:
            self._spent_since = now
        elif now - self._spent_since > _SPENT_S and not self.stopping:
            self.on_spent()

    def _shut(self, *, shut: bool) -> None:
        for desk in self.desks.values():
            desk.shut = shut

    def _is_out(self, key: str) -> bool:
        return any(desk.is_out(key) for desk in self.desks.values())

    def _came(self, event: Event) -> None:
        """An event of a worker's is on its way into the database."""
        if isinstance(event, AttemptRow):
            if event.run_id not in self.members and event.run_id not in self._lost:
                self.budget.usd += spent_usd(event)  # of one that is long gone
                self.budget.requests += 1
        elif isinstance(event, ReplyRow | FailureRow):
            self._settle(event)

    def _settle(self, event: ReplyRow | FailureRow) -> None:
        model = next((name for name, desk in self.desks.items() if desk.is_out(event.key)), None)
        if model is None:  # of one that was lost before this hub began
            self.late += isinstance(event, ReplyRow)
            for desk in self.desks.values():
                desk.pass_over(event.key)
            return
        holder = self.desks[model].settle(event.key)
        if isinstance(event, ReplyRow):
            self.replies[model] += 1
            self.tokens_used[model] += (event.prompt_tokens or 0) + (event.reply_tokens or 0)
        else:
            self.failed[model] += 1
        if (member := self.members.get(event.run_id)) is not None:
            member.replies += 1
        if holder and holder != event.run_id and (other := self.members.get(holder)):
            other.drop.append(event.key)
