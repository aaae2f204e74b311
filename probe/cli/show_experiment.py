"""An experiment's tables on the terminal: accuracy, contrasts, and what to know about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from analysis.contrasts import ALL_TASKS, Contrast
from analysis.pairs import Place
from analysis.tables import ExperimentTable, Record
from probe.cli.show import printable, stdout
from prompts.tasks import TASKS
from prompts.tasks.base import Unit

_PROMPTS = ("baseline", "verbatim", "gist")
_SHOWN = ("origin - NR", "NR - NR+GIST")
_SYMBOLS: dict[Unit, str] = {"share": "%", "nats": "nats a token"}
_OFFERED = ("source_identification",)
"""Tasks that may be asked with answers offered or without."""


def show_experiment(table: ExperimentTable) -> None:
    """Print an experiment's tables."""
    console = stdout()
    headlines = {place: list(own) for place, own in groupby(table.headlines, key=Place.of)}
    for place, grouped in groupby(table.accuracy, key=Place.of):
        rows = list(grouped)
        if any(row["n"] for row in rows) or not any(row["replies"] for row in rows):
            _show_accuracy(console, place, rows)
        elif place in headlines:
            _show_headlines(console, place, headlines[place])
        else:
            _show_answered(console, place, rows)
    if table.contrasts:
        _show_contrasts(console, table.contrasts)
    _show_notes(console, table)


def _title(place: Place, rest: str) -> Text:
    """What stands above a table."""
    told = f" on {place.dataset}, model {place.model}{place.unusual}, {rest}"
    return Text.assemble((place.task, "bold"), told)


def _show_headlines(console: Console, place: Place, rows: list[Record]) -> None:
    """Of tasks whose answers are more or less good: the mean of their headline metrics."""
    prompts = _prompts_of(rows)
    unit = _unit(place.task)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("names")
    for prompt in prompts:
        table.add_column(f"{prompt}: {_SYMBOLS[unit]}", justify="right")
        table.add_column("n", justify="right", style="dim")
    for names, own in groupby(rows, key=lambda row: str(row["names"])):
        by_prompt = {str(row["prompt"]): row for row in own}
        found = [by_prompt.get(prompt) for prompt in prompts]
        table.add_row(names, *(part for row in found for part in _pair(row, unit)))
    console.print(_title(place, str(rows[0]["metric"])))
    console.print(Padding(table, (0, 0, 1, 2), expand=False))


def _pair(row: Record | None, unit: Unit) -> tuple[str, str]:
    if row is None or row["value"] is None:
        return "–", "0"
    value = float(str(row["value"]))
    return f"{value:.3f}" if unit == "nats" else _percent(value), str(row["items"])


def _unit(task: str) -> Unit:
    return TASKS[task].unit if task in TASKS else "share"


def _show_answered(console: Console, place: Place, rows: list[Record]) -> None:
    """Of tasks in which nothing is right or wrong, such as who is like whom."""
    title = _title(place, "replies with an answer (none is wrong)")
    prompts = _prompts_of(rows)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("names")
    for prompt in prompts:
        table.add_column(prompt, justify="right")
    for names, own in groupby(rows, key=lambda row: str(row["names"])):
        by_prompt = {str(row["prompt"]): row for row in own}
        found = [by_prompt.get(prompt) for prompt in prompts]
        table.add_row(names, *(_answered(row) if row else "–" for row in found))
    console.print(title)
    console.print(Padding(table, (0, 0, 1, 2), expand=False))


def _answered(row: Record) -> str:
    replies = int(str(row["replies"]))
    return f"{replies - int(str(row['unparsed']))} of {replies}"


def _prompts_of(rows: list[Record]) -> list[str]:
    return [prompt for prompt in _PROMPTS if any(row["prompt"] == prompt for row in rows)]


def _percent(value: object) -> str:
    return f"{100 * float(str(value)):.1f}"


def _show_accuracy(console: Console, place: Place, rows: list[Record]) -> None:
    chances = [float(str(row["chance"])) for row in rows if row["chance"] is not None]
    if place.choices == "options" and chances:
        how = f"answers offered (chance {_percent(sum(chances) / len(chances))} %)"
    else:
        how = "open answers"
    title = _title(place, how)
    prompts = _prompts_of(rows)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("names")
    for prompt in prompts:
        table.add_column(f"{prompt}: %", justify="right")
        table.add_column("95 %", style="dim")
        table.add_column("n", justify="right", style="dim")
    for names, own in groupby(rows, key=lambda row: str(row["names"])):
        by_prompt = {str(row["prompt"]): row for row in own}
        table.add_row(
            names, *(part for prompt in prompts for part in _triple(by_prompt.get(prompt)))
        )
    console.print(title)
    console.print(Padding(table, (0, 0, 1, 2), expand=False))


