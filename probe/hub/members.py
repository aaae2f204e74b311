"""The workers of a hub, and what each may do: limits and ceilings are the run's, and shared out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from probe.budget import Ceiling
from probe.hub.shares import Shares, fair_counts
from probe.hub.wire import Hello, ModelReport, Report
from probe.pace import Pace

HERE: Final = "here"
"""The hub's own process, where it asks as well."""


@dataclass(slots=True, kw_only=True)
class Member:
    """A worker, as it was heard of last.

    Attributes:
        heard: When (seconds, on the loop's clock).
        number: Of the terms it was told last.
        drop: Keys to be told to it that others have settled.
        told: Those it was told last.
        given: Keys it was given last; where it did not hear of them, it does not have them.
        replies: Cells it settled (count).
    """

    hello: Hello
    heard: float
    report: Report
    number: int = 0
    drop: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    replies: int = 0

    def on(self, model: str) -> ModelReport:
        """How it stands with a model."""
        return self.report.models.get(model, ModelReport())

    @property
    def in_flight(self) -> int:
        """Requests it has open (count)."""
        return sum(model.in_flight for model in self.report.models.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What one has used of the ceilings, and what it waits for.

    Attributes:
        usd: Spent and reserved (US dollars).
        wanted_usd: What the next request needs (US dollars).
        requests: Sent (count).
        starved: Requests that wait (count).
    """

    usd: float
    wanted_usd: float
    requests: int
    starved: int

    @classmethod
    def of(cls, report: Report) -> Use:
        """As a worker reports it."""
        return cls(
            usd=report.usd + report.reserved_usd,
            wanted_usd=report.wanted_usd,
            requests=report.requests,
            starved=report.starved,
        )


@dataclass(slots=True, kw_only=True)
class Ceilings:
    """The run's ceilings, shared out: each may use so much since it began."""

    ceiling: Ceiling
    _usd: Shares = field(init=False)
    _requests: Shares = field(init=False)
    _used: dict[str, Use] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._usd = Shares(whole=self.ceiling.usd)
        most = self.ceiling.requests
        self._requests = Shares(whole=None if most is None else float(most))

    def terms(self, who: str, use: Use, awaited: int = 0) -> Ceiling:
        """What one may use in all from now on.

        Args:
            who: Which.
            use: What it has used.
            awaited: Workers of before a restart (count): what they were told is not known, and may
                be as much as half of what is left; nobody gets the last of it while they are away.
        """
        self._used[who] = use
        if awaited:
            use = replace(use, wanted_usd=0.0, starved=0)
        usd = requests = None
        parts = 2 * (len(self._used) + awaited)
        if self.ceiling.usd is not None:
            spare = max(0.0, self.ceiling.usd - sum(each.usd for each in self._used.values()))
            # What is too little for its next request would only be kept from others.
            more = max(use.wanted_usd, spare / parts) if self._has_room(who, use) else 0.0
            usd = max(use.usd, self._usd.tell(who, use.usd + more))
        if self.ceiling.requests is not None:
            left = max(0, self.ceiling.requests - sum(e.requests for e in self._used.values()))
            more = max(min(1, use.starved), left // parts)
            requests = max(use.requests, int(self._requests.tell(who, use.requests + more)))
        return Ceiling(usd=usd, requests=requests)

    def used(self) -> Use:
        """What all have used so far."""
        every = self._used.values()
        return Use(
            usd=sum(each.usd for each in every),
            wanted_usd=0.0,
            requests=sum(each.requests for each in every),
            starved=sum(each.starved for each in every),
        )

    def confirm(self, who: str) -> None:
        """One keeps to what it was told last."""
        self._usd.confirm(who)
        self._requests.confirm(who)

    def leave(self, who: str) -> None:
        """One is gone; what it used stays used."""
        use = self._used.get(who)
        if use is not None:
            self._usd.drop(who, use.usd)
            self._requests.drop(who, float(use.requests))
            self._used[who] = Use(usd=use.usd, wanted_usd=0.0, requests=use.requests, starved=0)

    def all_are_spent(self) -> bool:
        """Whether some wait for room, and for none of their next requests there is any."""
        waiting = {who: use for who, use in self._used.items() if use.starved}
        return bool(waiting) and not any(
            self._has_room(who, use) and self._requests.room(who) >= use.requests + 1
            for who, use in waiting.items()
        )

    def _has_room(self, who: str, use: Use) -> bool:
        """Whether one's next request fits; to the last digit as its own budget sees it."""
        return use.usd + use.wanted_usd <= self._usd.room(who)


@dataclass(slots=True, kw_only=True)
class ModelShares:
    """One model's limits, shared out.

    Attributes:
        each: Whether they are each worker's, which has a server of its own for the model.
    """

    pace: Pace
    each: bool = False
    _in_flight: Shares = field(init=False)
    _part: Shares = field(init=False)

    def __post_init__(self) -> None:
        self._in_flight = Shares(whole=float(self.pace.in_flight))
        self._part = Shares(whole=1.0)

    def tell(self, who: str, most: Mapping[str, int]) -> tuple[int, float]:
        """One's share of the requests open at once, and of every rate.

        Args:
            who: Which.
            most: What each of those that ask now wants open at once (count).
        """
        asking = who in most
        if self.each:
            return (min(self.pace.in_flight, most[who]), 1.0) if asking else (0, 0.0)
        fair = fair_counts(self.pace.in_flight, most)[who] if asking else 0
        part = self._part.tell(who, 1 / len(most) if asking else 0.0)
        return int(self._in_flight.tell(who, float(fair))), min(1.0, part)

    def shares(self) -> Iterator[Shares]:
        """Both, for what goes for both."""
        yield self._in_flight
        yield self._part
