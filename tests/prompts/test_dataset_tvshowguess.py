"""TVSHOWGUESS: the published guesses get their published marks; whole episodes are read alike."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from prompts import DatasetError, Item, UnknownName
from prompts.datasets import Selection
from prompts.datasets.tvshowguess import read
from prompts.datasets.works import works
from prompts.tasks.base import Answer
from prompts.tasks.character_guessing import CHARACTER_GUESSING
from tests.prompts.native_files_for_tests import (
    changed,
    check_windows,
    saved,
    shared,
    windows_of,
)

EPISODE: dict[str, Any] = {
    "Episode Number": "09x01",
    "Episode Title": "One",
    "Show Title": "FRIENDS",
    "scenes": [
        {"id": 1, "title": "Opening", "lines": [["background", "A bell."]], "participants": {}},
        {
            "id": 2,
            "title": "[Scene: A room.]",
            "lines": [
                ["rach", "RACH (to Ross):  Hi  there."],
                ["background", "A: pause."],
                ["mr. bell", "Mr. Bell: No."],
                ["ross", "Ross: At 9:30, Rachel."],
                ["rachel", "Rachel: No."],
            ],
            "participants": {"rach": 1, "mr. bell": 1, "ross": 1, "rachel": 1},
        },
        {"id": 3, "title": "", "lines": [["ross", "Ross: Alone."]], "participants": {"ross": 1}},
    ],
}
NAME = "FRIENDS_09x01.split_scenes.json"
SCENE = ("scenes", 1)


def guessed(root: Path, **more: object) -> list[Item]:
    selection = Selection(task="character_guessing", **more)  # type: ignore[arg-type]
    return list(read(root, selection))


def raw_file(show: str) -> Path:
    return shared(f"tvshowguess/human_annotation/{show}.raw")


def guesses(show: str) -> dict[str, dict[str, str]]:
    """Scene -> label -> the annotators' guess, of the rows that have one, without its remark."""
    found: dict[str, dict[str, str]] = {}
    path = shared(f"tvshowguess/human_annotation/{show}.tsv")
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            guess = row["Guessed Character Name"].split(" (")[0]
            if guess:
                scene = f"{show}:{row['Episode'].replace(' ', ':')}"
                found.setdefault(scene, {})[row["Character Code"]] = guess.capitalize()
    return found


def answers(show: str) -> dict[str, dict[str, str]]:
    """Scene -> label -> gold name, from the cells alone."""
    with raw_file(show).open(encoding="utf-8", newline="") as file:
        return {
            f"{show}:{':'.join(row['Scene'].split(chr(13))[0].split())}": {
                label: name.split(" (")[0].capitalize()
                for label, name in ast.literal_eval(row["Answer"]).items()
            }
            for row in csv.DictReader(file)
        }


@pytest.mark.parametrize(("show", "right", "rows"), [("friends", 17, 19), ("tbbt", 86, 86)])
def test_the_annotators_are_as_often_right_as_the_files_say(
    show: str, right: int, rows: int
) -> None:
    """Person-level accuracy of the published guesses, by our reader and our marking.

    The counts are those of the sample, taken by comparing the guesses with the answers' cells, read
    with csv and literal_eval alone; the whole files give 87 of 89 and 151 of 151. The two errors
    are the swapped pair of one scene, which the sample has.
    """
    said, gold = guesses(show), answers(show)
    by_hand = [gold[scene][code] == name for scene in said for code, name in said[scene].items()]
    items = {item.item_id: item for item in guessed(raw_file(show))}
    marks = []
    for scene, own in said.items():
        item = items[scene]
        asked = {code: item.gold[code] for code in own}
        marks.append(CHARACTER_GUESSING.mark(Answer(own), asked, ()))

    assert sum(mark.right for mark in marks) == sum(by_hand) == right
    assert sum(mark.units for mark in marks) == len(by_hand) == rows
    assert all(set(items[scene].options) >= set(own.values()) for scene, own in said.items())