def _triple(row: Record | None) -> tuple[str, str, str]:
    if row is None or row["accuracy"] is None:
        return "–", "", "0"
    return (
        _percent(row["accuracy"]),
        f"{_percent(row['low'])}–{_percent(row['high'])}",
        str(row["n"]),
    )


def _show_contrasts(console: Console, found: Iterable[Contrast]) -> None:
    """The two that the memorization paper's tables are about; the others stand in its study."""
    rows = [row for row in found if row.contrast in _SHOWN]
    units: tuple[Unit, ...] = ("share", "nats")
    for unit in units:
        if own := [row for row in rows if _unit(row.task) == unit]:
            _show_differences(console, own, unit)


def _show_differences(console: Console, rows: list[Contrast], unit: Unit) -> None:
    several = [name for name in ("wording", "descriptions") if len(_values(rows, name)) > 1]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("task", "dataset", "model", *several, "contrast"):
        table.add_column(name)
    table.add_column("points" if unit == "share" else "nats", justify="right")
    table.add_column("95 % interval")
    table.add_column("p", justify="right")
    table.add_column("n", justify="right")
    for row in rows:
        label = f"{row.task} (open)" if row.task in _OFFERED and row.choices == "open" else row.task
        own = [str(getattr(row, name)) for name in several]
        table.add_row(
            label, row.dataset, row.model, *own, row.contrast,
            "–" if row.difference is None else _signed(row.difference, unit),
            _interval(row, unit),
            "–" if row.p_holm is None else _p(row.p_holm), str(row.items),
        )  # fmt: skip
    kinds = {row.clustered_by for row in rows if row.clusters and row.task != ALL_TASKS}
    by = " or ".join(f"{kind}s" for kind in sorted(kinds))
    resampled = f"; {by} resampled" if by else ""
    what = "percentage points" if unit == "share" else "nats a token"
    console.print(Text("Paired differences", style="bold"), f"({what}{resampled}; p after Holm)")
    console.print(Padding(table, (0, 0, 1, 2), expand=False))


def _values(rows: Iterable[Contrast], name: str) -> set[str]:
    return {str(getattr(row, name)) for row in rows if row.task != ALL_TASKS}


def _signed(value: float, unit: Unit) -> str:
    return f"{value:+.3f}" if unit == "nats" else f"{100 * value:+.1f}"


def _interval(row: Contrast, unit: Unit) -> Text:
    if row.interval is None:
        return Text(f"undefined: {row.undefined}", style="dim")
    return Text(f"{_signed(row.interval.low, unit)} to {_signed(row.interval.high, unit)}")


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _show_notes(console: Console, table: ExperimentTable) -> None:
    for row in table.notes:
        console.print(Text.assemble((f"{row['model']}: ", "bold"), _missing(row)))
        for text in _repeats(row):
            console.print(Padding(text, (0, 0, 0, 2), expand=False))
        if row["note"]:
            console.print(
                Padding(Text(str(row["note"]), style="yellow"), (0, 0, 0, 2), expand=False)
            )
    for row in table.replacement:
        left = f"{row['leaks']} left standing, {row['suspects']} possible names of nobody listed"
        aside = f", {row['set_aside']} items set aside" if row["set_aside"] else ""
        console.print(
            f"names {row['names']}: {row['replaced']} replaced in {row['items']} passages,"
            f" {left}{aside}"
        )


def _repeats(row: Record) -> Iterator[Text]:
    """What cells that were asked again say of the server; a warning where it is not the same."""
    repeats, same = int(str(row["repeats"] or 0)), int(str(row["same"] or 0))
    if repeats:
        style = "" if same == repeats else "yellow"
        said = f"asked again through the run: {same} of {repeats} replies were the same"
        yield Text(said, style=style)
    builds = row["builds"]
    if isinstance(builds, list) and len(builds) > 1:
        named = ", ".join(printable(str(build)) for build in builds)
        yield Text(f"served by more than one build, which may differ: {named}", style="yellow")


def _missing(row: Record) -> Text:
    parts = [f"{row['replies']} replies to {row['cells']} cells"]
    if row["unparsed"]:
        counted = " and count as wrong" if row["wrong_unparsed"] else ""
        parts.append(
            f"{row['unparsed']} hold no answer{counted} (mostly: {row['most_common_reason']})"
        )
    if row["truncated"]:
        parts.append(f"{row['truncated']} cut at the token limit")
    if row["failed"]:
        parts.append(f"{row['failed']} failed (mostly: {printable(str(row['most_common_error']))})")
    if row["unavailable"]:
        why = printable(str(row["why_unavailable"]))
        parts.append(f"{row['unavailable']} not to be had from its endpoint ({why})")
    if row["filtered"]:
        parts.append(f"{row['filtered']} filtered")
    if row["pending"]:
        parts.append(f"{row['pending']} still to ask")
    return Text("; ".join(parts))
