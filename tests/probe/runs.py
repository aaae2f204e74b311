"""Runs for tests: in the test's own process, or as a user starts them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from probe.budget import Ceiling
from probe.conduct import Conductor, MakeProvider
from probe.ended import Ended
from probe.plan import Model
from probe.providers import OpenAIChat
from probe.resolve import find
from probe.spec import read_spec, read_toml
from store.database import Database
from store.read import ask, open_read
from tests.probe.experiments_for_tests import write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, Scripted, started
from tests.probe.warm_for_tests import Running


def no_progress(what: str, had: int, size: int | None) -> None:
    raise AssertionError(f"nothing is to be fetched, but {what} {had} {size}")


def over_http(model: Model, _: Path) -> OpenAIChat:
    """What asks a model at its endpoint."""
    return OpenAIChat(model.spec, model.spec.base_url or "")


async def conduct(
    experiment: Path,
    store: Path,
    *,
    make_provider: MakeProvider = over_http,
    ceiling: Ceiling | None = None,
) -> Ended:
    """Run an experiment as the command does, without its display of results."""
    plan = find(read_spec(experiment), experiment, no_progress)
    with Database(store) as database:
        conductor = Conductor(
            plan=plan,
            spec_text=read_toml(experiment),
            database=database,
            make_provider=make_provider,
            ceiling=ceiling or Ceiling(),
        )
        return await conductor.run(conductor.prepare())


async def run_scripted(
    folder: Path, scripted: Scripted, extra: str = ""
) -> tuple[Ended, FakeEndpoint]:
    """The small experiment against a script; its store is `folder / "store"`."""
    endpoint = FakeEndpoint(scripted=scripted)
    async with started(endpoint) as url:
        ended = await conduct(write_experiment(folder, url, extra=extra), folder / "store")
    return ended, endpoint


def query(store: Path, text: str) -> list[tuple[object, ...]]:
    """The rows of a query on a store, of which a run may be on in another process."""
    return ask(open_read(store), text).rows


def count(store: Path, text: str) -> int:
    """The one number that a query returns."""
    return int(str(query(store, text)[0][0]))


def start_run(experiment: Path, store: Path, *words: object) -> subprocess.Popen[str]:
    """`probe run` in the background, in a session of its own as a terminal would give it."""
    command = [sys.executable, "-m", "probe", "run", experiment, "--store", store, *words]
    return subprocess.Popen(
        [*map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def start_warm(experiment: Path, store: Path) -> Running:
    """The same in a process that has its imports behind it, and so is soon at its work."""
    return Running(("run", experiment, "--store", store))


def wait_until(true: Callable[[], bool], *, within_s: float = 60) -> None:
    """Wait for something that others do."""
    until = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < until, "what the test waits for did not happen"
        time.sleep(0.01)


def running(pattern: str) -> list[int]:
    """Processes whose command line holds a text."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue  # it ended while we looked
            if pattern in command and int(folder.name) != os.getpid():
                found.append(int(folder.name))
    return found
