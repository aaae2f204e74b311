"""What a run shows while it is on: a live picture on a terminal, plain lines elsewhere.

Everything goes to standard error; results have standard output to themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Generic, Self, TypeVar

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from probe.snapshot import ModelState, RunState

State = TypeVar("State")

_LINE_EVERY_S: Final = 15.0
_BAR: Final = 24


def stderr() -> Console:
    """A console on standard error."""
    return Console(stderr=True, highlight=False)


def short(count: float) -> str:
    """A count in few letters: 950, 12.5k, 2M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if count >= size:
            scaled = count / (1e3 if unit == "k" else size)
            return f"{scaled:.1f}".rstrip("0").rstrip(".") + unit
    return f"{count:,.0f}"


def span(seconds: float) -> str:
    """A span of time in few letters: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def headline(state: ModelState) -> str:
    """How far a model is, and how long it will take."""
    ended = state.done + state.failed
    parts = [f"{ended:,}" if state.to_ask is None else f"{ended:,}/{state.to_ask:,}"]
    if state.to_ask is None:
        parts.append("planning goes on")
    elif state.left_s is not None and ended < state.to_ask:
        parts.append(f"{span(state.left_s)} left")
    if state.limited_by:
        parts.append(f"held by {state.limited_by.replace('_', ' ')}")
    return ", ".join(parts)


def details(state: ModelState) -> str:
    """Rates against limits, what is open, and what went wrong."""
    rate = _against(state.requests_per_min, state.limits_per_min.get("requests"))
    tokens = _against(state.tokens_per_min, state.limits_per_min.get("tokens"))
    parts = [
        f"{rate} requests/min",
        f"{tokens} tokens/min",
        f"{state.in_flight}/{state.window} open",
    ]
    if state.refusals:
        parts.append(f"{state.refusals:,} refused for load")
    if state.retries:
        parts.append(f"{state.retries:,} retries")
    if state.failed:
        kinds = ", ".join(f"{kind} × {count}" for kind, count in state.failures.items())
        parts.append(f"{state.failed:,} failed ({kinds})")
    if state.pause_s > 0:
        parts.append(f"paused for {span(state.pause_s)} by {state.pause_why}")
    if state.down:
        parts.append("stopped")
    return " · ".join(parts)


def _against(value: float, limit: float | None) -> str:
    return short(value) if limit is None else f"{short(value)}/{short(limit)}"


def spending(state: RunState) -> str:
    """What is spent and sent, against the ceilings; empty where there is nothing to say."""
    parts = []
    if state.usd or state.most_usd is not None:
        of = f" of {state.most_usd:.2f}" if state.most_usd is not None else ""
        parts.append(f"{state.usd:.4f}{of} US dollars")
    if state.most_requests is not None:
        parts.append(f"{state.requests:,} of {state.most_requests:,} requests")
    return ", ".join(parts)


def picture(state: RunState) -> RenderableType:
    """A run as a terminal shows it: two lines a model."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(width=_BAR)
    table.add_column(ratio=1)
    rest: list[RenderableType] = []
    for model in state.models:
        bar = ProgressBar(
            total=model.to_ask or state.design_cells or 1,
            completed=model.done + model.failed,
            width=_BAR,
        )
        table.add_row(Text(model.model, style="bold"), bar, Text(headline(model)))
        table.add_row("", "", Text(details(model), style="dim"))
    rest += [Text(worker) for worker in state.workers]
    footer = [f"{span(state.elapsed_s)} so far", spending(state), state.problem or ""]
    rest.append(Text(", ".join(part for part in footer if part)))
    return Group(table, *rest)


def lines(state: RunState) -> list[str]:
    """A run in plain lines."""
    found = [f"{model.model}: {headline(model)}; {details(model)}" for model in state.models]
    footer = [*state.workers, spending(state), state.problem or ""]
    return found + [part for part in footer if part]


class Display(Generic[State]):
    """Shows the states of something as they come. Use as a context manager."""

    def __init__(
        self,
        picture: Callable[[State], RenderableType],
        lines: Callable[[State], list[str]],
        *,
        first_line_s: float = _LINE_EVERY_S,
    ) -> None:
        """Take how a state is shown.

        Args:
            picture: On a terminal.
            lines: Elsewhere.
            first_line_s: When the first lines come (seconds from now).
        """
        self._picture, self._lines = picture, lines
        self._console = stderr()
        self._live = Live(console=self._console, auto_refresh=False, transient=False)
        self._next = time.monotonic() + first_line_s
        self._state: State | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._live.stop()
        elif self._state is not None:
            self._print(self._state)

    def say(self, message: str) -> None:
        """Print a line above the picture."""
        self._console.print(message, markup=False, soft_wrap=True)

    def show(self, state: State) -> None:
        """Show a state: at once on a terminal, every so often elsewhere."""
        self._state = state
        if self._console.is_terminal:
            self._live.update(self._picture(state), refresh=True)
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + _LINE_EVERY_S
            self._print(state)

    def _print(self, state: State) -> None:
        for line in self._lines(state):
            self._console.print(line, markup=False, soft_wrap=True)


def run_display() -> Display[RunState]:
    """Shows a run."""
    return Display(picture, lines)


class FetchDisplay:
    """Shows what is being fetched. Call it as an asset's progress; close it when done."""

    def __init__(self) -> None:
        console = stderr()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._bars: dict[str, TaskID] = {}

    def __call__(self, what: str, had: int, size: int | None) -> None:
        """Show a step: what is being done, the bytes had and the bytes in all."""
        if what not in self._bars:
            if not self._bars:
                self._progress.start()
            self._bars[what] = self._progress.add_task(what, total=size)
        self._progress.update(self._bars[what], completed=had)

    def close(self) -> None:
        """Take the bars down."""
        self._progress.stop()
