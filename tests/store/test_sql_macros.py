"""Macros and views for the usual questions: hand-made rows in, values worked out elsewhere out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import binomtest

from store.errors import QueryError
from store.read import Connection, ask
from tests.store.rows_for_tests import (
    attempt_row,
    cell_row,
    experiment_row,
    item_row,
    prompt_row,
    reply_row,
    run_row,
    score_row,
)
from tests.store.sql_corpus_for_tests import small_store
from tests.store.test_views import one, store


@pytest.fixture(scope="module")
def small() -> Connection:
    return small_store()


def answered(answers: dict[str, list[str | None]]) -> Connection:
    """By item, what was answered in each sample; None where no answer was found."""
    prompts = {name: prompt_row(name) for name in answers}
    cells = [
        (cell_row(prompts[name], sample=sample), answer)
        for name, own in answers.items()
        for sample, answer in enumerate(own)
    ]
    return store(
        experiment_row(),
        *(item_row(name) for name in answers),
        *prompts.values(),
        *(cell for cell, _ in cells),
        *(reply_row(cell.key) for cell, _ in cells),
        *(
            score_row(
                cell,
                0,
                answer=answer and f'{{"title":"{answer}"}}',
                unparsed=None if answer else "no title",
            )
            for cell, answer in cells
        ),
    )


def test_t_is_scipys(small: Connection) -> None:
    """Within 0.001 % at every degree of freedom from 1, whole or not."""
    freedoms = [float(each) for each in np.geomspace(1, 1e6, 400)]

    found = ask(small, "SELECT t_95(unnest($v))", {"v": freedoms}).rows

    assert [row[0] for row in found] == pytest.approx(stdtrit(freedoms, 0.975), rel=1e-5)


def test_accuracy_by_condition_is_the_view(small: Connection) -> None:
    """The same numbers as the view `accuracy`, intervals among them."""
    where = "task, dataset, choices, model, names, prompt, wording, descriptions"
    shown = f"{where}, n, items, replies, accuracy, low, high, missing"

    found = ask(small, f"SELECT {shown} FROM accuracy_by('{where}') ORDER BY ALL").rows

    assert found == ask(small, f"SELECT {shown} FROM accuracy ORDER BY ALL").rows
    assert len(found) == 3 * 2 * 12


def test_an_item_counts_once_whatever_it_was_asked_under(small: Connection) -> None:
    """Over all conditions and samples, eight titles are eight titles."""
    found = one(small, "FROM accuracy_by('task') WHERE task = 'source_identification'")

    share = float(str(found["accuracy"]))
    assert (found["items"], found["n"]) == (8, 8 * 12 * 2 * 3)
    at_least = binomtest(int(8 * share), 8).proportion_ci(method="wilson")
    at_most = binomtest(int(8 * share) + 1, 8).proportion_ci(method="wilson")
    assert at_least.low <= float(str(found["low"])) <= at_most.low
    assert at_least.high <= float(str(found["high"])) <= at_most.high


@pytest.mark.parametrize("macro", ["accuracy_by", "agreement"])
@pytest.mark.parametrize(
    "columns",
    ["", "task,", "1 + 1", "task; DROP TABLE replies", "task FROM read_text(''/etc/hosts'') --"],
)
def test_columns_are_names_and_nothing_else(small: Connection, macro: str, columns: str) -> None:
    """What goes into a query's text cannot bring a query of its own."""
    with pytest.raises(QueryError, match="give names of columns of results"):
        ask(small, f"FROM {macro}('{columns}')")


@pytest.mark.parametrize("macro", ["accuracy_by", "agreement"])
def test_a_column_that_is_not_there_is_named(small: Connection, macro: str) -> None:
    with pytest.raises(QueryError, match="modle"):
        ask(small, f"FROM {macro}('task, modle')")


def test_agreement_by_hand() -> None:
    """Three answers alike, and two of three: 1 and 1/3 of the pairs; one answer alone is none.

    Of six answers A has 4, B one and C one: two drawn by chance are alike in 1/2 of cases
    ((16 + 1 + 1) / 36), and what is beyond that is kappa.
    """
    connection = answered(
        {"a": ["A", "A", "A"], "b": ["A", "B", "C"], "c": ["A", None], "d": [None, None]}
    )

    found = one(connection, "FROM agreement('task')")

    assert (found["prompts"], found["answers"], found["unanimous"]) == (2, 6, 0.5)
    assert found["pairwise"] == pytest.approx(0.5)
    assert found["kappa"] == pytest.approx(0)


