"""The fan-out: every cell that is not held is asked once, journalled, and handed to the store.

One pool of workers a model, each taking jobs from that model's own queue, so that a slow model
never holds a fast one. A reply is in the journal before anything else happens to it. Stopping is
gentle: workers finish what is in flight and take nothing new.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Final, TypeAlias

from probe.budget import Budget
from probe.errors import ProviderDown
from probe.gate import Clock, Gate, Pause, Slot
from probe.ledger import Ledger
from probe.pace import attempt_s, pace_of
from probe.plan import Model
from probe.providers.base import Answered, Provider, Reply
from probe.retry import UNAVAILABLE, Trouble, Verdict, exhausted, fix_for, verdict, wait_s
from probe.sentinels import Sentinel, Sentinels
from probe.tally import Attempt, Tally
from probe.usage import Usage
from probe.work import Job, Work
from prompts.likelihood import Likelihood
from prompts.tasks.base import Asks
from store.rows import AttemptRow, FailureRow, LikelihoodRow, RepeatRow, ReplyRow

_HANG_GRACE_S: Final = 30.0
_MOST_WAITING: Final = 4
_DIGITS: Final = 6
_Take: TypeAlias = Callable[[Reply, AttemptRow], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class ModelRun:
    """Asks one model its cells.

    Attributes:
        pause: Shared by the models of one server.
        budget: Shared by all models.
        unavailable: What it is asked for and cannot do, with the reason.
        tally: What has happened so far.
        down: Why the model cannot be asked at all, once that is known.
        spent: Whether the budget left no room for another request.
    """

    model: Model
    provider: Provider
    ledger: Ledger
    budget: Budget
    pause: Pause
    clock: Clock
    unavailable: Mapping[Asks, str] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    down: ProviderDown | None = None
    spent: bool = False
    sentinels: Sentinels = field(init=False)
    gate: Gate = field(init=False)
    work: Work = field(init=False)
    usage: Usage = field(init=False)
    _workers: int = field(init=False)
    _stopping: bool = False
    _ended: bool = False
    _refused_since: float | None = None
    _refusals: int = 0
    _open: dict[Job, tuple[asyncio.Task[None], float]] = field(default_factory=dict)
    _hung: set[Job] = field(default_factory=set)

    def __post_init__(self) -> None:
        pace = pace_of(self.model.spec)
        self._workers = pace.in_flight
        self.gate = Gate(pace, self.pause)
        self.work = Work(clock=self.clock, most_waiting=_MOST_WAITING * max(64, pace.in_flight))
        self.usage = Usage(self.model.spec)
        spec = self.model.spec
        self.sentinels = Sentinels(most=spec.sentinels, every=spec.sentinel_every)

    def stop(self) -> None:
        """Take no new job and wait for nothing; what is in flight is finished."""
        self._stopping = True
        self.work.stop()
        self.gate.close()
        self.budget.wake()

    @property
    def stopped(self) -> bool:
        """Whether it takes no new jobs."""
        return self._stopping

    @property
    def through(self) -> bool:
        """Whether it has ended, or asks nothing new."""
        return self._stopping or self._ended

    async def run(self) -> None:
        """Ask until there is and will be nothing to ask."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(self._workers):
                tasks.create_task(self._worker())
        for sentinel in self.sentinels.last():
            await self._repeat(sentinel)
        self._ended = True

    async def _worker(self) -> None:
        while (job := await self.work.next()) is not None:
            await self._ask(job)
            if (sentinel := self.sentinels.due(self.tally.replies)) is not None:
                await self._repeat(sentinel)
            if self.ledger.behind:
                await self.ledger.breathe()

    async def _ask(self, job: Job) -> None:
        """One attempt at a job; afterwards it is settled, or back among the work."""
        if job.asks in self.unavailable:
            await self._cannot(job)
            return
        refused = await self._attempt(job, partial(self._keep, job))
        if refused is not None:
            attempt, trouble, slot = refused
            await self.ledger.keep(attempt)
            await self._troubled(job, trouble, slot)

    async def _repeat(self, sentinel: Sentinel) -> None:
        """Ask a cell again that was answered; where that fails, nothing is known of it."""
        refused = await self._attempt(sentinel.again(), partial(self._compare, sentinel))
        if refused is not None:
            await self.ledger.keep(refused[0])

    async def _attempt(self, job: Job, take: _Take) -> tuple[AttemptRow, Trouble, Slot] | None:
        """One request, when the budget and the gate let it through; a reply is handed on.

        Returns:
            What went wrong; None where a reply came, or nothing was sent.
        """
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a request is sent by a task")
        most_usd = self.usage.most_usd(job.body)
        if not await self.budget.reserve(most_usd):
            self.spent |= not self._stopping  # whoever comes later finds it stopped
            self.stop()
            return None
        async with self.gate.slot(self.usage.expected(job.input_tokens)) as slot:
            if self.stopped:  # the stop came while this waited for its turn
                self.budget.release(most_usd)
                return None
            job.attempts += 1
            started_at, began = datetime.now(UTC), time.perf_counter()
            self._open[job] = (task, self.clock.time())
            answered = await self._watched(job, task)
            latency_s = time.perf_counter() - began
            slot.observe(answered.limits)
            result = answered.result
            if isinstance(result, Reply):
                slot.settle(self.usage.learn(result, job.input_tokens))
                self.gate.succeeded(slot)
            sent = Attempt(
                key=job.keys[0],
                number=job.attempts,
                at=started_at,
                latency_s=latency_s,
                most_usd=most_usd,
            )
            attempt = self.bill(sent, answered)
            if isinstance(result, Reply):
                await take(result, attempt)
                return None
        return attempt, result, slot

    async def _watched(self, job: Job, task: asyncio.Task[None]) -> Answered:
        try:
            return await self.provider.ask(job.body, job.asks)
        except asyncio.CancelledError:
            if job not in self._hung:
                raise
            self._hung.discard(job)
            task.uncancel()
            said = "no end, long after its time was over"
            return Answered(Trouble(kind="hang", message=said, perhaps_billed=True))
        finally:
            self._open.pop(job, None)

    def end_hangs(self) -> None:
        """Cancel attempts that have outlived their time, whatever keeps them; call now and then."""
        late = self.clock.time() - attempt_s(self.model.spec) - _HANG_GRACE_S
        for job, (task, began) in list(self._open.items()):
            if began < late and job not in self._hung:
                self._hung.add(job)
                task.cancel()

    def bill(self, attempt: Attempt, answered: Answered) -> AttemptRow:
        """Settle an attempt with the budget; return its row."""
        result = answered.result
        trouble = result if isinstance(result, Trouble) else None
        usd, uncertain = self.usage.bill(result, attempt.most_usd)
        self.budget.settle(attempt.most_usd, usd=usd or 0.0, uncertain_usd=uncertain or 0.0)
        self.tally.requests += 1
        self.tally.retries += attempt.number > 1
        return AttemptRow(
            key=attempt.key,
            run_id=self.ledger.run_id,
            attempt=attempt.number,
            started_at=attempt.at,
            latency_s=attempt.latency_s,
            status=result.status,
            error_kind=trouble.kind if trouble else None,
            error=trouble.message if trouble else None,
            usd=usd,
            usd_at_most=uncertain,
            request_id=answered.request_id,
        )

    async def _keep(self, job: Job, reply: Reply, attempt: AttemptRow) -> None:
        replies = dict(enumerate((reply, *reply.more)))
        theirs = dict(zip(job.keys, job.choices, strict=True))
        rows = [
            reply_row(replies[choice], key=key, attempt=attempt)
            for key, choice in theirs.items()
            if choice in replies
        ]
        # Before its reply: whoever holds the reply holds the likelihood too.
        likely = [likelihood_row(row, reply.likelihood) for row in rows if reply.likelihood]
        await self.ledger.keep(*likely, *rows, attempt)
        self._refused_since, self._refusals = None, 0
        self.sentinels.take(job, reply)
        self.tally.replies += len(rows)
        samples = self.model.spec.request_samples
        few = Trouble(kind="missing choice", message=f"{len(replies)} of {samples} came")
        for key, choice in theirs.items():
            if choice not in replies:
                await self._give_up(key, few, job.attempts)
        self.work.done()

    async def _compare(self, sentinel: Sentinel, reply: Reply, attempt: AttemptRow) -> None:
        """Put down whether a cell that is asked again gets the reply it had."""
        same, drifted = sentinel.same(reply), sentinel.drifted(reply)
        row = RepeatRow(
            key=attempt.key,
            run_id=attempt.run_id,
            asked_at=attempt.started_at,
            same=same,
            text=None if same else reply.text,
            served_model=reply.served_model,
            fingerprint=reply.fingerprint,
        )
        await self.ledger.keep(row, attempt)
        self.tally.repeats += 1
        self.tally.repeats_unlike += not same
        self.tally.drifted += drifted

    async def _troubled(self, job: Job, trouble: Trouble, slot: Slot) -> None:
        """Decide what follows; a cell that a stop cut short is left to be asked."""
        self.tally.troubles[trouble.kind] += 1
        what = verdict(trouble)
        if what is Verdict.WAIT:
            what = self._wait(trouble, slot)
        elif what is Verdict.AGAIN:
            if trouble.kind == "timeout":
                self.gate.refused(slot)
            job.tries += 1
            if job.tries >= self.model.spec.attempts:
                what = exhausted(trouble)
        if what is Verdict.STOP:
            self._take_down(trouble)
        elif what is Verdict.GIVE_UP:
            for key in job.keys:
                await self._give_up(key, trouble, job.attempts)
            self.work.done()
        else:
            paused = what is Verdict.WAIT
            self.work.again(job, 0.0 if paused else wait_s(trouble, job.tries))

    def _wait(self, trouble: Trouble, slot: Slot) -> Verdict:
        """Pause all who ask this server; give the model up where it has refused for too long."""
        now, asked_s = self.clock.time(), trouble.retry_after_s
        patience_s = self.model.spec.patience_s
        if self._refused_since is None:
            self._refused_since = now
        if now - self._refused_since > patience_s or (asked_s or 0.0) > patience_s:
            return Verdict.STOP
        self.gate.refused(slot)
        if asked_s is None and slot.sent_at <= self.pause.began:
            return Verdict.WAIT  # sent before the pause that is on: it says nothing new
        if slot.sent_at > self.pause.began:
            self._refusals += 1
        self.pause.set(wait_s(trouble, self._refusals), trouble.kind)
        return Verdict.WAIT

    def _take_down(self, trouble: Trouble) -> None:
        spec = self.model.spec
        found = f"{trouble.kind}: {trouble.message}"
        if verdict(trouble) is Verdict.WAIT:
            found += f"; no reply for {spec.patience_s:g} s, or it asks to wait longer than that"
        self.down = self.down or ProviderDown(spec.name, found, fix_for(trouble, spec.api_key_env))
        self.stop()

    async def _give_up(self, key: str, trouble: Trouble, attempts: int) -> None:
        permanent = verdict(trouble) is Verdict.GIVE_UP
        await self._put_down(key, trouble, attempts, permanent=permanent)
        self.tally.failed += 1
        self.tally.failures[trouble.kind] += 1

    async def _cannot(self, job: Job) -> None:
        """Put cells down that the model has no answer to; nothing is sent, and nothing failed."""
        trouble = Trouble(kind=UNAVAILABLE, message=self.unavailable[job.asks])
        for key in job.keys:
            await self._put_down(key, trouble, 0, permanent=True)
        self.tally.unavailable += len(job.keys)
        self.work.done()

    async def _put_down(
        self, key: str, trouble: Trouble, attempts: int, *, permanent: bool
    ) -> None:
        await self.ledger.keep(
            FailureRow(
                key=key,
                run_id=self.ledger.run_id,
                attempts=attempts,
                kind=trouble.kind,
                error=trouble.message,
                permanent=permanent,
                failed_at=datetime.now(UTC),
            )
        )


