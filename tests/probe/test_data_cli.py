"""`probe data`: what is fetched, on what terms, and what a dataset's files hold."""

from __future__ import annotations

import ast
import csv
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from probe.cli import cli
from probe.homes import NotHere, found, is_here, place_by_hand
from probe.resolve import dataset_root
from probe.spec import TaskSpec
from prompts.datasets import DATASETS
from prompts.datasets.homes import Home, homes
from store.errors import AssetError
from tests.store.homes_for_tests import home

DATA = Path(__file__).parents[2].parent / "shared" / "data"
SCENE = (
    "No.,Scene,Answer\r\n"
    "1,\"01x01 3\r['ross', 'rachel']\rbackground : A room.\rP0 : Is it late?\rP1 : Not yet.\","
    "\"{'P0': 'ross', 'P1': 'rachel'}\"\r\n"
)


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def probe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command as a user calls it, in this process, with a cache of its own."""
    monkeypatch.setenv("GISTPROBE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return Command(capsys)


@dataclass(frozen=True)
class Command:
    """`probe data`."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, *words: object) -> Ran:
        with pytest.raises(SystemExit) as exit_:
            cli(["data", *map(str, words)])
        shown = self.capsys.readouterr()
        code = exit_.value.code
        assert isinstance(code, int)
        return Ran(code, shown.out, shown.err)

    def rows(self, *words: object) -> list[dict[str, object]]:
        """What it prints as JSON."""
        ran = self(*words, "--format", "json")
        assert ran.code == 0, ran.err
        found: list[dict[str, object]] = json.loads(ran.out)
        return found

    def counts(self, *words: object) -> dict[tuple[object, object], object]:
        """What `check` counts, by task and what is counted."""
        return {(row["task"], row["what"]): row["n"] for row in self.rows("check", *words)}


def publish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, stated: bool = True, by_hand: str = ""
) -> Path:
    """Give a dataset a home of our own, with one small scene; where it will lie."""
    place = tmp_path / "home"
    files = {"human_annotation/friends.raw": SCENE.encode(), "LICENSE": b"CC0\n", "x/y": b"no\n"}
    commit = home(place, files)
    own = Home(
        licence="CC0" if stated else "none stated",
        scope="one scene",
        checked="all of it",
        repository=f"file://{place}",
        commit=commit,
        paths=("LICENSE", "human_annotation"),
        root="human_annotation",
        stated=stated,
        by_hand=by_hand,
    )
    monkeypatch.setitem(homes(), "tvshowguess", own)
    folder = tmp_path / "cache" / "datasets" / "tvshowguess" / commit[:12]
    return folder / "human_annotation"


