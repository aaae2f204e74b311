"""Cost and time of an experiment by its size, in closed form, and the part that limits it. Pure.

A run is a pipeline, so each reply takes as long as its slowest part does. All parts but one take
the same time for every reply: the endpoint's limits, its latency over what may be open at once, the
process that asks, the hub. The one thread that writes the database goes through what is held for
every page of cells it reads and every stretch of replies it scores, so its time grows with it:

    t(n) = write_s + 2 * growth_s * n            for the reply after n others

(the 2, so that `growth_s * N` is its mean over a run of N cells, which is what was measured, on
stores of N cells of which half have replies). With `s`, the slowest of the other parts, N replies
take the integral of max(s, t(n)) from 0 to N.

Queries and disks go by the cell. What was not measured beyond some size is carried on as it grew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

Part: TypeAlias = Literal[
    "requests a minute", "tokens a minute", "latency", "process", "hub", "disk's rate", "writer"
]
"""What a reply passes through: what the endpoint allows, then this side's parts."""
PARTS: Final[tuple[Part, ...]] = get_args(Part)
_MB: Final = 1e6
_MILLION: Final = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What is asked.

    Attributes:
        cells: Cells, each a request of its own (count).
        cells_of_prompt: Cells that share a prompt: its samples, of all models (count, mean).
        prompt_tokens: Of a request (count, mean); likewise `reply_tokens`.
        prompt_chars: Of a prompt's text (count, mean); `body_chars` of a reply's whole body.
    """

    cells: float
    cells_of_prompt: float
    prompt_tokens: float
    reply_tokens: float
    prompt_chars: float
    body_chars: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """What is asked of.

    Attributes:
        latency_s: Of a reply (seconds, mean).
        in_flight: Requests open at once, everywhere (count).
        input_usd_per_m: Price of a million prompt tokens (US dollars); `output_usd_per_m` of reply
            tokens.
        batch_discount: Part of the price that batches save, in [0, 1].
        batch_requests: Requests that one batch may hold (count); `batch_bytes` its size.
        batch_queued_tokens: Prompt tokens that open batches may hold (count); None for any number.
    """

    latency_s: float
    in_flight: int
    requests_per_min: float | None = None
    tokens_per_min: float | None = None
    input_usd_per_m: float = 0.0
    output_usd_per_m: float = 0.0
    batch_discount: float = 0.5
    batch_requests: int = 50_000
    batch_bytes: float = 200e6
    batch_queued_tokens: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """What asks.

    Attributes:
        workers: Workers at a hub (count); 0 where the run asks by itself.
        disk_mb_per_s: What the store's disk takes, over hours (million bytes a second).
    """

    workers: int = 0
    disk_mb_per_s: float = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What things cost here: `figures.toml` says where each is from.

    Attributes:
        start_s: Until the first request is sent (seconds).
        ask_s: One process's time for a reply, planning, scoring and storing included (seconds).
        cpu_s: Processor time of a reply, all threads (seconds).
        hub_s: A hub's time for a reply that a worker brings (seconds).
        write_s: The writer's time for a reply in a small store (seconds).
        growth_s: What each cell of a store adds to that, on the mean of a run (seconds).
        journal_bytes: Of a reply, beside its body; likewise `database_bytes`.
        prompt_bytes: Of a prompt in the database, beside its text.
        question_s: A question of `docs/sql.md` on a million replies (seconds).
        question_power: The power of the number of cells that its time grows with.
        memory_mb: Of a run (million bytes).
        batch_s: From a batch's creation to its results (seconds).
    """

    start_s: float
    ask_s: float
    cpu_s: float
    hub_s: float
    write_s: float
    growth_s: float
    journal_bytes: float
    database_bytes: float
    prompt_bytes: float
    question_s: float
    question_power: float
    memory_mb: float
    batch_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What an experiment comes to.

    Attributes:
        part_s: Time that each part alone would take (seconds); a part that sets no limit is not
            there.
        asking_s: From the first request to the last reply's commit (seconds).
        writer_leads_from: Replies held when the writer becomes the slowest part (count); infinite
            where it never does.
        cpu_h: Processor time of this side (hours).
        usd: Live (US dollars).
        batch_usd: In batches.
        batches: How many (count).
        batches_s: Time for them, one queue-full after the other (seconds).
        journal_bytes: On disk; likewise `database_bytes`.
        question_s: A question of `docs/sql.md` at the end (seconds).
    """

    part_s: dict[Part, float]
    asking_s: float
    writer_leads_from: float
    cpu_h: float
    usd: float
    batch_usd: float
    batches: int
    batches_s: float
    journal_bytes: float
    database_bytes: float
    question_s: float

    @property
    def slowest(self) -> Part:
        """The part that takes longest."""
        return max(self.part_s, key=lambda part: self.part_s[part])


def outlook(
    experiment: Experiment, endpoint: Endpoint, machines: Machines, costs: Costs
) -> Outlook:
    """What an experiment comes to on an endpoint, from some machines."""
    cells = experiment.cells
    steady = steady_s(experiment, endpoint, machines, costs)
    part_s = {part: cells * each for part, each in steady.items()}
    part_s["writer"] = cells * (costs.write_s + costs.growth_s * cells)
    slowest_s = max(steady.values())
    usd = cells * usd_of_cell(experiment, endpoint)
    batches, rounds = _batches(experiment, endpoint)
    return Outlook(
        part_s=part_s,
        asking_s=endpoint.latency_s + _asking_s(cells, slowest_s, costs),
        writer_leads_from=_leads_from(slowest_s, costs),
        cpu_h=cells * costs.cpu_s / 3600,
        usd=usd,
        batch_usd=usd * (1 - endpoint.batch_discount),
        batches=batches,
        batches_s=rounds * costs.batch_s,
        journal_bytes=cells * journal_bytes(experiment, costs),
        database_bytes=cells * database_bytes(experiment, costs),
        question_s=question_s(cells, costs),
    )


def steady_s(
    experiment: Experiment, endpoint: Endpoint, machines: Machines, costs: Costs
) -> dict[Part, float]:
    """The time of a reply in each part whose time does not grow with the store (seconds)."""
    found: dict[Part, float] = {
        "latency": endpoint.latency_s / endpoint.in_flight,
        "process": costs.ask_s / max(1, machines.workers),
        "disk's rate": (journal_bytes(experiment, costs) + database_bytes(experiment, costs))
        / (machines.disk_mb_per_s * _MB),
    }
    if endpoint.requests_per_min is not None:
        found["requests a minute"] = 60 / endpoint.requests_per_min
    if endpoint.tokens_per_min is not None:
        tokens = experiment.prompt_tokens + experiment.reply_tokens
        found["tokens a minute"] = 60 * tokens / endpoint.tokens_per_min
    if machines.workers:
        found["hub"] = costs.hub_s
    return found


def _leads_from(slowest_s: float, costs: Costs) -> float:
    if costs.growth_s <= 0:
        return math.inf if costs.write_s <= slowest_s else 0.0
    return max(0.0, (slowest_s - costs.write_s) / (2 * costs.growth_s))


def _asking_s(cells: float, slowest_s: float, costs: Costs) -> float:
    """The integral of the slower of the two from the first reply to the last (seconds)."""
    before = min(cells, _leads_from(slowest_s, costs))
    after = costs.write_s * (cells - before) + costs.growth_s * (cells**2 - before**2)
    return before * slowest_s + after


def usd_of_cell(experiment: Experiment, endpoint: Endpoint) -> float:
    """What a cell costs live (US dollars)."""
    return (
        experiment.prompt_tokens * endpoint.input_usd_per_m
        + experiment.reply_tokens * endpoint.output_usd_per_m
    ) / _MILLION


def _batches(experiment: Experiment, endpoint: Endpoint) -> tuple[int, int]:
    """How many batches, and how often the queue is filled (counts).

    A line holds the prompt and some 300 bytes about it.
    """
    line = experiment.prompt_chars + 300
    lines = min(float(endpoint.batch_requests), endpoint.batch_bytes / line)
    queued = endpoint.batch_queued_tokens
    tokens = experiment.cells * experiment.prompt_tokens
    rounds = 1 if queued is None else math.ceil(tokens / queued)
    return math.ceil(experiment.cells / lines), rounds


def journal_bytes(experiment: Experiment, costs: Costs) -> float:
    """Of a cell in the journal (bytes)."""
    return costs.journal_bytes + experiment.body_chars


def database_bytes(experiment: Experiment, costs: Costs) -> float:
    """Of a cell in the database, its share of a prompt included (bytes)."""
    prompt = costs.prompt_bytes + experiment.prompt_chars
    return costs.database_bytes + experiment.body_chars + prompt / experiment.cells_of_prompt


def question_s(cells: float, costs: Costs) -> float:
    """A question of `docs/sql.md` on so many cells, all with replies (seconds)."""
    return costs.question_s * float((cells / _MILLION) ** costs.question_power)


def cells_within_question(seconds: float, costs: Costs) -> float:
    """The cells of which a question is answered within a time (count)."""
    return _MILLION * float((seconds / costs.question_s) ** (1 / costs.question_power))


def cells_within_disk(gigabytes: float, experiment: Experiment, costs: Costs) -> float:
    """The cells whose journal and database fit on a disk (count)."""
    return gigabytes * 1e9 / (journal_bytes(experiment, costs) + database_bytes(experiment, costs))


def cells_within_time(
    seconds: float,
    experiment: Experiment,
    endpoint: Endpoint,
    machines: Machines,
    costs: Costs,
) -> float:
    """The cells that are asked within a time (count)."""
    slowest_s = max(steady_s(experiment, endpoint, machines, costs).values())
    leads_from = _leads_from(slowest_s, costs)
    left = seconds - leads_from * slowest_s
    if left <= 0:
        return seconds / slowest_s
    # growth * (N^2 - L^2) + write * (N - L) = left
    own, growth = costs.write_s, costs.growth_s
    rest = left + growth * leads_from**2 + own * leads_from
    return (math.sqrt(own**2 + 4 * growth * rest) - own) / (2 * growth)
