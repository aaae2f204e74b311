"""The journal: what was appended is read back, whatever stands in it and however a run ended."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import DiskFull, StoreBroken
from store.journal import Journal, read_events
from store.rows import Event
from tests.store.events_for_tests import events
from tests.store.rows_for_tests import attempt_row, failure_row, reply_row


def written(folder: Path, *rows: Event, run_id: str = "run") -> list[int]:
    """Append rows to a segment; return where their lines end."""
    journal = Journal(folder, run_id)
    ends = [journal.append(row).end for row in rows]
    journal.close()
    return ends


def read(folder: Path, **held: int) -> list[Event]:
    """The events beyond the positions held, by run id."""
    at = {f"{run_id}.jsonl": end for run_id, end in held.items()}
    return [entry.event for entry in read_events(folder, at)]


@given(st.lists(st.lists(events, max_size=3), max_size=3))
def test_what_is_written_together_comes_back_one_by_one(writes: list[list[Event]]) -> None:
    """Its position ends its last line, as if each had been written alone."""
    rows = [row for write in writes for row in write]
    with TemporaryDirectory() as name:
        together, alone = Path(name, "together"), Path(name, "alone")
        together.mkdir()
        alone.mkdir()
        journal = Journal(together, "run")
        ends = [journal.append(*write).end for write in writes]
        journal.close()
        ends_alone = [0, *written(alone, *rows)]
        found = list(read_events(together, {}))

    assert [entry.event for entry in found] == rows
    assert [entry.position.end for entry in found] == ends_alone[1:]
    assert ends == [ends_alone[count] for count in accumulate(map(len, writes))]


def test_events_written_together_take_one_system_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill parts them nowhere, and a reply costs the run one write."""
    sizes: list[int] = []
    write = os.write

    def watched(file: int, data: bytes) -> int:
        sizes.append(len(data))
        return write(file, data)

    journal = Journal(tmp_path, "run")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", watched)
        end = journal.append(attempt_row(), reply_row(), failure_row("f")).end
    journal.close()

    assert sizes == [end]
    assert read(tmp_path) == [attempt_row(), reply_row(), failure_row("f")]


def test_one_row_that_no_table_can_hold_keeps_out_its_whole_write(tmp_path: Path) -> None:
    """A reply without its attempt, or the other way round, would be half a truth."""
    journal = Journal(tmp_path, "run")
    wrong = replace(reply_row(), attempts=None)  # type: ignore[arg-type]
    journal.append(reply_row("before"))

    with pytest.raises(TypeError, match=r"reply: attempts is None, not int"):
        journal.append(attempt_row(), wrong, attempt_row())

    journal.append(reply_row("after"))
    journal.close()

    assert read(tmp_path) == [reply_row("before"), reply_row("after")]