def test_a_dataset_is_fetched_checked_and_listed(
    probe: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The licence is named before; the path is the only thing among the results."""
    place = publish(tmp_path, monkeypatch, by_hand="More lies elsewhere.")

    before = {row["name"]: row["where"] for row in probe.rows("list")}
    ran = probe("fetch", "tvshowguess")
    after = {row["name"]: row["where"] for row in probe.rows("list")}
    counts = probe.counts("tvshowguess", "--task", "character_guessing")

    assert (ran.code, ran.out) == (0, f"{place}\n")
    assert ran.err.startswith("tvshowguess: licence: CC0 (one scene)\n")
    assert "fetching it accepts the licence" in ran.err
    assert "More lies elsewhere." in ran.err
    assert (place / "friends.raw").read_bytes() == SCENE.encode()
    assert (before["tvshowguess"], after["tvshowguess"]) == (
        "`probe data fetch tvshowguess`",
        "cached",
    )
    assert found("tvshowguess") == place
    assert counts["character_guessing", "items"] == 1
    assert counts["character_guessing", "gold labels"] == 2


def test_an_experiment_without_a_path_reads_the_copy_that_is_here(
    probe: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fetched before; a path that is given goes first."""
    place = publish(tmp_path, monkeypatch)
    own = tmp_path / "own.raw"
    own.write_text(SCENE)
    task = "character_guessing"
    without = TaskSpec.model_construct(name=task, dataset="tvshowguess", path=None)
    with_path = TaskSpec.model_construct(name=task, dataset="tvshowguess", path="own.raw")

    with pytest.raises(NotHere, match="fetch it with `probe data fetch tvshowguess`"):
        dataset_root(without, tmp_path / "e.toml", lambda *_: None)
    probe("fetch", "tvshowguess")

    assert dataset_root(without, tmp_path / "e.toml", lambda *_: None) == place
    assert dataset_root(with_path, tmp_path / "e.toml", lambda *_: None) == own


def test_a_home_without_a_licence_asks_for_a_word(
    probe: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once fetched it does not ask again."""
    place = publish(tmp_path, monkeypatch, stated=False)

    refused = probe("fetch", "tvshowguess")
    here = is_here("tvshowguess")
    accepted = probe("fetch", "tvshowguess", "--accept-licence")
    again = probe("fetch", "tvshowguess")

    assert (refused.code, refused.out, here) == (2, "", False)
    assert "states no licence" in refused.err
    assert "--accept-licence" in refused.err
    assert (accepted.code, accepted.out) == (0, f"{place}\n")
    assert again == accepted


def test_a_dataset_that_no_program_can_fetch_is_put_in_its_place(probe: Command) -> None:
    """The message says what to download and where to put it; nothing is lost on the way."""
    told = probe("fetch", "summscreen")
    place = place_by_hand("summscreen")
    place.mkdir(parents=True)
    empty = probe("fetch", "summscreen")
    (place / "fd_dev.json").write_text("{}\n")
    put = probe("fetch", "summscreen")

    assert (told.code, told.out) == (2, "")
    assert "https://drive.google.com/" in told.err
    assert str(place) in told.err
    assert empty.code == 2
    assert (put.code, put.out) == (0, f"{place}\n")
    assert found("summscreen") == place


def test_what_was_put_by_hand_goes_before_what_was_fetched(
    probe: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, monkeypatch)
    probe("fetch", "tvshowguess")
    place = place_by_hand("tvshowguess")
    place.mkdir(parents=True)
    (place / "friends.raw").write_bytes(SCENE.encode() + SCENE.encode().split(b"\r\n", 1)[1])

    counts = probe.counts("tvshowguess", "--task", "character_guessing")

    assert counts["character_guessing", "items"] == 2
    assert counts["character_guessing", "item ids that came before"] == 1


def test_a_home_that_cannot_be_reached_is_exit_code_1(
    probe: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, monkeypatch)
    away = Home(
        **{
            **{name: getattr(homes()["tvshowguess"], name) for name in Home.__slots__},
            "repository": "http://127.0.0.1:1/x.git",
        }
    )
    monkeypatch.setitem(homes(), "tvshowguess", away)

    ran = probe("fetch", "tvshowguess")

    assert (ran.code, ran.out) == (1, "")
    assert "cannot be reached" in ran.err
    assert "Traceback" not in ran.err


def test_a_damaged_copy_is_no_dataset(
    probe: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = publish(tmp_path, monkeypatch)
    probe("fetch", "tvshowguess")
    (place / "friends.raw").write_text("other")

    ran = probe("check", "tvshowguess")

    assert ran.code == 1
    assert "damaged: human_annotation/friends.raw was changed" in ran.err
    with pytest.raises(AssetError):
        found("tvshowguess")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fetch", "tvshowgues"), "did you mean 'tvshowguess'?"),
        (("fetch", "excerpts"), "excerpts is read from a file of your own: a .jsonl file"),
        (("check", "excerpts"), "excerpts is not here; it is read from a file of your own"),
        (("check", "tvshowguess"), "fetch it with `probe data fetch tvshowguess`, or give path"),
        (("check", "tvshowgues"), "did you mean 'tvshowguess'?"),
        (("check", "excerpts", "--task", "personality"), "unknown task of excerpts 'personality'"),
    ],
)
def test_what_cannot_be_is_one_line(probe: Command, words: tuple[str, ...], said: str) -> None:
    ran = probe(*words)

    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err.splitlines()[-1]


def test_a_file_that_is_not_as_published_is_named_with_its_place(
    probe: Command, tmp_path: Path
) -> None:
    path = tmp_path / "friends.raw"
    path.write_text(SCENE.replace("'rachel'}", "'nobody at all'}"))

    ran = probe("check", "tvshowguess", "--path", path)

    assert ran.code == 2
    assert re.search(rf"{path}, record 1: .*; compare it with the file as published", ran.err)


def test_a_task_that_a_file_of_ones_own_has_nothing_for_is_said(
    probe: Command, tmp_path: Path
) -> None:
    """The others are counted; alone it is an error."""
    path = tmp_path / "scenes.jsonl"
    path.write_text('{"id": "s1", "work": "A Work", "text": "Ann: Where is it?"}\n')

    counts = probe.counts("dialogue", "--path", path)
    alone = probe("check", "dialogue", "--path", path, "--task", "coreference")

    assert counts["source_identification", "items"] == 1
    (said,) = (str(what) for task, what in counts if task == "coreference")
    assert said.startswith("no items: ")
    assert alone.code == 2


def test_what_is_wrong_for_one_task_ends_the_check(probe: Command, tmp_path: Path) -> None:
    """Though another task can read the file."""
    lines = [{"speaker": "Ann", "text": "Where?"}, {"speaker": "Bo", "text": "Here."}]
    cast = [{"name": "Ann"}, {"name": "Bo"}]
    scene = {"id": "s1", "work": "A Work", "cast": cast, "lines": lines, "options": ["Ann", "Cy"]}
    path = tmp_path / "scenes.jsonl"
    path.write_text(json.dumps(scene) + "\n")

    ran = probe("check", "dialogue", "--path", path)

    assert (ran.code, ran.out) == (2, "")
    assert f"{path}, line 1" in ran.err


def test_real_scenes_are_counted_as_by_hand(probe: Command) -> None:
    """Items and speakers of the published sample, counted with the csv module alone."""
    folder = DATA / "tvshowguess" / "human_annotation"
    if not folder.exists():
        pytest.skip("needs shared/data/tvshowguess beside the repository")
    scenes, speakers = 0, 0
    for path in folder.glob("*.raw"):
        with path.open(encoding="utf-8", newline="") as file:
            for record in csv.DictReader(file):
                scenes += 1
                speakers += len(ast.literal_eval(record["Answer"].strip()))

    counts = probe.counts("tvshowguess", "--path", folder)

    assert counts["character_guessing", "items"] == scenes
    assert counts["character_guessing", "gold labels"] == speakers
    assert counts["source_identification", "items"] == scenes
    assert counts["character_guessing", "works"] == 2


def test_what_a_strategy_cannot_show_is_counted_with_its_reason(
    probe: Command, tmp_path: Path
) -> None:
    """A name and its short form are one person, who gets one mask."""
    path = tmp_path / "friends.raw"
    path.write_text(SCENE.replace("rachel", "ross geller"))
    words = ("tvshowguess", "--path", path, "--task", "character_guessing")

    both = probe.counts(*words, "--names", "original", "--names", "masked")
    original = probe.counts(*words, "--names", "original")

    reason = "set aside under masked: two options become the same name"
    assert both["character_guessing", reason] == 1
    assert not any(str(what).startswith("set aside") for _, what in original)


@pytest.mark.parametrize("name", list(homes()))
def test_the_homes_are_sound(name: str) -> None:
    """Pinned by a whole commit id over https, or told how to get by hand; never without terms."""
    own = homes()[name]

    assert name in DATASETS
    assert own.licence
    assert own.scope
    assert own.checked
    assert own.stated is (own.licence != "none stated")
    if own.repository:
        assert re.fullmatch("[0-9a-f]{40}", own.commit)
        assert re.fullmatch(r"https://github\.com/[\w-]+/[\w.-]+", own.repository)
        assert own.paths
        assert any(own.root.startswith(path.split("/")[0]) for path in own.paths) or not own.root
    else:
        assert "https://" in own.by_hand
