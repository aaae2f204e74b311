"""`probe sql` on a real terminal: Ctrl-C, paging, and runs that begin and end beside it."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from store.database import Database
from store.insert import insert
from tests.probe.experiments_for_tests import CELLS, probe, write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, serving
from tests.store.owner_for_tests import CELLS as ROWS
from tests.store.owner_for_tests import small_experiment
from tests.store.served_for_tests import ENDLESS, ROOT, owning

_ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|[@-Z\\-_=>]|\][^\x07]*\x07)")


@dataclass
class Terminal:
    """A shell on a pseudo-terminal."""

    handle: int
    process: subprocess.Popen[bytes]
    unread: str = ""

    def types(self, text: str) -> None:
        self.unread = ""
        os.write(self.handle, text.encode())

    def asks(self, text: str, wanted: str) -> None:
        """Type a line, see an answer, and wait until the next can be typed."""
        self.types(f"{text}\r")
        self.shows(wanted)
        self.shows("probe>")

    def shows(self, wanted: str, within_s: float = 40) -> None:
        """Read until a text is shown that was not waited for before; escape codes are no text."""
        until = time.monotonic() + within_s
        while wanted not in (shown := _ESCAPES.sub("", self.unread)):
            assert time.monotonic() < until, shown
            if select.select([self.handle], [], [], 0.2)[0]:
                data = os.read(self.handle, 65536).decode(errors="replace")
                if "\x1b[6n" in data:  # the prompt asks where the cursor is
                    os.write(self.handle, b"\x1b[1;1R")
                self.unread += data
        self.unread = shown.split(wanted, 1)[1]


@contextmanager
def shell(store: Path, state: Path, **environment: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    variables = {"TERM": "xterm", "XDG_STATE_HOME": str(state), "LINES": "24", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-m", "probe", "sql", "--store", str(store)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=ROOT,
        env=os.environ | variables | environment,
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - a terminal's Ctrl-C goes to who controls it
    )
    os.close(theirs)
    try:
        terminal = Terminal(ours, process)
        terminal.shows("probe>")
        yield terminal
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _take_terminal() -> None:
    import fcntl  # noqa: PLC0415 - in the child
    import termios  # noqa: PLC0415

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def filled(path: Path) -> Path:
    with Database(path) as database:
        database.call(lambda connection: insert(connection, small_experiment()))
    return path


def test_ctrl_c_stops_a_query_and_not_the_shell(tmp_path: Path) -> None:
    """And the store's file is free again."""
    store = filled(tmp_path / "store")
    with shell(store, tmp_path) as terminal:
        terminal.types(f"{ENDLESS};\r")
        time.sleep(2)
        terminal.types("\x03")
        terminal.shows("stopped")
        terminal.shows("probe>")
        with Database(store):
            pass
        terminal.asks("select 40 + 2 as answer;", "42")
        terminal.types("\x04")

        assert terminal.process.wait(timeout=20) == 0


def test_runs_begin_and_end_beside_an_open_shell(tmp_path: Path) -> None:
    """Also Ctrl-C while one answers; who answers is said in a line."""
    store = filled(tmp_path / "store")
    with shell(store, tmp_path) as terminal:
        with owning(store) as owner:
            assert owner.said == "serving"
            terminal.types("select 'a' || count(*) from replies;\r")
            terminal.shows(f"a run is on (process {owner.process.pid}) and answers")
            terminal.shows(f"a{2 * ROWS}")
            terminal.shows("probe>")
            terminal.types(f"{ENDLESS};\r")
            time.sleep(4)
            terminal.types("\x03")
            terminal.shows(f"stopped waiting; the run (process {owner.process.pid}) goes on")
            terminal.shows("probe>")
            terminal.asks("select 'b' || count(*) from replies;", f"b{2 * ROWS}")
        terminal.asks("select 'c' || count(*) from replies;", f"c{2 * ROWS}")


def test_a_run_starts_while_the_shell_waits(tmp_path: Path) -> None:
    """A real `probe run` into the store that the shell has just read."""
    with serving(FakeEndpoint()) as url:
        experiment = write_experiment(tmp_path, url)
        store = filled(tmp_path / "store")
        with shell(store, tmp_path) as terminal:
            terminal.asks("select 'first' || count(*) from cells;", f"first{ROWS}")
            ran = probe("run", experiment, "--store", store)
            terminal.asks("select 'then' || count(*) from cells;", f"then{ROWS + CELLS}")

    assert ran.returncode == 0, ran.stderr


def test_a_long_result_goes_through_the_users_pager(tmp_path: Path) -> None:
    store = filled(tmp_path / "store")
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ncat > {tmp_path}/paged\necho paged it\n")
    pager.chmod(0o755)

    with shell(store, tmp_path, PAGER=str(pager)) as terminal:
        terminal.asks("select 1 as short;", "1 row")
        terminal.asks("from range(100);", "paged it")
        terminal.types("\\q\r")
        terminal.process.wait(timeout=20)

    assert "100 rows" in (tmp_path / "paged").read_text()
    assert "short" not in (tmp_path / "paged").read_text()


@pytest.mark.parametrize("word", ["\\q", "quit", ".exit"])
def test_every_way_out_leaves(tmp_path: Path, word: str) -> None:
    with shell(filled(tmp_path / "store"), tmp_path) as terminal:
        terminal.types(f"{word}\r")

        assert terminal.process.wait(timeout=20) == 0
