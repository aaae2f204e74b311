"""`probe table` of a study as a user meets it: results, errors and exit codes."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from store.database import Database
from store.insert import insert
from store.read import DATABASE
from tests.analysis import corpora_for_tests as toys
from tests.analysis import own_for_tests as own
from tests.analysis.corpora_for_tests import GROUPS, MATRIX, NAMES, PAIRS, WORKS
from tests.analysis.own_for_tests import Answers, Said
from tests.analysis.published_for_tests import NAMES as NOVEL_NAMES
from tests.analysis.published_for_tests import contents, edited, write_published
from tests.probe.experiments_for_tests import probe
from tests.store.rows_for_tests import experiment_row
from tests.store.served_for_tests import owning

ASKED = NOVEL_NAMES[:5]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published folder of invented characters, beside a store that holds it."""
    folder = tmp_path_factory.mktemp("study")
    write_published(folder / "data")
    made = probe("table", "austenalike", "--data", folder / "data", "--store", folder / "store")
    assert made.returncode == 0, made.stderr
    (folder / "made.txt").write_text(made.stdout, encoding="utf-8")
    return folder


def one_line(stderr: str) -> str:
    assert "Traceback" not in stderr
    lines = [line for line in stderr.splitlines() if line.startswith("probe: ")]
    assert len(lines) == 1, stderr
    return lines[0]


def test_the_first_call_makes_the_store_and_prints_every_table(folder: Path) -> None:
    """In 120 columns, the paper's numbers in parentheses, intervals in brackets."""
    said = (folder / "made.txt").read_text(encoding="utf-8")

    assert (folder / "store" / DATABASE).exists()
    for number in range(1, 10):
        assert f"Table {number}. " in said
    assert "Figure 2. " in said
    assert "Section 6.1.2. " in said
    assert "as printed in the paper" in said
    assert "No value or interval: " in said
    assert max(len(line.rstrip()) for line in said.splitlines()) <= 120
    assert "…" not in said


def test_the_second_call_writes_nothing(folder: Path) -> None:
    before = (folder / "store" / DATABASE).read_bytes()

    again = probe("table", "austenalike", "--data", folder / "data", "--store", folder / "store")
    without = probe("table", "austenalike", "--store", folder / "store")

    assert again.stdout == without.stdout == (folder / "made.txt").read_text(encoding="utf-8")
    assert (folder / "store" / DATABASE).read_bytes() == before


@pytest.mark.parametrize("mode", ["published", "clean"])
def test_json_has_one_object_a_cell(mode: str, folder: Path) -> None:
    """Values are not rounded; what is undefined is null and says why."""
    made = probe(
        "table", "austenalike", "--mode", mode, "--store", folder / "store", "--format", "json"
    )

    records = json.loads(made.stdout)
    assert {"table", "row", "column", "value", "n", "low", "high", "paper", "undefined"} <= set(
        records[0]
    )
    assert {record["mode"] for record in records} == {mode}
    places = {(record["table"], record["row"], record["column"]) for record in records}
    assert len(places) == len(records)
    assert ("2", "fanfic_assertions", "hero") in places
    assert ("Figure 3", "booknlp_events", "maritalStatus.out") in places
    assert any(isinstance(record["value"], float) for record in records)
    assert all((record["value"] is None) <= bool(record["undefined"]) for record in records)
    assert "probe: " in made.stderr  # what must be known to read the numbers


def test_csv_and_latex_have_the_same_numbers(folder: Path) -> None:
    asked = ("table", "austenalike", "--store", folder / "store", "--format")

    rows = list(csv.DictReader(io.StringIO(probe(*asked, "csv").stdout)))
    latex = probe(*asked, "latex").stdout

    assert len(rows) == len(json.loads(probe(*asked, "json").stdout))
    assert latex.count(r"\begin{table}") == len({row["table"] for row in rows})
    assert r"P\&P" in latex


def test_the_seed_moves_intervals_alone(folder: Path) -> None:
    asked = ("table", "austenalike", "--store", folder / "store", "--format", "json")

    first = json.loads(probe(*asked).stdout)
    second = json.loads(probe(*asked, "--seed", "1").stdout)

    assert [record["value"] for record in first] == [record["value"] for record in second]
    assert [record["low"] for record in first] != [record["low"] for record in second]


def test_a_broken_file_is_one_line_and_exit_code_2(folder: Path, tmp_path: Path) -> None:
    """The store is not made, or stays as it was."""
    data = write_published(tmp_path / "data")
    edited(data / "benchmarks" / "austen-roles.tsv", lambda text: text.replace("hero", "HERO", 1))
    before = contents(folder / "store")

    made = probe("table", "austenalike", "--data", data, "--store", tmp_path / "store")
    held = probe("table", "austenalike", "--data", data, "--store", folder / "store")

    assert (made.returncode, made.stdout) == (2, "")
    assert "austen-roles.tsv, line 1: the role is 'HERO'; write one of" in one_line(made.stderr)
    assert not (tmp_path / "store").exists()
    assert one_line(held.stderr) == one_line(made.stderr)
    assert contents(folder / "store") == before


