"""`probe table memory` as a user meets it: tables, figures, records and refusals."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from store.database import Database
from tests.analysis.memory_for_tests import Planted, planted, put
from tests.probe.experiments_for_tests import probe

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install -e '.[report]'")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models, six works; what is planted is said in `Planted`."""
    folder = tmp_path_factory.mktemp("memory") / "store"
    passages = planted(Planted(works=6, each=2, models=("small", "large")))
    with Database(folder) as database:
        database.call(partial(put, passages=passages, experiment="remembered"))
    return folder


def test_tables_are_printed_and_figures_drawn(store: Path, tmp_path: Path) -> None:
    """In 120 columns, every row with its counts and intervals; what is missing is noted."""
    pytest.importorskip("matplotlib", reason="needs the `report` extra")

    done = probe("table", "memory", "--store", store, "--figures", tmp_path / "made")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("memory, experiment remembered\n")
    assert max(map(len, done.stdout.splitlines())) <= 120
    for said in ("n 12 + 12", "Blind: words", "Over blind: AUC less that of", "Not measured"):
        assert said in done.stdout
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == [
        "memory-likelihood.png",
        "memory-likelihood.svg",
        "memory-membership.png",
        "memory-membership.svg",
    ]


def test_records_have_every_work_and_their_notes_go_to_stderr(store: Path) -> None:
    done = probe("table", "memory", "--store", store, "--format", "json")

    records = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    works = {record["work"] for record in records if record.get("score") == "loss"}
    assert works == {"all works", *(f"Work {number}" for number in range(6))}
    assert {record["model"] for record in records} == {"small", "large"}
    assert "probe: Intervals: 95 %" in done.stderr


def test_a_paper_s_numbers_are_refused(store: Path) -> None:
    done = probe("table", "memory", "--store", store, "--paper")

    assert (done.returncode, done.stdout) == (2, "")
    assert "leave --as and --paper out" in done.stderr
