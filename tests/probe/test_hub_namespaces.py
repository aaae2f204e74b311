"""A hub and two workers in three network namespaces: what they share goes over the network alone.

Only the hub's address is common to them. Each worker's namespace has an endpoint of its own at the
address that the experiment file names. As `test_hub_killed.py`, it serves as a long trial too:
GISTPROBE_HUB_CELLS.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from probe.hub.tokens import tokens_of
from tests.probe.experiments_for_tests import write_experiment
from tests.probe.runs import query, wait_until
from tests.probe.simulated import recorded
from tests.store.served_for_tests import ROOT

CELLS = -(-int(os.environ.get("GISTPROBE_HUB_CELLS", "600")) // 12) * 12
IN_FLIGHT = 32
LATENCY_S = 0.3
HUB = "10.77.0.1"
PORT = 9494
IP = shutil.which("ip") or ""


def ip(*words: str) -> None:
    subprocess.run([IP, *words], check=True, capture_output=True)


@contextmanager
def namespaces(*names: str) -> Iterator[None]:
    """Namespaces on one bridge: 10.77.0.1, 10.77.0.2 and so on; each has its own loopback."""
    with ExitStack() as stack:
        ip("link", "add", "gp-bridge", "type", "bridge")
        stack.callback(ip, "link", "del", "gp-bridge")
        ip("link", "set", "gp-bridge", "up")
        for place, name in enumerate(names, start=1):
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
            ip("link", "add", f"{name}-out", "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", f"{name}-out", "master", "gp-bridge", "up")
            ip("-n", name, "addr", "add", f"10.77.0.{place}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield


def may_have_namespaces() -> bool:
    """Whether this process may make them."""
    if os.geteuid() or not IP:
        return False
    made = subprocess.run([IP, "netns", "add", "gp-may"], capture_output=True, check=False)
    if made.returncode == 0:
        subprocess.run([IP, "netns", "del", "gp-may"], capture_output=True, check=False)
    return made.returncode == 0


@pytest.mark.timeout(240 + CELLS // 20)
@pytest.mark.skipif(not may_have_namespaces(), reason="no network namespaces may be made here")
def test_workers_in_other_namespaces_share_a_run_through_kills(tmp_path: Path) -> None:
    """One worker and then the hub are killed; both come back, and every cell has one reply."""
    store, within_s = tmp_path / "store", 120 + CELLS // 50
    url = "http://127.0.0.1:8000/v1"
    extra = f"max_in_flight = {2 * IN_FLIGHT}"
    experiment = write_experiment(tmp_path, url, extra=extra, a_work=CELLS // 12)
    token = tokens_of(store).by_role["work"]
    records = {name: tmp_path / f"record-{name}" for name in ("gp-one", "gp-two")}
    with namespaces("gp-hub", "gp-one", "gp-two"), ExitStack() as stack:

        def start(name: str, *words: object) -> subprocess.Popen[str]:
            command = [IP, "netns", "exec", name, sys.executable, "-m", "probe"]
            process = stack.enter_context(
                subprocess.Popen(
                    [*command, *map(str, words)],
                    cwd=ROOT,
                    env=os.environ | {"GISTPROBE_TOKEN": token},
                    stderr=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    text=True,
                )
            )
            stack.callback(process.kill)
            return process

        def hub() -> subprocess.Popen[str]:
            listening = ("--listen", f"{HUB}:{PORT}", "--lease", 3)
            return start("gp-hub", "serve", experiment, "--store", store, *listening)

        def worker(name: str) -> subprocess.Popen[str]:
            where = ("--hub", f"quack:{HUB}:{PORT}", "--plain", "--name", name)
            own = ("--in-flight", IN_FLIGHT, "--state", tmp_path / name)
            return start(name, "work", *where, *own)

        def answered() -> int:
            return sum(map(answers, records.values()))

        for name, record in records.items():
            flags = ("--replies", "echo", "--latency", LATENCY_S, "--record", record)
            start(name, "simulate", "--port", 8000, *flags)
        first, one, two = hub(), worker("gp-one"), worker("gp-two")
        wait_until(lambda: min(map(answers, records.values())) > CELLS // 12, within_s=within_s)
        one.kill()
        wait_until(lambda: answered() > CELLS // 2, within_s=within_s)
        first.kill()
        again, back = hub(), worker("gp-one")
        said = [each.communicate(timeout=within_s)[1] for each in (two, back, again)]

        assert [each.returncode for each in (two, back, again)] == [0, 0, 0], said
    events = [event for record in records.values() for event in recorded(record)]
    asked = Counter(event["prompt"] for event in events if event["event"] == "asked")
    assert len(asked) == CELLS
    assert sum(asked.values()) - CELLS <= 2 * IN_FLIGHT, "open, or not handed over yet"
    assert query(store, "SELECT count(*), count(DISTINCT key) FROM replies") == [(CELLS, CELLS)]
    assert "other machines reach it without TLS" in said[-1]


def answers(record: Path) -> int:
    """Requests that an endpoint has answered."""
    return sum(event["event"] != "asked" for event in recorded(record)) if record.exists() else 0
