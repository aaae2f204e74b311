"""DE-COP's passages: 24 orders of each, names replaced in all four, and files that are refused."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from prompts import DatasetError, Item, UnknownName
from prompts.datasets import Selection
from prompts.datasets.decop_passages import DECOP_PASSAGES, read
from prompts.item import Character
from prompts.names.replace import NameMap, replace

ROW: dict[str, Any] = {
    "id": "p1",
    "work": "The Dry Well",
    "passage": "Ann went down to the well,\nand it was dry.",
    "paraphrases": ["The well was dry when Ann came.", "Ann found no water.", "No water for Ann."],
    "cast": [{"name": "Ann Bell", "aliases": ["Ann"], "gender": "female"}, {"name": "Bo"}],
}


def written(folder: Path, *rows: object) -> Path:
    path = folder / "passages.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def items(path: Path, *works: str) -> list[Item]:
    return list(read(path, Selection(task="decop", works=works)))


def test_each_passage_is_asked_in_all_orders(tmp_path: Path) -> None:
    """The four texts are the same in each, every order is there once, and each letter six times."""
    found = items(written(tmp_path, ROW))
    texts = ["Ann went down to the well, and it was dry.", *ROW["paraphrases"]]
    shown = [f"A. {a}\n\nB. {b}\n\nC. {c}\n\nD. {d}" for a, b, c, d in permutations(texts)]

    assert sorted(item.text for item in found) == sorted(shown)
    assert len({item.item_id for item in found}) == 24
    assert Counter(item.gold["option"] for item in found) == dict.fromkeys("ABCD", 6)
    for item in found:
        assert f"{item.gold['option']}. {texts[0]}" in item.text.split("\n\n")
        assert item.flags == (f"verbatim_{item.gold['option'].lower()}",)


def test_orders_share_their_scene_and_are_no_windows(tmp_path: Path) -> None:
    found = items(written(tmp_path, ROW, ROW | {"id": "p2"}))

    assert [item.scene for item in found] == ["p1"] * 24 + ["p2"] * 24
    assert {(item.document, item.parts) for item in found} == {("", 1)}
    assert {item.options for item in found} == {("A", "B", "C", "D")}
    assert {item.work for item in found} == {"The Dry Well"}


def test_a_model_that_always_gives_one_letter_is_right_in_one_of_four(tmp_path: Path) -> None:
    for letter in "ABCD":
        right = [item.gold["option"] == letter for item in items(written(tmp_path, ROW))]
        assert sum(right) / len(right) == 0.25


def test_names_are_replaced_in_all_four_and_the_letters_stay(tmp_path: Path) -> None:
    item = items(written(tmp_path, ROW))[0]
    new = replace(item.text, NameMap(people={}, forms={"Ann": "Mei"})).text

    assert new.count("Mei") == 4
    assert "Ann" not in new
    assert [line[:3] for line in new.split("\n\n")] == ["A. ", "B. ", "C. ", "D. "]


def test_the_cast_is_the_lines_own_or_that_of_the_works_file(tmp_path: Path) -> None:
    bare = {key: value for key, value in ROW.items() if key != "cast"}
    own, known, unknown = (
        items(written(tmp_path, row))[0] for row in (ROW, bare | {"work": "Emma"}, bare)
    )

    assert own.cast == (
        Character(name="Ann Bell", aliases=("Ann",), gender="female"),
        Character(name="Bo"),
    )
    assert "Harriet Smith" in {person.name for person in known.cast}
    assert unknown.cast == ()


def test_works_are_chosen_by_title(tmp_path: Path) -> None:
    path = written(tmp_path, ROW, ROW | {"id": "p2", "work": "Emma"})

    assert {item.scene for item in items(path, "emma")} == {"p2"}
    with pytest.raises(UnknownName, match="The Dry Well"):
        items(path, "The Dry Wel")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"id": ""}, "no text under id"),
        ({"work": None, "passage": 3}, "no text under work, passage"),
        ({"paraphrases": ["one", "two"]}, "no list of 3 texts under paraphrases"),
        ({"paraphrases": ["one", "two", " "]}, "no list of 3 texts under paraphrases"),
        ({"paraphrases": "one"}, "no list of 3 texts under paraphrases"),
        ({"paraphrases": ["one", "two", "one"]}, "are the same"),
        ({"passage": "one \n two", "paraphrases": ["one two", "b", "c"]}, "are the same"),
        ({"cast": {"name": "Ann"}}, "no list under cast"),
        ({"cast": ["Ann"]}, r"cast\[0\]: no text under name"),
        ({"cast": [{"name": "Ann"}, {"aliases": ["A"]}]}, r"cast\[1\]: no text under name"),
        ({"cast": [{"name": "Ann", "aliases": "A"}]}, "no list of texts under aliases"),
        ({"cast": [{"name": "Ann", "gender": "f"}]}, "the gender 'f'; give one of female, male"),
        ({"cast": [{"name": "Ann"}, {"name": "Ann"}]}, "two of the cast are called 'Ann'"),
    ],
)
def test_a_line_that_is_not_as_it_should_be_is_named(
    change: dict[str, object], found: str, tmp_path: Path
) -> None:
    path = written(tmp_path, ROW, ROW | {"id": "p2"} | change)

    with pytest.raises(DatasetError, match=f"passages.jsonl, line 2.*{found}"):
        items(path)


def test_files_without_passages_and_ids_given_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="line 2: the id 'p1' already stands on line 1"):
        items(written(tmp_path, ROW, ROW))
    with pytest.raises(DatasetError, match="no passage"):
        items(written(tmp_path))


def test_the_dataset_says_what_it_needs() -> None:
    assert (DECOP_PASSAGES.name, DECOP_PASSAGES.tasks) == ("decop_passages", ("decop",))
    assert DECOP_PASSAGES.asset is None
