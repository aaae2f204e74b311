"""Passages for memory probes: speeches without directions, and one's own texts cut by task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prompts import DatasetError
from prompts.datasets import DATASETS, Selection
from prompts.datasets.passages import read as read_own
from prompts.datasets.play_passages import read
from prompts.datasets.play_speech import At, Passage, find, spoken_scenes
from prompts.datasets.shakespeare import Play, Scene, Turn
from prompts.item import Character

TURNS = (
    Turn(speaker="ANNA", text="Who goes there, I\nask you, [Aside] good Ben?"),
    Turn(speaker=None, text="[A bell]"),
    Turn(speaker="ANNA", text="Nobody?"),
    Turn(speaker="First Man", text="[Within] Only I.\nAnd the rain."),
    Turn(speaker="BEN", text="[Exit]"),
)
PLAY = Play(
    stem="own",
    title="Own",
    titles=("Own",),
    culture="english",
    cast={
        "ANNA": Character(name="Anna"),
        "First Man": Character(name="First Man", proper=False),
        "BEN": Character(name="Ben", aliases=("Sir Ben Holt",)),
    },
    scenes=(Scene("1.1", [Turn(speaker=None, text="[Dark]")]), Scene("1.2", list(TURNS))),
)


def test_a_scene_is_its_speeches_under_their_labels_without_directions() -> None:
    """Someone who goes on after a direction makes one speech; a speech cut into has its label."""
    (scene,) = spoken_scenes(PLAY)

    assert scene.passage(0, 99).text == (
        "ANNA\nWho goes there, I\nask you, good Ben?\nNobody?\nFirst Man\nOnly I.\nAnd the rain."
    )
    assert scene.passage(4, 6).text == "ANNA\nask you, good Ben?\nNobody?\nFirst Man\nOnly"
    assert scene.bare.text == (
        "Who goes there, I\nask you, good Ben?\nNobody?\n\nOnly I.\nAnd the rain."
    )
    assert scene.starts == (0, 9)
    assert scene.number == "1.2"


def test_the_form_of_a_passage_counts_names_speeches_and_lines_with_capitals() -> None:
    """By hand: ANNA, Ben; two speeches; of three lines within speeches one begins in lower case."""
    (scene,) = spoken_scenes(PLAY)
    whole, last, mid = scene.form(0, 14), scene.form(9, 5), scene.form(4, 4)

    assert (whole.names, whole.speeches, whole.verse) == (2, 2, False)
    assert (last.names, last.speeches, last.verse) == (0, 1, True)
    assert (mid.names, mid.speeches, mid.verse) == (2, 1, True)


@pytest.mark.parametrize(
    ("locator", "words"),
    [("goes there i ASK", [1]), ("who", [0]), ("rain", [13]), ("nobody only", [8]), ("bell", [])],
)
def test_a_locator_is_found_whatever_its_case_and_marks(locator: str, words: list[int]) -> None:
    assert find(spoken_scenes(PLAY), locator) == [At(0, word) for word in words]


def test_a_passage_is_cut_between_words_and_labels_go_with_what_follows() -> None:
    (scene,) = spoken_scenes(PLAY)
    whole = scene.passage(0, 14)

    assert len(whole) == 14
    assert whole.piece(0, 9) == "ANNA\nWho goes there, I\nask you, good Ben?\nNobody?"
    assert whole.piece(9, 11) == "First Man\nOnly I."
    assert whole.piece(14, 20) == whole.piece(3, 3) == ""
    assert Passage.plain("one  two\nthree").piece(1, 9) == "two\nthree"


def test_a_file_whose_words_are_not_the_plays_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hamlet.md").write_text("### SCENE I\n\n**HAMLET**\nNo.\n", encoding="utf-8")

    with pytest.raises(DatasetError, match=r"hamlet.md: 'O, that .*' stands there 0 times"):
        list(read(tmp_path, Selection(task="extraction")))


LONG = " ".join(f"word{number}" for number in range(200))
EMMA = (
    "It rained for days, and nobody at the house could think of anything to do. Then Emma, who "
    "was never idle for long, took her basket and walked to the village in the wet, where she "
    "bought ribbons and talked with whoever came."
)


def own(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "own.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def row(**more: object) -> dict[str, Any]:
    return {"id": "a", "work": "Mine", "text": LONG, **more}


def test_passages_of_ones_own_carry_their_flags_and_cast(tmp_path: Path) -> None:
    path = own(
        tmp_path,
        row(flags=["well_known", "mine"], cast=[{"name": "Ada", "gender": "female"}]),
        row(id="b", work="Emma", text="Emma spoke."),
    )
    first, second = read_own(path, Selection(task="passage_likelihood"))

    assert (first.item_id, first.work, first.text) == ("a", "Mine", LONG)
    assert first.flags == ("well_known", "mine")
    assert first.cast == (Character(name="Ada", gender="female"),)
    assert (second.flags, second.cast[0].name) == ((), "Emma Woodhouse")
    assert [item.item_id for item in read_own(path, Selection(task="extraction"))] == ["a"]
    only = Selection(task="passage_likelihood", works=("Emma",), excerpt_words=1)
    assert [item.text for item in read_own(path, only)] == ["Emma"]


def test_passages_of_ones_own_are_cut_for_each_task(tmp_path: Path) -> None:
    path = own(tmp_path, row())
    words = LONG.split()

    (prefix,) = read_own(path, Selection(task="prefix_continuation"))
    assert prefix.text == " ".join(words[:40])
    assert prefix.gold == {"suffix": " ".join(words[40:90])}
    (guided,) = read_own(path, Selection(task="guided_instruction", excerpt_words=51))
    assert guided.text == " ".join(words[:25])
    assert guided.gold == {"suffix": " ".join(words[25:50])}


def test_names_are_masked_in_passages_of_ones_own(tmp_path: Path) -> None:
    path = own(tmp_path, row(work="Emma", text=EMMA))

    (cloze,) = read_own(path, Selection(task="name_cloze"))
    assert cloze.item_id == "a:0"
    assert cloze.text.replace("[MASK]", "Emma") in EMMA
    assert cloze.gold == {"name": "Emma"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(flags="well_known")], "line 1: no list of words under flags; give flags as"),
        ([row(flags=[""])], "line 1: no list of words under flags"),
        ([row(), row()], "line 2: the id 'a' already stands on line 1"),
        ([row(text="")], "line 1: .*no text under text|neither lines nor text"),
        ([row(text="too short")], "prefix_continuation needs 90; the longest has 2; give longer"),
        ([], "line 1: no scene"),
    ],
)
def test_a_bad_passage_is_refused_by_file_and_line(
    rows: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    path = own(tmp_path, *rows)

    with pytest.raises(DatasetError, match=message) as error:
        list(read_own(path, Selection(task="prefix_continuation")))
    assert str(path) in str(error.value)


def test_both_datasets_serve_the_same_probes() -> None:
    own, plays = DATASETS["passages"], DATASETS["play_passages"]

    assert own.tasks == plays.tasks
    assert set(own.tasks) == {
        "passage_likelihood",
        "lowercase_likelihood",
        "extraction",
        "prefix_continuation",
        "output_distribution",
        "name_cloze",
        "guided_instruction",
    }
    assert (own.asset, plays.asset) == (None, DATASETS["shakespeare"].asset)
