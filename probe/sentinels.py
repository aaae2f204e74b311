"""Cells that are asked again through a run: does the same request still get the same reply?

A server may change under a run: other weights behind the same name, other hardware, other batching.
The first cells that a model answers are asked again at even distances, and once more at the end.
What comes back is compared, stored beside the reply, and never takes its place.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count, islice

from probe.providers.base import Reply
from probe.work import Job
from prompts.likelihood import Likelihood

_NEAR: float = 1e-3
"""How far the log-probability of a token may move and still be the same (nats): sums of another
order move it by less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentinel:
    """A cell that was answered, and with what."""

    job: Job
    reply: Reply

    def again(self) -> Job:
        """The same request, as a job of its own."""
        return replace(self.job, tries=0)

    def same(self, reply: Reply) -> bool:
        """Whether a reply is the one it had: word for word, or as likely."""
        before, now = self.reply.likelihood, reply.likelihood
        if before is not None and now is not None:
            return _as_likely(before, now)
        return (self.reply.text, self.reply.outcome) == (reply.text, reply.outcome)

    def drifted(self, reply: Reply) -> bool:
        """Whether the server says that another model or build answered."""
        before = (self.reply.served_model, self.reply.fingerprint)
        return before != (reply.served_model, reply.fingerprint)


def _as_likely(a: Likelihood, b: Likelihood) -> bool:
    if a.offsets != b.offsets:
        return False
    pairs = zip(a.logprobs, b.logprobs, strict=True)
    return all(x == y or (x and y and abs(x - y) <= _NEAR) for x, y in pairs)


@dataclass(slots=True, kw_only=True)
class Sentinels:
    """The sentinels of one model.

    Attributes:
        most: How many there are to be (count).
        every: Replies between two repeats (count).
    """

    most: int
    every: int
    _held: deque[Sentinel] = field(default_factory=deque)
    _due: Iterator[int] = field(init=False)
    _next: int = field(init=False)

    def __post_init__(self) -> None:
        self._due = count(self.every, self.every)
        self._next = next(self._due)

    def take(self, job: Job, reply: Reply) -> None:
        """Make a cell that was just answered a sentinel, while there are too few."""
        if len(self._held) < self.most:
            self._held.append(Sentinel(job=job, reply=reply))

    def due(self, replies: int) -> Sentinel | None:
        """The one to ask again after so many replies; None most of the time."""
        if replies < self._next or not self._held:
            return None
        while self._next <= replies:
            self._next = next(self._due)
        self._held.rotate(-1)
        return self._held[-1]

    def last(self) -> list[Sentinel]:
        """All of them, to be asked once more when a run ends."""
        return list(islice(self._held, self.most))
