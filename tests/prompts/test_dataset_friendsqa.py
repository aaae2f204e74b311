"""FriendsQA: every answer stands where the file says, and what is not as published is refused."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from prompts import DatasetError, Item, UnknownName
from prompts.datasets import Selection
from prompts.datasets.friendsqa import read
from tests.prompts.native_files_for_tests import (
    changed,
    check_windows,
    saved,
    shared,
    windows_of,
)

QA = "question_answering"
DIALOGUE: dict[str, Any] = {
    "title": "s02_e23_c01",
    "paragraphs": [
        {
            "utterances:": [
                {"uid": 0, "speakers": ["#NOTE#"], "utterance": "[ Ross waits . ]"},
                {"uid": 1, "speakers": ["Ross Geller"], "utterance": "The tea , please ."},
                {"uid": 2, "speakers": ["The Clerk", "Ida Ray"], "utterance": "No  tea , Ross ."},
                {"uid": 3, "speakers": ["Monica Geller"], "utterance": "Then go ."},
                {"uid": 4, "speakers": ["#ALL#"], "utterance": "Go !"},
            ],
            "qas": [
                {
                    "id": "s02_e23_c01_What",
                    "question": "What does  Ross want ?",
                    "answers": [
                        {
                            "answer_text": "The tea ,",
                            "utterance_id": 1,
                            "inner_start": 0,
                            "inner_end": 2,
                            "is_speaker": False,
                        },
                        {
                            "answer_text": "tea",
                            "utterance_id": 2,
                            "inner_start": 1,
                            "inner_end": 1,
                            "is_speaker": False,
                        },
                        {
                            "answer_text": "The",
                            "utterance_id": 1,
                            "inner_start": 0,
                            "inner_end": 0,
                            "is_speaker": False,
                        },
                    ],
                },
                {
                    "id": "s02_e23_c01_Who",
                    "question": "Who has no tea ?",
                    "answers": [
                        {
                            "answer_text": "The Clerk",
                            "utterance_id": 2,
                            "inner_start": -1,
                            "inner_end": -1,
                            "is_speaker": True,
                        },
                        {
                            "answer_text": "#ALL#",
                            "utterance_id": -1,
                            "inner_start": -1,
                            "inner_end": -1,
                            "is_speaker": True,
                        },
                    ],
                },
            ],
        }
    ],
}
FILE = {"data": [DIALOGUE], "version": "1"}
UTTERANCES = ("data", 0, "paragraphs", 0, "utterances:")
FIRST_ANSWER = ("data", 0, "paragraphs", 0, "qas", 0, "answers", 0)


def asked(root: Path, task: str = QA, **more: object) -> list[Item]:
    return list(read(root, Selection(task=task, **more)))  # type: ignore[arg-type]


def by_hand(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return list(json.load(file)["data"])


@pytest.mark.parametrize(
    ("name", "questions", "answers", "speakers"), [("dev", 34, 50, 5), ("tst", 40, 74, 18)]
)
def test_every_question_and_answer_of_a_file_is_read(
    name: str, questions: int, answers: int, speakers: int
) -> None:
    """Questions, answers and answers by speaker agree with the file, read with json alone."""
    path = shared(f"friendsqa/dat/friendsqa_{name}.json")
    raw = [qa for scene in by_hand(path) for part in scene["paragraphs"] for qa in part["qas"]]
    items = asked(path)

    assert [item.item_id for item in items] == [qa["id"] for qa in raw]
    assert len({item.item_id for item in items}) == len(items) == questions
    assert [list(item.gold.values()) for item in items] == [
        [answer["answer_text"] for answer in qa["answers"]] for qa in raw
    ]
    assert [item.question for item in items] == [qa["question"] for qa in raw]
    assert sum(len(item.gold) for item in items) == answers
    assert sum(len(item.gold) - len(item.spans) for item in items) == speakers
    assert not [note for item in items for note in item.notes]


@pytest.mark.parametrize("words", [None, 20, 100])
@pytest.mark.parametrize("name", ["dev", "tst"])
def test_every_answer_stands_where_its_span_says_and_every_speaker_is_of_the_cast(
    name: str, words: int | None
) -> None:
    path = shared(f"friendsqa/dat/friendsqa_{name}.json")
    items = asked(path, window_words=words)

    for item in items:
        placed = {span.label: item.text[span.start : span.end] for span in item.spans}
        assert placed == {label: item.gold[label] for label in placed}
        cast = {person.name for person in item.cast}
        for label, speaker in item.gold.items():
            if label not in placed:
                assert speaker in cast
                assert re.search(rf"^[^:]*\b{speaker}\b[^:]*: ", item.text, re.MULTILINE)
    check_windows(items, asked(path))


@pytest.mark.parametrize("name", ["dev", "tst"])
def test_each_answer_is_in_one_window_and_windows_without_one_are_no_items(name: str) -> None:
    """A stretch of the text is in the one window that holds it, nothing is lost."""
    path = shared(f"friendsqa/dat/friendsqa_{name}.json")
    windowed = windows_of(asked(path, window_words=60))

    for whole in asked(path):
        cut = windowed[whole.item_id]
        held = Counter(span.label for item in cut for span in item.spans)
        assert held == Counter(span.label for span in whole.spans)
        assert {label for item in cut for label in item.gold} == set(whole.gold)
        assert all(item.question == whole.question for item in cut)


def test_a_folder_is_read_for_its_later_episodes_whatever_the_file_is_called() -> None:
    """The published dev file holds the test set, the test file the development set."""
    items = asked(shared("friendsqa"))

    assert {int(item.scene[5:7]) for item in items} == {23, 24}
    assert len(items) == 34


def test_lines_labels_and_answers_are_read_as_the_format_says(tmp_path: Path) -> None:
    what, who = asked(saved(tmp_path / "mine.json", FILE))

    assert what.text == (
        "[ Ross waits . ]\nRoss Geller: The tea , please .\n"
        "The Clerk and Ida Ray: No tea , Ross .\nMonica Geller: Then go .\nAll: Go !"
    )
    assert what.question == "What does Ross want ?"
    assert (what.work, what.scene) == ("Friends", "s02_e23_c01")
    assert what.gold == {"a0": "The tea ,", "a1": "tea", "a2": "The"}
    assert what.notes == ("answer a2 is nothing without punctuation and articles",)
    assert who.gold == {"a0": "The Clerk", "a1": "All"}
    assert who.spans == ()
    proper = {person.name: person.proper for person in who.cast}
    assert (proper["Ida Ray"], proper["The Clerk"], proper["All"]) == (True, False, False)


def test_a_direction_given_as_a_speaker_is_left_out_and_noted(tmp_path: Path) -> None:
    """A question that has no other answer is no item."""
    answer = {**DIALOGUE["paragraphs"][0]["qas"][1]["answers"][0], "answer_text": "#NOTE#"}
    questions = ("data", 0, "paragraphs", 0, "qas")
    one = changed(FILE, *questions, 1, "answers", 1, to=answer)
    both = changed(one, *questions, 1, "answers", 0, to=answer)

    (_, who) = asked(saved(tmp_path / "one.json", one))
    assert (who.gold, len(who.notes)) == ({"a0": "The Clerk"}, 1)
    assert len(asked(saved(tmp_path / "both.json", both))) == 1


def test_an_id_that_stands_twice_is_told_apart(tmp_path: Path) -> None:
    twice = changed(FILE, "data", 0, "paragraphs", 0, "qas", 1, "id", to="s02_e23_c01_What")
    items = asked(saved(tmp_path / "mine.json", twice))

    assert [item.item_id for item in items] == ["s02_e23_c01_What", "s02_e23_c01_What:2"]
    assert "2 times" in items[1].notes[0]


def test_the_friends_are_guessed_and_others_keep_their_names(tmp_path: Path) -> None:
    (item,) = asked(saved(tmp_path / "mine.json", FILE), "character_guessing")

    assert item.text.split("\n")[1:] == [
        "P0: The tea , please .",
        "The Clerk and Ida Ray: No tea , Ross .",
        "P1: Then go .",
        "All: Go !",
    ]
    assert item.gold == {"P0": "Ross Geller", "P1": "Monica Geller"}
    assert sorted(item.options) == ["Monica Geller", "Ross Geller"]
    assert item.flags == ("gold_name_in_text",)
    assert item.scene == "s02_e23"


@pytest.mark.parametrize("name", ["dev", "tst"])
def test_no_label_of_a_guessed_line_names_a_friend(name: str) -> None:
    """Each P is the friend who speaks that line in the file."""
    path = shared(f"friendsqa/dat/friendsqa_{name}.json")
    scenes = {scene["title"]: scene["paragraphs"][0]["utterances:"] for scene in by_hand(path)}
    items = asked(path, "character_guessing")

    # Counted by hand: of four dialogues each, two have two or more of the six.
    assert len(items) == 2
    for item in items:
        for line, raw in zip(item.text.split("\n"), scenes[item.item_id], strict=True):
            label, _, words = line.partition(": ")
            if raw["speakers"] == ["#NOTE#"]:
                assert line == raw["utterance"]
                continue
            assert words == raw["utterance"]
            named = [item.gold.get(one, one) for one in label.split(" and ")]
            assert named == raw["speakers"]
            assert not set(label.split(" and ")) & set(item.options)
    windowed = asked(path, "character_guessing", window_words=60)
    check_windows(windowed, items)
    for item in windowed:
        labels = set(re.findall(r"\b(P\d)\b(?=[^:\n]*:)", item.text))
        assert set(item.gold) == labels


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed(FILE, "data"), "mine.json: no 'data'; compare it with the file as published"),
        (changed(FILE, "data", to="x"), 'mine.json, data: expected a list, found "x"'),
        (changed(FILE, "data", 0, "title"), r"mine.json, data\[0\]: no 'title'"),
        (changed(FILE, "data", 0, "title", to="pilot"), "data.0..title: 'pilot' names no episode"),
        (changed(FILE, *UTTERANCES), r"data\[0\].paragraphs\[0\]: no 'utterances:'"),
        (changed(FILE, *UTTERANCES, 1, "uid", to=0), "the uid 0 stands here twice"),
        (
            changed(FILE, *UTTERANCES, 1, "uid", to=True),
            r"uid: expected a whole number, found true",
        ),
        (
            changed(FILE, *UTTERANCES, 1, "speakers", 0, to="#SOME#"),
            r"speakers\[0\]: the label '#SOME#' is unknown; use a name or one of #NOTE#, #ALL#",
        ),
        (changed(FILE, *FIRST_ANSWER, "utterance_id", to=9), "no utterance 9;"),
        (changed(FILE, *FIRST_ANSWER, "inner_end", to=5), "tokens 0-5 of an utterance that has 5;"),
        (changed(FILE, *FIRST_ANSWER, "inner_start", to=3), "tokens 3-2 of an utterance"),
        (
            changed(FILE, *FIRST_ANSWER, "inner_end", to=1),
            r"answers\[0\]: the answer reads 'The tea ,', but its tokens read 'The tea'",
        ),
        (
            changed(FILE, *FIRST_ANSWER, "is_speaker", to=True),
            "'The tea ,' does not speak there; the speaker is Ross Geller;",
        ),
        (changed(FILE, *FIRST_ANSWER, "answer_text", to="\ud800"), "half of a surrogate pair"),
    ],
)
def test_a_file_that_is_not_as_published_is_refused(
    change: object, message: str, tmp_path: Path
) -> None:
    """The message names the file, the place in it, what was found and what to do."""
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(change), encoding="ascii")

    with pytest.raises(DatasetError, match=message) as refusal:
        asked(path)
    assert refusal.value.path == path
    assert refusal.value.fix


def test_a_truncated_file_a_wrong_encoding_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "mine.json", FILE)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DatasetError, match=r"mine\.json, line \d+: not JSON \("):
        asked(path)
    path.write_bytes("é".encode("latin-1"))
    with pytest.raises(DatasetError, match=r"mine\.json, byte 0: not UTF-8; save the file as"):
        asked(path)
    with pytest.raises(DatasetError, match=r"no friendsqa_\*.json in this folder; point `path`"):
        asked(tmp_path)


def test_another_work_is_unknown(tmp_path: Path) -> None:
    path = saved(tmp_path / "mine.json", FILE)

    assert len(asked(path, works=("friends",))) == 2
    with pytest.raises(UnknownName, match="unknown work 'Frasier'; known: Friends"):
        asked(path, works=("Frasier",))
