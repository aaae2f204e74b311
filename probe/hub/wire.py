"""What a hub and its workers tell each other: JSON, one request a moment.

A worker says hello once, then reports how it stands and hears its terms again and again. What it
has been answered goes beside it, as pieces of its journal.
"""

from __future__ import annotations

from importlib import metadata
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from probe.record import ToAsk
from prompts.tasks.base import Asks

PROTOCOL: Final = 1
"""Goes up when a message changes."""
Role: TypeAlias = Literal["read", "work", "own"]
ROLES: Final[tuple[Role, ...]] = ("read", "work", "own")
"""From the least to the most: each may do what those before it may."""
WorkerId = Annotated[str, Field(pattern=r"^\d{8}T\d{6}-[0-9a-f]{8}$")]
Count = Annotated[int, Field(ge=0)]
Usd = Annotated[float, Field(ge=0)]


def version() -> str:
    """Of the gistprobe that runs here."""
    return metadata.version("gistprobe")


class Message(BaseModel):
    """A message: what is unknown is an error, since both sides are of one version."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Hello(Message):
    """A worker joins, or finds its hub again.

    Attributes:
        worker: Its run's id, which its journal is named by.
        models: Those it can ask; None for all.
        most_in_flight: Requests of one model it wants open at once at most (count).
        held: Keys it holds since before, by model.
    """

    protocol: int
    version: str
    worker: WorkerId
    name: str
    models: list[str] | None = None
    most_in_flight: Annotated[int, Field(ge=1)] | None = None
    held: dict[str, list[str]] = {}


class SharedModel(Message):
    """A model as the hub has it: its part of the file, and what stands for it in keys."""

    spec: dict[str, Any]
    endpoint: str


class Welcome(Message):
    """What a worker has to know.

    Attributes:
        hub: The hub's run; another one after a restart.
        lease_s: How long what it holds is its own while it is not heard of (seconds).
        asks: All that is asked for.
        spec_text: The experiment file.
        lost: Keys it said it holds and must not ask: others have them.
    """

    hub: str
    experiment: str
    experiment_id: str
    spec_text: str
    lease_s: float
    models: list[SharedModel]
    asks: list[Asks]
    lost: list[str] = []


class ModelReport(Message):
    """How a worker stands with one model.

    Attributes:
        wants: Cells it has room for (count).
        asking: Whether it takes part; not while the model is being opened, nor once it is through.
    """

    wants: Count = 0
    asking: bool = False
    in_flight: Count = 0
    replies: Count = 0
    down: str | None = None


class Report(Message):
    """How a worker stands.

    Attributes:
        hub: The run of the hub that it said hello to.
        applied: The number of the terms it keeps to.
        usd: Spent since it began, what is uncertain included (US dollars).
        reserved_usd: For requests that are open (US dollars).
        wanted_usd: What the next request needs, where it waits for a larger share (US dollars).
        requests: Sent since it began, open ones included (count).
        starved: Requests that wait for a larger share (count).
        back: Keys it gives back.
        problem: What is wrong where it runs, such as a full disk.
    """

    worker: WorkerId
    hub: str
    applied: Count = 0
    models: dict[str, ModelReport] = {}
    usd: Usd = 0.0
    reserved_usd: Usd = 0.0
    wanted_usd: Usd = 0.0
    requests: Count = 0
    starved: Count = 0
    back: list[str] = []
    problem: str | None = None


class ModelTerms(Message):
    """What a worker may do with one model.

    Attributes:
        in_flight: Requests open at once at most (count).
        part: Of every rate limit, in [0, 1].
        cells: New ones it holds from now on.
        finished: Whether there are no more, and will be none.
    """

    in_flight: Count
    part: Annotated[float, Field(ge=0, le=1)]
    cells: list[ToAsk] = []
    finished: bool = False


class Terms(Message):
    """What a worker may do until it hears the next.

    Attributes:
        number: Of these terms, for the next report.
        usd: The most it may have spent and reserved since it began (US dollars); None: no ceiling.
        requests: The most it may have sent since it began (count); None: no ceiling.
        drop: Keys it need not ask any more: others have settled them.
        stop: Whether the run ends: what is in flight is finished, nothing new is begun.
    """

    number: Count
    models: dict[str, ModelTerms] = {}
    usd: Usd | None = None
    requests: Count | None = None
    drop: list[str] = []
    stop: bool = False


class Refusal(Message):
    """Why the hub does not do what it was asked.

    Attributes:
        kind: `token`, `version`, `expired`, `gap`, `segment`, `message` or `store`.
        end: Where a piece of a journal has to begin (bytes), for a gap.
    """

    kind: str
    said: str
    end: int | None = None


class BucketsReport(Message):
    """An embedding worker takes buckets of features, renews those it has, or has done some.

    Attributes:
        encoder_id: What makes the vectors.
        wanted: Stands for the features that get vectors.
        take: Buckets it holds, or wants to hold.
        done: Buckets whose vectors it has handed over.
    """

    worker: str
    encoder_id: str
    wanted: str
    take: list[int] = []
    done: list[int] = []


class Buckets(Message):
    """The buckets that an embedding worker holds, and those that are done by anyone."""

    held: list[int]
    finished: list[int]
