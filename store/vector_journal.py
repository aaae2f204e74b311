"""The journal of vectors: what encoders made, on disk the moment a batch was done.

One file (*segment*) a worker, in the store's folder `vectors/`; a batch is one *frame*, which names
its encoder and carries its length and checksum. A worker killed at any point leaves whole frames
and at most one torn one at the end, which is passed over. Nobody needs the database to write here,
so workers go on while a run or a query has it. Whoever owns it next takes the frames in. Segments
are kept: together they bring back every vector of a store, and copied into another store's folder
they bring them there.
"""

from __future__ import annotations

import json
import mmap
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from store.appended import Appended
from store.errors import StoreBroken
from store.keys import canonical, digest
from store.vectors import fixed_size

FOLDER: Final = "vectors"
_ENDING: Final = ".frames"
_MAGIC: Final = b"GPV1"
_HEADER: Final = struct.Struct("<4sIQ")  # magic, CRC-32 of the payload, its length (bytes)
_FREE: Final = "free some space or mend its permissions, then run again: what is done is kept"
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorBatch:
    """Vectors of one encoder.

    Attributes:
        target_ids: What each vector stands for, as in the table `feature_rows`.
        tokens: Tokens of each text, special ones included.
        left_out: Of these, how many the encoder did not see.
        pieces: Sub-word pieces that a word's vector is the mean of; 0 for a sentence.
        matrix: Shape (targets, dim), finite.
    """

    target_ids: Sequence[str]
    tokens: Sequence[int]
    left_out: Sequence[int]
    pieces: Sequence[int]
    matrix: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderMark:
    """An encoder as frames name it.

    Attributes:
        name: As tables take it.
        identity: Everything that changes a vector.
    """

    name: str
    identity: Mapping[str, object]

    @property
    def encoder_id(self) -> str:
        """What stands for the identity."""
        return digest(self.identity)[:_DIGITS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A batch as it stands in a segment.

    Attributes:
        segment: The file's name.
        end: Where the frame ends in it (bytes).
        table: Columns target_id, tokens, left_out, pieces, vector.
    """

    segment: str
    end: int
    encoder: EncoderMark
    table: pa.Table


class VectorJournal:
    """The segment one worker appends to; the file is made with the first batch."""

    def __init__(self, store: Path, encoder: EncoderMark) -> None:
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:12]}{_ENDING}"
        self.path = store / FOLDER / name
        mark = canonical({"name": encoder.name, "identity": encoder.identity})
        self._metadata = {b"encoder": mark.encode()}
        self._file: Appended | None = None

    def append(self, batch: VectorBatch) -> None:
        """Write a batch as one frame.

        Raises:
            DiskFull: There is no room; nothing of the batch counts as written.
            StoreBroken: The folder cannot be written.
            ValueError: A vector holds NaN or an infinity.
        """
        if not np.isfinite(batch.matrix).all():
            raise ValueError("a vector holds NaN or an infinity")
        frame = self._frame(batch)
        try:
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = Appended(self.path, fix=_FREE, new=True)
            self._file.append(frame)
        except OSError as error:
            raise StoreBroken(self.path, f"cannot be written ({error.strerror})", _FREE) from None

    def close(self) -> None:
        """Close the segment."""
        if self._file is not None:
            self._file.close()

    def _frame(self, batch: VectorBatch) -> bytes:
        table = pa.table(
            {
                "target_id": pa.array(batch.target_ids, pa.string()),
                "tokens": pa.array(batch.tokens, pa.int64()),
                "left_out": pa.array(batch.left_out, pa.int64()),
                "pieces": pa.array(batch.pieces, pa.int64()),
                "vector": fixed_size(batch.matrix),
            }
        ).replace_schema_metadata(self._metadata)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        payload = sink.getvalue().to_pybytes()
        return _HEADER.pack(_MAGIC, zlib.crc32(payload), len(payload)) + payload


def frames(store: Path, held: Mapping[str, int]) -> Iterator[Frame]:
    """Frames that lie beyond what is held already, oldest segment first.

    Args:
        store: The store's folder.
        held: Segment -> bytes of it that are not wanted.

    A frame whose checksum does not fit is passed over: what it held is embedded anew.

    Raises:
        StoreBroken: A segment cannot be read.
    """
    for path in sorted((store / FOLDER).glob(f"*{_ENDING}")):
        start = held.get(path.name, 0)
        try:
            if path.stat().st_size > start:
                yield from _frames(path, start)
        except OSError as error:
            fix = "mend its permissions, or move it away: what it holds is embedded anew"
            raise StoreBroken(path, f"cannot be read ({error.strerror})", fix) from None


def _frames(path: Path, start: int) -> Iterator[Frame]:
    with path.open("rb") as file:
        file.seek(start)
        while len(header := file.read(_HEADER.size)) == _HEADER.size:
            magic, checksum, length = _HEADER.unpack(header)
            if magic != _MAGIC:
                return
            payload = file.read(length)
            if len(payload) < length:
                return  # torn by a kill, or being written
            start += _HEADER.size + length
            if zlib.crc32(payload) == checksum:
                with pa.ipc.open_stream(payload) as stream:
                    table = stream.read_all()
                yield Frame(segment=path.name, end=start, encoder=_mark(table), table=table)


def whole_frames(data: bytes | mmap.mmap) -> int:
    """Bytes of the whole frames that data begins with."""
    end = 0
    while len(header := data[end : end + _HEADER.size]) == _HEADER.size:
        magic, _, length = _HEADER.unpack(header)
        if magic != _MAGIC or end + _HEADER.size + length > len(data):
            break
        end += _HEADER.size + length
    return end


def _mark(table: pa.Table) -> EncoderMark:
    metadata: dict[bytes, bytes] = table.schema.metadata or {}
    raw: dict[str, Any] = json.loads(metadata[b"encoder"])
    return EncoderMark(name=str(raw["name"]), identity=raw["identity"])


def written(store: Path) -> int:
    """Bytes of all segments: grows whenever there may be something to take in."""
    return sum(path.stat().st_size for path in (store / FOLDER).glob(f"*{_ENDING}"))
