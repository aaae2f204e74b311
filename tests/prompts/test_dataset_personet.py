"""PERSONET: a native file of our own; options repeat, and a text never names its character."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prompts import DatasetError, Item, UnknownName
from prompts.datasets.personet import NOT_IN_TEXT, read
from tests.prompts.native_for_tests import DATA, read_items

DEV = DATA / "personet/dev_data.json"


def traits(path: Path = DEV, window_words: int | None = None, *works: str) -> list[Item]:
    return read_items(read, path, "personality", works=works, window_words=window_words)


def changed(folder: Path, **changes: object) -> Path:
    """The file with its first item changed; a key set to None is taken out."""
    rows: list[dict[str, Any]] = json.loads(DEV.read_text(encoding="utf-8"))
    rows[0] = {key: value for key, value in {**rows[0], **changes}.items() if value is not None}
    path = folder / "dev_data.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_a_passage_stands_among_its_surroundings_and_no_title_does() -> None:
    first, *_ = traits()

    assert first.text == (
        "The pages before:\nEdda had walked since dawn.Behind her the hills closed like a gate.\n\n"
        "Just before the passage:\nThe oven had gone cold.The road was white.\n\n"
        "The passage:\nEdda gave the last loaf to the ferryman.\n\n"
        "Just after the passage:\n“Eat,” said Edda."
    )
    assert first.question == "Which trait of Edda does the passage show?"
    assert first.work == "The Salt Road by Nobody Atall"
    assert not any("Salt Road" in item.text + item.question for item in traits())


def test_the_letter_gives_the_gold_option_and_equal_options_are_accepted() -> None:
    read_all = traits()

    assert [item.gold["trait"] for item in read_all] == ["Generous", "Greedy", "Calm", "Frank"]
    assert [item.accepted for item in read_all] == [(), ("Greedy",), (), ("frank",)]
    assert all(len(item.options) == 5 and item.gold["trait"] in item.options for item in read_all)
    assert ["repeated_option" in item.flags for item in read_all] == [False, True, False, True]


def test_a_character_the_text_never_names_is_flagged_with_a_note() -> None:
    read_all = traits()

    assert [NOT_IN_TEXT in item.flags for item in read_all] == [False, True, False, False]
    assert read_all[1].notes == (
        "the text never says 'The Widow', so replaced names cannot ask about it",
    )


def test_the_cast_is_all_that_the_file_asks_about_and_the_works_file_knows() -> None:
    """A word such as "ferryman" is no name; "Mr. Knightley" is known already."""
    read_all = traits()

    assert [(one.name, one.proper) for one in read_all[0].cast] == [
        ("Edda", True),
        ("The Widow", True),
        ("ferryman", False),
    ]
    emma = read_all[3].cast
    assert [one.name for one in emma if "Mr. Knightley" in one.forms] == ["George Knightley"]
    assert "Emma Woodhouse" in {one.name for one in emma}


def test_items_about_one_passage_are_one_scene() -> None:
    ids = ["dev_data:1", "dev_data:2", "dev_data:3", "dev_data:4"]

    assert [item.item_id for item in traits()] == ids
    assert [item.scene for item in traits()] == [ids[0], ids[1], ids[0], ids[3]]


@pytest.mark.parametrize(
    ("most", "kept"), [(23, "closed like a gate."), (19, None), (1, None), (31, "Edda had walked")]
)
def test_the_pages_before_are_shortened_from_their_beginning(most: int, kept: str | None) -> None:
    """The passage and what stands next to it (19 words) are never cut."""
    first, *_ = traits(DEV, most)
    whole = traits()[0].text

    assert first.text.endswith(whole[whole.index("Just before the passage:") :])
    if kept is None:
        assert "The pages before" not in first.text
        assert first.notes[0].startswith("the last 0 of 12 words")
    else:
        assert f"The pages before:\n{kept}" in first.text
        assert bool(first.notes) == (most == 23)


def test_a_book_is_chosen_with_or_without_its_author() -> None:
    assert len(traits(DEV, None, "The Salt Road")) == 3
    assert len(traits(DEV, None, "Emma by Jane Austen")) == 1
    with pytest.raises(UnknownName, match=r"unknown work 'The Salt Rod'"):
        traits(DEV, None, "The Salt Rod")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answer": "(f)"}, r"item 1: the answer '\(f\)' is none of \(a\) to \(e\); compare"),
        ({"answer": None}, "item 1: no text under answer; compare it with the file as published"),
        ({"history": None}, "item 1: no text under history; compare"),
        ({"character": " "}, "item 1: nothing under character; compare"),
        ({"options": "Proud"}, "item 1: no list of texts under options; compare"),
        ({"options": ["Proud", "Sly"]}, "item 1: 2 options instead of 5; compare"),
        ({"gt": "Proud"}, "item 1: answer 'b' is 'Generous', but gt is 'Proud'; compare"),
        ({"history": "\ud800"}, r"item 1: half of a surrogate pair; mend"),
    ],
)
def test_an_item_that_is_not_as_published_is_refused(
    changes: dict[str, object], message: str, tmp_path: Path
) -> None:
    """The message names the file, the item, what was found and what to do."""
    path = changed(tmp_path, **changes)

    with pytest.raises(DatasetError, match=message) as refusal:
        traits(path)
    assert str(refusal.value).startswith(f"{path}, item 1: ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (DEV.read_bytes()[:-40], r"dev\.json, line \d+: not JSON \("),
        (b'["caf\xe9"]', r"dev\.json, byte 5: not UTF-8; save the file as UTF-8"),
        (b"{}", r"dev\.json, line 1: not a JSON array of items; compare"),
        (b"[]", r"dev\.json, line 1: not a JSON array of items; compare"),
        (b"[3]", r"dev\.json, item 1: not a JSON object; compare"),
    ],
)
def test_truncated_files_and_other_encodings_are_refused(
    content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "dev.json"
    path.write_bytes(content)

    with pytest.raises(DatasetError, match=message):
        traits(path)
    with pytest.raises(DatasetError, match="a folder; point `path` at one of the corpus's files"):
        traits(tmp_path)