def test_a_store_a_run_has_open_is_read_and_not_written(tmp_path: Path) -> None:
    """Over live SQL; new files have to wait for the run's end, and the error says so."""
    store = tmp_path / "store"
    data = write_published(tmp_path / "data")
    held = probe("table", "austenalike", "--data", data, "--store", store)
    with owning(store) as owner:
        assert owner.said
        served = probe("table", "austenalike", "--data", data, "--store", store)
        edited(
            data / "benchmarks" / "austen-roles.tsv", lambda text: text.replace("rival", "wooer", 1)
        )
        changed = probe("table", "austenalike", "--data", data, "--store", store)

    assert held.returncode == 0
    assert served.stdout == held.stdout
    assert changed.returncode == 2
    assert "is in use by" in one_line(changed.stderr)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("austenalike",), "no part of the corpus 'austenalike'; name the folder of its published"),
        (("austenalike", "--data", "nowhere"), "nowhere: no such folder; name the one that holds"),
        (
            ("austenalike", "--vectors", "x", "--data", "."),
            "neither layout: no folder benchmarks or gpt4",
        ),
        (("similarity",), "similarity needs --corpus"),
        (("similarity", "--corpus", "c"), "no part of the corpus 'c'; name a file with --groups"),
        (("nothing",), "no store at"),
    ],
)
def test_what_is_missing_is_one_line(given: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = probe("table", *given, "--store", tmp_path / "store")

    assert (done.returncode, done.stdout) == (2, "")
    assert said in one_line(done.stderr)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ("austenalike", "--mode", "other"),
            "--mode other: the study austenalike has published or",
        ),
        (("mine", "--mode", "clean"), "--mode is for studies, and these are austenalike, memo"),
        (("mine", "--format", "latex"), "--format latex is for studies"),
        (("austenalike", "--seed", "-1"), "--seed"),
    ],
)
def test_an_option_in_the_wrong_place_is_a_usage_error(
    given: tuple[str, ...], said: str, folder: Path
) -> None:
    done = probe("table", *given, "--store", folder / "store")

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_name_of_nothing_lists_what_there_is(folder: Path) -> None:
    done = probe("table", "austenlike", "--store", folder / "store")

    assert one_line(done.stderr) == (
        "probe: no experiment or study is called 'austenlike'; the store is empty,"
        " the studies are austenalike, memorization, memory, similarity"
    )


def test_own_models_stand_beside_the_published_answers(folder: Path, tmp_path: Path) -> None:
    """In each form, in 120 columns, with what they were asked; the published rows stay."""
    store = tmp_path / "store"
    shutil.copytree(folder / "store", store)
    said: dict[str, list[Said]] = {name: [[NOVEL_NAMES[at - 1]]] for at, name in enumerate(ASKED)}
    model = "some-model-7b-instruct"
    own.ask(store, Answers(said=said | {ASKED[0]: [None]}, offered=NOVEL_NAMES, model=model))
    asked = ("table", "austenalike", "--mode", "clean", "--store", store)

    shown = probe(*asked)
    records = json.loads(probe(*asked, "--format", "json").stdout)
    latex = probe(*asked, "--format", "latex")
    before = json.loads(
        probe(*asked[:-1], folder / "store", "--format", "json").stdout,
    )

    row = f"{model} most_similar_character"
    assert shown.returncode == 0, shown.stderr
    assert max(len(line.rstrip()) for line in shown.stdout.splitlines()) <= 120
    assert f"{row}: asked about 5 of the 12 characters of its list, 5" in shown.stdout
    assert [record for record in records if record["row"] != row] == before
    gender = [r for r in records if (r["table"], r["row"], r["column"]) == ("7", row, "gender")]
    assert [record["n"] for record in gender] == [4]
    assert model in latex.stdout
    assert f"probe: {row}: asked about 5 of the 12 characters" in latex.stderr


def test_an_experiment_of_a_study_s_name_is_still_reached(tmp_path: Path) -> None:
    """The study is printed, with a hint; --experiment prints the experiment."""
    store = tmp_path / "store"
    data = write_published(tmp_path / "data")
    with Database(store) as database:
        database.call(lambda owner: insert(owner, [experiment_row(experiment="austenalike")]))

    study = probe("table", "austenalike", "--data", data, "--store", store)
    experiment = probe("table", "austenalike", "--experiment", "--store", store)

    assert "Table 2. " in study.stdout
    assert one_line(study.stderr) == (
        "probe: the store has an experiment austenalike too; --experiment prints it"
    )
    assert experiment.returncode == 0, experiment.stderr
    assert "Table 2. " not in experiment.stdout


def test_a_study_of_one_s_own_files(tmp_path: Path) -> None:
    """Vectors of a corpus, and two plain files."""
    store = toys.hold(tmp_path / "store", toys.cast(WORKS), toys.vectors(NAMES, MATRIX))
    for name, text in (("g.tsv", GROUPS), ("p.tsv", PAIRS)):
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    asked = ("table", "similarity", "--corpus", toys.CORPUS, "--store", store)

    first = probe(*asked, "--groups", tmp_path / "g.tsv", "--pairs", tmp_path / "p.tsv")
    again = probe(*asked, "--vectors", "made")

    assert first.returncode == 0, first.stderr
    assert "Most similar character in the same group: role" in first.stdout
    assert "Pairs: agreement with cosine similarity" in first.stdout
    assert "the paper's" not in first.stdout
    assert again.stdout == first.stdout
