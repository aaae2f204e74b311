"""Batches by token budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedder.batch import batches, in_order

LENGTHS = st.lists(st.integers(min_value=0, max_value=300), max_size=60)
BUDGETS = st.integers(min_value=1, max_value=1_000)


@given(LENGTHS, BUDGETS)
def test_every_text_is_in_one_batch(lengths: list[int], budget: int) -> None:
    """None is lost and none is done twice."""
    cut = batches(lengths, budget_tokens=budget)

    assert sorted(index for batch in cut for index in batch) == list(range(len(lengths)))
    assert all(cut)


@given(LENGTHS, BUDGETS)
def test_no_batch_is_over_budget_but_one_text_that_is(lengths: list[int], budget: int) -> None:
    """Width times rows, padding included, stays within it; what cannot fit goes alone."""
    for batch in batches(lengths, budget_tokens=budget):
        width = max(lengths[index] for index in batch)

        assert width * len(batch) <= budget or len(batch) == 1


@given(LENGTHS, BUDGETS)
def test_longest_first_and_equal_ones_as_given(lengths: list[int], budget: int) -> None:
    """So memory runs out at the start, and the order is the same each time."""
    flat = [index for batch in batches(lengths, budget_tokens=budget) for index in batch]

    assert flat == sorted(flat, key=lambda index: (-lengths[index], index))


@given(LENGTHS, BUDGETS)
def test_a_batch_is_as_large_as_the_budget_lets_it_be(lengths: list[int], budget: int) -> None:
    """One more row, as wide as the batch, would go over."""
    cut = batches(lengths, budget_tokens=budget)
    for batch in cut[:-1]:
        width = max(1, *(lengths[index] for index in batch))

        assert width * (len(batch) + 1) > budget


@given(LENGTHS, BUDGETS)
def test_results_come_back_in_the_order_of_the_texts(lengths: list[int], budget: int) -> None:
    """Whatever the batches were."""
    cut = batches(lengths, budget_tokens=budget)

    restored = in_order(cut, [[f"text {index}" for index in batch] for batch in cut])

    assert restored == [f"text {index}" for index in range(len(lengths))]


def test_known_batches() -> None:
    """The order and the cuts, by hand: 9 alone, then 5 and 4, then 3 and 3, then 1."""
    assert batches([3, 9, 1, 5, 4, 3], budget_tokens=10) == [[1], [3, 4], [0, 5, 2]]
    assert batches([], budget_tokens=10) == []


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="budget_tokens must be at least 1, got 0"):
        batches([1], budget_tokens=0)


def test_a_batch_without_a_result_for_each_text_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        in_order([[0, 1]], [["only one"]])