@pytest.mark.parametrize(("show", "named"), [("friends", 25), ("tbbt", 18)])
def test_scenes_that_name_someone_to_guess_are_flagged(show: str, named: int) -> None:
    """A form of a gold name, as a whole word, found by a pattern of our own."""
    items = guessed(raw_file(show))
    key = {person.name: person for person in works()[show].cast}

    for item in items:
        people = [one for one in key.values() if set(one.forms) & set(item.gold.values())]
        forms = {form for one in people for form in one.forms} | set(item.gold.values())
        pattern = "|".join(re.escape(form) for form in {*forms, *map(str.upper, forms)})
        found = re.search(rf"(?<![^\W_])(?:{pattern})(?![^\W_])", item.text)
        assert bool(found) == (item.flags == ("gold_name_in_text",))
    assert sum(bool(item.flags) for item in items) == named


@pytest.mark.parametrize("show", ["friends", "tbbt"])
def test_windows_of_a_scene_ask_for_those_who_speak_in_them(show: str) -> None:
    whole, windowed = guessed(raw_file(show)), guessed(raw_file(show), window_words=100)

    check_windows(windowed, whole)
    for item in windowed:
        assert set(item.gold) == set(re.findall(r"^(P\d+)\b", item.text, re.MULTILINE))
    for item in whole:
        cut = windows_of(windowed)[item.item_id]
        assert {label for part in cut for label in part.gold} == set(item.gold)
        assert item.scene == ":".join(item.item_id.split(":")[:2])


def test_an_episode_is_read_into_scenes_to_guess(tmp_path: Path) -> None:
    """Main characters get labels, others keep their names, a scene with one of them is none."""
    (item,) = guessed(saved(tmp_path / NAME, EPISODE))

    assert item.text == (
        "[Scene: A room.]\nP0 (to Ross): Hi there.\nA: pause.\nMr. Bell: No.\n"
        "P1: At 9:30, Rachel.\nP0: No."
    )
    assert item.gold == {"P0": "Rachel", "P1": "Ross"}
    assert sorted(item.options) == ["Rachel", "Ross"]
    assert (item.item_id, item.scene) == ("friends:09x01:2", "friends:09x01")
    assert (item.work, item.cast) == ("Friends", works()["friends"].cast)
    assert item.flags == ("gold_name_in_text",)


def test_the_scenes_of_an_episode_serve_source_identification(tmp_path: Path) -> None:
    path = saved(tmp_path / NAME, EPISODE)
    (item,) = read(path, Selection(task="source_identification", options=3))

    assert item.text.split("\n")[1] == "Rach (to Ross): Hi there."
    assert item.gold == {"title": "Friends"}
    assert len(item.options) == len(set(item.options)) == 3
    assert "Friends" in item.options


def test_an_episode_cut_into_windows_asks_for_those_who_speak_in_them(tmp_path: Path) -> None:
    path = saved(tmp_path / NAME, EPISODE)
    windowed = guessed(path, window_words=13)

    check_windows(windowed, guessed(path))
    assert [dict(item.gold) for item in windowed] == [
        {"P0": "Rachel"},
        {"P0": "Rachel", "P1": "Ross"},
    ]
    assert [item.flags for item in windowed] == [(), ("gold_name_in_text",)]


@pytest.mark.parametrize(
    ("name", "title", "work"),
    [
        ("The_Big_Bang_Theory_08x01.split_scenes.json", "x", "The Big Bang Theory"),
        ("Gilmore_Girls_05x01.split_scenes.json", "x", "Gilmore Girls"),
        ("one.json", "The Office", "The Office"),
        ("Frasier_10x24.json", "x", "Frasier"),
    ],
)
def test_the_show_is_told_by_the_name_of_the_file_or_by_its_title(
    name: str, title: str, work: str, tmp_path: Path
) -> None:
    speakers = {
        "The Big Bang Theory": ("sheldon", "rajesh"),
        "Gilmore Girls": ("rory", "michel"),
        "The Office": ("michael", "jan"),
        "Frasier": ("roz", "bulldog"),
    }[work]
    lines = [[speaker, f"{speaker.upper()}: Hello."] for speaker in speakers]
    mine = changed(changed(EPISODE, "Show Title", to=title), *SCENE, "lines", to=lines)
    (item,) = guessed(saved(tmp_path / name, mine))

    assert item.work == work
    names = {form for person in item.cast for form in person.forms}
    assert set(item.options) <= names
    assert len(item.options) == 2


