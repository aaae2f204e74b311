"""Wordings and descriptions: further ways to ask the same items, from files of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probe.errors import SpecError
from probe.plan import Cell
from prompts import DatasetError
from tests.probe.experiments_for_tests import write_experiment
from tests.probe.plans_for_tests import URL, cells_of, conditions, drawn, plan_id

GIST = "Think about it, then name the work."
WORDS = f'[source_identification]\nbaseline = "Name the work."\ngist = "{GIST}"\n'
DESCRIBED = (
    {"work": "Emma", "character": "Emma Woodhouse", "description": "Emma is clever\n and rich."},
    {"work": "Dracula", "character": "Mina Harker", "description": "She types what Lucy saw."},
)


def experiment(folder: Path, tail: str) -> Path:
    """The small experiment, with further tables."""
    (folder / "words.toml").write_text(WORDS, encoding="utf-8")
    lines = "".join(json.dumps(row) + "\n" for row in DESCRIBED)
    (folder / "described.jsonl").write_text(lines, encoding="utf-8")
    return write_experiment(folder, URL, tail=conditions() + tail)


def replicated(folder: Path) -> list[Cell]:
    """In the tasks' own words and in others."""
    tail = 'wordings = ["own", "mine"]\n[wordings]\nmine = "words.toml"\n'
    return cells_of(experiment(folder, tail))


def test_each_wording_is_a_condition_of_its_own_and_the_usual_cells_stay(tmp_path: Path) -> None:
    """So that a wording that is added later asks for its own cells only."""
    usual = {cell.cell_id: cell.key for cell in cells_of(experiment(tmp_path, ""))}

    both = {cell.cell_id: cell for cell in replicated(tmp_path)}

    assert len(both) == 2 * len(usual)
    assert {own: both[own].key for own in usual} == usual
    others = [cell for own, cell in both.items() if own not in usual]
    assert {cell.condition.prompt.manner.wording.name for cell in others} == {"mine"}
    assert {cell.text.split("\n\n")[0] for cell in others} == {"Name the work.", GIST}
    assert not {cell.key for cell in others} & set(usual.values())


def test_the_wordings_of_the_file_stand_in_for_the_own_where_none_is_named(tmp_path: Path) -> None:
    cells = cells_of(experiment(tmp_path, '[wordings]\nmine = "words.toml"\n'))

    assert {cell.condition.prompt.manner.wording.name for cell in cells} == {"mine"}


def test_what_a_wording_says_is_part_of_the_plan(tmp_path: Path) -> None:
    path = experiment(tmp_path, '[wordings]\nmine = "words.toml"\n')
    before = plan_id(path)

    (tmp_path / "words.toml").write_text(WORDS.replace("Name", "Say"), encoding="utf-8")

    assert plan_id(path) != before


def test_a_limit_draws_the_windows_of_a_summary_together(tmp_path: Path) -> None:
    """A text of which a window is not asked could never be marked."""
    scenes = [
        {
            "id": name,
            "work": "A Show",
            "lines": [{"speaker": "Ann", "text": f"{name} goes on and on. " * 12}] * 4,
            "summary": "They go on.",
        }
        for name in ("one", "two", "three", "four")
    ]
    lines = "".join(json.dumps(scene) + "\n" for scene in scenes)
    (tmp_path / "scenes.jsonl").write_text(lines, encoding="utf-8")
    task = 'name = "summarization"\ndataset = "dialogue"\npath = "scenes.jsonl"\nlimit = 3'
    text = experiment(tmp_path, "").read_text(encoding="utf-8")
    start, end = text.index('name = "source_identification"'), text.index("[conditions]")
    path = tmp_path / "windows.toml"
    path.write_text(f"{text[:start]}{task}\nwindow_words = 100\n{text[end:]}", encoding="utf-8")

    items = {cell.condition.item.item_id: cell.condition.item for cell in cells_of(path)}

    by_document: dict[str, int] = {}
    for item in items.values():
        by_document[item.document] = by_document.get(item.document, 0) + 1
    assert all(item.parts > 1 for item in items.values())
    assert all(by_document[item.document] == item.parts for item in items.values())
    assert len(items) >= 3 > len(by_document)


