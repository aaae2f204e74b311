"""`probe plan`: what an experiment would ask and cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from probe.cli import format_option, store_option

if TYPE_CHECKING:
    from probe.plan import Model, Tally


@click.command("plan")
@click.argument("experiment", type=click.Path(path_type=Path, dir_okay=False))
@store_option
@format_option
def command(experiment: Path, store: Path, form: str) -> None:
    """Show what EXPERIMENT would ask: cells, tokens, cost and time, and what the store holds.

    Tokens are estimated at four characters each. Replies lie between nothing and the longest the
    parameters allow; costs and times are given as that range.
    """
    from probe.cli.show import show_answered  # noqa: PLC0415 - keeps `probe --help` fast
    from probe.plan import survey  # noqa: PLC0415
    from probe.progress import FetchDisplay  # noqa: PLC0415
    from probe.record import held_keys  # noqa: PLC0415
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
        held = held_keys(open_read(store))
    except NoStore:
        held = set()
    counted = survey(plan, held)
    columns = ("model", "cells", "held", "to ask", "prompt tokens", "reply tokens", "usd", "time")
    rows = [_row(model, counted.tallies[model.spec.name]) for model in plan.models]
    show_answered(Answered(columns, rows), form)
    for row in counted.set_aside:
        click.echo(
            f"set aside: {row.dataset} {row.item_id} under {row.names}: {row.reason}", err=True
        )


def _row(model: Model, tally: Tally) -> tuple[object, ...]:
    from probe.plan import has_limit, most_reply_tokens  # noqa: PLC0415 - keeps --help fast

    spec = model.spec
    ask = tally.to_ask
    most = ask * most_reply_tokens(spec)
    return (
        spec.name,
        tally.cells,
        tally.held,
        ask,
        f"~{tally.prompt_tokens:,}",
        f"0 to {most:,}"
        if has_limit(spec)
        else f"{most:,} if {most_reply_tokens(spec)} each (no max_tokens)",
        _cost(model, tally.prompt_tokens, most),
        _time(model, ask, tally.prompt_tokens, most),
    )


def _cost(model: Model, prompt_tokens: int, most_reply: int) -> str:
    price = model.spec.price
    if price is None:
        return "free" if model.spec.provider == "local" else "no price given"
    least = prompt_tokens * price.input_usd_per_m / 1e6
    return f"{least:.2f} to {least + most_reply * price.output_usd_per_m / 1e6:.2f}"


def _time(model: Model, ask: int, prompt_tokens: int, most_reply: int) -> str:
    spec = model.spec
    minutes = [0.0]
    if spec.requests_per_min:
        minutes.append(ask / spec.requests_per_min)
    if spec.tokens_per_min:
        # The gate reserves the longest reply, so the limit counts it whatever comes.
        minutes.append((prompt_tokens + most_reply) / spec.tokens_per_min)
    return f"at least {max(minutes):.1f} min" if max(minutes) else "no limit given"
