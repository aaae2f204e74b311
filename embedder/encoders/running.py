"""Batches through a model: one after the other on a GPU, on a CPU with a part for each core.

Cores that share all of a batch wait for each other after every layer, long where other programs
want them too; with a part each they wait once a batch.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TypeAlias, TypeVar

import torch

from embedder.batch import batches
from embedder.encoders.memory import Halving
from embedder.encoders.placement import Placement

Result = TypeVar("Result")
Call: TypeAlias = Callable[[Sequence[int]], Result]
Done: TypeAlias = list[tuple[Sequence[int], Result]]
"""Texts' indices and what came of them, by part."""


class Runner:
    """Runs the batches of one model."""

    def __init__(self, model: str, placement: Placement, budget_tokens: int) -> None:
        """Take the model's name, for errors, its place, and what a core's part may come to."""
        self._halving = Halving(model, placement.device)
        self._on_cpu = placement.device.type == "cpu"
        self._budget_tokens = budget_tokens

    def run(self, call: Call[Result], lengths: Sequence[int]) -> Iterator[Done[Result]]:
        """Yield batches as they are done, longest texts first; none is begun ahead of its turn.

        Args:
            call: Runs the texts of some indices, without gradients; on a CPU from several threads
                at once.
            lengths: Tokens of each text (count).

        Raises:
            OutOfMemory: One text alone does not fit.
        """

        def inferred(rows: Sequence[int]) -> Result:
            with torch.inference_mode():
                return call(rows)

        cut = batches(lengths, budget_tokens=self._budget_tokens)
        if self._on_cpu:
            yield from self._on_each_core(inferred, cut, lengths)
        else:
            for batch in cut:
                for part in self._halving.run(inferred, batch, lengths):
                    yield [part]

    def _on_each_core(
        self, call: Call[Result], cut: Sequence[Sequence[int]], lengths: Sequence[int]
    ) -> Iterator[Done[Result]]:
        def whole(part: Sequence[int]) -> Done[Result]:
            return list(self._halving.run(call, part, lengths))

        cores = torch.get_num_threads()
        with _one_core_each(), ThreadPoolExecutor(cores, thread_name_prefix="encoder") as pool:
            for start in range(0, len(cut), cores):
                yield list(chain.from_iterable(pool.map(whole, cut[start : start + cores])))


@contextlib.contextmanager
def _one_core_each() -> Iterator[None]:
    """Have torch use one core for each thread that calls it, for the time being."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
