"""The command as a user meets it: results, errors and exit codes, on real processes.

Once each, the commands of a run start cold, as they do for a user.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.probe.experiments_for_tests import CELLS, cold_probe, probe, rows, write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, completion, refusal_of, serving


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an experiment that was run to its end, and its store."""
    folder = tmp_path_factory.mktemp("done")
    endpoint = FakeEndpoint(scripted=lambda _, prompt: completion("1" if "Emma" in prompt else "?"))
    with serving(endpoint) as url:
        ran = cold_probe("run", write_experiment(folder, url), "--store", folder / "store")
    assert ran.returncode == 0, ran.stderr
    (folder / "ran.txt").write_text(ran.stdout)
    return folder


def one_line(process: subprocess.CompletedProcess[str]) -> str:
    """The single line of an error; no traceback, nothing among the results."""
    assert "Traceback" not in process.stderr
    lines = [line for line in process.stderr.splitlines() if line.startswith("probe: ")]
    assert len(lines) == 1, process.stderr
    return lines[0]


def test_a_run_ends_with_its_table(done: Path) -> None:
    said = (done / "ran.txt").read_text()

    assert "source_identification on excerpts, model fake, answers offered (chance 33.3 %)" in said
    assert "Paired differences" in said
    assert "origin - NR" in said
    assert f"{CELLS} replies to {CELLS} cells" in said


def test_accuracy_by_condition_is_one_query(done: Path) -> None:
    query = "select task, names, prompt, n, accuracy from accuracy order by all"

    found = rows(done / "store", query)

    assert [(row["names"], row["prompt"], row["n"]) for row in found] == [
        ("cross_culture", "baseline", 6),
        ("cross_culture", "gist", 6),
        ("original", "baseline", 6),
        ("original", "gist", 6),
    ]


def test_results_has_the_columns_that_are_promised(done: Path) -> None:
    promised = "cell_id task dataset work item_id model names prompt sample outcome reply answer"
    promised += " gold score"

    found = rows(done / "store", "select * from results limit 5")

    assert len(found) == 5
    assert set(promised.split()) <= set(found[0])


def test_csv_and_table_print_the_same_rows(done: Path) -> None:
    query = "select item_id, gold from results where names = 'original' and prompt = 'gist'"

    as_csv = probe("sql", query, "--store", done / "store", "--format", "csv")
    as_table = probe("sql", query, "--store", done / "store")

    parsed = list(csv.DictReader(io.StringIO(as_csv.stdout)))
    assert len(parsed) == 6
    assert all(row["item_id"] in as_table.stdout for row in parsed)
    assert "6 rows" in as_table.stdout


def test_parquet_is_written_where_it_is_asked_for(done: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"

    ran = probe(
        "sql", "from results", "--store", done / "store", "--format", "parquet", "--output", out
    )

    assert ran.returncode == 0, ran.stderr
    assert duckdb.sql(f"SELECT count(*) FROM '{out}'").fetchall() == [(CELLS,)]


def test_status_and_table_and_plan_agree_on_what_is_held(done: Path) -> None:
    status = json.loads(cold_probe("status", "--store", done / "store", "--format", "json").stdout)
    table = json.loads(
        cold_probe("table", "small", "--store", done / "store", "--format", "json").stdout
    )
    plan = cold_probe("plan", done / "small.toml", "--store", done / "store", "--format", "json")

    assert [(row["replies"], row["pending"], row["last_run"]) for row in status] == [
        (CELLS, 0, "done")
    ]
    assert sum(row["cells"] for row in table if row["table"] == "accuracy") == CELLS
    assert {row["contrast"] for row in table if row["table"] == "contrasts"} == {
        "origin - NR",
        "NR - NR+GIST",
        "gist - baseline (original)",
        "gist - baseline (cross_culture)",
    }
    assert json.loads(plan.stdout)[0]["held"] == CELLS


def test_a_query_cannot_change_the_store(done: Path) -> None:
    ran = probe("sql", "delete from replies", "--store", done / "store")

    assert ran.returncode == 2
    assert "read-only" in one_line(ran)


def test_a_reply_cannot_reach_the_terminal_or_leave_its_cell(tmp_path: Path) -> None:
    """Escape codes are shown as text."""
    endpoint = FakeEndpoint(scripted=lambda _t, _p: completion("\x1b[31mred\x1b[0m\u202e right"))
    with serving(endpoint) as url:
        probe("run", write_experiment(tmp_path, url), "--store", tmp_path / "store")

    shown = probe("sql", "select reply from results limit 1", "--store", tmp_path / "store")

    assert "\\x1b[31mred\\x1b[0m\\x202e right" in shown.stdout
    assert "\x1b" not in shown.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "gone.toml"), "gone.toml: no such file"),
        (("plan", "gone.toml"), "gone.toml: no such file"),
        (("sql", "select 1"), "no store at probe-store"),
        (("status",), "no store at probe-store"),
        (("table", "small"), "no store at probe-store"),
    ],
)
def test_what_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)

    ran = probe(*words)

    assert ran.returncode == 2
    assert message in one_line(ran)
    assert ran.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_is_not_there_names_those_that_are(done: Path) -> None:
    ran = probe("table", "smal", "--store", done / "store")

    assert ran.returncode == 2
    assert "no experiment or study is called 'smal'; the store has small" in one_line(ran)


