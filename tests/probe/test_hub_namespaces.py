"""A hub and two workers in three network namespaces: what they share goes over the network alone.

Only the hub's address is common to them. Each worker's namespace has an endpoint of its own at the
address that the experiment file names.
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

CELLS = 600
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


@pytest.mark.timeout(180)
@pytest.mark.skipif(not may_have_namespaces(), reason="no network namespaces may be made here")
def test_workers_in_other_namespaces_share_a_run(tmp_path: Path) -> None:
    store = tmp_path / "store"
    url = "http://127.0.0.1:8000/v1"
    experiment = write_experiment(tmp_path, url, extra="max_in_flight = 64", a_work=CELLS // 12)
    token = tokens_of(store).by_role["work"]
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

        records = [tmp_path / "record-one", tmp_path / "record-two"]
        for name, record in zip(("gp-one", "gp-two"), records, strict=True):
            flags = ("--replies", "echo", "--latency", 0.2, "--record", record)
            start(name, "simulate", "--port", 8000, *flags)
        hub = start("gp-hub", "serve", experiment, "--store", store, "--listen", f"{HUB}:{PORT}")
        workers = [
            start(
                name,
                *("work", "--hub", f"quack:{HUB}:{PORT}", "--plain", "--name", name),
                *("--in-flight", 32, "--state", tmp_path / name),
            )
            for name in ("gp-one", "gp-two")
        ]
        wait_until(lambda: all(record.exists() for record in records), within_s=90)
        said = [each.communicate(timeout=120)[1] for each in (*workers, hub)]

        assert [each.returncode for each in (*workers, hub)] == [0, 0, 0], said
    events = [event for record in records for event in recorded(record)]
    asked = Counter(event["prompt"] for event in events if event["event"] == "asked")
    assert set(asked.values()) == {1}
    assert len(asked) == CELLS
    assert query(store, "SELECT count(*), count(DISTINCT key) FROM replies") == [(CELLS, CELLS)]
    assert min(len(recorded(record)) for record in records) > CELLS // 5, "both have asked"
    assert "other machines reach it without TLS" in said[-1]
