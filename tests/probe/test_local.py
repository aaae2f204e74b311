"""The embedded model, for real: started, asked, killed, resumed, left without an orphan."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from store.assets import fetch
from store.catalogue import SMOLLM2
from tests.probe.experiments_for_tests import probe, rows, write_experiment
from tests.probe.runs import running, start_run, wait_until

pytest.importorskip("xllamacpp", reason="needs the `local` extra: pip install -e '.[local]'")
pytestmark = [pytest.mark.local, pytest.mark.timeout(300)]

CELLS = 3 * 2
"""One excerpt of each work under two conditions, whose prompts begin alike."""


@pytest.fixture(scope="module", autouse=True)
def weights() -> Path:
    """The smoke-test model, fetched once."""
    return fetch(SMOLLM2, lambda *_: None)


def local_experiment(folder: Path) -> Path:
    """A small experiment on the embedded model."""
    tail = '[conditions]\nnames = ["original"]\nprompts = ["baseline", "gist"]'
    path = write_experiment(folder, "unused", tail=tail, a_work=1)
    path.write_text(
        path.read_text()
        .replace('provider = "openai"', 'provider = "local"')
        .replace(
            'model = "fake"',
            'model = "smollm2-135m"\nparams = { max_tokens = 12, temperature = 0.0 }',
        )
        .replace('base_url = "unused"', "")
    )
    return path


def test_killed_in_the_middle_it_resumes_and_leaves_no_server_behind(tmp_path: Path) -> None:
    """`kill -9` on the run: its server goes too; the same command asks what is missing, once."""
    store, experiment = tmp_path / "store", local_experiment(tmp_path)
    before = set(running("probe.providers.llama_server"))

    def journalled() -> int:
        return sum(
            path.read_text().count('"kind":"reply"') for path in (store / "journal").glob("*.jsonl")
        )

    with start_run(experiment, store) as run:
        wait_until(lambda: journalled() >= 2)
        served = set(running("probe.providers.llama_server")) - before
        run.kill()
    wait_until(lambda: not (served & set(running("probe.providers.llama_server"))))
    held = journalled()
    done = probe("run", experiment, "--store", store)
    again = probe("run", experiment, "--store", store)

    assert len(served) == 1
    assert done.returncode == 0, done.stderr
    assert f"asked {CELLS - held}, already held {held}" in done.stderr
    assert f"asked 0, already held {CELLS}" in again.stderr
    assert rows(store, "SELECT count(*) AS n, count(DISTINCT key) AS k FROM replies") == [
        {"n": CELLS, "k": CELLS}
    ]
    assert rows(store, "SELECT DISTINCT served_model FROM replies") == [
        {"served_model": "smollm2-135m"}
    ]
    assert set(running("probe.providers.llama_server")) <= before


def test_an_interrupt_reaches_the_run_and_not_its_server(tmp_path: Path) -> None:
    """Ctrl-C goes to the whole terminal group; requests in flight are finished all the same."""
    store, experiment = tmp_path / "store", local_experiment(tmp_path)

    with start_run(experiment, store) as run:
        wait_until(lambda: any((store / "journal").glob("*.jsonl")) and _size(store) > 0)
        os.killpg(run.pid, signal.SIGINT)
        _, said = run.communicate(timeout=60)

    assert run.returncode == 130, said
    failures = rows(store, "SELECT count(*) AS n FROM attempts WHERE error_kind IS NOT NULL")
    assert failures == [{"n": 0}]


def test_any_compatible_server_is_asked_the_same_way(tmp_path: Path, weights: Path) -> None:
    """A llama.cpp server that the test starts, reached as an ordinary endpoint with a key."""
    command = [sys.executable, "-m", "probe.providers.llama_server"]
    settings = {
        "path": str(weights),
        "alias": "smollm2-135m",
        "key": "sk-loopback",
        "slots": 2,
        "context_tokens": 1024,
        "threads": 1,  # cores may be busy: threads that wait for each other take minutes
    }
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(settings) + "\n")
        server.stdin.flush()
        url = server.stdout.readline().split('"')[3]
        extra = 'api_key_env = "LOOPBACK_KEY"\nparams = { max_tokens = 4, temperature = 0.0 }'
        extra += "\nmax_in_flight = 2"
        tail = '[conditions]\nnames = ["original"]\nprompts = ["baseline"]'
        experiment = write_experiment(tmp_path, f"{url}/v1", extra=extra, tail=tail, a_work=1)
        wrong = probe("run", experiment, "--store", tmp_path / "s", LOOPBACK_KEY="sk-wrong")
        right = probe("run", experiment, "--store", tmp_path / "s", LOOPBACK_KEY="sk-loopback")
        server.stdin.close()
        server.wait(timeout=30)

    assert wrong.returncode == 1
    assert "check the key in $LOOPBACK_KEY" in wrong.stderr
    assert right.returncode == 0, right.stderr
    assert "asked 3, already held 0" in right.stderr


def _size(store: Path) -> int:
    time.sleep(0.05)
    return sum(path.stat().st_size for path in (store / "journal").glob("*.jsonl"))


def test_the_same_cells_get_the_same_replies_run_after_run(tmp_path: Path) -> None:
    """On one core and on all of them; nothing that was asked before changes a reply."""
    experiment = local_experiment(tmp_path)
    texts = []
    one_core = ["taskset", "-c", "0"] if shutil.which("taskset") else []
    for store, prefix in (("one", one_core), ("all", [])):
        command = [*prefix, sys.executable, "-m", "probe", "run", str(experiment)]
        subprocess.run(
            [*command, "--store", str(tmp_path / store)], check=True, capture_output=True
        )
        texts.append(rows(tmp_path / store, "SELECT key, text FROM replies ORDER BY key"))

    assert len(texts[0]) == CELLS
    assert texts[0] == texts[1]
