"""SummScreen: native files of our own, tokenised, anonymised and untokenised, of both sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prompts import DatasetError, Item, UnknownName
from prompts.datasets.summscreen import read
from tests.prompts.native_for_tests import DATA, read_items

FILES = DATA / "summscreen"
TOKENISED = FILES / "tokenised/fd_test.json"
ROW: dict[str, object] = {
    "Transcript": ["Ada: One."],
    "Recap": "Ada counts.",
    "Show Title": "Numbers",
    "filename": "n-01x01.json",
}


def episodes(path: Path, window_words: int | None = None, *works: str) -> list[Item]:
    return read_items(read, path, "summarization", works=works, window_words=window_words)


def rows(folder: Path, *objects: object) -> Path:
    path = folder / "own.json"
    text = [one if isinstance(one, str) else json.dumps(one) for one in objects]
    path.write_text("\n".join(text), encoding="utf-8")
    return path


def test_a_tokenised_file_has_an_episode_a_line_and_its_pieces_are_joined() -> None:
    first, second = episodes(TOKENISED)

    assert first.text == (
        "[ The harbour ]\nInes Rowan : Ben , the lamp is out .\n"
        "Ben : I will fetch the will , Ines .\n[SCENE_BREAK]\n"
        "WAITER ( off ) : Who called the waiter"
    )
    assert first.gold == {"summary": "Ines and Ben look for a lamp . They find a will ."}
    assert [item.item_id for item in (first, second)] == [
        "fd_test:The_Long_Pier-01x02",
        "fd_test:The_Long_Pier-01x03",
    ]
    assert {item.work for item in (first, second)} == {"The Long Pier"}
    assert first.scene == first.item_id != second.scene
    assert first.notes == ("show read from the file's name 'The_Long_Pier-01x02'",)


def test_the_cast_are_the_speakers_and_a_role_is_no_name() -> None:
    first, _ = episodes(TOKENISED)

    assert [(one.name, one.proper) for one in first.cast] == [
        ("Ines Rowan", True),
        ("Ben", True),
        ("WAITER", False),
    ]


def test_the_entities_of_an_anonymised_file_are_no_names() -> None:
    (item,) = episodes(FILES / "tokenised/fd_anonymize_test.json")

    assert item.flags == ("anonymised",)
    assert [(one.name, one.proper) for one in item.cast] == [("ENTITY0", False), ("ENTITY1", False)]


def test_untokenised_files_are_one_object_each_with_a_recap_in_one_text_or_in_parts() -> None:
    pier, harbour = episodes(FILES / "raw")

    assert (pier.item_id, pier.work, pier.notes) == ("The_Long_Pier-01x02", "The Long Pier", ())
    assert pier.text == "Ines: The lamp is out.\nBEN (shouting): Ines!"
    assert pier.gold == {"summary": "Ines loses a lamp."}
    assert [one.name for one in pier.cast] == ["Ines", "Ben"]
    assert harbour.work == "harbour"
    assert harbour.gold == {"summary": "Ada counts. Cleo helps."}


def test_a_folder_leaves_the_anonymised_twins_out() -> None:
    assert [item.item_id for item in episodes(FILES / "tokenised")] == [
        item.item_id for item in episodes(TOKENISED)
    ]


def test_each_window_carries_the_recap_of_the_whole() -> None:
    windows = episodes(FILES / "raw/tms/harbour-10-18-05.json", 5)

    assert [item.text for item in windows] == [
        "Ada: One two three.",
        "Cleo: Four five.\nAda: Six.",
    ]
    assert [item.item_id for item in windows] == ["harbour-10-18-05#0", "harbour-10-18-05#1"]
    assert {item.gold["summary"] for item in windows} == {"Ada counts. Cleo helps."}
    assert {(item.document, item.scene, item.parts) for item in windows} == {
        ("harbour-10-18-05", "harbour-10-18-05", 2)
    }
    assert windows[1].notes[-1] == "window 2 of 2, lines 2-3 of 3"


def test_a_known_show_brings_its_cast_and_the_speakers_it_lacks_are_added(tmp_path: Path) -> None:
    lines = ["Ross: Hi.", "Rachel Green: Hello.", "Zelda: No.", "Zelda and Ross: Yes."]
    row = {**ROW, "Show Title": "Friends", "Transcript": lines}
    (item,) = episodes(rows(tmp_path, row))
    named = {one.name for one in item.cast if one.proper}

    assert item.work == "Friends"
    assert {"Ross Geller", "Rachel Green", "Zelda"} <= named
    assert not {"Ross", "Zelda and Ross"} & named


def test_a_short_label_is_an_alias_of_the_one_longer_label_that_has_it(tmp_path: Path) -> None:
    lines = ["Ines: Yes.", "INES ROWAN: No.", "Ben Holt: Yes.", "Ben: No.", "Ben Rowan: Yes."]
    (item,) = episodes(rows(tmp_path, {**ROW, "Transcript": lines}))

    assert [(one.name, one.aliases) for one in item.cast] == [
        ("Ines Rowan", ("Ines",)),
        ("Ben Holt", ()),
        ("Ben Rowan", ()),
        ("Ben", ()),
    ]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("Ines : Yes .", "Ines"),
        ("INES (shouting): Yes.", "Ines"),
        ("Dr. Ines O'Dell: Yes.", "Dr. Ines O'Dell"),
        ("Man 2: Yes.", None),
        ("Old woman: Yes.", None),
        ("Ines's brother: Yes.", None),
        ("[ Ines: a portrait ]", None),
        ("Then she said: no.", None),
        ("It is 10:30 now.", None),
        ("Everyone in this room should hear what I say: no.", None),
        ("Harbour: The harbour is near the harbour.", None),
    ],
)
def test_a_name_before_a_colon_is_a_speaker(line: str, named: str | None, tmp_path: Path) -> None:
    (item,) = episodes(rows(tmp_path, {**ROW, "Transcript": [line]}))

    assert [one.name for one in item.cast if one.proper] == ([named] if named else [])


def test_a_show_is_chosen_by_title_and_an_unknown_one_named(tmp_path: Path) -> None:
    path = rows(tmp_path, ROW, {**ROW, "Show Title": "Letters", "filename": "l-01x01.json"})

    assert [item.work for item in episodes(path, None, "letters")] == ["Letters"]
    with pytest.raises(UnknownName, match=r"unknown work 'Leters'; did you mean 'Letters'\?"):
        episodes(path, None, "Leters")


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ([ROW, "{"], r"own\.json, line 2: not JSON \("),
        ([ROW, json.dumps(ROW)[:-9]], r"own\.json, line 2: not JSON \("),
        ([ROW, "[1]"], r"own\.json, line 2: not a JSON object; write one object a line"),
        ([ROW, {}], r"line 2: no text under Transcript, Recap; give Transcript as a list of lines"),
        ([ROW, {**ROW, "Recap": []}], "line 2: no text under Recap; give Transcript"),
        ([ROW, {**ROW, "Recap": 3}], "line 2: no text under Recap"),
        ([ROW, {**ROW, "Transcript": "Ada: One."}], "line 2: no text under Transcript;"),
        ([ROW, {**ROW, "Transcript": [3]}], "line 2: no text under Transcript;"),
        ([ROW, {"Transcript": ["a"], "Recap": "b"}], "line 2: neither a Show Title nor a show's"),
        ([ROW, ROW], r"line 2: the episode 'own:n-01x01' already stands on line 1; keep one"),
        (["", ""], r"own\.json, line 1: no episode; compare"),
        ([{**ROW, "Recap": "\ud800"}], r"line 1: half of a surrogate pair; mend the \\u escape"),
    ],
)
def test_a_file_that_is_not_as_published_is_refused(
    objects: list[object], message: str, tmp_path: Path
) -> None:
    """The message names the file, the line, what was found and what to do."""
    path = rows(tmp_path, *objects)

    with pytest.raises(DatasetError, match=message) as refusal:
        episodes(path)
    assert str(refusal.value).startswith(str(path))


def test_other_encodings_and_empty_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"no \.json file in this folder; point `path` at one"):
        episodes(tmp_path)
    (tmp_path / "own.json").write_bytes(b'{"a": "\xe9"}')
    with pytest.raises(DatasetError, match=r"own\.json, byte 7: not UTF-8; save the file as UTF-8"):
        episodes(tmp_path / "own.json")
