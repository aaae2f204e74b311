"""The journal: every event of a run, on disk the moment it happened, before the database has it.

One file (*segment*) a run, one JSON object a line, each written with a single system call. A
process killed at any point leaves whole lines and at most one torn one at the end, which is passed
over. Segments are kept: together they rebuild every reply of a store.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import orjson

from store.appended import Appended
from store.batch_rows import BatchEventRow, BatchLineRow, BatchRow
from store.errors import StoreBroken
from store.rows import (
    COLUMNS,
    LISTS,
    AttemptRow,
    Event,
    ExperimentRow,
    FailureRow,
    LikelihoodRow,
    ModelRow,
    RepeatRow,
    ReplyRow,
    RunEndRow,
    RunRow,
    ServedRow,
    mistyped,
)

_KINDS: Final[dict[str, type[Event]]] = {
    "attempt": AttemptRow,
    "reply": ReplyRow,
    "likelihood": LikelihoodRow,
    "repeat": RepeatRow,
    "failure": FailureRow,
    "run": RunRow,
    "served": ServedRow,
    "run_end": RunEndRow,
    "experiment": ExperimentRow,
    "model": ModelRow,
    "batch": BatchRow,
    "batch_line": BatchLineRow,
    "batch_event": BatchEventRow,
}
_NAMES: Final = {kind: name for name, kind in _KINDS.items()}
_TIMES: Final = {
    kind: tuple(name for name, (plain, _) in COLUMNS[kind].items() if plain is datetime)
    for kind in _NAMES
}
_LISTS: Final = {
    kind: tuple(name for name, (plain, _) in COLUMNS[kind].items() if plain in LISTS)
    for kind in _NAMES
}


@dataclass(frozen=True, slots=True)
class Position:
    """How far a segment is written or read (bytes)."""

    segment: str
    end: int


class Journal:
    """The segment one run appends to."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self.segment = f"{run_id}.jsonl"
        try:
            self._file = Appended(folder / self.segment, fix=_FREE)
        except OSError as error:
            raise StoreBroken(folder, f"cannot write here ({error.strerror})", _FREE) from None

    def append(self, *events: Event) -> Position:
        """Write events with one system call; return where the last one's line ends.

        Raises:
            DiskFull: There is no room. Nothing of the events counts as written; try again later.
            StoreBroken: The disk is gone. Nothing of the events counts as written.
            TypeError: A value its column cannot hold. A line with it would spoil the segment for
                every later run, so it is not written.
        """
        lines = b"".join([_line(event) for event in events])
        try:
            return Position(self.segment, self._file.append(lines))
        except OSError as error:
            found = f"cannot write ({error.strerror})"
            raise StoreBroken(self._file.path, found, _FREE) from None

    def close(self) -> None:
        """Close the segment; an empty one is removed."""
        self._file.close()
        if self._file.end == 0:
            self._file.path.unlink(missing_ok=True)


def _line(event: Event) -> bytes:
    kind = _NAMES[type(event)]
    if wrong := mistyped(event):
        raise TypeError(f"{kind}: {wrong}")
    record: dict[str, Any] = {"kind": kind, "row": event}  # apart: a failure has a kind of its own
    try:
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # half of a surrogate pair, which a server's JSON may hold
        record["row"] = {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in asdict(event).items()
        }
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        # It has no UTF-8; its Python escape is its JSON escape as well, so nothing of it is lost.
        return text.encode(errors="backslashreplace")


_FREE: Final = "free some space or mend its permissions, then run again: nothing is lost"

_AWAY: Final = "move the file away and run again; its replies are asked anew"


@dataclass(frozen=True, slots=True)
class Entry:
    """One event read back, and where its line ends."""

    event: Event
    position: Position


def read_events(folder: Path, held: Mapping[str, int]) -> Iterator[Entry]:
    """Events that lie beyond the positions the database holds, oldest segment first.

    Args:
        folder: The journal's folder.
        held: Segment -> bytes already in the database.

    Raises:
        StoreBroken: A segment cannot be read, or holds a whole line that is no event.
    """
    for path in sorted(folder.glob("*.jsonl")):
        end = held.get(path.name, 0)
        try:
            for line in _lines(path, end):
                end += len(line)
                yield Entry(_event(line, path), Position(path.name, end))
        except OSError as error:
            raise StoreBroken(path, f"cannot be read ({error.strerror})", _AWAY) from None


def events_in(piece: bytes, path: Path) -> list[Event]:
    """The events of whole lines, which a copy of a segment has just taken in.

    Raises:
        StoreBroken: A line is no event.
    """
    return [_event(line, path) for line in piece.splitlines(keepends=True)]


def _lines(path: Path, start: int) -> Iterator[bytes]:
    """A segment's whole lines from a position on."""
    if path.stat().st_size <= start:
        return
    with path.open("rb") as file:
        file.seek(start)
        for line in file:
            if not line.endswith(b"\n"):
                return  # torn by a kill: the reply it held is asked again
            yield line


def _event(line: bytes, path: Path) -> Event:
    try:
        record = _loads(line)
        kind, row = _KINDS[record["kind"]], dict(record["row"])
        times = {name: datetime.fromisoformat(row[name]) for name in _TIMES[kind]}
        lists = {name: tuple(row[name]) for name in _LISTS[kind] if row[name] is not None}
        event = kind(**(row | times | lists))
        if wrong := mistyped(event):
            raise TypeError(wrong)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreBroken(path, f"a line that is no event ({error})", _AWAY) from None
    return event


def _loads(line: bytes) -> Any:  # noqa: ANN401 - JSON
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return json.loads(line)  # which takes halves of surrogate pairs
