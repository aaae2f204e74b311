"""`probe plan`: what an experiment would ask and cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from probe.cli import format_option, store_option
from store.address import Place

if TYPE_CHECKING:
    from probe.forecast import Forecast, Range
    from probe.plan import Model


@click.command("plan")
@click.argument("experiment", type=click.Path(path_type=Path, dir_okay=False))
@store_option
@format_option
def command(experiment: Path, store: Place, form: str) -> None:
    """Show what EXPERIMENT would ask: cells, tokens, cost and time, and what the store holds.

    Everything but counts is a range. Prompt tokens are estimated at four characters each, give or
    take a quarter; once the store has replies, the server's own counts replace that. Replies lie
    between nothing, or what they were so far, and the longest the parameters allow.
    """
    from probe.cli.show import show_answered  # noqa: PLC0415 - keeps `probe --help` fast
    from probe.forecast import forecast  # noqa: PLC0415
    from probe.progress import FetchDisplay  # noqa: PLC0415
    from probe.resolve import find  # noqa: PLC0415
    from probe.spec import read_spec  # noqa: PLC0415
    from store.errors import NoStore  # noqa: PLC0415
    from store.read import Answered, open_read  # noqa: PLC0415

    spec = read_spec(experiment)
    fetching = FetchDisplay()
    try:
        plan = find(spec, experiment, fetching)
    finally:
        fetching.close()
    try:
        reader = open_read(store)
    except NoStore:
        reader = None
    with plan.draw() as drawn:
        found = forecast(drawn, reader)
    columns = ("model", "cells", "held", "requests", "prompt tokens", "reply tokens", "usd", "time")
    show_answered(Answered(columns, [_row(model, found) for model in plan.models]), form)
    for dataset, item, names, reason in found.set_aside:
        click.echo(f"set aside: {dataset} {item} under {names}: {reason}", err=True)


def _row(model: Model, found: Forecast) -> tuple[object, ...]:
    from probe.forecast import (  # noqa: PLC0415
        cost_usd,
        prompt_tokens,
        reply_tokens,
        requests,
        time_s,
    )

    name, batched = model.spec.name, model.spec.mode == "batch"
    left, known = found.standings[name], found.known.get(name)
    prompts = prompt_tokens(model, found.prompt_tokens[name], known)
    replies = reply_tokens(model, left, known)
    return (
        name,
        left.cells,
        left.held,
        requests(model, left),
        _between(prompts),
        _replies(model, replies),
        _usd(model, cost_usd(model, prompts, replies)),
        "within a day" if batched else _time(time_s(model, left, prompts, replies, known)),
    )


def _between(bounds: Range) -> str:
    low, high = f"{bounds.low:,.0f}", f"{bounds.high:,.0f}"
    return low if low == high else f"{low} to {high}"


def _replies(model: Model, bounds: Range) -> str:
    from probe.usage import most_reply_tokens, reply_limit  # noqa: PLC0415 - keeps --help fast

    if reply_limit(model.spec) is not None:
        return _between(bounds)
    return f"{bounds.high:,.0f} if {most_reply_tokens(model.spec)} each (no max_tokens)"


def _usd(model: Model, bounds: Range | None) -> str:
    from probe.prices import price_of  # noqa: PLC0415 - keeps --help fast

    if bounds is None:
        return "no price given"
    if model.spec.weights_here:
        return "free"
    price = price_of(model.spec)
    dated = f" (prices of {price.as_of})" if price and price.as_of else ""
    batched = ", in batches" if model.spec.mode == "batch" else ""
    return f"{bounds.low:.2f} to {bounds.high:.2f}{dated}{batched}"


def _time(bounds: Range | None) -> str:
    from probe.progress import span  # noqa: PLC0415 - keeps --help fast

    if bounds is None:
        return "no limit told"
    low, high = span(bounds.low), span(bounds.high)
    return f"at least {low}" if low == high else f"{low} to {high}"
