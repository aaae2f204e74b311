"""A server of our own as a child process: started with its settings, ended with its parent.

The child is a module of this package. It runs in a session of its own, so that Ctrl-C reaches the
run alone; it reads its settings as one JSON line from standard input, answers with one JSON line on
standard output, and ends when its standard input does: with the run, also if that is killed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from probe.errors import ProviderDown

_STOP_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What is started.

    Attributes:
        module: Run as `python -m`.
        what: What it is, for messages, such as "the embedded server".
        within_s: Time it has to answer with its first line (seconds).
    """

    module: str
    what: str
    within_s: float


class Child:
    """One such process."""

    def __init__(self, program: Program, model: str, log: Path) -> None:
        """Ready to be started.

        Args:
            program: What is started.
            model: The model it serves, for messages.
            log: Where its own output goes.
        """
        self._program = program
        self._model = model
        self._log = log
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, settings: Mapping[str, object], of: str) -> dict[str, Any]:
        """Start it and wait for its first line, which is returned parsed.

        Args:
            settings: Its settings, sent as JSON.
            of: What it is started with, for messages: a file's name.

        Raises:
            ProviderDown: It did not start; in its own words where it has some (`error`, `fix`).
        """
        process = self._process = await self._spawn()
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the child was started without pipes")
        process.stdin.write((json.dumps(settings) + "\n").encode())
        try:
            async with asyncio.timeout(self._program.within_s):
                await process.stdin.drain()
                line = await process.stdout.readline()
            said = json.loads(line)
            if not isinstance(said, dict):
                raise ValueError("no object")
        except (TimeoutError, ValueError, ConnectionError):
            await self.close()
            last = await asyncio.to_thread(self._last_lines)
            found = f"{self._program.what} did not start with {of} ({last})"
            raise ProviderDown(self._model, found, f"see {self._log}") from None
        if "error" in said:
            await self.close()
            raise ProviderDown(self._model, str(said["error"]), str(said.get("fix", "")))
        return said

    async def _spawn(self) -> asyncio.subprocess.Process:
        with await asyncio.to_thread(self._log.open, "ab") as log:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                self._program.module,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )

    def _last_lines(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        wrong = [line for line in lines if "error" in line.lower() or "fail" in line.lower()]
        return " ".join((wrong or lines or ["it said nothing"])[-1].split())[-200:]

    async def close(self) -> None:
        """Stop it. May be called more than once."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(_STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