def test_every_main_character_is_in_the_cast(tmp_path: Path) -> None:
    """The six of a show are those of the published script; only they are replaced by labels."""
    six = {
        "FRIENDS": "rachel ross joey monica phoebe chandler",
        "The_Big_Bang_Theory": "leonard sheldon penny howard raj amy",
        "Frasier": "frasier daphne niles roz martin bob",
        "Gilmore_Girls": "lorelai rory sookie lane michel luke",
        "The_Office": "pam jim dwight michael jan ryan",
    }
    for show, names in six.items():
        lines = [[name, f"{name}: Hello."] for name in [*names.split(), "stranger"]]
        mine = changed(EPISODE, *SCENE, "lines", to=lines)
        (item,) = guessed(saved(tmp_path / f"{show}_01x01.split_scenes.json", mine))
        assert [name.lower() for name in item.gold.values()] == names.split()
        assert item.text.endswith("\nStranger: Hello.")
        forms = {form for person in item.cast for form in person.forms}
        assert set(item.gold.values()) <= forms


def test_a_folder_holds_either_kind_and_works_are_chosen(tmp_path: Path) -> None:
    saved(tmp_path / "split_scenes" / "FRIENDS" / NAME, EPISODE)
    office = changed(EPISODE, *SCENE, "lines", to=[["pam", "Pam: A."], ["jim", "Jim: B."]])
    saved(tmp_path / "split_scenes" / "The_Office" / "The_Office_08x01.split_scenes.json", office)

    assert Counter(item.work for item in guessed(tmp_path)) == {"Friends": 1, "The Office": 1}
    assert [item.work for item in guessed(tmp_path, works=("the office",))] == ["The Office"]
    with pytest.raises(UnknownName, match=r"unknown work 'Ofice'; "):
        guessed(tmp_path, works=("Ofice",))
    (tmp_path / "friends.raw").write_text("No.,Scene,Answer\n")
    with pytest.raises(DatasetError, match=r"both \.raw files and episodes in this folder; point"):
        guessed(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed(EPISODE, "scenes"), f"{NAME}: no 'scenes'; compare it with the file as"),
        (changed(EPISODE, "Episode Number"), "no 'Episode Number';"),
        (changed(EPISODE, *SCENE, "participants"), r"scenes\[1\]: no 'participants';"),
        (
            changed(EPISODE, *SCENE, "participants", to=[]),
            "participants: expected an object, found",
        ),
        (changed(EPISODE, *SCENE, "id", to="2"), r"scenes\[1\].id: expected a whole number"),
        (changed(EPISODE, *SCENE, "lines", 0, 1), r"lines\[0\]: 1 texts instead of a speaker and"),
        (changed(EPISODE, *SCENE, "lines", 0, 1, to="Hi"), r"lines\[0\]: no colon after the"),
        (
            changed(EPISODE, *SCENE, "lines", 0, 1, to=3),
            r"lines\[0\]\[1\]: expected a text, found 3",
        ),
        ([EPISODE], "no 'Episode Number'|expected an object, found"),
    ],
)
def test_an_episode_that_is_not_as_published_is_refused(
    change: object, message: str, tmp_path: Path
) -> None:
    path = saved(tmp_path / NAME, change)

    with pytest.raises(DatasetError, match=message) as refusal:
        guessed(path)
    assert refusal.value.path == path
    assert refusal.value.fix


def test_truncated_and_merged_episodes_wrong_encodings_and_shows_are_refused(
    tmp_path: Path,
) -> None:
    """Files merged by character hold an object a line, which is not JSON as a whole."""
    path = tmp_path / NAME
    path.write_text(json.dumps(EPISODE)[:-9])
    with pytest.raises(DatasetError, match=r"line 1: not JSON \("):
        guessed(path)
    path.write_text(f"{json.dumps(EPISODE)}\n{json.dumps(EPISODE)}\n")
    with pytest.raises(DatasetError, match=r"line 2: not JSON \(Extra data\)"):
        guessed(path)
    path.write_bytes("é".encode("latin-1"))
    with pytest.raises(DatasetError, match="byte 0: not UTF-8"):
        guessed(path)
    path = saved(tmp_path / "Cheers_01x01.split_scenes.json", EPISODE)
    with pytest.raises(DatasetError, match="no show is called 'Cheers'; name the file SHOW_01x01"):
        guessed(path)
