"""Owners of stores in processes of their own, and what others do to them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import psutil

from store.live import Live, load_extensions, read_live
from store.read import Reader, ask, open_read

ROOT = Path(__file__).parents[2]
COUNT = "SELECT count(*) FROM replies"
ENDLESS = "SELECT count(*) FROM range(3000000) AS a, range(3000000) AS b WHERE a.range*b.range = 7"


@dataclass
class Owner:
    """A process that owns and serves a store."""

    path: Path
    process: subprocess.Popen[str]
    said: str = field(init=False)

    def __post_init__(self) -> None:
        self.said = self._line()

    @property
    def live(self) -> Live:
        found = read_live(self.path)
        assert found is not None
        return found

    def do(self, word: str) -> float:
        """Have it do something; how long that took (seconds)."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        return float(self._line())

    def end(self) -> int:
        """Let it close its store; its exit code."""
        self.process.communicate(timeout=30)
        return self.process.returncode

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@contextmanager
def owning(path: Path, *words: str) -> Iterator[Owner]:
    """An owner while a test runs; killed if it has not ended by then."""
    command = [sys.executable, "-m", "tests.store.owner_for_tests", str(path), *words]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        try:
            yield Owner(path, process)
        finally:
            process.kill()


def counted(reader: Reader) -> int:
    return int(str(ask(reader, COUNT).rows[0][0]))


def count(path: Path) -> int:
    """Replies as someone sees who opens the store now."""
    reader = open_read(path)
    found = counted(reader)
    reader.close()
    return found


def stranger(owner: Owner, token: str | None) -> duckdb.DuckDBPyConnection:
    """DuckDB's own client, without any of our care."""
    connection = duckdb.connect(":memory:")
    load_extensions(connection)
    connection.execute("SET httpfs_client_implementation = 'httplib'")
    if token is not None:
        connection.execute(
            f"CREATE SECRET (TYPE quack, TOKEN '{token}', SCOPE '{owner.live.address}')"
        )
    return connection


def asking(path: Path, query: str) -> subprocess.Popen[str]:
    """`probe sql` in the background, once it is connected, and given a moment to send its query."""
    process = subprocess.Popen(
        [sys.executable, "-m", "probe", "sql", query, "--store", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    )
    client, until = psutil.Process(process.pid), time.monotonic() + 60
    while process.poll() is None and not client.net_connections("tcp"):
        assert time.monotonic() < until, "it does not connect"
        time.sleep(0.05)
    time.sleep(1)
    assert process.poll() is None, process.communicate()
    return process
