"""Excerpts: those that name their work are flagged, and windows hold whole paragraphs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prompts import Item
from prompts.datasets import Selection
from prompts.datasets.excerpts import read
from tests.prompts.native_files_for_tests import check_windows, shared, windows_of

NAMED = ("title_in_text",)
REAL = "source-id-pd/excerpts.jsonl"


def excerpts(path: Path, **more: object) -> list[Item]:
    selection = Selection(task="source_identification", **more)  # type: ignore[arg-type]
    return list(read(path, selection))


def one(folder: Path, source: str, text: str) -> Item:
    path = folder / "mine.jsonl"
    path.write_text(json.dumps({"id": "x", "source": source, "text": text}), encoding="utf-8")
    (item,) = excerpts(path)
    return item


def test_the_excerpts_that_name_their_work_are_those_the_file_says() -> None:
    """The file lists words of the source's title found in each text; one more is ours.

    That excerpt names Huck, and "Huck Finn" is a title that counts as right for its work, while the
    file's is "Adventures of Huckleberry Finn".
    """
    with shared(REAL).open(encoding="utf-8") as file:
        told = {row["id"] for row in map(json.loads, file) if row["title_name_in_text"]}
    ours = {item.item_id for item in excerpts(shared(REAL)) if item.flags == ("title_in_text",)}

    assert len(told) == 26
    assert told <= ours
    assert ours - told == {"76_1"}


@pytest.mark.parametrize(
    ("source", "text", "named"),
    [
        ("Emma", "Then Emma spoke.", NAMED),
        ("Emma", "EMMA, he said.", NAMED),
        ("Emma", "The dilemma of it.", ()),
        ("Emma", "Harriet spoke.", ()),
        ("The Hound of the Baskervilles", "The Baskervilles are an old house.", NAMED),
        ("The Hound of the Baskervilles", "He saw a Hound.", ()),
        ("Treasure Island", "It was Treasure Island.", NAMED),
        ("Treasure Island", "An Island with a Treasure.", ()),
        ("Little Women", "Then Amy laughed.", ()),
        ("My Own Book", "This is My Own Book.", NAMED),
        ("My Own Book", "This is my own book.", ()),
    ],
)
def test_a_text_names_its_work_by_a_title_or_by_a_name_in_it(
    source: str, text: str, named: tuple[str, ...], tmp_path: Path
) -> None:
    assert one(tmp_path, source, text).flags == named


def test_windows_of_an_excerpt_are_whole_paragraphs_flagged_for_what_they_hold() -> None:
    whole, windowed = excerpts(shared(REAL)), excerpts(shared(REAL), window_words=120)

    assert {item.document for item in windowed} >= {item.item_id for item in whole} - {
        item.item_id for item in windowed
    }
    check_windows(windowed, whole, joint="\n\n")
    for item in whole:
        cut = windows_of(windowed)[item.item_id]
        assert "\n\n".join(part.text for part in cut) == item.text
        assert bool(item.flags) == any(part.flags for part in cut)
        assert all(part.gold == item.gold for part in cut)
