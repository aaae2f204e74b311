"""`probe score` on real stores: only a changed parser's replies are read, and nobody is asked."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from store.read import DATABASE
from tests.probe.experiments_for_tests import CELLS, probe, write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, completion, serving
from tests.store.served_for_tests import owning

ROOT = Path(__file__).parents[2]
REPLIES = ("Emma", "It is Dracula.", "=Emma\x1b[31m\u202e", "1")
SHIM = """
import socket
import sys

def watch(event, args):
    if event in {"socket.connect", "socket.bind", "socket.getaddrinfo"}:
        print("NETWORK", event, args, file=sys.stderr)

sys.addaudithook(watch)
import prompts.tasks.registry
from prompts.tasks import TASKS, Answer, Unparsed

OWN = type(TASKS["source_identification"])

class Changed(OWN):
    version = OWN.version + 1

    def parse(self, reply, gold, options):
        found = super().parse(reply, gold, options)
        lost = reply.startswith("=") or found == Answer({"title": "Dracula"})
        return Unparsed("lost") if lost else found

TASKS["source_identification"] = Changed()
from probe.cli import cli

try:
    cli()
finally:
    asking = [name for name in sys.modules
              if name.split(".")[0] in {"aiohttp", "openai", "httpx", "uvloop"}
              or name.startswith(("probe.providers", "probe.run", "probe.conduct"))]
    print("ASKING", asking, file=sys.stderr)
"""
"""The command with a parser that was changed, which tells what it imports and whom it reaches."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of a run of four kinds of replies."""
    endpoint = FakeEndpoint(
        scripted=lambda _, prompt: completion(REPLIES[sum(map(ord, prompt)) % len(REPLIES)])
    )
    with serving(endpoint) as url:
        ran = probe("run", write_experiment(tmp_path, url), "--store", tmp_path / "store")
    assert ran.returncode == 0, ran.stderr
    return tmp_path / "store"


