"""A shell's session goes to whoever can answer: the file, a run, or the file again."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from probe.cli.sql_shell.session import Session
from store.database import Database
from store.errors import StoreBusy, StoreGone
from store.read import Reader
from tests.store.owner_for_tests import CELLS
from tests.store.served_for_tests import COUNT, owning


def test_who_answers_is_said_when_it_changes(tmp_path: Path) -> None:
    """Once, not with every query; nothing is said of a file that is read from the start."""
    said: list[str] = []
    session = Session(tmp_path, said.append)
    with owning(tmp_path) as owner:
        pid = owner.process.pid
        assert session.ask(COUNT).rows == [(CELLS,)]
        assert session.ask(COUNT).rows == [(CELLS,)]
        assert session.run == pid
        owner.process.kill()
        owner.process.wait()
    assert session.ask(COUNT).rows == [(CELLS,)]
    quiet: list[str] = []
    Session(tmp_path, quiet.append).ask(COUNT)

    assert said == [
        "no run is on any more; the store's file is read",
    ]
    assert quiet == []


def test_a_query_that_a_run_took_along_is_asked_again(tmp_path: Path) -> None:
    said: list[str] = []
    with Database(tmp_path):
        pass
    gone = [StoreGone(tmp_path)]

    def act(reader: Reader) -> object:
        if gone:
            raise gone.pop()
        return reader.answer("SELECT 1").rows[0][0]

    assert Session(tmp_path, said.append).do(act) == 1
    assert said == ["the run ended before it had answered; asking again"]


def test_a_store_that_is_taken_is_waited_for_and_then_told(tmp_path: Path) -> None:
    said: list[str] = []
    with owning(tmp_path, "without-wheels") as owner:
        with pytest.raises(StoreBusy, match=f"in use by process {owner.process.pid}"):
            Session(tmp_path, said.append, patience_s=0).ask(COUNT)
        ending = threading.Timer(2, owner.end)
        ending.start()
        found = Session(tmp_path, said.append).ask(COUNT).rows
        ending.join()

    assert found == [(CELLS,)]
    assert said == [f"process {owner.process.pid} has the store; waiting until it answers or ends"]
