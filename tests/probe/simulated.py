"""Simulated endpoints for tests: as a child process, or in the test's own loop with a client."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp

from probe.simulate import Settings, serving


@contextmanager
def simulated(*flags: object) -> Iterator[str]:
    """`probe simulate` started with these flags, as its base URL; killed at the end."""
    words = [sys.executable, "-m", "probe", "simulate", "--until-stdin-closes", *map(str, flags)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        try:
            url = child.stdout.readline().strip()
            assert url, child.stderr.read()
            yield url
        finally:
            child.kill()


def recorded(record: Path) -> list[dict[str, Any]]:
    """The events of a `--record` file, in order."""
    return [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]


def digest(text: str) -> str:
    """A prompt as a record file names it."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Client:
    """One session against one endpoint."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.session, self.url = session, url

    async def post(
        self, body: object, path: str = "/chat/completions", **headers: str
    ) -> tuple[int, Mapping[str, str], Any]:
        """Status, headers and parsed body of a response."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        async with self.session.post(self.url + path, data=raw, headers=headers) as response:
            return response.status, response.headers, json.loads(await response.read())

    async def stats(self) -> dict[str, Any]:
        """The endpoint's counts."""
        async with self.session.get(f"{self.url}/stats") as response:
            counts: dict[str, Any] = await response.json()
            return counts


@asynccontextmanager
async def endpoint(**settings: Any) -> AsyncIterator[Client]:  # noqa: ANN401 - any setting
    """An endpoint in this process, and a client of it."""
    async with serving(Settings(**settings)) as url, aiohttp.ClientSession() as session:
        yield Client(session, url)


def chat(prompt: str = "Who is Emma?", **params: object) -> dict[str, object]:
    """The body of a chat completion."""
    return {"model": "m", "messages": [{"role": "user", "content": prompt}], **params}
