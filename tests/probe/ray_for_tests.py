"""A Ray cluster of two nodes on this machine, and a third where another gistprobe is installed.

Each node has its own raylet and its own workers; a store's state folder is one for all of them,
since they share a machine. The cluster is a process of its own, and ends with its standard input.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embedder.encoders.base import Encoder
from embedder.worker import Wanted

ROOT = Path(__file__).parents[2]
OLD = "9.9"
"""The version of the third node's gistprobe."""


@dataclass(frozen=True)
class TestCluster:
    """A cluster, and where Ray keeps its files."""

    __test__ = False

    address: str
    folder: Path
    state: Path


@contextmanager
def cluster() -> Iterator[TestCluster]:
    """The cluster; ended and its files removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="ray-"))  # short: sockets are in it
    state = folder / "state"
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "RAY_USAGE_STATS_ENABLED": "0",
        "XDG_STATE_HOME": str(state),
    }
    words = [sys.executable, "-m", "tests.probe.ray_for_tests", str(folder)]
    with (folder / "log").open("w") as log:
        child = subprocess.Popen(
            words,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    try:
        with child:
            assert child.stdout is not None
            address = child.stdout.readline().strip()
            assert address, (folder / "log").read_text()
            yield TestCluster(address, folder, state)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wanted_quotes(_: Encoder) -> Wanted:
    """Every quote."""
    return Wanted(kinds=("quote",))


def main(folder: Path) -> None:
    """Keep a cluster up until standard input closes."""
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - an extra

    (folder / "ray").mkdir()  # where it writes its address down, and makes no folder for it
    os.environ["RAY_TMPDIR"] = str(folder)
    version = folder / "old" / f"gistprobe-{OLD}.dist-info"
    version.mkdir(parents=True)
    (version / "METADATA").write_text(f"Metadata-Version: 2.1\nName: gistprobe\nVersion: {OLD}\n")
    small: dict[str, Any] = {"object_store_memory": 80 << 20, "include_dashboard": False}
    head = {"num_cpus": 1, "temp_dir": str(folder / "t"), **small}
    made: Any = Cluster(initialize_head=True, head_node_args=head)
    made.add_node(num_cpus=1, wait=False, **small)
    os.environ["PYTHONPATH"] = f"{folder / 'old'}:{ROOT}"
    made.add_node(num_cpus=0, resources={"old": 1}, **small)
    made.wait_for_nodes()
    print(made.address, flush=True)  # noqa: T201 - told to who started it
    sys.stdin.read()
    made.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
