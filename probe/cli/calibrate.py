"""`probe calibrate`: does an experiment find the memory that is planted in simulated subjects?"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from probe.cli import format_option
from probe.cli.planted_options import planted_options


def _numbers(_: click.Context, __: click.Parameter, value: str) -> tuple[int, ...]:
    """The numbers in a list with commas."""
    try:
        found = tuple(int(part) for part in value.split(",") if part.strip())
    except ValueError:
        raise click.BadParameter(f"{value!r} is no list of numbers, such as 30,60,120") from None
    if any(number < 1 for number in found):
        raise click.BadParameter("a number of items is at least 1")
    return tuple(dict.fromkeys(found))


@click.command("calibrate")
@click.argument("experiment", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--subjects",
    default=200,
    show_default=True,
    type=click.IntRange(min=2),
    metavar="N",
    help="Subjects with planted memory, and as many without any.",
)
@click.option(
    "--items",
    default="",
    metavar="N,N",
    callback=_numbers,
    help="Numbers of items of each task to try, in place of the file's limit.",
)
@planted_options("")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of the subjects."
)
@click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of a store to keep; run again, it asks nothing anew.  [default: none is kept]",
)
@format_option
def command(
    experiment: Path,
    *,
    subjects: int,
    items: tuple[int, ...],
    seed: int,
    store: Path | None,
    form: str,
    **memory: float | None,
) -> None:
    """Run EXPERIMENT on simulated subjects and hold what it finds against what was planted.

    The file's tasks, datasets and conditions are asked as `probe run` asks them, over HTTP and into
    a store; in the place of its models stand subjects whose memory is known. Prints for each
    contrast what is planted, what is found on average, how often intervals of 95 % hold it and how
    often it is significant; then the same of subjects without memory, whose significant effects
    are false alarms. Costs nothing. Exits with 0 whatever the verdict.
    """
    from dataclasses import replace  # noqa: PLC0415 - keeps --help fast

    from analysis.calibration import alarmed, calibrated  # noqa: PLC0415
    from probe.cli.run_subjects import Calibration, Kind  # noqa: PLC0415
    from probe.cli.show_calibration import show_calibration  # noqa: PLC0415
    from probe.simulate.memory import Memory  # noqa: PLC0415
    from probe.simulate.subjects import check_compared  # noqa: PLC0415
    from probe.spec import parse_spec, read_toml  # noqa: PLC0415

    given = {name: value for name, value in memory.items() if value is not None}
    planted = Memory(**given)
    text = read_toml(experiment)
    spec = parse_spec(text, experiment)
    check_compared(spec)
    kinds = [
        Kind(name=name, count=subjects, memory=own, seed=seed)
        for name, own in (("subject", planted), ("control", replace(planted, known=0.0)))
    ]
    found, alarms = [], []
    with _folder(store) as folder:
        asking = Calibration(
            spec=spec, path=experiment, text=text, store=folder, limits=items or (0,)
        )
        if unread := asking.unreadable():
            told = "prompts have a right answer that is not read as right; none is right there"
            click.echo(f"probe: {unread} {told}", err=True)
        for kind in kinds:
            for group in asking.groups(kind):
                found += calibrated(group)
                if kind is kinds[-1]:
                    alarms.append((group.limit, *alarmed(group.contrasts)))
    show_calibration(found, alarms, form)


@contextmanager
def _folder(store: Path | None) -> Iterator[Path]:
    if store is not None:
        yield store
        return
    with tempfile.TemporaryDirectory(prefix="probe-calibrate-") as folder:
        yield Path(folder) / "store"
