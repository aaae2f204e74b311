"""`probe names`: what a strategy left standing is counted, by item and by dataset."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from probe.cli import cli
from prompts.names.lists import cultures, name_list
from prompts.names.strategies import STRATEGIES
from tests.probe.experiments_for_tests import write_experiment

LEAKING = (
    "P0 : Did Gunther say anything, Joey ?",
    "P1 : He said to meet him at Central Perk . How you doin' ?",
)
CLEAN = ("P0 : Is it late, Joey ?", "P1 : Not yet .")
SAME = ("P0 : Is it late ?", "P1 : Not yet .")


def raw(*scenes: tuple[str, ...], options: str = "['ross', 'rachel']") -> str:
    """A file of scenes in the published form."""
    records = [
        f'{number},"01x01 {number}\r{options}\r' + "\r".join(lines) + '",'
        "\"{'P0': 'ross', 'P1': 'rachel'}\"\r\n"
        for number, lines in enumerate(scenes, start=1)
    ]
    return "No.,Scene,Answer\r\n" + "".join(records)


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Command:
    """`probe names`, in this process."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, *words: object) -> Ran:
        with pytest.raises(SystemExit) as exit_:
            cli(["names", *map(str, words)])
        shown = self.capsys.readouterr()
        assert isinstance(exit_.value.code, int)
        return Ran(exit_.value.code, shown.out, shown.err)

    def rows(self, *words: object) -> list[dict[str, object]]:
        """What it prints as JSON."""
        ran = self(*words, "--format", "json")
        assert ran.code == 0, ran.err
        found: list[dict[str, object]] = json.loads(ran.out)
        return found


@pytest.fixture
def names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    monkeypatch.setenv("GISTPROBE_CACHE", str(tmp_path / "cache"))
    return Command(capsys)


@pytest.fixture
def scenes(tmp_path: Path) -> Path:
    """Two scenes of Friends: one with a place, a phrase and a minor figure, one with none."""
    path = tmp_path / "friends.raw"
    path.write_text(raw(LEAKING, CLEAN), newline="")
    return path


def audit(path: Path, *strategies: str) -> list[object]:
    words: list[object] = ["audit", "--dataset", "tvshowguess", "--path", path]
    for strategy in strategies:
        words += ["--names", strategy]
    return words


def test_the_summary_counts_leaks_of_each_kind(names: Command, scenes: Path) -> None:
    """Masks hide every name; the paper's map keeps minor figures; neither hides a place."""
    masked, by_hand = names.rows(*audit(scenes, "masked", "paper_cross_culture"))

    assert (masked["dataset"], masked["task"]) == ("tvshowguess", "character_guessing")
    assert (masked["names"], by_hand["names"]) == ("masked", "paper_cross_culture")
    assert (masked["items"], masked["set aside"]) == (2, 0)
    assert (masked["replaced"], by_hand["replaced"]) == (3, 2)
    assert (masked["with names"], by_hand["with names"]) == (0, 1)
    for row in (masked, by_hand):
        assert (row["with titles"], row["with places"], row["with phrases"]) == (0, 1, 1)
        assert (row["leaking"], row["leak rate"]) == (1, 0.5)


def test_original_names_are_no_leak(names: Command, scenes: Path) -> None:
    """Under them nothing is replaced, so there is nothing to audit."""
    found = names.rows(*audit(scenes))

    assert [row["names"] for row in found] == ["masked", "same_culture", "cross_culture"]
    assert names.rows(*audit(scenes, "original")) == []


def test_each_item_says_what_is_left(names: Command, scenes: Path) -> None:
    leaking, clean = names.rows(*audit(scenes, "paper_cross_culture"), "--items")

    assert leaking["item"] == "friends:01x01:1"
    assert leaking["left"] == "names: Gunther; places: Central Perk; phrases: how you doin'"
    assert (leaking["replaced"], clean["replaced"], clean["left"]) == (1, 1, "")


