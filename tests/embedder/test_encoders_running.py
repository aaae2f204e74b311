"""Batches through a model, one on each core of a CPU."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence

import pytest

torch = pytest.importorskip("torch", reason="needs the `embed` extra")

from embedder.encoders.placement import place  # noqa: E402
from embedder.encoders.running import Runner  # noqa: E402
from embedder.errors import OutOfMemory  # noqa: E402

LENGTHS = [n % 13 + 1 for n in range(60)]
CPU = place("cpu")


@pytest.fixture(autouse=True)
def two_cores() -> Iterator[None]:
    """However many this machine has."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_each_text_is_run_once_longest_first() -> None:
    """In the order of the batches, whichever is done first."""
    runner = Runner("small", CPU, 26)

    done = [
        part for batch in runner.run(lambda r: [row * 2 for row in r], LENGTHS) for part in batch
    ]

    flat = [row for rows, _ in done for row in rows]
    assert sorted(flat) == list(range(len(LENGTHS)))
    lengths = [LENGTHS[row] for row in flat]
    assert lengths == sorted(lengths, reverse=True)
    assert all(found == [row * 2 for row in rows] for rows, found in done)


def test_cores_work_side_by_side_each_by_itself() -> None:
    """A batch has a part for each core, and torch uses one for each; then as before."""
    both = threading.Barrier(2, timeout=20)
    threads: list[int] = []

    def call(rows: Sequence[int]) -> int:
        both.wait()
        threads.append(torch.get_num_threads())
        assert torch.is_inference_mode_enabled()
        return len(rows)

    list(Runner("small", CPU, 5).run(call, [5] * 10))

    assert set(threads) == {1}
    assert torch.get_num_threads() == 2


def test_memory_that_runs_out_is_met_on_each_core() -> None:
    def call(rows: Sequence[int]) -> int:
        if len(rows) > 2:
            raise MemoryError
        return len(rows)

    done = [part for batch in Runner("small", CPU, 60).run(call, LENGTHS) for part in batch]

    assert sorted(row for rows, _ in done for row in rows) == list(range(len(LENGTHS)))
    assert max(found for _, found in done) <= 2


def test_an_error_ends_the_work_and_nothing_stays_changed() -> None:
    """Batches that have not begun are not begun."""
    begun: list[int] = []

    def call(rows: Sequence[int]) -> int:
        begun.append(len(rows))
        raise MemoryError

    with pytest.raises(OutOfMemory, match="one text of 13 tokens"):
        list(Runner("small", CPU, 13).run(call, LENGTHS))
    assert len(begun) < len(LENGTHS)
    assert torch.get_num_threads() == 2


def test_no_batch_is_begun_before_the_one_before_it_is_taken() -> None:
    """So that whoever writes each at once loses one at most."""
    begun: list[int] = []

    def call(rows: Sequence[int]) -> int:
        begun.append(len(rows))
        return len(rows)

    working = Runner("small", CPU, 1).run(call, LENGTHS)
    assert isinstance(working, Generator)
    for taken in range(1, 6):
        assert len(next(working)) == 2
        assert len(begun) == 2 * taken
    working.close()

    assert len(begun) == 10
    assert torch.get_num_threads() == 2