def test_agreement_is_fleiss_kappa() -> None:
    """Fleiss, Levin & Paik (2003) by their formula: ten prompts, four answers each, two kinds."""
    counts = [4, 3, 0, 1, 4, 2, 0, 4, 3, 0]  # answers A of four
    connection = answered(
        {f"i{at}": [*"A" * own, *"B" * (4 - own)] for at, own in enumerate(counts)}
    )
    alike = np.mean([(a * (a - 1) + (4 - a) * (3 - a)) / 12 for a in counts])
    share = sum(counts) / 40
    chance = share**2 + (1 - share) ** 2

    found = one(connection, "FROM agreement('model')")

    assert found["pairwise"] == pytest.approx(alike)
    assert found["kappa"] == pytest.approx((alike - chance) / (1 - chance))


def test_agreement_by_a_column_that_is_null() -> None:
    """Rows whose column is NULL are a group like any other."""
    connection = answered({"a": ["A", "A"]})

    assert one(connection, "FROM agreement('error')")["pairwise"] == 1.0


def test_cosine_of_vectors(small: Connection) -> None:
    """Of lists and of arrays; of two lengths there is none."""
    found = ask(
        small,
        "SELECT cosine([3, 4], [4, 3]), cosine([1, 0]::FLOAT[2], [0.0, 1.0]), cosine([1], [1, 2])",
    ).rows

    assert found == [(pytest.approx(0.96), 0.0, None)]


def test_cosines_are_the_rows_of_similarity(small: Connection) -> None:
    found = ask(small, "FROM cosines('Emma 1', 'Hamlet 1')").records()
    expected = ask(
        small,
        "SELECT cosine FROM similarity WHERE character = 'Hamlet 1' AND other = 'Emma 1'",
    ).rows

    assert [(each["encoder"], each["cosine"]) for each in found] == [("drawn", expected[0][0])]


def test_attempts_are_counted_by_error() -> None:
    """Two of three in vain, the last words of each kind kept; a key of no cell has no model."""
    prompt = prompt_row()
    cell = cell_row(prompt)
    connection = store(
        experiment_row(),
        run_row(),
        item_row(),
        prompt,
        cell,
        replace(attempt_row(cell.key, error_kind="rate_limited"), status=429, error="first"),
        attempt_row(cell.key),
        attempt_row("other", error_kind="timeout"),
    )

    found = ask(
        connection,
        "SELECT model, error_kind, status, attempts, share, keys, median_latency_s, last_error"
        " FROM attempts_by_error ORDER BY ALL",
    ).rows

    assert found == [
        ("m", "rate_limited", 429, 1, 0.5, 1, 0.25, "first"),
        ("m", None, 200, 1, 0.5, 1, 0.25, None),
        (None, "timeout", 200, 1, 1.0, 1, 0.25, None),
    ]


def test_each_leak_is_a_row() -> None:
    """Of prompts of the current plan only, once whatever the samples."""
    shown = replace(
        prompt_row("a", "masked"), leaks='{"Emma":2,"Mr $.Knightley":1}', titles='{"Emma":1}',
        places='{"Highbury":3}', phrases='{"a \\"handsome\\" girl":1}',
    )  # fmt: skip
    gone = replace(prompt_row("b", "masked"), leaks='{"Emma":9}')
    connection = store(
        experiment_row(),
        item_row("a"),
        item_row("b"),
        shown,
        gone,
        *(cell_row(shown, sample=sample) for sample in range(3)),
    )

    found = ask(
        connection, "SELECT item_id, names, kind, leak, occurrences FROM leaks ORDER BY ALL"
    ).rows

    assert found == [
        ("a", "masked", "name", "Emma", 2),
        ("a", "masked", "name", "Mr $.Knightley", 1),
        ("a", "masked", "phrase", 'a "handsome" girl', 1),
        ("a", "masked", "place", "Highbury", 3),
        ("a", "masked", "title", "Emma", 1),
    ]
