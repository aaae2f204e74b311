"""Small files in the native formats: what is read from them, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from prompts import DatasetError, Item, UnknownName
from prompts.datasets import DATASETS, Selection, dataset_named
from prompts.datasets.base import title_options

OPTIONS = "['ross', 'monica', 'mr. geller']"
GOLD = "{'P0': 'ross', 'P1': 'mr. geller (on phone)'}"
LINES = [
    "P0 : hi.",
    "P1 (at monica's door) :  well,  hello",
    "background : a bell",
    "man in hat : no",
]
PLAY = """# Hamlet

## ACT I

### SCENE I. A place.

_Enter HAMLET_

**HAMLET**
One line here,
and _\\[aside]_ another.
LADY

**MACBETH**
The lady speaks now.

_Exit HAMLET_

She speaks on.

**All**
We all speak.

**First Clown**
But I am a role.

### SCENE II. Elsewhere.

**HORATIO**
Another scene.

**HAMLET:**
Good night.
"""


def guessing(**changes: object) -> Selection:
    return Selection(task="character_guessing", **changes)  # type: ignore[arg-type]


def sourcing(**changes: object) -> Selection:
    return Selection(task="source_identification", **changes)  # type: ignore[arg-type]


def items(dataset: str, path: Path, selection: Selection) -> list[Item]:
    return list(dataset_named(dataset).read(path, selection))


def scenes(folder: Path, rows: list[list[str]], *, name: str = "friends.raw") -> Path:
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def scene(*lines: str, options: str = OPTIONS, gold: str = GOLD) -> list[list[str]]:
    text = "\r".join(["01x02 7", options, *(lines or LINES)])
    return [["No.", "Scene", "Answer"], ["1", text, gold]]


def excerpts(folder: Path, *lines: object) -> Path:
    path = folder / "mine.jsonl"
    text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(text), encoding="utf-8")
    return path


def row(number: int, source: str = "Emma", text: str = "Some text.") -> dict[str, object]:
    return {"id": f"x{number}", "source": source, "text": text}


def plays(folder: Path, text: str = PLAY, stem: str = "hamlet") -> Path:
    (folder / f"{stem}.md").write_text(text, encoding="utf-8")
    return folder


def test_a_scene_is_read_with_its_gold_options_and_directions(tmp_path: Path) -> None:
    """Bare CRs part the lines, names get capitals, and directions leave the gold label."""
    (item,) = items("tvshowguess", scenes(tmp_path, scene()), guessing())

    assert item.item_id == "friends:01x02:7"
    assert item.work == "Friends"
    assert item.text == ("P0: hi.\nP1 (At Monica's Door): well, hello\na bell\nMan In Hat: no")
    assert item.gold == {"P0": "Ross", "P1": "Mr. Geller"}
    assert item.options == ("Ross", "Monica", "Mr. Geller")
    assert item.notes == ("label 'mr. geller (on phone)' read as 'mr. geller'",)


def test_a_slip_in_a_gold_label_is_mended_and_noted(tmp_path: Path) -> None:
    gold = "{'P0': 'Monicca'}"
    (item,) = items("tvshowguess", scenes(tmp_path, scene(gold=gold)), guessing())

    assert item.gold == {"P0": "Monica"}
    assert item.notes == ("label 'Monicca' read as 'monica'",)


def test_scenes_serve_source_identification(tmp_path: Path) -> None:
    path = scenes(tmp_path, scene())
    (item,) = items("tvshowguess", path, sourcing(options=3))

    assert item.gold == {"title": "Friends"}
    assert len(set(item.options)) == 3
    assert "Friends" in item.options


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "line 1: expected the columns No.,Scene,Answer"),
        ([["No.", "Scene"]], "line 1: expected the columns No.,Scene,Answer, found 'No.,Scene';"),
        ([*scene(), ["2", "x"]], "record 2: 2 cells instead of 3; compare it"),
        (scene(options="['ross'"), "record 1: expected a Python list, found \"\\['ross'\";"),
        (scene(options="{}"), "record 1: expected a Python list, found '{}'"),
        (scene(gold="{[]: 1}"), "record 1: expected a Python dict"),
        (scene(gold="{'P0': 'ross'"), "record 1: expected a Python dict"),
        (scene(gold="{}"), "record 1: no line is spoken by anyone to guess"),
        (scene(gold="{'P0': 'ross', 'P9': 'monica'}"), "record 1: no line is spoken by P9;"),
        (scene(gold="{'P0': 'xerxes'}"), "record 1: answers {'P0': 'xerxes'} are not among the"),
        ([scene()[0], ["1", "01x02 7", GOLD]], "record 1: 1 lines in the scene"),
    ],
)
def test_a_scene_file_that_is_not_as_published_is_refused(
    rows: list[list[str]], message: str, tmp_path: Path
) -> None:
    """The message names the file, the record, what was found and what to do."""
    path = scenes(tmp_path, rows)

    with pytest.raises(DatasetError, match=message) as refusal:
        items("tvshowguess", path, guessing())
    assert str(refusal.value).startswith(str(path))
    assert refusal.value.fix == "compare it with the file as published"


def test_a_truncated_scene_file_is_refused(tmp_path: Path) -> None:
    path = scenes(tmp_path, [scene()[0], ["1", 'a "quoted" cell', GOLD]])
    path.write_bytes(path.read_bytes()[:-40])

    with pytest.raises(DatasetError, match=r"friends\.raw: not CSV \(unexpected end of data\)"):
        items("tvshowguess", path, guessing())


def test_a_file_of_an_unknown_show_is_refused(tmp_path: Path) -> None:
    path = scenes(tmp_path, scene(), name="seinfeld.raw")

    with pytest.raises(DatasetError, match="no show is called 'seinfeld'; name the file friends"):
        items("tvshowguess", path, guessing())


def test_works_are_chosen_by_any_title_and_an_unknown_one_is_named(tmp_path: Path) -> None:
    scenes(tmp_path, scene())
    scenes(tmp_path, scene(), name="tbbt.raw")
    chosen = items("tvshowguess", tmp_path, guessing(works=("big bang theory",)))

    assert [item.work for item in chosen] == ["The Big Bang Theory"]
    with pytest.raises(UnknownName, match=r"unknown work 'Freinds'; did you mean 'Friends'\?"):
        items("tvshowguess", tmp_path, guessing(works=("Freinds",)))


def test_an_excerpt_is_read_with_the_titles_and_the_cast_of_its_work(tmp_path: Path) -> None:
    """Blank lines are no records; U+2028 may stand inside a JSON string."""
    path = excerpts(
        tmp_path, row(1, "Moby-Dick"), "", '{"id": "x2", "source": "Mine", "text": "a\u2028b"}'
    )
    known, own = items("excerpts", path, sourcing())

    assert known.gold == {"title": "Moby Dick"}
    assert "Moby-Dick" in known.accepted
    assert "Ishmael" in {character.name for character in known.cast}
    assert (own.gold, own.text, own.cast) == ({"title": "Mine"}, "a\u2028b", ())


def test_options_hold_the_right_title_once_and_only_works_of_the_file(tmp_path: Path) -> None:
    sources = ("Emma", "Dracula", "Moby Dick", "Mine")
    path = excerpts(tmp_path, *(row(n, source) for n, source in enumerate(sources)))
    read = items("excerpts", path, sourcing(options=3, works=("Emma", "mine")))

    assert [item.work for item in read] == ["Emma", "Mine"]
    for item in read:
        assert len(set(item.options)) == 3
        assert item.gold["title"] in item.options
        assert set(item.options) <= set(sources)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([row(1), "{'id': 1}"], r"mine.jsonl, line 2: not JSON \(.*\); mend the line"),
        ([row(1), '{"id": "x2", "sou'], r"mine.jsonl, line 2: not JSON \(Unterminated string"),
        (['{"id": "x", "source": "S", "text": "\\ud800"}'], "line 1: half of a surrogate pair"),
        ([[1, 2]], "mine.jsonl, line 1: not a JSON object; write one object a line"),
        ([{"id": "x"}], "mine.jsonl, line 1: no text under source, text; give id, source and"),
        ([{**row(1), "id": 3}], "mine.jsonl, line 1: no text under id; give"),
        ([row(1), "", row(1)], "mine.jsonl, line 3: the id 'x1' already stands on line 1"),
    ],
)
def test_a_malformed_excerpt_is_refused(lines: list[object], message: str, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=message):
        items("excerpts", excerpts(tmp_path, *lines), sourcing())


def test_an_unknown_work_of_an_excerpt_file_is_named(tmp_path: Path) -> None:
    path = excerpts(tmp_path, row(1), row(2, "Dracula"))

    with pytest.raises(UnknownName, match=r"unknown work 'Dracul'; did you mean 'Dracula'\?"):
        items("excerpts", path, sourcing(works=("Dracul",)))


def test_a_play_is_read_into_scenes_labels_and_directions(tmp_path: Path) -> None:
    """A label broken over two blocks is put together again, a group keeps its label."""
    (first,) = items("shakespeare", plays(tmp_path), guessing(excerpt_words=16))[:1]

    assert first.item_id == "hamlet:1.1:0"
    assert first.text == (
        "[Enter HAMLET]\nP0: One line here,\nand [aside] another.\n"
        "P1: The lady speaks now.\n[Exit HAMLET]\nP1: She speaks on."
    )
    assert first.gold == {"P0": "Hamlet", "P1": "Lady Macbeth"}
    assert sorted(first.options) == ["Hamlet", "Lady Macbeth"]
    assert {c.name: c.gender for c in first.cast if c.proper} == {
        "Hamlet": "male",
        "Lady Macbeth": "female",
        "Horatio": "male",
    }


def test_an_excerpt_never_crosses_a_scene_and_half_an_excerpt_is_kept(tmp_path: Path) -> None:
    read = items("shakespeare", plays(tmp_path), sourcing(excerpt_words=8))

    assert [item.item_id for item in read] == [
        "hamlet:1.1:0",
        "hamlet:1.1:1",
        "hamlet:1.1:2",
        "hamlet:1.2:0",
    ]
    assert read[-1].text == "Horatio: Another scene.\nHamlet: Good night."
    assert read[-1].gold == {"title": "Hamlet"}


@pytest.mark.parametrize(
    ("text", "stem", "message"),
    [
        ("Nothing.", "hamlet", r"hamlet\.md: no line of the form \*\*SPEAKER\*\*; fetch the file"),
        (PLAY, "faust", "no play in this folder; point `path` at the folder of plays"),
    ],
)
def test_a_folder_without_a_play_is_refused(
    text: str, stem: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DatasetError, match=message):
        items("shakespeare", plays(tmp_path, text, stem), guessing())


def test_an_unknown_play_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"unknown work 'Hamlett'; did you mean 'Hamlet'\?"):
        items("shakespeare", plays(tmp_path), guessing(works=("Hamlett",)))


@pytest.mark.parametrize(
    ("dataset", "name"),
    [("tvshowguess", "friends.raw"), ("excerpts", "mine.jsonl"), ("shakespeare", "hamlet.md")],
)
def test_bytes_that_are_not_utf8_and_empty_folders_are_refused(
    dataset: str, name: str, tmp_path: Path
) -> None:
    with pytest.raises(DatasetError, match=str(tmp_path)):
        items(dataset, tmp_path, sourcing())
    (tmp_path / name).write_bytes("No.,Scène".encode("latin-1"))
    path = tmp_path if dataset == "shakespeare" else tmp_path / name
    with pytest.raises(DatasetError, match=f"{name}, byte 6: not UTF-8; save the file as UTF-8"):
        items(dataset, path, sourcing())


@pytest.mark.parametrize("dataset", ["tvshowguess", "excerpts"])
def test_a_missing_file_is_refused(dataset: str, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="nowhere: no such file; check `path`"):
        items(dataset, tmp_path / "nowhere", sourcing())


def test_every_dataset_is_registered_under_its_name_for_tasks_that_exist() -> None:
    assert all(dataset.name == name and dataset.tasks for name, dataset in DATASETS.items())
    with pytest.raises(UnknownName, match=r"unknown dataset 'excerpt'; did you mean 'excerpts'\?"):
        dataset_named("excerpt")


def test_the_place_of_the_right_title_is_drawn_item_by_item() -> None:
    """A right answer that always stood first would be found without reading."""
    works = [f"w{number}" for number in range(9)]
    places = {title_options("w0", works, 4, 7, n).index("w0") for n in range(60)}

    assert places == {0, 1, 2, 3}
    assert title_options("w0", works, 0) == ()
    assert sorted(title_options("w0", works, 99, 7)) == works
