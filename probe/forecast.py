"""What a plan would ask, use, cost and take, as ranges, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from probe.plan import Block, Drawn, Model
from probe.prices import price_of
from probe.record import Scope, recorded
from probe.usage import estimate_tokens, most_reply_tokens
from store.keys import as_one
from store.read import Reader, ask


@dataclass(frozen=True, slots=True)
class Range:
    """A quantity between two bounds, in one unit."""

    low: float
    high: float


@dataclass(slots=True)
class Tally:
    """What a plan comes to, for one model.

    Attributes:
        held: Cells that need no asking (count).
        to_ask: Requests that are left; cells that share a key share one (count).
        prompt_tokens: Of those requests, estimated.
    """

    cells: int = 0
    held: int = 0
    to_ask: int = 0
    prompt_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """What a store's replies of a model were like, on average.

    Attributes:
        prompt_ratio: Prompt tokens counted over those estimated.
    """

    replies: int
    prompt_ratio: float
    reply_tokens: float
    latency_s: float


@dataclass(slots=True)
class Forecast:
    """A plan counted through.

    Attributes:
        set_aside: Items that a name strategy cannot show, as (dataset, item, names, reason).
    """

    tallies: dict[str, Tally] = field(default_factory=dict)
    known: dict[str, Known] = field(default_factory=dict)
    set_aside: list[tuple[str, str, str, str]] = field(default_factory=list)


def forecast(drawn: Drawn, store: Reader | None, *, retry_failed: bool = False) -> Forecast:
    """Count a plan through: out of the store where it is recorded, else cell by cell."""
    found = Forecast(tallies={model.spec.name: Tally() for model in drawn.plan.models})
    scope = Scope(experiment_id=drawn.experiment_id, run_id="", retry_failed=retry_failed)
    if store is not None and recorded(store, drawn.experiment_id).items == drawn.items:
        _from_store(found, store, scope)
    else:
        seen: set[int] = set()
        for block in drawn.blocks():
            found.set_aside += [
                (each.item.dataset, each.item.item_id, each.names, each.reason)
                for each in block.aside
            ]
            _count(found, block, _settled(store, block, retry_failed=retry_failed), seen)
    if store is not None:
        found.known = dict(_known(store, drawn))
    return found


def _settled(store: Reader | None, block: Block, *, retry_failed: bool) -> set[str]:
    if store is None:
        return set()
    query = """
        SELECT key FROM replies WHERE key IN (SELECT unnest(string_split($keys, ' ')))
        UNION
        SELECT key FROM failures
        WHERE permanent AND NOT $retry AND key IN (SELECT unnest(string_split($keys, ' ')))"""
    keys = as_one(cell.key for cell in block.cells)
    return {str(row[0]) for row in ask(store, query, {"keys": keys, "retry": retry_failed}).rows}


def _count(found: Forecast, block: Block, settled: set[str], seen: set[int]) -> None:
    for cell in block.cells:
        tally = found.tallies[cell.model.spec.name]
        tally.cells += 1
        own = int(cell.key[:16], 16)
        if cell.key in settled:
            tally.held += 1
        elif own not in seen:
            seen.add(own)
            tally.to_ask += 1
            tally.prompt_tokens += estimate_tokens(cell.text)


def _from_store(found: Forecast, store: Reader, scope: Scope) -> None:
    rows = ask(
        store,
        """
        WITH settled AS (
            SELECT key FROM replies
            UNION
            SELECT key FROM failures WHERE permanent AND NOT $retry)
        SELECT model, sum(n), sum(n) FILTER (held), count(*) FILTER (NOT held),
               coalesce(sum(tokens) FILTER (NOT held), 0)
        FROM (
            SELECT c.model, c.key, count(*) AS n, any_value(s.key) IS NOT NULL AS held,
                   any_value(length(p.text) // 4 + 8) AS tokens
            FROM cells AS c JOIN prompts AS p USING (prompt_hash) LEFT JOIN settled AS s USING (key)
            WHERE c.experiment_id = $experiment GROUP BY c.model, c.key)
        GROUP BY model""",
        {"experiment": scope.experiment_id, "retry": scope.retry_failed},
    ).rows
    for model, *counts in rows:
        found.tallies[str(model)] = Tally(*(int(str(count or 0)) for count in counts))
    aside = ask(
        store,
        "SELECT dataset, item_id, names, reason FROM set_aside WHERE experiment_id = ?",
        [scope.experiment_id],
    ).rows
    found.set_aside = [(str(a), str(b), str(c), str(d)) for a, b, c, d in aside]


def _known(store: Reader, drawn: Drawn) -> Iterator[tuple[str, Known]]:
    """By model name, over all plans of the experiment that the store holds."""
    rows = ask(
        store,
        """
        SELECT c.model, count(*), sum(r.prompt_tokens) / sum(length(p.text) // 4 + 8),
               avg(r.reply_tokens), avg(r.latency_s)
        FROM (SELECT DISTINCT model, key, prompt_hash FROM cells
              JOIN experiments USING (experiment_id) WHERE experiment = ?) AS c
        JOIN replies AS r USING (key) JOIN prompts AS p USING (prompt_hash)
        WHERE r.prompt_tokens IS NOT NULL AND r.reply_tokens IS NOT NULL
        GROUP BY c.model""",
        [drawn.plan.spec.name],
    ).rows
    for model, *numbers in rows:
        count, ratio, tokens, latency_s = (float(str(number)) for number in numbers)
        yield str(model), Known(int(count), ratio, tokens, latency_s)


def prompt_tokens(tally: Tally, known: Known | None) -> Range:
    """Prompt tokens of what is left: by the server's own counting where known, else within 25 %."""
    if known:
        return Range(*(2 * [tally.prompt_tokens * known.prompt_ratio]))
    return Range(0.75 * tally.prompt_tokens, 1.25 * tally.prompt_tokens)


def reply_tokens(model: Model, tally: Tally, known: Known | None) -> Range:
    """Reply tokens of what is left: as replies were, to the longest the parameters allow."""
    most = tally.to_ask * most_reply_tokens(model.spec) * model.spec.request_samples
    low = tally.to_ask * known.reply_tokens if known else 0.0
    return Range(min(low, most), most)


def cost_usd(model: Model, prompts: Range, replies: Range) -> Range | None:
    """What it costs (US dollars); None without a price."""
    price = price_of(model.spec)
    if price is None:
        return None
    low, high = (
        (sent * price.input_usd_per_m + back * price.output_usd_per_m) / 1e6
        for sent, back in ((prompts.low, replies.low), (prompts.high, replies.high))
    )
    return Range(low, high)


def time_s(
    model: Model, tally: Tally, prompts: Range, replies: Range, known: Known | None
) -> Range | None:
    """How long it takes by the limits told and, where known, by latency (seconds); else None."""
    spec = model.spec
    limits = (
        (spec.requests_per_min, Range(tally.to_ask, tally.to_ask)),
        (spec.tokens_per_min, Range(prompts.low + replies.low, prompts.high + replies.high)),
        (spec.input_tokens_per_min, prompts),
        (spec.output_tokens_per_min, replies),
    )
    bounds = [Range(need.low * 60 / most, need.high * 60 / most) for most, need in limits if most]
    in_flight = 1 if spec.provider == "local" else spec.max_in_flight
    if known and in_flight:
        waited = tally.to_ask * known.latency_s / in_flight
        bounds.append(Range(waited, waited))
    if not bounds:
        return None
    return Range(max(each.low for each in bounds), max(each.high for each in bounds))
