"""`probe calibrate` finds what is planted and nothing where nothing is; small, and for real.

Thirty works, one scene each with four speakers to name; 24 subjects with planted memory and as many
without, over HTTP, through journal, store, scoring and contrasts.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from analysis.calibration import Calibrated, Group, Planted, alarmed, calibrated, verdict
from probe.cli import cli
from probe.cli.run_subjects import Calibration, Kind, expected
from probe.cli.show_calibration import record, show_calibration
from probe.simulate.memory import Memory
from probe.spec import parse_spec, read_toml
from tests.probe.experiments_for_tests import probe, rows
from tests.probe.planted_for_tests import everything_of, write_planted

SUBJECTS = 24
SET = Memory(known=0.6, by_names=0.7, by_wording=0.2, skill=0.4, refuse=0.03, garble=0.02)
# Of a known work's passages 1 - 0.3 * 0.8 = 76 % are recognised with names and 20 % without, which
# is right instead of 40 % of the time; 5 % of the replies are none.
PLANTED = 0.95 * 0.6 * (0.76 - 0.2) * (1 - 0.4)


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_planted(tmp_path_factory.mktemp("calibrate"), works=30, scenes=1)


def groups(experiment: Path, store: Path, memory: Memory, name: str = "subject") -> list[Group]:
    """Subjects of a kind, asked for real."""
    text = read_toml(experiment)
    asking = Calibration(
        spec=parse_spec(text, experiment), path=experiment, text=text, store=store, limits=(0,)
    )
    return list(asking.groups(Kind(name=name, count=SUBJECTS, memory=memory, seed=11)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A run of the command, and how many requests the store holds after it."""

    done: subprocess.CompletedProcess[str]
    attempts: list[dict[str, object]]


def calibrate(experiment: Path, store: Path, *words: object) -> Ended:
    settings: list[object] = ["--known", 0.6, "--by-names", 0.7, "--by-wording", 0.2]
    settings += ["--skill", 0.4, "--refuse", 0.03, "--garble", 0.02]
    settings += ["--subjects", SUBJECTS, "--seed", 11, "--store", store]
    done = probe("calibrate", experiment, *settings, *words, within_s=300)
    asked = "SELECT count(*) AS n, count(DISTINCT key) AS keys FROM attempts"
    return Ended(done=done, attempts=rows(store, asked))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("calibrated") / "store"


@pytest.fixture(scope="module")
def first(experiment: Path, store: Path) -> Ended:
    return calibrate(experiment, store, "--format", "json")


def test_the_planted_effect_is_found_within_its_error(first: Ended) -> None:
    """Within four Monte-Carlo errors; intervals hold it for nearly all subjects."""
    assert first.done.returncode == 0, first.done.stderr
    subject, control = json.loads(first.done.stdout)

    assert (subject["group"], control["group"]) == ("subject", "control")
    assert subject["planted"] == pytest.approx(PLANTED)
    assert abs(subject["bias"]) < 4 * subject["bias_error"] < 0.1
    assert subject["bias"] == pytest.approx(subject["mean"] - PLANTED)
    assert subject["held"] >= 20  # fewer come once in 200 times at 95 %
    assert (subject["items"], subject["clusters"], subject["clustered_by"]) == (30, 30, "work")
    assert (subject["subjects"], subject["undefined"]) == (SUBJECTS, 0)


def test_subjects_without_memory_are_quiet(first: Ended) -> None:
    _, control = json.loads(first.done.stdout)

    assert control["planted"] == 0
    assert abs(control["bias"]) < 4 * control["bias_error"]
    assert control["significant"] <= 4  # more come once in 100 times at 5 %
    assert "nothing is off" in first.done.stderr
    assert f"of {SUBJECTS} subjects without memory" in first.done.stderr


