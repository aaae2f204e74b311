"""A batch while it is being put together: its lines go to a file, its keys to the journal.

Memory holds a few lines, however many there are. Nothing counts before the batch's own row is
written: lines of a draft that is dropped name a batch that never was.
"""

from __future__ import annotations

import hashlib
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final
from uuid import uuid4

from probe.ledger import Ledger
from probe.model_spec import ModelSpec
from probe.plan import Model
from probe.providers.batches import BatchForm
from probe.work import Job
from store.batch_rows import BatchLineRow, BatchRow
from store.errors import StoreBroken

_TOGETHER: Final = 500
_MB: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one batch of a model may hold.

    Attributes:
        requests: Lines (count).
        size_bytes: Of the file (bytes).
    """

    requests: int
    size_bytes: int


def limits_of(spec: ModelSpec, form: BatchForm) -> Limits:
    """The provider's limits, or smaller ones that the experiment file sets."""
    told_mb = form.size_bytes if spec.batch_mb is None else int(spec.batch_mb * _MB)
    return Limits(
        requests=min(form.requests, spec.batch_requests or form.requests),
        size_bytes=min(form.size_bytes, told_mb),
    )


@dataclass(slots=True, kw_only=True)
class Draft:
    """One batch being made. Close it when done: its file goes with it.

    Attributes:
        folder: Where the file is made.
        requests: Lines so far (count).
        size_bytes: Of the file so far (bytes), its end included.
        tokens: Of the prompts so far, estimated (count).
        each_usd: By line, what has been reserved (US dollars).
    """

    form: BatchForm
    limits: Limits
    ledger: Ledger
    folder: Path
    priced: bool
    batch_id: str = field(default_factory=lambda: uuid4().hex)
    intended_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    requests: int = 0
    size_bytes: int = field(init=False)
    tokens: float = 0.0
    each_usd: list[float] = field(default_factory=list)
    path: Path = field(init=False)
    _file: IO[bytes] = field(init=False)
    _sha: hashlib._Hash = field(default_factory=hashlib.sha256)
    _rows: list[BatchLineRow] = field(default_factory=list)

    def __post_init__(self) -> None:
        with self._on_disk():
            number, path = tempfile.mkstemp(dir=self.folder, suffix=".jsonl")
        self.path, self._file = Path(path), os.fdopen(number, "wb")
        self.size_bytes = len(self.form.tail)
        self._write(self.form.head)

    @contextmanager
    def _on_disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            found = f"a batch's file cannot be written ({error.strerror})"
            fix = "free some space, then run again: nothing of it was sent"
            raise StoreBroken(self.folder, found, fix) from None

    def _write(self, piece: bytes) -> None:
        with self._on_disk():
            self._file.write(piece)
        self._sha.update(piece)
        self.size_bytes += len(piece)

    def fits(self, line: bytes) -> bool:
        """Whether one more line goes into it."""
        size = self.size_bytes + len(line) + len(self.form.between)
        return self.requests < self.limits.requests and size <= self.limits.size_bytes

    async def add(self, job: Job, line: bytes, attempt: int, most_usd: float) -> None:
        """Add a line, and put down which keys it asks for."""
        if self.requests:
            self._write(self.form.between)
        self._write(line)
        self.requests += 1
        self.tokens += job.input_tokens
        self.each_usd.append(most_usd)
        self._rows += self._rows_of(job, attempt, most_usd)
        if len(self._rows) >= _TOGETHER:
            await self._put_down()

    def _rows_of(self, job: Job, attempt: int, most_usd: float) -> Iterator[BatchLineRow]:
        for key, choice in zip(job.keys, job.choices, strict=True):
            yield BatchLineRow(
                batch_id=self.batch_id,
                custom_id=job.keys[0],
                key=key,
                choice=choice,
                attempt=attempt,
                usd_at_most=most_usd if self.priced else None,
            )

    async def _put_down(self) -> None:
        rows, self._rows = self._rows, []
        await self.ledger.keep(*rows)

    async def seal(self, experiment_id: str, model: Model) -> BatchRow:
        """Finish the file and put the batch down; from here on its keys are nobody else's."""
        self._write(self.form.tail)
        self.size_bytes -= len(self.form.tail)  # which was counted from the start
        with self._on_disk():
            self._file.close()
        await self._put_down()
        row = BatchRow(
            batch_id=self.batch_id,
            run_id=self.ledger.run_id,
            experiment_id=experiment_id,
            model=model.spec.name,
            provider=model.spec.provider,
            server=model.endpoint,
            intended_at=self.intended_at,
            requests=self.requests,
            size_bytes=self.size_bytes,
            tokens=math.ceil(self.tokens),
            file_sha256=self._sha.hexdigest(),
            usd_at_most=sum(self.each_usd) if self.priced else None,
        )
        await self.ledger.keep(row)
        return row

    def close(self) -> None:
        """Remove the file."""
        with suppress(OSError):  # a full disk, of which was told before
            self._file.close()
        with suppress(FileNotFoundError):
            self.path.unlink()
