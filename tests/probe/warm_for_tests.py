"""`probe` in a process of its own that need not import again what another has imported.

Most of a command's time goes into importing. Here every call is forked off a process that did so
once: a process of its own with its own files, directory, environment and exit code, which only
starts warm. Where starting cold is the point, tests start `python -m probe`.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, TextIO

from probe.__main__ import main

_LOADED: Final = [
    "analysis.studies.grids",
    "analysis.studies.latex",
    "embedder.bring",
    "embedder.features",
    "embedder.worker",
    "probe.cli.audit_names",
    "probe.cli.check_dataset",
    "probe.cli.list_names",
    "probe.cli.show_audit",
    "probe.cli.show_experiment",
    "probe.cli.show_study",
    "probe.conduct",
    "probe.forecast",
    "probe.resolve",
    "probe.snapshot",
    "rich.live",
    "scipy.stats",
    "uvloop",
]
"""What commands import when they are called; with these comes nearly all that takes long."""

_CONTEXT: Final = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(_LOADED)


class Running:
    """A command on its way, with what of `subprocess.Popen` tests use of it.

    Attributes:
        words: What follows `probe`.
        pid: Its process.
        returncode: How it ended, once it has and was waited for or polled; -9 where it was killed.
    """

    def __init__(
        self,
        words: tuple[object, ...],
        environment: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        """Start it, in a session of its own as a terminal would give it.

        Args:
            words: What follows `probe`.
            environment: Added to this process's.
            cwd: Where it runs, if not here.
        """
        self.returncode: int | None = None
        self.words = [str(word) for word in words]
        self._folder = tempfile.TemporaryDirectory()
        self._files = Path(self._folder.name, "out"), Path(self._folder.name, "err")
        for file in self._files:
            file.touch()
        where = str(cwd or Path.cwd())
        self._process = _CONTEXT.Process(
            target=_run, args=(self.words, os.environ | (environment or {}), where, self._files)
        )
        self._process.start()
        self.pid = self._process.pid or 0

    def __enter__(self) -> Running:
        """It runs already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for its end."""
        self.communicate()
        self._folder.cleanup()

    def poll(self) -> int | None:
        """Its exit code, None while it runs."""
        self.returncode = self._process.exitcode
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Signal it, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it without a chance to say anything."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end; what it printed.

        Raises:
            subprocess.TimeoutExpired: It takes longer (seconds).
        """
        self._process.join(timeout)
        if self.poll() is None:
            raise subprocess.TimeoutExpired(self.words, timeout or 0.0)
        out, err = (file.read_text("utf-8") for file in self._files)
        return out, err


def warm(
    words: tuple[object, ...],
    *,
    within_s: float = 100,
    environment: dict[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, in this process's environment and directory unless told.

    Args:
        words: What follows `probe`.
        within_s: Killed if it takes longer.
        environment: Added to this process's.
        cwd: Where it runs, if not here.

    Raises:
        subprocess.TimeoutExpired: It took longer.
    """
    with Running(words, environment, cwd) as run:
        try:
            out, err = run.communicate(within_s)
        except subprocess.TimeoutExpired:
            run.kill()
            raise
        assert run.returncode is not None
        return subprocess.CompletedProcess(run.words, run.returncode, out, err)


def _run(words: list[str], environment: dict[str, str], cwd: str, files: tuple[Path, Path]) -> None:
    """What the new process does."""
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    sys.stdout = _onto(1, files[0], "strict")
    sys.stderr = _onto(2, files[1], "backslashreplace")
    sys.argv = ["probe", *words]
    main()


def _onto(number: int, path: Path, errors: str) -> TextIO:
    """A file as one of the standard streams, for what writes to the stream's number as well."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.dup2(file, number)
    os.close(file)
    return open(number, "w", encoding="utf-8", errors=errors, closefd=False)
