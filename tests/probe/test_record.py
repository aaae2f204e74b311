"""The store is the queue: plans go in once, in order, and come out as what is left to ask."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from probe.record import Recorded, Scope, chunks, recorded, standings
from probe.spent import spent
from store.database import Database
from tests.probe.experiments_for_tests import CELLS, write_experiment
from tests.probe.plans_for_tests import URL, conditions, drawn, larger, model_table
from tests.probe.stored_for_tests import (
    attempt_at,
    failure_of,
    keys,
    left,
    put,
    query,
    record,
    reply_to,
    run_of,
    scope_of,
    store_in,
)

ALL = "SELECT ordinal, cell_id, key, prompt_hash, model, sample FROM cells ORDER BY ordinal"
TWIN = f'[[models]]\nname = "twin"\nprovider = "openai"\nmodel = "fake"\nbase_url = "{URL}"\n'


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store_in(tmp_path) as opened:
        yield opened


def test_a_plan_goes_in_once_with_all_that_it_is_made_of(
    tmp_path: Path, database: Database
) -> None:
    with drawn(write_experiment(tmp_path, URL)) as plan:
        before = database.call(lambda owner: recorded(owner, plan.experiment_id))
        first, again = record(database, plan), record(database, plan)
        cells = [cell for block in plan.blocks() for cell in block.cells]

    assert before == Recorded(known=False, items=0, cells=0)
    assert first == again == Recorded(known=True, items=6, cells=CELLS)
    assert query(database, ALL) == [
        (cell.ordinal, cell.cell_id, cell.key, cell.condition.prompt_hash, "fake", cell.sample)
        for cell in cells
    ]
    assert query(database, "SELECT count(*), count(DISTINCT item_hash) FROM items") == [(6, 6)]
    assert query(database, "SELECT count(*), count(DISTINCT text) FROM prompts") == [(24, 24)]
    assert query(database, "SELECT count(*) FROM prompts JOIN items USING (item_hash)") == [(24,)]


def test_a_plan_comes_first_as_one_block_then_in_larger_pieces(tmp_path: Path) -> None:
    """Asking begins with the first; the rest costs few transactions."""
    with drawn(larger(tmp_path, a_work=15, tail=conditions(samples=40))) as plan:
        pieces = list(chunks(plan, Recorded(known=True, items=0, cells=0)))

    assert [len(piece.blocks) for piece in pieces] == [1, 4, 1]
    assert [piece.end.items for piece in pieces] == [8, 40, 45]
    assert [piece.end.cells for piece in pieces] == [8 * 160, 40 * 160, 45 * 160]


def test_a_recording_that_was_stopped_goes_on_where_it_was(
    tmp_path: Path, database: Database
) -> None:
    """Ordinals go on, no cell comes twice, and the whole is what one recording gives."""
    with drawn(larger(tmp_path, tail=model_table("second") + conditions(samples=2))) as plan:
        part = record(database, plan, most_chunks=1)
        assert 0 < part.items < plan.items
        whole = record(database, plan)
        with Database(tmp_path / "other") as other:
            record(other, plan)
            at_once = query(other, ALL)

    found = query(database, ALL)
    assert whole.cells == len(found) == 30 * 16
    assert [row[0] for row in found] == list(range(whole.cells))
    assert len({row[1] for row in found}) == len(found)
    assert found == at_once


def test_a_chunk_goes_in_whole_or_not_at_all(tmp_path: Path, database: Database) -> None:
    """A recording cut in the middle of one leaves nothing of it."""
    with drawn(write_experiment(tmp_path, URL)) as plan:
        (chunk,) = chunks(plan, Recorded(known=False, items=0, cells=0))
        broken = dataclasses.replace(chunk.end, recorded_at="never")  # type: ignore[arg-type]

        with pytest.raises((pa.ArrowInvalid, pa.ArrowTypeError), match=r"never|timestamp|str"):
            database.call(dataclasses.replace(chunk, end=broken).insert)
        counts = "SELECT (SELECT count(*) FROM cells), (SELECT count(*) FROM prompts)"
        after_failure = query(database, counts)
        database.call(chunk.insert)

    assert after_failure == [(0, 0)]
    assert query(database, counts) == [(CELLS, 24)]


def test_texts_that_another_plan_brought_are_not_stored_again(
    tmp_path: Path, database: Database
) -> None:
    experiment = write_experiment(tmp_path, URL)
    with drawn(experiment) as plan:
        record(database, plan)
    experiment.write_text(experiment.read_text().replace('name = "small"', 'name = "other"'))
    with drawn(experiment) as plan:
        record(database, plan)

    assert query(database, "SELECT count(*) FROM cells") == [(2 * CELLS,)]
    assert query(database, "SELECT count(*) FROM prompts") == [(24,)]
    assert query(database, "SELECT count(*) FROM items") == [(6,)]


def test_what_is_to_be_asked_comes_in_order_with_what_is_sent(
    tmp_path: Path, database: Database
) -> None:
    with drawn(write_experiment(tmp_path, URL)) as plan:
        record(database, plan)
        cells = [cell for block in plan.blocks() for cell in block.cells]
        page = left(database, scope_of(plan))

    assert [(each.ordinal, each.key, each.sample, each.text) for each in page] == [
        (cell.ordinal, cell.key, cell.sample, cell.text) for cell in cells
    ]


def test_pages_of_a_plan_put_together_are_all_of_it(tmp_path: Path, database: Database) -> None:
    with drawn(write_experiment(tmp_path, URL)) as plan:
        record(database, plan)
        scope = scope_of(plan)
        whole = left(database, scope)
        pages = [left(database, scope, after=at - 1, upto=at + 4) for at in range(0, CELLS, 5)]
        few = left(database, scope, most=7)

    assert [cell for page in pages for cell in page] == whole
    assert few == whole[:7]


def test_settled_cells_are_left_out(tmp_path: Path, database: Database) -> None:
    """What has a reply, what was given up for good, and what failed in this run."""
    with drawn(write_experiment(tmp_path, URL)) as plan:
        record(database, plan)
        every = keys(left(database, scope_of(plan)))
        put(
            database,
            reply_to(every[0]),
            reply_to(every[1], "now"),
            failure_of(every[2], permanent=True),
            failure_of(every[3], "now", permanent=False),
            failure_of(every[4], permanent=False),
        )

        assert keys(left(database, scope_of(plan))) == every[4:]
        assert keys(left(database, scope_of(plan, "later"))) == every[3:]


def test_what_was_given_up_for_good_is_asked_again_where_that_is_wanted(
    tmp_path: Path, database: Database
) -> None:
    """But once in a run, and never what has a reply by now."""
    with drawn(write_experiment(tmp_path, URL)) as plan:
        record(database, plan)
        every = keys(left(database, scope_of(plan)))
        put(
            database,
            failure_of(every[0], permanent=True),
            failure_of(every[1], "now", permanent=True),
            failure_of(every[2], permanent=True),
            reply_to(every[2]),
        )

        again = left(database, scope_of(plan, retry_failed=True))

    assert keys(again) == [every[0], *every[3:]]


def test_cells_that_share_a_key_are_asked_once(tmp_path: Path, database: Database) -> None:
    """Two names for one model, say: one reply serves both."""
    with drawn(write_experiment(tmp_path, URL, tail=TWIN + conditions())) as plan:
        record(database, plan)
        scope = scope_of(plan)
        here, there = (left(database, scope, model) for model in ("fake", "twin"))
        stand = database.call(lambda owner: standings(owner, scope))

    assert len(set(keys(here)) | set(keys(there))) == len(here) + len(there) == CELLS
    assert stand["fake"].to_ask + stand["twin"].to_ask == CELLS
    assert stand["fake"].cells == stand["twin"].cells == CELLS


def test_standings_count_what_was_settled_before_the_run(
    tmp_path: Path, database: Database
) -> None:
    with drawn(write_experiment(tmp_path, URL)) as plan:
        record(database, plan)
        every = left(database, scope_of(plan))
        put(
            database,
            *(reply_to(each.key) for each in every[:3]),
            reply_to(every[3].key, "now"),
            failure_of(every[4].key, permanent=True),
            failure_of(every[5].key, permanent=False),
        )

        stand = database.call(lambda owner: standings(owner, scope_of(plan)))["fake"]
        retried = database.call(lambda owner: standings(owner, scope_of(plan, retry_failed=True)))[
            "fake"
        ]

    assert (stand.cells, stand.held, stand.to_ask) == (CELLS, 4, CELLS - 4)
    assert (retried.held, retried.to_ask) == (3, CELLS - 3)


def test_the_spending_of_all_runs_of_an_experiment_counts(
    tmp_path: Path, database: Database
) -> None:
    """Of its earlier plans too, and of no other experiment."""
    experiment = write_experiment(tmp_path, URL)
    for number, change in enumerate(("seed = 3", "seed = 4", 'name = "other"')):
        right = "seed = 3" if change.startswith("seed") else 'name = "small"'
        path = experiment.with_stem(f"plan-{number}")
        path.write_text(experiment.read_text().replace(right, change, 1))
        with drawn(path) as plan:
            record(database, plan)
            run_id = f"run-{number}"
            put(
                database,
                run_of(plan, run_id),
                attempt_at("a", run_id, usd=0.5, at_most=None),
                attempt_at("b", run_id, usd=None, at_most=2.0),
                attempt_at("c", run_id, usd=None, at_most=None),
            )

    total = database.call(lambda owner: spent(owner, "small"))

    assert (total.usd, total.uncertain_usd, total.requests) == (1.0, 4.0, 6)
    nothing = database.call(lambda owner: spent(owner, "unheard of"))
    assert (nothing.usd, nothing.uncertain_usd, nothing.requests) == (0, 0, 0)


def test_a_scope_binds_what_the_queries_name() -> None:
    assert Scope(experiment_id="e", run_id="r").bound == {
        "experiment": "e",
        "run": "r",
        "retry": False,
    }
