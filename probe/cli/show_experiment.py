"""An experiment's tables on the terminal: accuracy, contrasts, and what to know about them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from analysis.contrasts import Contrast
from analysis.tables import ExperimentTable, Record
from probe.cli.show import printable, stdout

_PROMPTS = ("baseline", "verbatim", "gist")


def show_experiment(table: ExperimentTable) -> None:
    """Print an experiment's tables."""
    console = stdout()
    for place, grouped in groupby(table.accuracy, key=_place):
        rows = list(grouped)
        show = _show_answered if _nothing_is_right(rows) else _show_accuracy
        show(console, place, rows)
    if table.contrasts:
        _show_contrasts(console, table.contrasts)
    _show_notes(console, table)


def _place(row: Record) -> tuple[str, str, str, str]:
    return str(row["task"]), str(row["dataset"]), str(row["choices"]), str(row["model"])


def _nothing_is_right(rows: list[Record]) -> bool:
    """Whether a task asks for what no answer can be wrong about, such as who is like whom."""
    return any(row["replies"] for row in rows) and not any(row["n"] for row in rows)


def _show_answered(console: Console, place: tuple[str, str, str, str], rows: list[Record]) -> None:
    task, dataset, _, model = place
    title = Text.assemble(
        (task, "bold"), f" on {dataset}, model {model}, replies with an answer (none is wrong)"
    )
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


def _show_accuracy(console: Console, place: tuple[str, str, str, str], rows: list[Record]) -> None:
    task, dataset, choices, model = place
    title = Text.assemble((task, "bold"), f" on {dataset}, model {model}, ")
    chances = [float(str(row["chance"])) for row in rows if row["chance"] is not None]
    if choices == "options" and chances:
        title.append(f"answers offered (chance {_percent(sum(chances) / len(chances))} %)")
    else:
        title.append("open answers")
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


def _show_contrasts(console: Console, rows: Iterable[Contrast]) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("task", "dataset", "model", "contrast"):
        table.add_column(name)
    table.add_column("points", justify="right")
    table.add_column("95 % interval")
    table.add_column("items", justify="right")
    for row in rows:
        label = row.task if row.choices == "options" else f"{row.task} (open)"
        if row.interval is None:
            interval = Text(f"undefined: {row.undefined}", style="dim")
        else:
            low, high = 100 * row.interval.low, 100 * row.interval.high
            interval = Text(f"{low:+.1f} to {high:+.1f}")
        points = f"{100 * row.difference:+.1f}"
        table.add_row(label, row.dataset, row.model, row.contrast, points, interval, str(row.items))
    console.print(Text("Paired differences", style="bold"), "(percentage points, items resampled)")
    console.print(Padding(table, (0, 0, 1, 2), expand=False))


def _show_notes(console: Console, table: ExperimentTable) -> None:
    for row in table.notes:
        console.print(Text.assemble((f"{row['model']}: ", "bold"), _missing(row)))
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
    if row["filtered"]:
        parts.append(f"{row['filtered']} filtered")
    if row["pending"]:
        parts.append(f"{row['pending']} still to ask")
    return Text("; ".join(parts))
