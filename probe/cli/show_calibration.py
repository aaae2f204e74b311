"""Prints a calibration: a table for people with a verdict below it, csv and json for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from analysis.calibration import Calibrated, enough_items, verdict
from analysis.statistics import Interval
from probe.cli.show import echo_csv, echo_json, printable, show_answered
from store.read import Answered

_COLUMNS = (
    "subjects",
    "items",
    "contrast",
    "planted → found",
    "bias",
    "intervals hold it",
    "width",
    "significant",
)


def show_calibration(
    found: Sequence[Calibrated], alarms: Sequence[tuple[int | None, int, int]], form: str
) -> None:
    """Print what was planted and found.

    Args:
        found: By group, number of items and contrast.
        alarms: Of subjects without memory, by number of items: how many have any significant
            contrast, and how many there are.
        form: `table`, `csv` or `json`; the verdict goes to standard error but in `table`.
    """
    records = [record(each) for each in found]
    if form == "json":
        echo_json(records)
    elif form == "csv":
        columns = list(records[0]) if records else []
        echo_csv(columns, [list(each.values()) for each in records])
    else:
        show_answered(Answered(_COLUMNS, [_row(each) for each in found]), form)
        click.echo("Effects, bias and width in percentage points; ± is Monte-Carlo error.")
    said = verdict(found)
    click.echo(f"Verdict: {printable(said.lines[0])}.", err=form != "table")
    for line in (*said.lines[1:], *_alarms(alarms), *enough_items(found)):
        click.echo(f"- {printable(line)}", err=form != "table")


def record(each: Calibrated) -> dict[str, object]:
    """A row for programs: fractions, each interval in two columns."""
    found: dict[str, object] = {}
    for name, value in asdict(each).items():
        if name.endswith("_interval"):
            own: Interval | None = getattr(each, name)
            found[f"{name}_low"] = None if own is None else own.low
            found[f"{name}_high"] = None if own is None else own.high
        else:
            found[name] = value
    return found


def _row(each: Calibrated) -> tuple[object, ...]:
    bias = "–" if each.bias_error is None else f"{_points(each.bias)} ± {_points(each.bias_error)}"
    undefined = f", {each.undefined} undefined" if each.undefined else ""
    return (
        f"{each.subjects} {each.group}",
        each.items,
        f"{each.contrast}\n{each.task}",
        f"{_points(each.planted)} → {_points(each.mean)}",
        bias,
        _share(each.coverage, each.coverage_interval) + undefined,
        _points(each.width),
        _share(each.significant_share, each.significant_interval),
    )


def _points(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"


def _share(value: float | None, interval: Interval | None) -> str:
    if value is None or interval is None:
        return "–"
    return f"{value:.1%} ({100 * interval.low:.0f}–{100 * interval.high:.0f})"


def _alarms(alarms: Sequence[tuple[int | None, int, int]]) -> list[str]:
    return [
        f"{count} of {of} subjects without memory have a significant contrast of any"
        f" (Holm, over what one subject is asked){f', {limit} items a task' if limit else ''}"
        for limit, count, of in alarms
    ]
