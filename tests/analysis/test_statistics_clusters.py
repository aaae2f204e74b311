"""What moves together: works where there are six of them, else scenes, else items."""

from __future__ import annotations

import pytest

from analysis.statistics import clustered


def names(kind: str, count: int, each: int) -> list[str]:
    return [f"{kind}{at}" for at in range(count) for _ in range(each)]


@pytest.mark.parametrize(
    ("works", "scenes", "by", "count"),
    [
        (names("w", 6, 4), names("s", 12, 2), "work", 6),
        (names("w", 5, 4), names("s", 10, 2), "scene", 10),
        (names("w", 5, 4), names("s", 5, 4), "item", 20),
        (names("w", 1, 20), names("s", 20, 1), "item", 20),
        (names("w", 20, 1), names("s", 20, 1), "work", 20),
        (["w"], ["s"], "item", 1),
        ([], [], "item", 0),
    ],
)
def test_the_largest_of_which_there_are_enough(
    works: list[str], scenes: list[str], by: str, count: int
) -> None:
    """With five works no sign-flip test can reach 5 %: 2 of 32 flips are as far as any."""
    found = clustered(works, scenes)

    assert (found.by, found.count) == (by, count)


def test_scenes_of_two_works_may_go_by_the_same_name() -> None:
    """Each work has an episode 1."""
    works, scenes = names("w", 2, 8), names("s", 4, 2) * 2

    found = clustered(works, scenes)

    assert (found.by, found.count) == ("scene", 8)
    assert found.of.tolist() == [at for at in range(8) for _ in range(2)]
