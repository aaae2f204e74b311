"""What a plan would ask, use, cost and take, as ranges, before anything is spent."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from probe.pace import in_flight
from probe.plan import Block, Drawn, Model
from probe.prices import price_of
from probe.record import SETTLED, Scope, Standing, recorded, standings, still_open, stretches
from probe.usage import estimate_tokens, most_reply_tokens
from store.keys import as_one
from store.read import Reader, ask

_BATCH_S: Final = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Range:
    """A quantity between two bounds, in one unit."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Known:
    """What a store's replies of a model were like, on average.

    Attributes:
        prompt_ratio: Prompt tokens counted over those estimated.
        reply_tokens: Of one request, all its samples together.
        latency_s: Of live replies (seconds); 0 where there is none.
    """

    replies: int
    prompt_ratio: float
    reply_tokens: float
    latency_s: float


@dataclass(slots=True)
class Forecast:
    """A plan counted through.

    Attributes:
        prompt_tokens: Of the requests that are left, by model (estimate).
        set_aside: Items that a name strategy cannot show, as (dataset, item, names, reason).
    """

    standings: dict[str, Standing] = field(default_factory=dict)
    prompt_tokens: Counter[str] = field(default_factory=Counter)
    known: dict[str, Known] = field(default_factory=dict)
    set_aside: list[tuple[str, str, str, str]] = field(default_factory=list)


def forecast(drawn: Drawn, store: Reader | None, *, retry_failed: bool = False) -> Forecast:
    """Count a plan through: out of the store where it is recorded, else cell by cell."""
    found = Forecast(standings={model.spec.name: Standing() for model in drawn.plan.models})
    scope = Scope(experiment_id=drawn.experiment_id, run_id="", retry_failed=retry_failed)
    if store is not None and recorded(store, drawn.experiment_id).items == drawn.items:
        found.standings.update(standings(store, scope))
        found.prompt_tokens.update(_prompt_tokens(store, scope))
        found.set_aside = _set_aside(store, drawn.experiment_id)
    else:
        seen: set[int] = set()
        for block in drawn.blocks():
            found.set_aside += [
                (each.item.dataset, each.item.item_id, each.names, each.reason)
                for each in block.aside
            ]
            _count(found, block, _settled(store, block, scope), seen)
    if store is not None:
        found.known = dict(_known(store, drawn))
    return found


def _settled(store: Reader | None, block: Block, scope: Scope) -> set[str]:
    if store is None:
        return set()
    query = f"""
        SELECT DISTINCT key FROM ({SETTLED})
        WHERE key IN (SELECT unnest(string_split($keys, ' ')))"""
    keys = as_one(cell.key for cell in block.cells)
    bound = {"keys": keys, "run": scope.run_id, "retry": scope.retry_failed}
    return {str(row[0]) for row in ask(store, query, bound).rows}


def _count(found: Forecast, block: Block, settled: set[str], seen: set[int]) -> None:
    for cell in block.cells:
        name, own = cell.model.spec.name, int(cell.key[:16], 16)
        held = cell.key in settled
        asked = not held and own not in seen
        seen.add(own)
        before = found.standings[name]
        found.standings[name] = Standing(
            cells=before.cells + 1,
            held=before.held + held,
            to_ask=before.to_ask + asked,
        )
        if asked:
            found.prompt_tokens[name] += estimate_tokens(cell.text)


def _prompt_tokens(store: Reader, scope: Scope) -> Counter[str]:
    found: Counter[str] = Counter()
    for stretch in stretches(store, scope):
        for model, tokens in ask(store, _TOKENS, stretch).rows:
            found[str(model)] += int(str(tokens))
    return found


_STRETCH: Final = """
    SELECT model, key, prompt_hash FROM cells
    WHERE experiment_id = $experiment AND is_first AND ordinal > $after AND ordinal <= $upto"""
_TOKENS: Final = f"""
    {still_open(_STRETCH, SETTLED)}
    SELECT model, sum(tokens) FROM still_open
    JOIN (SELECT prompt_hash, length(text) // 4 + 8 AS tokens FROM prompts) USING (prompt_hash)
    GROUP BY model"""


def _set_aside(store: Reader, experiment_id: str) -> list[tuple[str, str, str, str]]:
    rows = ask(
        store,
        "SELECT dataset, item_id, names, reason FROM set_aside WHERE experiment_id = $plan",
        {"plan": experiment_id},
    ).rows
    return [(str(a), str(b), str(c), str(d)) for a, b, c, d in rows]


def _known(store: Reader, drawn: Drawn) -> Iterator[tuple[str, Known]]:
    """By model name, over all plans of the experiment that the store holds."""
    rows = ask(
        store,
        """
        SELECT c.model, count(*), sum(r.prompt_tokens) / sum(length(p.text) // 4 + 8),
               avg(r.reply_tokens),
               coalesce(avg(r.latency_s) FILTER (r.latency_s > 0 AND r.key NOT IN (
                   SELECT key FROM batch_lines)), 0)
        FROM (SELECT DISTINCT model, key, prompt_hash FROM cells
              JOIN experiments USING (experiment_id) WHERE experiment = $name) AS c
        JOIN replies AS r USING (key) JOIN prompts AS p USING (prompt_hash)
        WHERE r.prompt_tokens IS NOT NULL AND r.reply_tokens IS NOT NULL
        GROUP BY c.model""",
        {"name": drawn.plan.spec.name},
    ).rows
    for model, *numbers in rows:
        count, ratio, tokens, latency_s = (float(str(number)) for number in numbers)
        yield str(model), Known(int(count), ratio, tokens, latency_s)


def requests(model: Model, left: Standing) -> int:
    """Requests that are left, each of which may bring several samples (count)."""
    return math.ceil(left.to_ask / model.spec.request_samples)


def prompt_tokens(model: Model, estimated: int, known: Known | None) -> Range:
    """Prompt tokens of what is left: by the server's own counting where known, else within 25 %."""
    sent = estimated / model.spec.request_samples
    if known:
        return Range(*(2 * [sent * known.prompt_ratio]))
    return Range(0.75 * sent, 1.25 * sent)


def reply_tokens(model: Model, left: Standing, known: Known | None) -> Range:
    """Reply tokens of what is left: as replies were, to the longest the parameters allow."""
    most = left.to_ask * most_reply_tokens(model.spec)
    low = requests(model, left) * known.reply_tokens if known else 0.0
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
    model: Model, left: Standing, prompts: Range, replies: Range, known: Known | None
) -> Range | None:
    """How long it takes by the limits told and, where known, by latency (seconds); else None.

    A batch comes back within the day that providers promise.
    """
    spec, sent = model.spec, requests(model, left)
    if spec.mode == "batch":
        return Range(0.0, _BATCH_S)
    limits = (
        (spec.requests_per_min, Range(sent, sent)),
        (spec.tokens_per_min, Range(prompts.low + replies.low, prompts.high + replies.high)),
        (spec.input_tokens_per_min, prompts),
        (spec.output_tokens_per_min, replies),
    )
    bounds = [Range(need.low * 60 / most, need.high * 60 / most) for most, need in limits if most]
    at_once = in_flight(spec)
    if known and known.latency_s and at_once:
        waited = sent * known.latency_s / at_once
        bounds.append(Range(waited, waited))
    if not bounds:
        return None
    return Range(max(each.low for each in bounds), max(each.high for each in bounds))
