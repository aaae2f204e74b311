"""A real PostgreSQL server for tests, in a folder of its own; they skip where there is none.

PostgreSQL refuses to run as root, so root starts it as the user it installs, or as nobody.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_USER = "probe"
_SETTINGS = ("fsync=off", "listen_addresses=", "full_page_writes=off", "max_connections=50")


@dataclass(slots=True)
class Postgres:
    """A server that tests start and stop.

    Attributes:
        folder: Its data, and its socket.
    """

    folder: Path
    programs: Path
    _made: int = 0
    _process: subprocess.Popen[bytes] | None = field(default=None)

    def address(self, data: Path | str = "", **more: str) -> str:
        """A lake's address in a schema of its own, so that tests share the server."""
        self._made += 1
        words = {"host": str(self.folder), "dbname": "postgres", "user": _USER}
        words |= {"schema": f"lake{self._made}"} | more
        if data:
            words["data"] = str(data)
        return "ducklake:postgres:" + " ".join(f"{key}={value}" for key, value in words.items())

    def start(self) -> None:
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        command = [self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*map(str, command), *settings],
                stderr=log,
                start_new_session=True,
                **_as_another(),
            )
        until = time.monotonic() + 30
        while not (self.folder / ".s.PGSQL.5432").exists():
            assert time.monotonic() < until, (self.folder / "log").read_text()
            time.sleep(0.02)

    def stop(self) -> None:
        """End it at once: whoever is connected loses the connection."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        self._process.wait(30)


def _as_another() -> dict[str, Any]:
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    pytest.skip("root has no user to run PostgreSQL as")


@contextlib.contextmanager
def running_postgres() -> Iterator[Postgres]:
    """A server that lasts as long as the block."""
    found = shutil.which("initdb")
    if found is None or shutil.which("postgres") is None:
        pytest.skip("needs a PostgreSQL server: initdb and postgres on the PATH")
    pytest.importorskip("duckdb_extension_ducklake", reason="needs the extra `lake`")
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    another = _as_another()
    try:
        if another:
            os.chown(folder, another["user"], another["group"])
        subprocess.run(
            [found, "-D", folder / "data", "-A", "trust", "-U", _USER, "--no-sync"],
            check=True,
            capture_output=True,
            **another,
        )
        server = Postgres(folder, Path(found).parent)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