@pytest.mark.parametrize("cut", ["at once", "in the middle", "before its line end"])
def test_of_a_write_that_was_torn_the_whole_lines_count(tmp_path: Path, cut: str) -> None:
    """A machine that goes down can tear one: its first event is read, the second is not there."""
    journal = Journal(tmp_path, "run")
    start = journal.append(attempt_row("a")).end
    end = journal.append(attempt_row("b"), reply_row("b")).end
    journal.close()
    segment = tmp_path / "run.jsonl"
    whole = segment.read_bytes()
    first = whole.index(b"\n", start) + 1
    kept = {"at once": first, "in the middle": (first + end) // 2, "before its line end": end - 1}
    segment.write_bytes(whole[: kept[cut]])

    found = list(read_events(tmp_path, {}))

    assert [entry.event for entry in found] == [attempt_row("a"), attempt_row("b")]
    assert found[-1].position.end == first
    assert read(tmp_path, run=first) == []


@given(st.lists(events, max_size=4))
def test_events_come_back_as_they_were(rows: list[Event]) -> None:
    """Every kind, whatever its texts hold: NUL, line ends, quotes, marks, emoji."""
    with TemporaryDirectory() as name:
        ends = written(Path(name), *rows)
        found = list(read_events(Path(name), {}))

    assert [entry.event for entry in found] == rows
    assert [entry.position.end for entry in found] == ends


@given(st.text(st.characters(min_codepoint=0xD7F0, max_codepoint=0xE010), min_size=1))
def test_halves_of_surrogate_pairs_are_kept(text: str) -> None:
    """A server's JSON can hold half a pair; two halves that meet are read as their character."""
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    with TemporaryDirectory() as name:
        written(Path(name), reply_row(text=text), attempt_row())
        stored = (Path(name) / "run.jsonl").read_text(encoding="utf-8")
        found = read(Path(name))

    assert found == [reply_row(text=joined), attempt_row()]
    assert len(stored.splitlines()) == 2


def test_a_line_is_readable_by_hand(tmp_path: Path) -> None:
    """A segment is JSON lines in UTF-8, each with the kind of event."""
    written(tmp_path, failure_row("κ"))

    line = (tmp_path / "run.jsonl").read_text(encoding="utf-8")

    assert "κ" in line
    assert json.loads(line)["kind"] == "failure"
    assert json.loads(line)["row"]["kind"] == "timeout"
    assert json.loads(line)["row"]["failed_at"] == "2026-01-02T03:04:05.678901+00:00"


@pytest.mark.parametrize("kept", [1, 5, 100, -1])
def test_a_torn_last_line_is_passed_over(tmp_path: Path, kept: int) -> None:
    """A kill in the middle of a write costs that line and no other."""
    ends = written(tmp_path, reply_row("a"), attempt_row("a"), reply_row("b"))
    segment = tmp_path / "run.jsonl"
    whole = segment.read_bytes()
    segment.write_bytes(whole[: ends[1]] + whole[ends[1] :][:kept])

    assert read(tmp_path) == [reply_row("a"), attempt_row("a")]


def test_what_the_database_holds_is_not_read_again(tmp_path: Path) -> None:
    """A position ends what is held: the next event is the one right after it."""
    rows: list[Event] = [reply_row("é"), attempt_row("b"), failure_row("c")]
    ends = written(tmp_path, *rows)

    assert read(tmp_path, run=0) == rows
    assert read(tmp_path, run=ends[0]) == rows[1:]
    assert read(tmp_path, run=ends[1]) == rows[2:]
    assert read(tmp_path, run=ends[2]) == []
    assert read(tmp_path, other=ends[2]) == rows
    assert ends[2] == (tmp_path / "run.jsonl").stat().st_size


@pytest.mark.parametrize(
    "line",
    [
        b"garbage",
        b"\x00\x00\x00",
        b"\xff\xfe",
        b"",
        b"5",
        b"null",
        b'"text"',
        b"[]",
        b"{}",
        b"[" * 100_000,
        b'{"kind":"reply"}',
        b'{"kind":"reply","row":null}',
        b'{"kind":"reply","row":{}}',
        b'{"kind":"strange","row":{}}',
        b'{"kind":[],"row":{}}',
        b'{"kind":"attempt","row":{"key":"k","run_id":"r"}}',
    ],
)
def test_a_line_that_is_no_event_names_its_file(tmp_path: Path, line: bytes) -> None:
    written(tmp_path, reply_row())
    segment = tmp_path / "run.jsonl"
    segment.write_bytes(segment.read_bytes() + line + b"\n")

    with pytest.raises(StoreBroken, match=r"run\.jsonl: a line that is no event") as caught:
        read(tmp_path)

    assert caught.value.path == segment


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prompt_tokens", '"12"'),
        ("prompt_tokens", "12.5"),
        ("prompt_tokens", "true"),
        ("prompt_tokens", str(2**70)),
        ("text", '["a"]'),
        ("raw", "null"),
        ("received_at", "5"),
        ("received_at", '"yesterday"'),
    ],
)
def test_a_value_of_the_wrong_type_names_its_file(tmp_path: Path, name: str, value: str) -> None:
    """It would stop the database at every start."""
    written(tmp_path, reply_row())
    segment = tmp_path / "run.jsonl"
    record = json.loads(segment.read_bytes())
    record["row"][name] = json.loads(value)
    segment.write_text(json.dumps(record) + "\n", encoding="utf-8")

    with pytest.raises(StoreBroken, match=r"run\.jsonl: a line that is no event"):
        read(tmp_path)


def test_a_segment_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").mkdir()
    (tmp_path / "run.jsonl" / "more").touch()

    with pytest.raises(StoreBroken, match=r"run\.jsonl: cannot be read \(Is a directory\)"):
        read(tmp_path)


def test_a_row_that_no_table_can_hold_is_not_written(tmp_path: Path) -> None:
    """A bug further up spoils one event, never the segment."""
    journal = Journal(tmp_path, "run")
    journal.append(attempt_row())

    with pytest.raises(TypeError, match=r"reply: reply_tokens is 1\.5, not int"):
        journal.append(replace(reply_row(), reply_tokens=1.5))  # type: ignore[arg-type]

    journal.append(reply_row())
    journal.close()

    assert read(tmp_path) == [attempt_row(), reply_row()]


def test_an_empty_segment_is_removed(tmp_path: Path) -> None:
    written(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_segments_are_read_oldest_first(tmp_path: Path) -> None:
    """Their names begin with the time, so their order is that of the runs."""
    written(tmp_path, reply_row("newer"), run_id="20260102T000000-00000000")
    written(tmp_path, reply_row("older"), run_id="20260101T000000-ffffffff")

    found = list(read_events(tmp_path, {}))

    assert [entry.event for entry in found] == [reply_row("older"), reply_row("newer")]
    assert found[1].position.segment == "20260102T000000-00000000.jsonl"


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreBroken, match="cannot write here"):
        Journal(tmp_path / "nowhere", "run")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which is Linux's")
def test_nothing_counts_as_written_on_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").symlink_to("/dev/full")
    journal = Journal(tmp_path, "run")

    with pytest.raises(DiskFull, match=r"run\.jsonl: the disk is full; free some space"):
        journal.append(reply_row())

    journal.close()

    assert list(tmp_path.iterdir()) == []