def changed(*words: object) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, with the changed parser."""
    return subprocess.run(
        [sys.executable, "-c", SHIM, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=ROOT,
    )


def held(store: Path, table: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(store / DATABASE), read_only=True) as connection:
        return connection.execute(f"FROM {table} ORDER BY ALL").fetchall()


def tables(store: Path) -> list[str]:
    with duckdb.connect(str(store / DATABASE), read_only=True) as connection:
        query = "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
        return sorted(str(row[0]) for row in connection.execute(query).fetchall())


def hostile_keys(store: Path) -> set[object]:
    return {row[0] for row in held(store, "replies") if str(row[3]).startswith("=")}


def journal(store: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((store / "journal").iterdir())}


def test_a_changed_parser_reads_stored_replies_and_asks_nobody(store: Path) -> None:
    """All other tables stay as they are, row by row, and so does the journal; scores are added."""
    before = {name: held(store, name) for name in tables(store)}
    said_before = journal(store)

    done = changed("score", "--store", store, "--format", "json")

    assert done.returncode == 0, done.stderr
    assert "NETWORK" not in done.stderr
    assert "ASKING []" in done.stderr
    assert f"source_identification: {CELLS} replies read by version 4" in done.stderr
    after = {name: held(store, name) for name in tables(store)}
    scores = after.pop("scores")
    old = [row for row in scores if row in before["scores"]]
    assert old == before.pop("scores")
    assert len(scores) == len(old) + CELLS
    assert after == before
    assert journal(store) == said_before
    records = json.loads(done.stdout)
    changes = [row for row in records if row["table"] == "changes"]
    assert sum(row["replies"] for row in changes) == CELLS
    answered = [row for row in old if row[3] is not None]
    gone = [row for row in answered if "Dracula" in str(row[3]) or row[1] in hostile_keys(store)]
    assert sum(row["lost"] for row in changes) == sum(row["answers"] for row in changes)
    assert sum(row["lost"] for row in changes) == len(gone) > 0


def test_the_same_command_again_reads_nothing_and_says_the_same(store: Path) -> None:
    first = changed("score", "--store", store)
    scores = held(store, "scores")

    again = changed("score", "--store", store)

    assert again.stdout == first.stdout
    assert "every reply has been read by its task's present parser" in again.stderr
    assert held(store, "scores") == scores


def test_hostile_replies_are_shown_as_text(store: Path) -> None:
    shown = changed("score", "--store", store, "--examples", 50)
    as_csv = changed("score", "--store", store, "--examples", 50, "--format", "csv")

    assert "=Emma\\x1b[31m\\x202e" in shown.stdout
    assert "\x1b" not in shown.stdout + as_csv.stdout
    replies = {row["reply"] for row in csv.DictReader(io.StringIO(as_csv.stdout))}
    assert "'=Emma\\x1b[31m\\x202e" in replies


def test_a_dry_run_counts_and_changes_nothing(store: Path) -> None:
    scores = held(store, "scores")

    told = changed("score", "--store", store, "--dry-run", "--format", "json")
    present = probe("score", "--store", store, "--dry-run")

    (row,) = json.loads(told.stdout)
    assert (row["task"], row["held"], row["version"]) == ("source_identification", 3, 4)
    assert (row["replies"], row["to_read"]) == (CELLS, True)
    assert [line.split()[-1] for line in present.stdout.splitlines()[2:]] == ["0"]
    assert held(store, "scores") == scores


def test_replies_of_a_later_parser_are_left_as_they_are(store: Path) -> None:
    changed("score", "--store", store)

    present = probe("score", "--store", store)

    assert present.returncode == 0
    assert "were read by version 4, later than the 3 of this gistprobe" in present.stderr


def test_tables_show_the_new_reading(store: Path) -> None:
    changed("score", "--store", store)

    found = probe("sql", "SELECT DISTINCT version FROM current_scores", "--store", store)

    assert "4" in found.stdout
    assert "3" not in found.stdout.split()


def test_one_experiment_alone_leaves_the_others_waiting_and_says_so(
    store: Path, tmp_path: Path
) -> None:
    with serving(FakeEndpoint()) as url:
        experiment = write_experiment(tmp_path, url, a_work=1)
        experiment.write_text(experiment.read_text().replace('"small"', '"second"'))
        probe("run", experiment, "--store", store)

    done = changed("score", "--store", store, "--experiment", "second")

    assert "12 replies read by version 4" in done.stderr
    assert "24 replies are still to be read by version 4" in done.stderr
    assert "go on with: probe score --task source_identification" in done.stderr


def test_a_store_that_a_run_has_is_left_to_it(tmp_path: Path) -> None:
    with owning(tmp_path / "store"):
        told = probe("score", "--store", tmp_path / "store", "--dry-run")
        refused = probe("score", "--store", tmp_path / "store")

    assert told.returncode == 0
    assert "source_identification" in told.stdout
    assert refused.returncode == 2
    assert "is in use by process" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--task", "sums"), "unknown task 'sums'"),
        (("--experiment", "large"), "no experiment is called 'large'; the store has small"),
        (("--store", "nowhere"), "no store at nowhere"),
    ],
)
def test_bad_input_is_named_in_one_line(store: Path, words: tuple[str, ...], message: str) -> None:
    done = probe("score", "--store", store, *words)

    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path("nowhere").exists()


def test_an_interrupted_reading_goes_on(store: Path) -> None:
    """Stopped between two pages of one reply each: what is read stays, and the rest follows."""
    slow = SHIM.replace(
        "from probe.cli import cli",
        "import time, analysis.scoring as scoring\n"
        "scoring._MOST['to_score'], own, read = 1, scoring._row, []\n"
        "def wait(*words):\n"
        "    read.append(1)\n"
        "    if len(read) == 3: print('READING', file=sys.stderr, flush=True)\n"
        "    time.sleep(0.2)\n"
        "    return own(*words)\n"
        "scoring._row = wait\n"
        "from probe.cli import cli",
    )
    command = [sys.executable, "-c", slow, "score", "--store", str(store)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        os.kill(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert first == "READING\n", first + stderr
    read = [row for row in held(store, "scores") if row[2] == 4]

    assert process.returncode == 130, stderr
    assert "interrupted; the same command goes on" in stderr
    assert 0 < len(read) < CELLS
    assert f"{CELLS - len(read)} replies are still to be read by version 4" in stderr
    again = changed("score", "--store", store)
    assert f"{CELLS - len(read)} replies read by version 4" in again.stderr
    after = [row for row in held(store, "scores") if row[2] == 4]
    assert len(after) == len({(row[0], row[1]) for row in after}) == CELLS
