"""Where names stand in a passage whose likelihood is asked for: outside them nothing changes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from prompts import Character, Item, NamePolicy, SetAside, Shown, show
from prompts.datasets import Selection
from prompts.datasets.play_passages import read
from store.assets import asset_path
from store.catalogue import PLAYS

OTHERS = ("masked", "same_culture", "cross_culture")
POLICY = NamePolicy(seed=7)


def outside(shown: Shown) -> list[str]:
    """The stretches of the text between its names, before the first and after the last."""
    text, ends = shown.item.text, [0]
    for start, end in shown.names_at:
        ends += [start, end]
    ends.append(len(text))
    return [text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True)]


def item(text: str, *cast: Character, task: str = "passage_likelihood") -> Item:
    return Item(
        item_id="a", task=task, dataset="passages", work="Mill", text=text, gold={}, cast=cast
    )


WIFE = Character(name="Lady Grey", gender="female")
GREY = Character(name="Grey", gender="male")
TEXT = "LADY GREY\nWho goes there? Is it you, Grey, or the miller?"


def test_a_title_belongs_to_the_name_under_every_strategy() -> None:
    """By hand: the mask of a wife takes "Lady" along, another name leaves it; none measures it."""
    shown = show(item(TEXT, WIFE, GREY), "original", POLICY)

    names = [shown.item.text[start:end] for start, end in shown.names_at]
    assert names == ["LADY GREY", "Grey"]
    for other in OTHERS:
        assert outside(show(item(TEXT, WIFE, GREY), other, POLICY)) == outside(shown)


def test_places_are_in_order_and_apart() -> None:
    shown = show(item(TEXT, WIFE, GREY), "cross_culture", POLICY)

    assert all(start < end for start, end in shown.names_at)
    assert all(a[1] < b[0] for a, b in pairwise(shown.names_at))


def test_tasks_that_ask_for_no_likelihood_have_no_places() -> None:
    shown = show(item(TEXT, WIFE, GREY, task="summarization"), "masked", POLICY)

    assert shown.names_at == ()


@pytest.mark.parametrize("work", ["Macbeth", "Romeo and Juliet", "Richard III"])
def test_outside_the_names_of_the_plays_every_strategy_shows_the_same_words(work: str) -> None:
    """Every passage that a strategy can show."""
    if not asset_path(PLAYS).exists():
        pytest.skip("needs the plays in the cache: run `probe data fetch shakespeare`")
    found = list(read(asset_path(PLAYS), Selection(task="passage_likelihood", works=(work,))))

    compared = 0
    for each in found:
        original = show(each, "original", POLICY)
        for other in OTHERS:
            try:
                shown = show(each, other, POLICY)
            except SetAside:
                continue
            assert outside(shown) == outside(original), (each.item_id, other)
            compared += 1
    assert compared >= 2 * len(found) > 0
