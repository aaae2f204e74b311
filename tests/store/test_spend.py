"""What an experiment cost: hand-made attempts in, sums worked out by hand out."""

from __future__ import annotations

from store.insert import insert
from store.read import Connection, ask
from store.rows import Row
from tests.store.rows_for_tests import (
    attempt_row,
    cell_row,
    experiment_row,
    item_row,
    later,
    memory,
    prompt_row,
    run_row,
)

SPEND = "SELECT model, requests, troubles, usd, uncertain_usd FROM spend ORDER BY model"


def store(*rows: Row) -> Connection:
    """Two models with a cell each that share a key, and each one of its own."""
    connection = memory()
    shared, own = prompt_row("a"), prompt_row("b")
    insert(
        connection,
        [
            experiment_row(),
            item_row("a"),
            item_row("b"),
            shared,
            own,
            cell_row(shared, model="m", key="shared"),
            cell_row(shared, model="n", key="shared", is_first=False),
            *(cell_row(own, model=model, key=f"own of {model}") for model in ("n", "m")),
            run_row(run_id="run-1"),
            *rows,
        ],
    )
    return connection


def bought(key: str, usd: float, run_id: str = "run-1") -> Row:
    return attempt_row(key, run_id=run_id, usd=usd)


def test_a_key_that_models_share_was_bought_once() -> None:
    """It counts for one of them, so that the sum over models is what was paid."""
    connection = store(bought("shared", 1.0), bought("own of m", 2.0), bought("own of n", 4.0))

    assert ask(connection, SPEND).rows == [("m", 2, 0, 3.0, None), ("n", 1, 0, 4.0, None)]
    assert ask(connection, "SELECT sum(usd), sum(requests) FROM spend").rows == [(7.0, 3)]


def test_samples_with_one_key_were_bought_once() -> None:
    """Cells multiply no attempt."""
    cell = cell_row(prompt_row("b"), model="m", key="own of m", sample=1, is_first=False)

    assert ask(store(cell, bought("own of m", 2.0)), SPEND).rows == [("m", 1, 0, 2.0, None)]


def test_every_attempt_counts_and_trouble_is_told_apart() -> None:
    """A failed try may have been paid for: what it cost at most is not added to what it cost."""
    connection = store(
        attempt_row("own of m", run_id="run-1", usd_at_most=0.5, error_kind="timeout"),
        attempt_row("own of m", run_id="run-1", usd_at_most=0.25, error_kind="broken"),
        bought("own of m", 2.0),
    )

    assert ask(connection, SPEND).rows == [("m", 3, 2, 2.0, 0.75)]


def test_an_unpriced_model_has_no_cost_not_0() -> None:
    assert ask(store(attempt_row("own of m", run_id="run-1")), SPEND).rows == [
        ("m", 1, 0, None, None)
    ]


def test_two_runs_of_a_plan_are_added_up() -> None:
    """Also where the second came after a jump of the clock."""
    connection = store(
        run_row(run_id="run-2", started_at=later(-50)),
        bought("own of m", 1.0),
        bought("own of m", 2.0, "run-2"),
    )

    assert ask(connection, SPEND).rows == [("m", 2, 0, 3.0, None)]


def test_plans_of_one_experiment_are_added_up_and_others_left_out() -> None:
    """A change of an experiment's file does not make what was spent on it vanish."""
    own = prompt_row("b")
    connection = store(
        experiment_row("plan-2"),
        cell_row(own, experiment_id="plan-2", model="m", key="own of m"),
        run_row("plan-2", run_id="run-2"),
        experiment_row("plan-3", experiment="other"),
        cell_row(own, experiment_id="plan-3", model="m", key="own of m"),
        run_row("plan-3", run_id="run-3"),
        bought("own of m", 1.0),
        bought("own of m", 2.0, "run-2"),
        bought("own of m", 4.0, "run-3"),
    )

    assert ask(connection, "SELECT experiment, model, usd FROM spend ORDER BY ALL").rows == [
        ("other", "m", 4.0),
        ("small", "m", 3.0),
    ]
