"""Which texts go through a model together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.providers.scoring.batches import Group, cut_by_length, padded, plan

texts_of_few_tokens = st.lists(
    st.lists(st.integers(0, 2), min_size=1, max_size=12), min_size=1, max_size=12
)


def run_tokens(texts: Sequence[Sequence[int]], groups: Sequence[Group]) -> int:
    """Tokens that go through the model, without filling (count)."""
    own = sum(
        len(texts[at]) - group.shared for group in groups for batch in group.batches for at in batch
    )
    return own + sum(group.shared for group in groups)


@given(texts=texts_of_few_tokens, budget=st.integers(1, 60), least=st.integers(1, 6))
def test_every_text_is_in_one_batch_and_shares_what_its_group_shares(
    texts: list[list[int]], budget: int, least: int
) -> None:
    groups = plan(texts, budget, least)

    members = [at for group in groups for batch in group.batches for at in batch]
    assert sorted(members) == list(range(len(texts)))
    for group in groups:
        own = [texts[at] for batch in group.batches for at in batch]
        assert len({tuple(text[: group.shared + 1]) for text in own} if group.shared else {0}) == 1
        assert all(len(text) > group.shared for text in own)
        assert group.shared == 0 or (group.shared >= least and len(own) > 1)
    assert run_tokens(texts, groups) <= sum(map(len, texts))


@given(lengths=st.lists(st.integers(1, 30), min_size=1, max_size=20), budget=st.integers(1, 90))
def test_a_batch_keeps_to_its_budget_unless_it_is_one_text(lengths: list[int], budget: int) -> None:
    for batch in cut_by_length(lengths, budget):
        longest = max(lengths[at] for at in batch)
        assert len(batch) == 1 or longest * len(batch) <= budget


@pytest.mark.parametrize(
    ("lengths", "groups"),
    [
        pytest.param((40, 41), 39, id="one continues the other"),
        pytest.param((40, 40), 39, id="twice the same"),
    ],
)
def test_texts_that_begin_alike_share_all_but_the_last_common_token(
    lengths: tuple[int, int], groups: int
) -> None:
    """The last common token is run with what follows, so that it tells of it."""
    made = plan([list(range(length)) for length in lengths], 1000)

    assert [group.shared for group in made] == [groups]


def test_a_text_with_little_in_common_does_not_cost_the_others_their_beginning() -> None:
    """Three share 100 tokens; the fourth shares 40 with them, which would save less."""
    long = [[*range(100), 200 + at] for at in range(3)]
    other = [*range(40), 300, 301]

    made = plan([*long, other], 1000)

    assert [(group.shared, group.batches) for group in made] == [(99, ((0, 1, 2),)), (0, ((3,),))]


def test_texts_are_filled_up_behind_or_before() -> None:
    assert padded([[1, 2], [3]], 3) == [[1, 2, 0], [3, 0, 0]]
    assert padded([[1, 2], [3]], 3, left=True) == [[0, 1, 2], [0, 0, 3]]
