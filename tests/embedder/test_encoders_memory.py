"""Running out of memory halves the batch, and the work goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the `embed` extra")
pytest.importorskip("transformers", reason="needs the `embed` extra")

from embedder.encoders import Encoded, Settings, Target, make  # noqa: E402
from embedder.encoders.memory import Halving  # noqa: E402
from embedder.encoders.words import WordEncoder  # noqa: E402
from embedder.errors import OutOfMemory  # noqa: E402
from tests.embedder.models_for_tests import make_t5  # noqa: E402

FAILURES: list[Callable[[], Exception]] = [
    lambda: torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB"),
    MemoryError,
    lambda: RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes"),
    lambda: RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9"),
]


class Small:
    """Room for so many rows, and what it was asked for."""

    def __init__(self, room: int, failure: Callable[[], Exception]) -> None:
        self.room, self.failure = room, failure
        self.tried: list[int] = []

    def __call__(self, rows: Sequence[int]) -> list[int]:
        self.tried.append(len(rows))
        if len(rows) > self.room:
            raise self.failure()
        return [row * 10 for row in rows]


@pytest.mark.parametrize("failure", FAILURES)
def test_a_batch_is_halved_until_it_fits(failure: Callable[[], Exception]) -> None:
    """Every row is done once, in order, whichever way torch says that memory ran out."""
    model, halving = Small(3, failure), Halving("small", torch.device("cpu"))

    done = list(halving.run(model, range(10), [5] * 10))

    assert [row for rows, _ in done for row in rows] == list(range(10))
    assert [each for _, results in done for each in results] == [n * 10 for n in range(10)]
    assert max(len(rows) for rows, _ in done) <= 3


def test_later_batches_are_cut_before_they_are_tried() -> None:
    """What did not fit once is not tried again at its size."""
    model, halving = Small(3, MemoryError), Halving("small", torch.device("cpu"))
    list(halving.run(model, range(8), [5] * 8))
    model.tried.clear()

    list(halving.run(model, range(8), [5] * 8))

    assert model.tried == [2, 2, 2, 2]


def test_shorter_texts_may_come_in_more_rows() -> None:
    """The size that counts is rows times width."""
    model, halving = Small(3, MemoryError), Halving("small", torch.device("cpu"))
    list(halving.run(model, range(4), [100] * 4))
    model.tried.clear()
    model.room = 20

    list(halving.run(model, range(12), [5] * 12))

    assert model.tried == [12]


def test_one_text_that_does_not_fit_is_an_error_that_says_what_to_do() -> None:
    model, halving = Small(0, MemoryError), Halving("small", torch.device("cpu"))

    with pytest.raises(
        OutOfMemory,
        match="model small: the memory of cpu is not enough for one text of 1,234 tokens; free",
    ):
        list(halving.run(model, range(2), [1_234] * 2))


def test_another_error_is_not_taken_for_it() -> None:
    """A fault of the model is not tried again."""
    model = Small(0, lambda: RuntimeError("mat1 and mat2 shapes cannot be multiplied"))

    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        list(Halving("small", torch.device("cpu")).run(model, range(2), [5] * 2))
    assert model.tried == [2]


def _targets() -> list[Target]:
    texts = [f"the miller walked home and she laughed {'on ' * n}" for n in range(12)]
    return [Target(target_id=text, text=text, start=4, end=10) for text in texts]


def _encoded(encoder: WordEncoder) -> dict[str, Encoded]:
    return {each.target_id: each for batch in encoder.encode(_targets()) for each in batch}


def test_a_real_model_short_of_memory_gives_the_same_vectors(tmp_path: Path) -> None:
    """A T5 that fails above two rows, as a full GPU would, still encodes all."""
    folder = make_t5(tmp_path)
    whole = make(f"word:{folder}", settings=Settings(device="cpu"))
    short = make(f"word:{folder}", settings=Settings(device="cpu"))
    assert isinstance(whole, WordEncoder)
    assert isinstance(short, WordEncoder)
    model = short._model
    assert model is not None
    failed: list[int] = []

    def fail(_module: object, _args: object, kwargs: dict[str, Sized]) -> None:
        if len(kwargs["input_ids"]) > 2:
            failed.append(len(kwargs["input_ids"]))
            raise torch.OutOfMemoryError("CUDA out of memory.")

    model.register_forward_pre_hook(fail, with_kwargs=True)

    expected, found = _encoded(whole), _encoded(short)

    assert failed
    assert found.keys() == expected.keys() == {target.target_id for target in _targets()}
    for name, each in found.items():
        np.testing.assert_allclose(each.vector, expected[name].vector, atol=1e-5)