def reply_row(reply: Reply, *, key: str, attempt: AttemptRow) -> ReplyRow:
    """The row of a reply that has just come."""
    return ReplyRow(
        key=key,
        run_id=attempt.run_id,
        outcome=reply.outcome,
        text=reply.text,
        finish_reason=reply.finish_reason,
        served_model=reply.served_model,
        fingerprint=reply.fingerprint,
        prompt_tokens=reply.prompt_tokens,
        reply_tokens=reply.reply_tokens,
        attempts=attempt.attempt,
        latency_s=attempt.latency_s,
        received_at=datetime.now(UTC),
        raw=reply.raw,
        reasoning=reply.reasoning,
        reasoning_tokens=reply.reasoning_tokens,
        cached_tokens=reply.cached_tokens,
    )


def likelihood_row(reply: ReplyRow, likelihood: Likelihood) -> LikelihoodRow:
    """The row beside a reply whose text was found more or less likely."""
    return LikelihoodRow(
        key=reply.key,
        run_id=reply.run_id,
        offsets=likelihood.offsets,
        logprobs=_rounded(likelihood.logprobs),
        token_ids=likelihood.token_ids or None,
        ranks=likelihood.ranks or None,
        means=_rounded(likelihood.means) or None,
        variances=_rounded(likelihood.variances) or None,
        exact=likelihood.exact,
    )


def _rounded(values: tuple[float | None, ...]) -> tuple[float | None, ...]:
    """As exactly as a model's 32-bit floats tell them."""
    return tuple(None if value is None else round(value, _DIGITS) for value in values)
