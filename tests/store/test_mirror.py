"""Copies of journals: byte for byte, whatever is sent twice, late or cut short."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.errors import DiskFull, StoreBroken
from store.mirror import BadSegment, Gap, Mirror, whole_lines
from store.vector_journal import EncoderMark, VectorBatch, VectorJournal, frames, whole_frames

NAME = "20261130T120000-0123abcd.jsonl"


@settings(max_examples=60)
@given(data=st.data())
def test_a_copy_is_what_was_written_whatever_is_sent(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Pieces from anywhere, again, or after a copy was torn; a gap says where to go on."""
    store = tmp_path_factory.mktemp("store")
    lines = data.draw(st.lists(st.binary(max_size=9).map(_line), max_size=8))
    original = b"".join(lines)
    mirror = Mirror(store, NAME)
    for start in data.draw(st.lists(st.integers(0, len(original)), max_size=6)):
        piece = original[start:]
        with suppress(Gap):
            mirror.append(start, piece[: whole_lines(piece)])
        if data.draw(st.booleans()):  # the hub is killed within a write, and comes back
            mirror.close()
            with mirror.path.open("ab") as file:
                file.write(b"torn")
            mirror = Mirror(store, NAME)
    mirror.append(mirror.end, original[mirror.end :])
    mirror.close()

    assert mirror.path.read_bytes() == original


def _line(content: bytes) -> bytes:
    return content.replace(b"\n", b"") + b"\n"


def test_a_copy_of_vectors_is_cut_back_to_its_whole_frames(tmp_path: Path) -> None:
    journal = VectorJournal(tmp_path / "there", EncoderMark(name="e", identity={"a": 1}))
    for n in range(3):
        matrix = np.full((2, 4), n, np.float32)
        ids = [f"{n}a", f"{n}b"]
        journal.append(
            VectorBatch(
                target_ids=ids, tokens=[1, 1], left_out=[0, 0], pieces=[0, 0], matrix=matrix
            )
        )
    journal.close()
    original = journal.path.read_bytes()
    assert whole_frames(original) == len(original)
    assert whole_frames(original[:-1]) < len(original) - 1
    copy = tmp_path / "here" / "vectors" / journal.path.name
    copy.parent.mkdir(parents=True)
    copy.write_bytes(original[:-7])
    mirror = Mirror(tmp_path / "here", journal.path.name)
    assert mirror.end == whole_frames(original[:-7])
    with pytest.raises(BadSegment, match="ends within an entry"):
        mirror.append(mirror.end, original[mirror.end : -1])
    mirror.append(mirror.end, original[mirror.end :])

    assert copy.read_bytes() == original
    assert len(list(frames(tmp_path / "here", {}))) == 3


@pytest.mark.parametrize(
    "name",
    [
        "../x.jsonl",
        "x.jsonl",
        "20261130T120000-0123abcd.txt",
        "/20261130T120000-0123abcd.jsonl",
        "",
    ],
)
def test_what_is_no_segments_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadSegment, match="no name of a journal"):
        Mirror(tmp_path, name)

    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_the_copy_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = Mirror(tmp_path, NAME)
    mirror.append(0, b"one\n")
    monkeypatch.setattr("store.appended.os.write", lambda *_: 2)
    with pytest.raises(DiskFull, match="the disk is full"):
        mirror.append(4, b"two\n")
    monkeypatch.undo()
    assert mirror.append(4, b"two\n") == 8

    assert mirror.path.read_bytes() == b"one\ntwo\n"


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("in the way")
    with pytest.raises(StoreBroken, match="cannot be written"):
        Mirror(tmp_path, NAME)