BAD_WORDS = {
    "a prompt is missing": (
        '[source_identification]\nbaseline = "Name it."\n',
        r"words\.toml: no words for source_identification\.gist; add them to the file",
    ),
    "an unknown task": (
        '[source_identificaton]\nbaseline = "Name it."\n',
        r"\[source_identificaton\]: unknown task .*did you mean 'source_identification'",
    ),
    "an unknown prompt": (
        '[source_identification]\nbasline = "Name it."\n',
        r"unknown prompt 'basline'; did you mean 'baseline'",
    ),
    "no text": ('[source_identification]\ngist = ""\n', r"no text under gist; give the"),
    "not TOML": ("[source_identification\n", r"words\.toml: not TOML \("),
    "no table": ('source_identification = "Name it."\n', r"expected a table, found 'Name it"),
}


@pytest.mark.parametrize("case", BAD_WORDS)
def test_a_bad_file_of_wordings_is_named_with_what_to_do(tmp_path: Path, case: str) -> None:
    text, said = BAD_WORDS[case]
    path = experiment(tmp_path, '[wordings]\nmine = "words.toml"\n')
    (tmp_path / "words.toml").write_text(text, encoding="utf-8")

    with pytest.raises(DatasetError, match=said):
        plan_id(path)


BAD_IDS = {
    "no file under it": ('wordings = ["mine"]\n', r"unknown id in conditions\.wordings 'mine'"),
    "the own id": ('[wordings]\nown = "words.toml"\n', r"wordings: the id 'own' is taken"),
    "no such file": ('[wordings]\nmine = "gone.toml"\n', r"wording mine: no file or folder at"),
    "descriptions without a file": (
        'descriptions = ["none", "made"]\n',
        r"unknown id in conditions\.descriptions 'made'",
    ),
}


@pytest.mark.parametrize("case", BAD_IDS)
def test_an_id_without_a_file_is_named(tmp_path: Path, case: str) -> None:
    tail, said = BAD_IDS[case]

    with pytest.raises(SpecError, match=said):
        plan_id(experiment(tmp_path, tail))


def test_descriptions_stand_before_the_passage_under_its_names(tmp_path: Path) -> None:
    """And an item of whose people nothing is said is set aside, with the reason."""
    tail = 'descriptions = ["none", "made"]\n[descriptions]\nmade = "described.jsonl"\n'
    with drawn(experiment(tmp_path, tail)) as plan:
        blocks = list(plan.blocks())

    cells = [cell for block in blocks for cell in block.cells]
    described = [c for c in cells if c.condition.prompt.manner.descriptions == "made"]
    assert {c.condition.item.work for c in described} == {"Emma", "Dracula"}
    for cell in described:
        people = cell.condition.prompt.shown.name_map.people
        _, block, passage, *_ = cell.text.split("\n\n")
        shown = people.get("Emma Woodhouse", "Emma Woodhouse").split()[0]
        if cell.condition.item.work == "Emma":
            assert block.splitlines()[1].endswith(f"{shown} is clever and rich.")
            assert passage == cell.condition.prompt.item.text
    aside = [each for block in blocks for each in block.aside]
    assert {(each.item.work, each.descriptions) for each in aside} == {("Frankenstein", "made")}
    assert {each.reason for each in aside} == {"descriptions 'made' say nothing of anyone in it"}


BAD_DESCRIPTIONS = {
    "no work": ('{"character": "Emma", "description": "Rich."}', "line 1: no text under work;"),
    "twice": (
        '{"work": "Emma", "character": "Emma", "description": "Rich."}\n' * 2,
        "line 2: 'Emma' of 'Emma' is described a second time;",
    ),
    "empty": ("\n", r"no description in this file; make it with `probe describe`"),
    "not JSON": ("Emma: rich", r"line 1: not JSON \("),
}


@pytest.mark.parametrize("case", BAD_DESCRIPTIONS)
def test_a_bad_file_of_descriptions_is_named_with_what_to_do(tmp_path: Path, case: str) -> None:
    text, said = BAD_DESCRIPTIONS[case]
    tail = 'descriptions = ["made"]\n[descriptions]\nmade = "described.jsonl"\n'
    path = experiment(tmp_path, tail)
    (tmp_path / "described.jsonl").write_text(text, encoding="utf-8")

    with pytest.raises(DatasetError, match=said):
        plan_id(path)
