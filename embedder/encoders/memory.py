"""What happens when memory runs out: the batch is halved and the work goes on.

Memory cannot be told beforehand, since others use it too. So a batch is tried, and one that did
not fit is cut in two; batches of its size that follow are cut before they are tried.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

import torch

from embedder.errors import OutOfMemory

Result = TypeVar("Result")

_CPU_MESSAGES: Final = ("not enough memory", "can't allocate memory")
"""What torch's allocator for the CPU says in a RuntimeError of no class of its own."""


class Halving:
    """Runs batches, in parts where they do not fit into memory."""

    def __init__(self, model: str, device: torch.device) -> None:
        self._model, self._device = model, device
        self._too_big: int | None = None

    def run(
        self,
        call: Callable[[Sequence[int]], Result],
        rows: Sequence[int],
        lengths: Sequence[int],
    ) -> Iterator[tuple[Sequence[int], Result]]:
        """Yield the parts a batch was run in, each with what came of it.

        Args:
            call: Runs some of the rows. It may be given the same row again after it failed.
            rows: Indices of the texts of the batch.
            lengths: Tokens of every text that has an index (count).

        Raises:
            OutOfMemory: One text alone does not fit.
        """
        todo = [rows]
        while todo:
            part = todo.pop()
            cells = len(part) * max(lengths[row] for row in part)
            if len(part) == 1 or self._too_big is None or cells < self._too_big:
                result = self._tried(call, part)
                if result is not None:
                    yield part, result
                    continue
                if len(part) == 1:
                    raise OutOfMemory(self._model, lengths[part[0]], str(self._device))
                self._too_big = cells
            middle = (len(part) + 1) // 2
            todo += [part[middle:], part[:middle]]

    def _tried(self, call: Callable[[Sequence[int]], Result], rows: Sequence[int]) -> Result | None:
        try:
            return call(rows)
        except (RuntimeError, MemoryError) as error:
            if not _out_of_memory(error):
                raise
        # Only here has the error let go of the frames that hold the batch's tensors.
        gc.collect()
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
        return None


def _out_of_memory(error: RuntimeError | MemoryError) -> bool:
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return any(message in str(error) for message in _CPU_MESSAGES)
