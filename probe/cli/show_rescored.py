"""Prints what reading replies anew changed, and what is still to be read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Final, Self

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from analysis.comparison.rescoring import Record, Rescored, Unread
from probe.cli.show import cell, printable, stdout
from probe.cli.show_comparison import echo_tables, labelled, quoted, telling

_LINE_EVERY_S: Final = 15.0
_COUNTS = ("replies", "answers", "scores", "better", "worse", "lost", "gained")


class Reading:
    """Shows on standard error how far the reading is: a bar on a terminal, else a line at times.

    Use as a context manager.
    """

    def __init__(self, to_read: int) -> None:
        """Take how many replies are to be read (count)."""
        self._console = Console(stderr=True, highlight=False)
        columns = (
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TimeRemainingColumn(),
        )  # fmt: skip
        self._bar = Progress(*columns, console=self._console, disable=not self._console.is_terminal)
        self._to_read, self._next = to_read, time.monotonic() + _LINE_EVERY_S
        self._task = self._bar.add_task("replies read", total=to_read or None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, tasks: str, read: int) -> None:
        """Show that so many replies have been read, lastly those of some tasks."""
        total = max(read, self._to_read)
        self._bar.update(self._task, completed=read, total=total, description=tasks)
        if not self._console.is_terminal and time.monotonic() >= self._next:
            self._next = time.monotonic() + _LINE_EVERY_S
            self._console.print(f"{tasks}: {read:,} of {total:,} replies read", markup=False)


def show_unread(waiting: Sequence[Unread], form: str) -> None:
    """Print how many replies which version would read."""
    if form != "table":
        rows = [{**asdict(each), "to_read": each.to_read} for each in waiting]
        echo_tables({"unread": rows}, form)
        return
    console = stdout()
    if not waiting:
        console.print("no replies")
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("task", "read by version", "present version", "replies", "to read"):
        table.add_column(name, justify="left" if name == "task" else "right")
    for each in waiting:
        to_read = f"{each.replies:,}" if each.to_read else "0"
        table.add_row(each.task, cell(each.held), str(each.version), f"{each.replies:,}", to_read)
    console.print(table)


def show_rescored(found: Rescored, form: str) -> None:
    """Print what present parsers read otherwise than those before them."""
    if form != "table":
        echo_tables({"changes": found.conditions, "examples": found.examples}, form)
        return
    console = stdout()
    if not found.conditions:
        console.print("no reply has been read by two versions of a parser")
        return
    _show_conditions(console, found.conditions)
    for example in found.examples:
        _show_example(console, example)


def _show_conditions(console: Console, rows: Sequence[Record]) -> None:
    console.print(
        Text("Read by two versions", style="bold"),
        "(answers and scores that differ; an answer is lost where none is found any more)",
    )
    for (task, before, after), group in groupby(rows, key=_versions):
        own = list(group)
        console.print(Text.assemble((task, "bold"), f", version {before} → {after}:"))
        console.print(Padding(_table(own), (0, 0, 1, 1), expand=False))


def _versions(row: Record) -> tuple[str, int, int]:
    return row["task"], row["from"], row["to"]


def _table(rows: Sequence[Record]) -> Table:
    places = (*telling(rows, ("dataset", "choices", "wording", "descriptions")), "names", "prompt")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in places:
        table.add_column(name, overflow="fold")
    for name in (*_COUNTS, "mean score"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        mean = f"{cell(row['score_before'])} → {cell(row['score_after'])}"
        where = (printable(str(row[name])) for name in places)
        table.add_row(*where, *(f"{row[name]:,}" for name in _COUNTS), mean)
    return table


def _show_example(console: Console, row: Record) -> None:
    where = f"{row['dataset']} {row['item_id']}, {row['names']} {row['prompt']}"
    lines = [labelled("reply", quoted(row["reply"])), labelled("gold", quoted(row["gold"]))]
    for when, version in (("before", row["from"]), ("after", row["to"])):
        answer = row[f"answer_{when}"]
        said = quoted(answer if answer is not None else f"no answer: {row[f'unparsed_{when}']}")
        lines.append(labelled(f"version {version}", f"{said} (score {cell(row[f'score_{when}'])})"))
    console.print(Text.assemble((row["task"], "bold"), f", {printable(where)}"))
    for line in lines:
        console.print(Padding(line, (0, 0, 0, 2), expand=False))
