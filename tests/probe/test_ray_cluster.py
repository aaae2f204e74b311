"""A real Ray cluster of two nodes: the same rows as one machine gives, whatever dies on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from probe.hub.tokens import tokens_of
from tests.embedder.encoder_for_tests import store_quotes, vector_of
from tests.probe.experiments_for_tests import probe, write_experiment
from tests.probe.ray_for_tests import OLD, ROOT, TestCluster, cluster
from tests.probe.runs import query, running, wait_until
from tests.probe.simulated import recorded, simulated
from tests.probe.warm_for_tests import Running

pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason="needs the ray extra"),
    pytest.mark.timeout(300),
]

CELLS = 240
ROWS = "SELECT key, prompt_text, reply, outcome, names, prompt, sample FROM results ORDER BY ALL"
TEXTS = [f"She said it {n} times." for n in range(1_500)]
DESIGN = '[conditions]\nnames = ["original", "cross_culture"]\nprompts = ["baseline", "gist"]\n'


@pytest.fixture(scope="module")
def ray() -> Iterator[TestCluster]:
    with cluster() as made:
        yield made


def on_ray(ray: TestCluster, experiment: Path, store: Path, *flags: object) -> Running:
    """`probe run --ray`, started."""
    return Running(("run", experiment, "--store", store, "--ray", ray.address, *flags))


def asked(record: Path) -> int:
    """Requests that the endpoint has heard."""
    return sum(event["event"] == "asked" for event in recorded(record)) if record.exists() else 0


def test_a_run_of_two_actors_of_which_one_is_killed_is_as_on_one_machine(
    ray: TestCluster, tmp_path: Path
) -> None:
    """Row for row. The table of placement changes nothing, and the token is in no file of Ray's."""
    record, store, alone = tmp_path / "record", tmp_path / "store", tmp_path / "alone"
    with simulated("--record", record, "--replies", "echo", "--latency", 0.5) as url:
        tail, extra = DESIGN + "[ray]\nworkers = 2\n", "max_in_flight = 8"
        file = write_experiment(tmp_path, url, extra=extra, tail=tail, a_work=CELLS // 12)
        with on_ray(ray, file, store) as driver:
            wait_until(lambda: asked(record) > CELLS // 4, within_s=120)
            actors = running("ray::Asking.run")
            os.kill(actors[0], signal.SIGKILL)
            out, said = driver.communicate(120)
        again = asked(record) - CELLS
        write_experiment(tmp_path, url, extra=extra, tail=DESIGN, a_work=CELLS // 12)
        resumed = probe("run", file, "--store", store)
        single = probe("run", file, "--store", alone)

    assert (driver.returncode, resumed.returncode, single.returncode) == (0, 0, 0), said
    assert len(actors) == 2
    joined = [line.split("@")[0] for line in said.splitlines() if "has joined" in line]
    assert set(joined) == {"worker fake-1", "worker fake-2"}
    assert len(joined) == 3, "Ray started the one that was killed again"
    assert "raylet" not in out, "what Ray says of a worker that died is no result"
    assert said.splitlines()[-1] == f"asked {CELLS}, already held 0; store {store}"
    assert 0 <= again <= 8 * 2
    assert f"asked 0, already held {CELLS}" in resumed.stderr
    rows = query(store, ROWS)
    assert len(rows) == CELLS
    assert rows == query(alone, ROWS)
    assert out == single.stdout
    assert list((ray.state / "gistprobe" / "work").rglob("*.jsonl")) == []
    assert_nowhere(tokens_of(store).by_role["work"], ray.folder)


def assert_nowhere(secret: str, folder: Path) -> None:
    """A secret is in no file of a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 20, "Ray's logs are among them"
    assert [path for path in files if secret.encode() in path.read_bytes()] == []


def test_what_no_node_can_give_is_said_and_ends_after_patience(
    ray: TestCluster, tmp_path: Path
) -> None:
    file = write_experiment(tmp_path, "http://127.0.0.1:9/v1", tail=DESIGN + "[ray]\nnum_gpus = 2")
    with on_ray(ray, file, tmp_path / "store", "--patience", 7) as driver:
        _, said = driver.communicate(120)

    assert driver.returncode == 1
    waits = "1 of 1 workers for fake wait for a place (1 CPU, 2 GPU each): no node has 2 GPU (node "
    assert waits in said
    assert "1 CPU, 0 GPU" in said
    last = said.splitlines()[-1]
    assert last.startswith("probe: model fake: no worker is left to ask it: no place for it: no ")


def test_a_node_with_another_gistprobe_is_refused_by_name(ray: TestCluster, tmp_path: Path) -> None:
    table = "[ray]\nnum_cpus = 0\nresources = { old = 1 }"
    file = write_experiment(tmp_path, "http://127.0.0.1:9/v1", tail=DESIGN + table)
    with on_ray(ray, file, tmp_path / "store") as driver:
        _, said = driver.communicate(120)

    assert driver.returncode == 1
    assert f"the worker {OLD} (protocol" in said.splitlines()[-1]
    assert "install the same on both" in said.splitlines()[-1]


EMBEDDING = """
import sys
from functools import partial
from pathlib import Path
from embedder.worker import Wanted
from probe.cli.ray_embedding import EmbedOnRay, embed_on_ray
from probe.cluster.groups import Needs
from tests.embedder.encoder_for_tests import HashEncoder
from tests.probe.ray_for_tests import wanted_quotes

address, store, log = sys.argv[1:]
asked = EmbedOnRay(
    cluster=address, make=partial(HashEncoder, Path(log), 0.05), wanted=wanted_quotes,
    workers=2, needs=Needs(),
)
shown = []
tally = embed_on_ray(asked, Path(store), lambda line: None, shown.append)
print(tally.state.embedded, tally.state.held, tally.features, shown[-1] == tally.state)
"""


def test_embedding_of_which_one_actor_is_killed_gives_the_vectors_of_one_machine(
    ray: TestCluster, tmp_path: Path
) -> None:
    """Each quote has the one vector that its text gives."""
    store, log = tmp_path / "store", tmp_path / "log"
    store_quotes(store, TEXTS)
    words = [sys.executable, "-c", EMBEDDING, ray.address, str(store), str(log)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as driver:
        wait_until(lambda: log.exists() and lines(log) > len(TEXTS) // 4, within_s=120)
        actors = running("ray::Embedding")
        os.kill(actors[0], signal.SIGKILL)
        out, _ = driver.communicate(timeout=150)

    assert driver.returncode == 0
    assert len(actors) == 2
    assert out == f"{len(TEXTS)} 0 {len(TEXTS)} True\n"
    pairs = "SELECT f.text, v.vector FROM vectors AS v JOIN features AS f USING (target_id)"
    rows = query(store, pairs)
    assert len(rows) == len(TEXTS)
    found = {str(text): json.dumps(vector) for text, vector in rows}
    assert found == {text: json.dumps(vector_of(text).tolist()) for text in TEXTS}


def lines(file: Path) -> int:
    return file.read_text().count("\n")
