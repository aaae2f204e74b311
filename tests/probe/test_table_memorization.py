"""`probe table memorization` as a user meets it: results, figures, errors and exit codes."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path

import pytest

from store.database import Database
from tests.analysis.memorization_for_tests import GIST, NR, ORIGIN, Asked, marks, put
from tests.probe.experiments_for_tests import probe
from tests.store.served_for_tests import owning

MODELS = ("gpt-4o", "mine")


def asked() -> list[Asked]:
    """Two models, guessing and source identification under three conditions."""
    found = []
    for at, model in enumerate(MODELS):
        for condition, text in ((ORIGIN, "1111011101"), (NR, "1100011000"), (GIST, "1100000000")):
            own = text[at:] + text[:at]
            found.append(Asked(marks=marks(own), condition=condition, model=model))
            found.append(
                Asked(
                    marks=marks(own),
                    condition=condition,
                    model=model,
                    task="source_identification",
                    dataset="excerpts",
                    choices="open",
                )
            )
    return found


def hold(store: Path, *experiments: str) -> Path:
    """A store of experiments that are alike but for their models' names."""
    with Database(store) as database:
        for name in experiments:
            database.call(partial(put, asked=asked(), experiment=name))
    return store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hold(tmp_path_factory.mktemp("memorization") / "store", "small")


def test_the_tables_are_printed_in_120_columns(store: Path) -> None:
    """With the paper's numbers beside those of its models."""
    done = probe("table", "memorization", "--store", store)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("memorization, experiment small\n")
    for title in ("Table 3. ", "Figure 3. ", "Figure 4. ", "Figure 5. "):
        assert title in done.stdout
    assert "gpt-4o (the paper's GPT-4o)" in done.stdout
    assert "40.0 ↓40.0" in done.stdout
    assert "(32.0 ↓46.2)" in done.stdout
    assert "(31.9 ↓29.5)" not in done.stdout
    assert max(len(line.rstrip()) for line in done.stdout.splitlines()) <= 120
    assert "Levels are over all replies" in done.stdout


def test_as_and_paper_say_what_the_paper_has(store: Path) -> None:
    named = probe(
        "table", "memorization", "--store", store, "--as", "mine=LLaMA3.3-70B", "--paper"
    ).stdout

    assert "mine (the paper's LLaMA3.3-70B)" in named
    assert "(31.9 ↓29.5)" in named
    assert "DeepSeek V3, the paper's" in named
    assert "LLaMA3.3-70B, the paper's" not in named


def test_json_csv_and_latex_have_the_same_numbers(store: Path) -> None:
    """Values are not rounded, in percent; each record says which rows of the store it is of."""
    ask = ("table", "memorization", "--store", store, "--format")

    made = probe(*ask, "json")
    records = json.loads(made.stdout)
    rows = list(csv.DictReader(io.StringIO(probe(*ask, "csv").stdout)))
    latex = probe(*ask, "latex").stdout

    assert len(rows) == len(records)
    assert latex.count(r"\begin{table*}") == len({record["table"] for record in records})
    (level,) = [
        each
        for each in records
        if (each["table"], each["model"], each["task"]) == ("3", "mine", "character_guessing")
        and (each["column"], each["kind"]) == ("NR", "level")
    ]
    assert (level["value"], level["unit"], level["experiment"]) == (40.0, "percent", "small")
    assert (level["names"], level["prompt"]) == ("cross_culture", "baseline")
    assert {"p_holm", "low", "high", "missing", "lowest", "highest", "n"} <= set(level)
    assert "mode" not in level
    assert "probe: Levels are over all replies" in made.stderr


def test_figures_are_drawn_as_far_as_they_were_asked(store: Path, tmp_path: Path) -> None:
    """What is not is told on standard error, with the reason."""
    pytest.importorskip("matplotlib", reason="needs the `report` extra")

    done = probe("table", "memorization", "--store", store, "--figures", tmp_path / "made")

    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == [
        f"memorization-figure-{number}.{kind}" for number in (3, 4, 5) for kind in ("png", "svg")
    ]
    assert "probe: Figure 2 is not drawn: character guessing under original names" in done.stderr
    assert done.returncode == 0


def test_a_run_s_store_is_read_over_live_sql(tmp_path: Path) -> None:
    """The owner has an experiment of its own there."""
    store = hold(tmp_path / "store", "guessing")
    alone = probe("table", "memorization", "--store", store)

    with owning(store) as owner:
        assert owner.said
        served = probe("table", "memorization", "--store", store, "--of", "guessing")

    assert "40.0 ↓40.0" in served.stdout
    assert served.stdout == alone.stdout


def test_of_names_the_experiment(tmp_path: Path) -> None:
    store = hold(tmp_path / "store", "first", "second")

    without = probe("table", "memorization", "--store", store)
    named = probe("table", "memorization", "--store", store, "--of", "second")
    other = probe("table", "memorization", "--store", store, "--of", "third")

    assert (without.returncode, without.stdout) == (2, "")
    assert "several experiments with these tasks: first, second; name one with --of" in (
        without.stderr
    )
    assert named.stdout.startswith("memorization, experiment second\n")
    assert other.returncode == 2
    assert "no experiment is called 'third'; the store has first, second" in other.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--data", "."), "--data is not for the study memorization; it takes --of, --as, --pap"),
        (("--corpus", "c"), "--corpus is not for the study memorization"),
        (("--groups", "g"), "--groups is not for the study memorization"),
        (("--pairs", "p"), "--pairs is not for the study memorization"),
        (("--characters", "c"), "--characters is not for the study memorization"),
        (("--vectors", "v"), "--vectors is not for the study memorization"),
        (("--mode", "clean"), "--mode is not for the study memorization"),
        (("--as", "mine"), "--as mine: write MODEL=PAPER'S, such as --as mine=GPT-4o"),
        (("--as", "mine=GPT-4o", "--as", "mine=GPT-4o"), "--as names the model mine twice"),
        (("--as", "you=GPT-4o"), "the experiment has no model you; it has gpt-4o, mine"),
        (("--as", "mine=GPT-5"), "the paper has no model GPT-5; it has GPT-4o, LLaMA3.3-70B, De"),
    ],
)
def test_an_option_in_the_wrong_place_is_a_usage_error(
    given: tuple[str, ...], said: str, store: Path
) -> None:
    done = probe("table", "memorization", *given, "--store", store)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("option", [("--of", "small"), ("--as", "a=b"), ("--paper",)])
def test_its_options_are_refused_elsewhere(option: tuple[str, ...], store: Path) -> None:
    study = probe("table", "similarity", *option, "--store", store)
    experiment = probe("table", "small", *option, "--store", store)

    assert (study.returncode, experiment.returncode) == (2, 2)
    assert f"{option[0]} is not for the study similarity; it takes --mode" in study.stderr
    assert f"{option[0]} is for studies" in experiment.stderr
