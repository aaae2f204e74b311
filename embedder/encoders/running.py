"""Batches through a model: one after the other on a GPU, one on each core of a CPU.

Cores that share a batch wait for each other after every layer, long where other programs want them
too; cores with a batch each wait for nobody.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeAlias, TypeVar

import torch

from embedder.batch import batches
from embedder.encoders.memory import Halving
from embedder.encoders.placement import Placement

Result = TypeVar("Result")
Call: TypeAlias = Callable[[Sequence[int]], Result]


class Runner:
    """Runs the batches of one model."""

    def __init__(self, model: str, placement: Placement, budget_tokens: int) -> None:
        """Take the model's name, for errors, its place, and what a batch may come to."""
        self._halving = Halving(model, placement.device)
        self._on_cpu = placement.device.type == "cpu"
        self._budget_tokens = budget_tokens

    def run(
        self, call: Call[Result], lengths: Sequence[int]
    ) -> Iterator[tuple[Sequence[int], Result]]:
        """Yield texts' indices and what came of them, longest texts first.

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
                yield from self._halving.run(inferred, batch, lengths)

    def _on_each_core(
        self, call: Call[Result], cut: Sequence[Sequence[int]], lengths: Sequence[int]
    ) -> Iterator[tuple[Sequence[int], Result]]:
        def whole(batch: Sequence[int]) -> list[tuple[Sequence[int], Result]]:
            return list(self._halving.run(call, batch, lengths))

        cores = torch.get_num_threads()
        pool = ThreadPoolExecutor(cores, thread_name_prefix="encoder")
        waiting: deque[Future[list[tuple[Sequence[int], Result]]]] = deque()
        with _one_core_each():
            try:
                for batch in cut:
                    waiting.append(pool.submit(whole, batch))
                    if len(waiting) > cores:
                        yield from waiting.popleft().result()
                while waiting:
                    yield from waiting.popleft().result()
            finally:
                pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _one_core_each() -> Iterator[None]:
    """Have torch use one core for each thread that calls it, for the time being."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
