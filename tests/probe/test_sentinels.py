"""Cells that are asked again through a run, to see whether the server is still the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web

from analysis.tables import experiment_table
from probe.cli.show_experiment import show_experiment
from store.read import open_read
from tests.probe.experiments_for_tests import CELLS
from tests.probe.fake_endpoint import completion, reply_to
from tests.probe.runs import query, run_scripted

TWO = "max_in_flight = 1\nsentinels = 2\nsentinel_every = 10"
"""With 24 cells: one repeat after 10 replies, one after 20, and both sentinels at the end."""
REPEATS = 4


async def test_sentinels_are_asked_again_and_their_replies_stand(tmp_path: Path) -> None:
    """A server that never changes repeats itself every time; no reply is replaced."""
    ended, endpoint = await run_scripted(tmp_path, lambda *_: None, TWO)

    assert ended.asked == CELLS
    assert endpoint.asked.total() == CELLS + REPEATS
    store = tmp_path / "store"
    assert query(store, "SELECT repeats, same, rate FROM repeat_rates") == [(REPEATS, REPEATS, 1.0)]
    assert query(store, "SELECT count(*), count(DISTINCT key) FROM replies") == [(CELLS, CELLS)]
    assert query(store, "SELECT count(*) FROM attempts") == [(CELLS + REPEATS,)]
    stored = query(store, "SELECT prompt_text, reply FROM results")
    assert all(reply == reply_to(str(prompt)) for prompt, reply in stored)


async def test_a_server_that_changes_under_a_run_is_shown(tmp_path: Path) -> None:
    """Whatever is asked a second time gets another reply, from another build."""

    def scripted(times: int, _: str) -> web.Response | None:
        return completion("another") if times else None

    await run_scripted(tmp_path, scripted, TWO)

    store = tmp_path / "store"
    assert query(store, "SELECT repeats, same FROM repeat_rates") == [(REPEATS, 0)]
    assert query(store, "SELECT DISTINCT text FROM repeats") == [("another",)]
    (notes,) = experiment_table(open_read(store), "small").notes
    assert (notes["repeats"], notes["same"]) == (REPEATS, 0)


async def test_without_sentinels_nothing_is_asked_twice(tmp_path: Path) -> None:
    _, endpoint = await run_scripted(tmp_path, lambda *_: None)

    assert set(endpoint.asked.values()) == {1}
    assert query(tmp_path / "store", "SELECT count(*) FROM repeats") == [(0,)]


async def test_a_sentinel_that_cannot_be_asked_again_ends_nothing(tmp_path: Path) -> None:
    """A repeat that fails is an attempt and no more."""

    def scripted(times: int, _: str) -> web.Response | None:
        return web.Response(status=500) if times else None

    ended, _ = await run_scripted(tmp_path, scripted, TWO)

    assert (ended.asked, ended.failed, ended.how) == (CELLS, 0, "done")
    store = tmp_path / "store"
    assert query(store, "SELECT count(*) FROM repeats") == [(0,)]
    failed = "SELECT count(*) FROM attempts WHERE error_kind = 'http 500'"
    assert query(store, failed) == [(REPEATS,)]


async def test_what_is_shown_warns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await run_scripted(tmp_path, lambda times, _: completion("other") if times else None, TWO)

    show_experiment(experiment_table(open_read(tmp_path / "store"), "small"))

    shown = capsys.readouterr().out
    assert "asked again through the run: 0 of 4 replies were the same" in shown
