"""What a run shows while it is on: a live bar a model on a terminal, plain lines elsewhere.

Everything goes to standard error; results have standard output to themselves.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from probe.providers.base import Reply
from probe.retry import Trouble

_LINE_EVERY_S: Final = 15.0


def stderr() -> Console:
    """A console on standard error."""
    return Console(stderr=True, highlight=False)


@dataclass(slots=True)
class _Seen:
    total: int
    done: int = 0
    tokens: int = 0
    failed: int = 0
    troubles: Counter[str] = field(default_factory=Counter)

    def words(self, elapsed_s: float) -> str:
        """Rates and troubles, in a few words."""
        rate = f"{self.tokens / elapsed_s:.0f} tokens/s" if elapsed_s > 0 else ""
        parts = [rate, f"{self.failed} failed" if self.failed else ""]
        parts += [f"{count} × {kind}" for kind, count in self.troubles.most_common(2)]
        return ", ".join(part for part in parts if part)


class RunDisplay:
    """Shows a run's progress. Use as a context manager."""

    def __init__(self, totals: dict[str, int]) -> None:
        self._console = stderr()
        self._seen = {model: _Seen(total) for model, total in totals.items()}
        self._began = self._last = time.monotonic()
        self._bars: dict[str, TaskID] = {}
        self._progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[words]}"),
            console=self._console,
            expand=True,
            disable=not self._console.is_terminal,
        )

    def __enter__(self) -> RunDisplay:
        self._progress.start()
        for model, seen in self._seen.items():
            self._bars[model] = self._progress.add_task(model, total=seen.total, words="")
        return self

    def __exit__(self, *_: object) -> None:
        if not self._console.is_terminal:
            self._line()
        self._progress.stop()

    def say(self, message: str) -> None:
        """Print a line above the bars."""
        self._progress.console.print(message, markup=False)

    def replied(self, model: str, reply: Reply) -> None:
        """Count a reply."""
        seen = self._seen[model]
        seen.done += 1
        seen.tokens += (reply.prompt_tokens or 0) + (reply.reply_tokens or 0)
        self._update(model, advance=1)

    def troubled(self, model: str, trouble: Trouble, *, final: bool) -> None:
        """Count a trouble."""
        seen = self._seen[model]
        seen.troubles[trouble.kind] += 1
        seen.failed += final
        self._update(model, advance=int(final))

    def _update(self, model: str, advance: int) -> None:
        now = time.monotonic()
        words = self._seen[model].words(now - self._began)
        self._progress.update(self._bars[model], advance=advance, words=words)
        if not self._console.is_terminal and now - self._last > _LINE_EVERY_S:
            self._last = now
            self._line()

    def _line(self) -> None:
        elapsed_s = time.monotonic() - self._began
        for model, seen in self._seen.items():
            words = seen.words(elapsed_s)
            line = f"{model}: {seen.done + seen.failed}/{seen.total} in {elapsed_s:.0f} s"
            self._console.print(f"{line}, {words}" if words else line, markup=False, soft_wrap=True)


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