def test_a_wrong_query_is_answered_in_duckdbs_words(done: Path) -> None:
    ran = probe("sql", "select nothing from results", "--store", done / "store")

    assert ran.returncode == 2
    assert 'Referenced column "nothing" not found' in ran.stderr
    assert "Traceback" not in ran.stderr


def test_some_failed_cells_are_exit_code_1_and_counted(tmp_path: Path) -> None:
    endpoint = FakeEndpoint(scripted=lambda _, p: refusal_of(400, "no") if "Mina" in p else None)
    with serving(endpoint) as url:
        experiment = write_experiment(tmp_path, url)
        first = probe("run", experiment, "--store", tmp_path / "store")
        again = probe("run", experiment, "--store", tmp_path / "store")

    assert (first.returncode, again.returncode) == (1, 1)
    assert "asked 20, already held 0, failed 4" in first.stderr
    assert "4 failed (mostly: no (error))" in " ".join(again.stdout.split())


def test_what_was_refused_for_good_is_asked_again_when_told(tmp_path: Path) -> None:
    endpoint = FakeEndpoint(scripted=lambda _, p: refusal_of(400, "no") if "Mina" in p else None)
    with serving(endpoint) as url:
        experiment = write_experiment(tmp_path, url)
        probe("run", experiment, "--store", tmp_path / "store")
        endpoint.scripted = lambda _times, _prompt: None
        done = probe("run", experiment, "--store", tmp_path / "store", "--retry-failed")

    assert done.returncode == 0, done.stderr
    assert "asked 4, already held 20" in done.stderr


def scored(store: Path) -> list[dict[str, object]]:
    query = (
        "select names, count(*) as n from results where score is not null group by all order by all"
    )
    return rows(store, query)


def test_a_lost_database_comes_back_from_the_journal_with_its_scores(tmp_path: Path) -> None:
    with serving(FakeEndpoint()) as url:
        experiment = write_experiment(tmp_path, url)
        probe("run", experiment, "--store", tmp_path / "store")
        before = scored(tmp_path / "store")
        for file in (tmp_path / "store").glob("probe.duckdb*"):
            file.unlink()
        again = probe("run", experiment, "--store", tmp_path / "store")

    assert f"{CELLS} replies recovered from the journal" in again.stderr
    assert f"asked 0, already held {CELLS}" in again.stderr
    assert scored(tmp_path / "store") == before
    assert sum(int(str(row["n"])) for row in before) == CELLS