def test_an_item_that_cannot_be_shown_has_its_reason(names: Command, tmp_path: Path) -> None:
    """It counts among the items, not in the rate; of no item there is no rate."""
    path = tmp_path / "friends.raw"
    one = raw(SAME).replace("rachel", "ross geller")
    path.write_text(one, newline="")

    (row,) = names.rows(*audit(path, "masked"))
    (item,) = names.rows(*audit(path, "masked"), "--items")
    shown = names(*audit(path, "masked")).out

    assert (row["items"], row["set aside"], row["leak rate"]) == (1, 1, None)
    assert item["set aside"] == "two options become the same name"
    assert "1, 1 set aside" in shown
    assert "two options become the same name" in shown.split("Set aside:")[1]


def test_the_table_begins_with_the_summary_and_ends_with_what_leaks(
    names: Command, scenes: Path
) -> None:
    shown = names(*audit(scenes, "masked", "paper_cross_culture"))

    summary, forms = shown.out.split("What is left, the most frequent first:")
    rows = {line.split("  ")[0]: line for line in re.findall(r"(?:names|places) .*", forms)}
    assert shown.code == 0
    assert "50.0 %" in summary
    assert re.fullmatch(r"names +Gunther +1 +1 +paper_cross_culture *", rows["names"])
    assert re.fullmatch(r"places +Central Perk +1 +1 +every one *", rows["places"])
    assert "Set aside:" not in shown.out


def test_csv_is_one_table(names: Command, scenes: Path) -> None:
    found = names(*audit(scenes, "masked"), "--format", "csv").out

    (row,) = csv.DictReader(io.StringIO(found))
    assert row["leak rate"] == "0.5"


def test_an_experiment_is_audited_under_its_own_strategies(names: Command, tmp_path: Path) -> None:
    """All its items, or only one strategy of them."""
    experiment = write_experiment(tmp_path, "http://127.0.0.1:9/v1")

    (row,) = names.rows("audit", experiment)
    (other,) = names.rows("audit", experiment, "--names", "masked")

    assert (row["dataset"], row["names"], row["items"]) == ("excerpts", "cross_culture", 6)
    assert (other["names"], other["items"]) == ("masked", 6)
    assert int(str(row["replaced"])) > 0


def test_a_dataset_may_be_cut_short(names: Command, scenes: Path) -> None:
    (row,) = names.rows(*audit(scenes, "masked"), "--limit", 1, "--task", "source_identification")

    assert (row["items"], row["task"], row["leak rate"]) == (1, "source_identification", 1.0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("audit",), "name an experiment file, or a dataset with --dataset"),
        (("audit", "a.toml", "--dataset", "excerpts"), "name an experiment file, or a dataset"),
        (("audit", "a.toml", "--limit", "3"), "--path, --task and --limit go with --dataset"),
        (("audit", "gone.toml"), "gone.toml: no such file"),
        (("audit", "--dataset", "tvshowgues"), "did you mean 'tvshowguess'?"),
        (("audit", "--dataset", "tvshowguess"), "tvshowguess is not here; fetch it with"),
        (("audit", "--dataset", "excerpts", "--task", "x"), "unknown task of excerpts 'x'"),
        (("list", "chines"), "did you mean 'chinese'?"),
    ],
)
def test_what_cannot_be_is_said(names: Command, words: tuple[str, ...], said: str) -> None:
    ran = names(*words)

    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err.splitlines()[-1]


def test_an_unknown_strategy_names_the_nearest(names: Command, scenes: Path) -> None:
    ran = names(*audit(scenes, "maskd"))

    assert (ran.code, ran.out) == (2, "")
    assert "did you mean 'masked'?" in ran.err


def test_everything_that_replaces_names_is_listed(names: Command) -> None:
    found = names.rows("list")

    by_kind = {kind: [row["name"] for row in found if row["kind"] == kind] for kind in
               ("strategy", "named map", "culture")}  # fmt: skip
    assert set(by_kind["strategy"]) | set(by_kind["named map"]) == set(STRATEGIES)
    assert by_kind["culture"] == list(cultures())
    assert all(row["what"] for row in found)


def test_the_names_of_a_culture_are_listed(names: Command) -> None:
    female, male, surname = names.rows("list", "russian")

    assert [row["list"] for row in (female, male, surname)] == ["female", "male", "surname"]
    assert str(male["names"]).split() == list(name_list("russian").male)
    assert surname["count"] == len(name_list("russian").surname)