def test_a_second_run_over_the_store_asks_nothing_anew(
    experiment: Path, store: Path, first: Ended
) -> None:
    """Fewer items are among the more, and the numbers come out the same."""
    cells = 2 * SUBJECTS * 30 * 2
    again = calibrate(experiment, store, "--items", "20,30", "--format", "csv")
    found = list(csv.DictReader(io.StringIO(again.done.stdout)))
    before = json.loads(first.done.stdout)

    assert first.attempts == again.attempts == [{"n": cells, "keys": cells}]
    assert [(row["group"], row["limit"], row["items"]) for row in found] == [
        ("subject", "30", "30"),
        ("subject", "20", "20"),
        ("control", "30", "30"),
        ("control", "20", "20"),
    ]
    assert [float(found[at]["mean"]) for at in (0, 2)] == pytest.approx(
        [row["mean"] for row in before]
    )
    assert float(found[1]["width"]) > float(found[0]["width"])


def test_subjects_that_ignore_names_are_not_taken_for_those_that_do_not(
    experiment: Path, tmp_path: Path
) -> None:
    """What is planted by names is missing: the same comparison says so, and does not pass."""
    (asked,) = groups(experiment, tmp_path, replace(SET, by_names=0.0))
    said = Planted.of(expected(everything_of(experiment), SET))
    (found,) = calibrated(replace(asked, planted=said))

    assert found.planted == pytest.approx(PLANTED)
    assert found.bias is not None
    assert found.bias_error is not None
    assert found.bias < -4 * found.bias_error
    assert found.held < 20
    assert not verdict([found]).sound
    # Held against what they really are, the same replies are as they should be.
    assert verdict(calibrated(asked)).sound


def one(**said: object) -> Calibrated:
    own = Group(name="subject", limit=None, planted=Planted(), contrasts=())
    assert calibrated(own) == []
    assert alarmed(()) == (0, 0)
    blank: dict[str, Any] = dict.fromkeys(Calibrated.__slots__)
    texts = ("task", "dataset", "choices", "wording", "descriptions", "contrast", "clustered_by")
    numbers = ("subjects", "undefined", "intervals", "held", "significant", "tested", "items")
    blank |= {**dict.fromkeys(texts, "x"), **dict.fromkeys(numbers, 0), "group": "subject"}
    return Calibrated(**{**blank, "planted": 0.1, "clusters": 0, **said})


def test_what_is_undefined_is_shown_as_such_in_every_form(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = one(undefined=7)
    show_calibration([found], [], "table")
    table = capsys.readouterr().out

    assert "10.00 → –" in table
    assert "7 undefined" in table
    assert "7 of 7 intervals are undefined" in table
    assert record(found)["coverage"] is None
    assert record(found)["coverage_interval_low"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--items", "ten"], "is no list of numbers"),
        (["--items", "0,5"], "a number of items is at least 1"),
        (["--subjects", "1"], "1 is not in the range x>=2"),
        (["--known", "7"], "--known is 7.0, it must be between 0 and 1"),
    ],
)
def test_wrong_flags_are_told(experiment: Path, words: list[str], said: str) -> None:
    done = CliRunner().invoke(cli, ["calibrate", str(experiment), *words])

    assert done.exit_code == 2
    assert said in done.output


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"original", "cross_culture"', '"original"', "conditions: no two of them make a contrast"),
        ("character_guessing", "summarization", "task summarization: its answers are not right"),
        ("scenes.jsonl", "nowhere.jsonl", "no file or folder at"),
    ],
)
def test_an_experiment_that_cannot_be_played_is_refused(
    experiment: Path, tmp_path: Path, old: str, new: str, said: str
) -> None:
    (tmp_path / "scenes.jsonl").write_bytes((experiment.parent / "scenes.jsonl").read_bytes())
    path = tmp_path / "planted.toml"
    path.write_text(experiment.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    done = CliRunner().invoke(cli, ["calibrate", str(path)])

    assert done.exit_code == 2
    assert said in done.output
