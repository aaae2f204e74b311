"""`probe simulate`: an endpoint to rehearse with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from probe.cli.planted_options import PLANTED, planted_options

if TYPE_CHECKING:
    from probe.simulate import ReplyMaker

_Decorator = Callable[[Callable[..., None]], Callable[..., None]]
_FAULTS = {
    "429": "a 429 with a short retry-after-ms",
    "500": "a 500",
    "503": "a 503 without Retry-After",
    "reset": "a connection reset before any byte of the response",
    "truncated": "a response whose body ends too early",
    "malformed": "a 200 that is cut JSON or an HTML page",
    "hang": "no response at all",
}


def _fault_options(function: Callable[..., None]) -> Callable[..., None]:
    for fault, what in reversed(_FAULTS.items()):
        option: _Decorator = click.option(
            f"--rate-{fault}",
            default=0.0,
            show_default=True,
            metavar="P",
            help=f"Probability, from 0 to 1, of {what}.",
        )
        function = option(function)
    return function


def _names(_: click.Context, __: click.Parameter, value: str) -> tuple[str, ...]:
    """The names in a list with commas."""
    return tuple(name for part in value.split(",") if (name := part.strip()))


@click.command("simulate", short_help="Serve a simulated endpoint.")
@click.option("--port", default=0, show_default=True, help="Port on 127.0.0.1; 0 is a free one.")
@click.option(
    "--until-stdin-closes", is_flag=True, help="End also when standard input ends, for programs."
)
@click.option(
    "--models",
    default="",
    metavar="A,B",
    callback=_names,
    help="Serve these only; others get a 404. Without it any model is served.",
)
@click.option("--key", help="The only API key taken; others get a 401.")
@click.option(
    "--replies",
    default="option",
    show_default=True,
    metavar="MAKER",
    help="What to reply: `reader` answers any task in its own form, `option` picks a numbered"
    " option of the prompt, `echo` gives its digest, `planted` plays subjects with planted memory.",
)
@click.option(
    "--experiment",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --replies planted: the experiment file whose prompts they know.",
)
@click.option(
    "--items",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --replies planted: items of each task, in place of the file's limit.",
)
@planted_options("With --replies planted: ")
@click.option("--reply-tokens", type=int, metavar="N", help="Pad replies to about N tokens.")
@click.option(
    "--latency",
    default="0",
    show_default=True,
    metavar="TIME",
    help="Seconds: 0.05, uniform:LOW-HIGH or lognormal:MEDIAN,SIGMA.",
)
@click.option("--rpm", type=int, metavar="N", help="Limit of requests a minute.")
@click.option("--tpm", type=int, metavar="N", help="Limit of tokens a minute.")
@click.option(
    "--burst-s",
    default=1.0,
    show_default=True,
    metavar="S",
    help="Seconds' worth of the limits that may come at once (at least one request).",
)
@click.option(
    "--count",
    default="usage",
    show_default=True,
    metavar="HOW",
    help="Tokens that count: `usage` is prompt and reply, `reserved` prompt and max_tokens.",
)
@click.option(
    "--headers",
    default="openai",
    show_default=True,
    metavar="WHOSE",
    help="Rate limit headers: `openai`, `anthropic` or `none`.",
)
@click.option("--max-open", type=int, metavar="N", help="503 beyond N requests open at once.")
@_fault_options
@click.option("--seed", default=0, show_default=True, help="Of all that is drawn.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Append a JSON line to this file for every request asked and answered.",
)
def command(
    *,
    until_stdin_closes: bool,
    experiment: Path | None,
    items: int | None,
    **settings: Any,  # noqa: ANN401 - click's values
) -> None:
    """Serve an OpenAI-compatible endpoint that costs nothing, to rehearse an experiment.

    Prints its base URL, the first line on standard output, and serves until it is interrupted. Put
    the URL as base_url in an experiment file and run it as you would run the real one. Counts are
    at URL/stats. Tokens are counted as four characters each.
    """
    from probe.simulate import Settings, serve  # noqa: PLC0415 - keeps --help fast

    memory = {
        name: value
        for name in (flag.replace("-", "_") for flag in PLANTED)
        if (value := settings.pop(name)) is not None
    }
    checked = Settings(**settings)
    maker = None
    if checked.replies == "planted":
        maker = _planted(experiment, items or 0, memory, checked.seed)
    elif given := [*memory, *(["experiment"] if experiment else []), *(["items"] if items else [])]:
        flag = given[0].replace("_", "-")
        raise click.UsageError(f"--{flag} goes with --replies planted, not {checked.replies}")

    def announce(url: str) -> None:
        click.echo(url)
        click.echo(f"probe: counts at {url}/stats; Ctrl-C ends it", err=True)

    asyncio.run(serve(checked, announce, maker, until_stdin_closes=until_stdin_closes))


def _planted(
    experiment: Path | None, items: int, memory: dict[str, float], seed: int
) -> ReplyMaker:
    """What plays subjects that know the experiment's prompts."""
    if experiment is None:
        raise click.UsageError("--replies planted needs --experiment: whose prompts are known")
    from probe.progress import FetchDisplay  # noqa: PLC0415 - keeps --help fast
    from probe.resolve import find  # noqa: PLC0415
    from probe.simulate.gold import asked, known  # noqa: PLC0415
    from probe.simulate.memory import Memory  # noqa: PLC0415
    from probe.simulate.planted import PlantedMaker  # noqa: PLC0415
    from probe.simulate.subjects import with_subjects  # noqa: PLC0415
    from probe.spec import read_spec  # noqa: PLC0415

    kind = Memory(**memory)
    spec = with_subjects(read_spec(experiment), ["subject"], items=items)
    fetching = FetchDisplay()
    try:
        plan = find(spec, experiment, fetching)
    finally:
        fetching.close()
    return PlantedMaker(known(list(asked(plan))), spec.name, kind, seed)
