"""Draws held against the greedy continuation: what the memory study makes of stored samples."""

from __future__ import annotations

import json
from dataclasses import replace

from analysis.studies.memory.continued import SHARES, continued
from store.insert import insert
from store.read import Connection
from tests.store.rows_for_tests import (
    cell_row,
    experiment_row,
    item_row,
    memory,
    model_row,
    prompt_row,
    reply_row,
)

GREEDY = " ".join(f"word{number}" for number in range(40))
NEAR = GREEDY.replace("word7", "other")
"""One word in forty is another: within a twentieth."""
FAR = GREEDY.replace("word", "stone")


def put(connection: Connection, item: str, kind: str, replies: list[str]) -> None:
    """A passage with its samples, the greedy one first."""
    row = replace(
        item_row(item, task="output_distribution"),
        work=f"Work of {item}",
        flags=json.dumps([kind]),
    )
    prompt = prompt_row(item, "original")
    cells = [cell_row(prompt, sample=number) for number in range(len(replies))]
    insert(connection, [row, prompt, *cells])
    insert(connection, [reply_row(c.key, text=t) for c, t in zip(cells, replies, strict=True)])


def test_peakedness_is_the_share_of_draws_near_the_greedy_one() -> None:
    """Two of four draws for the well-known passage, none for the little-known one."""
    connection = memory()
    insert(connection, [experiment_row(), model_row()])
    put(connection, "a", "well_known", [GREEDY, NEAR, GREEDY, FAR, FAR])
    put(connection, "b", "little_known", [GREEDY, FAR, FAR, FAR, FAR])
    put(connection, "greedy alone", "well_known", [GREEDY])

    found = continued(connection, "small", seed=7)

    assert found is not None
    scores = {(score.row, score.column): score for score in found.shares()}
    row = "output_distribution peakedness"
    assert scores[row, "well_known"].value == 50.0
    assert scores[row, "little_known"].value == 0.0
    assert scores[row, "difference"].value == 50.0
    row = "output_distribution contaminated"
    assert scores[row, "well_known"].value == 100.0
    assert {score.table for score in scores.values()} == {SHARES}
    assert found.labels[row] == "Draws peaked (CDD)"
    assert {score.n for score in scores.values() if score.column == "well_known"} == {1}