def test_replies_that_a_new_condition_shares_are_scored_under_it_at_once(tmp_path: Path) -> None:
    """A work that no cast is known for reads the same under every strategy: one reply serves."""
    with serving(FakeEndpoint()) as url:
        tail = '[conditions]\nnames = ["original"]\nprompts = ["gist"]'
        experiment = write_experiment(tmp_path, url, tail=tail)
        texts = tmp_path / "excerpts.jsonl"
        row = {"id": "x", "source": "A Work Unknown", "text": "Nobody was there."}
        texts.write_text(texts.read_text() + json.dumps(row) + "\n")
        probe("run", experiment, "--store", tmp_path / "store")
        experiment.write_text(experiment.read_text().replace('"original"', '"original", "masked"'))
        again = probe("run", experiment, "--store", tmp_path / "store")

    assert "asked 6, already held 8" in again.stderr
    assert scored(tmp_path / "store") == [
        {"names": "masked", "n": 7},
        {"names": "original", "n": 7},
    ]


def test_an_error_cannot_reach_the_terminal_either(tmp_path: Path) -> None:
    endpoint = FakeEndpoint(scripted=lambda _t, _p: refusal_of(401, "no\n\x1b[31mkey"))
    with serving(endpoint) as url:
        ran = probe("run", write_experiment(tmp_path, url), "--store", tmp_path / "store")

    assert "no \\x1b[31mkey" in one_line(ran)
    assert "\x1b" not in ran.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sql", ""), "the query is empty"),
        (("sql", " ; "), "the query is empty"),
        (("sql", "set threads = 1", "--format", "parquet", "--output", "x"), "read-only"),
    ],
)
def test_a_query_that_asks_nothing_is_one_line(
    done: Path, words: tuple[str, ...], message: str
) -> None:
    ran = probe(*words, "--store", done / "store")

    assert ran.returncode == 2
    assert message in one_line(ran)


def test_an_empty_dataset_is_one_line_and_makes_no_rows(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, "http://127.0.0.1:9/v1")
    (tmp_path / "excerpts.jsonl").write_text("")

    ran = probe("run", experiment, "--store", tmp_path / "store")

    assert ran.returncode == 2
    assert "dataset excerpts gave no item" in one_line(ran)


def test_a_store_of_a_newer_schema_is_refused_by_every_command(done: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(done / "store", store)
    with duckdb.connect(str(store / "probe.duckdb")) as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (999, 'later', now())")
    before = (store / "probe.duckdb").read_bytes()

    for words in (
        ("run", done / "small.toml"),
        ("status",),
        ("table", "small"),
        ("sql", "select 1"),
    ):
        ran = probe(*words, "--store", store)
        assert ran.returncode == 2
        assert "has schema 999, this gistprobe knows up to" in one_line(ran)
    assert (store / "probe.duckdb").read_bytes() == before


def test_a_gguf_that_is_none_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="needs the `local` extra")
    (tmp_path / "bad.gguf").write_bytes(b"not a model")
    experiment = write_experiment(tmp_path, "http://unused/v1")
    text = experiment.read_text().replace('"openai"', '"local"').replace('"fake"', '"bad.gguf"', 2)
    experiment.write_text("\n".join(line for line in text.splitlines() if "base_url" not in line))
    experiment.write_text(experiment.read_text().replace('name = "bad.gguf"', 'name = "bad"'))

    ran = probe("run", experiment, "--store", tmp_path / "store")

    assert ran.returncode == 1
    assert "the embedded server did not start with bad.gguf" in one_line(ran)


@pytest.mark.parametrize("command", ["run", "plan", "status", "sql", "table", "data", "doctor"])
def test_every_command_has_help(command: str) -> None:
    ran = cold_probe(command, "--help")

    assert ran.returncode == 0
    assert ran.stdout.startswith(f"Usage: probe {command}")


def test_data_list_and_doctor_say_what_there_is(tmp_path: Path) -> None:
    listed = json.loads(cold_probe("data", "list", "--format", "json").stdout)
    doctor = cold_probe("doctor", "--store", tmp_path / "none")

    assert {"excerpts", "shakespeare", "tvshowguess"} <= {row["name"] for row in listed}
    assert doctor.returncode == 0
    assert sys.executable.split("/")[-1][:6] == "python"
    assert "optional  store" in doctor.stdout


def test_an_unknown_asset_names_the_nearest() -> None:
    ran = probe("data", "fetch", "shakespear")

    assert ran.returncode == 2
    assert "did you mean 'shakespeare'?" in one_line(ran)
