"""The view `contrasts` says what `analysis.contrasts` says, without resampling."""

from __future__ import annotations

import pytest
from scipy.special import stdtrit

from analysis.contrasts import ALL_TASKS, Contrast, contrasts
from store.read import Connection, ask
from tests.analysis.contrasts_for_tests import NR, ORIGIN, Asked, accuracy, both, f1, store
from tests.store.rows_for_tests import memory
from tests.store.sql_corpus_for_tests import fill
from tests.store.sql_store_for_tests import Design

Record = dict[str, object]
At = tuple[object, ...]


PLACE = ("task", "dataset", "choices", "wording", "descriptions", "model", "contrast")


def by_sql(connection: Connection) -> dict[At, Record]:
    """By place and contrast."""
    rows = ask(connection, "FROM contrasts").records()
    return {tuple(row[name] for name in PLACE): row for row in rows}


def resampled(connection: Connection, experiment: str) -> dict[At, Contrast]:
    """Likewise, as `probe table` has them; means over tasks, and pairs without items, are not."""
    return {
        tuple(getattr(each, name) for name in PLACE): each
        for each in contrasts(connection, experiment, 1)
        if each.task != ALL_TASKS and each.items
    }


@pytest.fixture(scope="module")
def drawn() -> Connection:
    """Eight works, three tasks of which one is measured by three F1s."""
    connection = memory()
    fill(connection, Design(items=144, samples=1, words=2, every=9_999), characters=1, dim=1)
    return connection


def test_differences_are_those_of_the_tables(drawn: Connection) -> None:
    """To the last digits, which depend on the order of adding; items and clusters are the same."""
    found, expected = by_sql(drawn), resampled(drawn, "drawn")

    assert found.keys() == expected.keys()
    assert len(found) == 3 * 2 * 10
    for at, each in expected.items():
        row = found[at]
        assert row["difference"] == pytest.approx(each.difference, abs=1e-12), at
        assert row["value_a"] == pytest.approx(each.value_a, abs=1e-12), at
        assert row["value_b"] == pytest.approx(each.value_b, abs=1e-12), at
        assert (row["items"], row["clusters"]) == (each.items, each.clusters), at
        assert row["clustered_by"] == each.clustered_by == "work", at
        assert row["a"] == f"{each.a.names} {each.a.prompt}", at


def test_intervals_are_as_wide_as_resampled_ones(drawn: Connection) -> None:
    """Within 12 %, and within 3 % on the mean: 2,000 draws are off by 1.6 % themselves."""
    found, expected = by_sql(drawn), resampled(drawn, "drawn")
    ratios = []
    for at, each in expected.items():
        row = found[at]
        if each.interval is None:
            assert row["low"] is None, at
            continue
        width = float(str(row["high"])) - float(str(row["low"]))
        ratios.append(width / (each.interval.high - each.interval.low))

    assert ratios == pytest.approx([1.0] * len(ratios), abs=0.12)
    assert sum(ratios) / len(ratios) == pytest.approx(1, abs=0.03)
    assert len(ratios) > 50


def test_an_interval_by_hand() -> None:
    """Four items of one answer: differences 1, 1, 0, -1; their standard error and t with 3."""
    marks = [([1], [0]), ([1], [0]), ([1], [1]), ([0], [1])]
    connection = store([each for at, pair in enumerate(marks) for each in both(f"i{at}", *pair)])

    (row,) = by_sql(connection).values()

    spread = sum((d - 0.25) ** 2 for d in (1, 1, 0, -1)) / 3  # of one difference
    reach = float(stdtrit(3, 0.975)) * (spread / 4) ** 0.5
    assert row["contrast"] == "origin - NR"
    assert (row["difference"], row["clustered_by"], row["clusters"]) == (0.25, "item", 4)
    assert row["low"] == pytest.approx(max(-1, 0.25 - reach), abs=1e-5)
    assert row["high"] == pytest.approx(min(1, 0.25 + reach), abs=1e-5)


@pytest.mark.parametrize(("works", "by"), [(5, "item"), (6, "work")])
def test_six_works_are_clusters_and_five_are_not(works: int, by: str) -> None:
    """As `analysis.statistics.clustered` has it."""
    asked = [
        each
        for at in range(12)
        for each in both(f"i{at}", [at % 2], [at % 3 % 2], work=f"w{at % works}")
    ]

    (row,) = by_sql(store(asked)).values()

    assert row["clustered_by"] == by


def test_items_of_a_scene_move_together_where_works_are_few() -> None:
    asked = [
        each
        for at in range(12)
        for each in both(f"i{at}", [at % 2], [at % 3 % 2], scene=f"s{at // 2}")
    ]

    (row,) = by_sql(store(asked)).values()

    assert (row["clustered_by"], row["clusters"]) == ("scene", 6)


def test_windows_and_samples_of_a_document_are_one_item() -> None:
    """Two documents of two windows with two samples each: pooled, and two clusters."""
    asked = [
        each
        for document in ("d1", "d2")
        for window in range(2)
        for each in both(f"{document}#{window}", [1, window], [0, 0], document=document)
    ]

    (row,) = by_sql(store(asked)).values()

    assert (row["items"], row["clusters"], row["difference"]) == (2, 2, 0.75)


def test_only_items_with_a_score_under_both_conditions_count() -> None:
    asked = [
        *both("i1", [1], [0]),
        Asked(item="i2", condition=ORIGIN, answers=[accuracy(1)]),
        Asked(item="i2", condition=NR, answers=[None]),
    ]

    (row,) = by_sql(store(asked)).values()

    assert (row["items"], row["value_a"], row["value_b"]) == (1, 1.0, 0.0)


def test_nothing_to_tell_an_interval_from_is_null() -> None:
    """No item differs; or there is one alone; or a metric is over nothing."""
    alike = [each for at in range(4) for each in both(f"i{at}", [1], [1])]
    alone = both("i1", [1], [0])
    over_nothing = [
        Asked(item=f"i{at}", condition=condition, answers=[[f1("muc", 0, 0, 0)]])
        for at in range(3)
        for condition in (ORIGIN, NR)
    ]
    for asked, difference in ((alike, 0.0), (alone, 1.0), (over_nothing, None)):
        (row,) = by_sql(store(asked)).values()

        assert (row["difference"], row["low"], row["high"]) == (difference, None, None)


def test_any_two_conditions_are_compared_as_the_named_ones_are(drawn: Connection) -> None:
    """And the other way round, with the sign turned."""
    named = ask(
        drawn,
        "SELECT * EXCLUDE (contrast) FROM contrasts WHERE contrast = 'origin - NR' ORDER BY ALL",
    ).rows
    query = "FROM paired('{}', '{}') ORDER BY ALL"
    there = ask(drawn, query.format("original baseline", "cross_culture baseline"))
    back = ask(drawn, query.format("cross_culture baseline", "original baseline"))

    at = there.columns.index("difference")
    assert len(named) == 6
    assert [row[: at - 2] for row in there.rows] == [row[: at - 2] for row in named]
    assert [row[at] for row in there.rows] == pytest.approx([row[at] for row in named])
    assert [row[at] for row in back.rows] == pytest.approx([-float(str(r[at])) for r in named])
