"""Scenes of one's own: every key of the documented format, for every task it serves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prompts import DatasetError, Item, UnknownName
from prompts.datasets.dialogue import DIALOGUE, read
from tests.prompts.native_for_tests import DATA, marked, read_items

FILE = DATA / "dialogue/scenes.jsonl"
DOCUMENT = Path(__file__).parents[2] / "docs/own-data.md"
TEXT = (
    "Ines: Who lit the lamp?\nA voice: Not me. ☂\nTomas comes in with his wet coat.\n"
    "Tomas: 🚢 Captain Rowan's boy lit it, Ines.\nInes: He did?"
)
SCENE: dict[str, Any] = {
    "id": "a",
    "work": "Own",
    "cast": [{"name": "Ada"}],
    "lines": [{"speaker": "Ada", "text": "I saw him."}, {"speaker": None, "text": "Rain."}],
}
SEEN = {"line": 0, "start": 0, "end": 1, "entity": "ada"}


def scenes(
    task: str,
    path: Path = FILE,
    *,
    works: tuple[str, ...] = (),
    window_words: int | None = None,
    options: int = 0,
) -> list[Item]:
    return read_items(read, path, task, works=works, window_words=window_words, options=options)


def own(folder: Path, *objects: Mapping[str, Any] | str) -> Path:
    path = folder / "own.jsonl"
    text = [one if isinstance(one, str) else json.dumps(one) for one in objects]
    path.write_text("\n".join(text), encoding="utf-8")
    return path


def test_speakers_of_the_cast_are_guessed_and_others_keep_their_labels() -> None:
    """An alias in a label is its person; options of the scene's own keep their order."""
    quay, emma = scenes("character_guessing")

    assert quay.text == TEXT.replace("Ines: ", "P0: ").replace("Tomas: ", "P1: ")
    assert quay.gold == {"P0": "Ines Rowan", "P1": "Tomas"}
    assert quay.options == ("Tomas", "Bruno", "Ines Rowan")
    assert quay.flags == ("gold_name_in_text",)
    assert (emma.gold, emma.options) == ({"P0": "Emma Woodhouse"}, ("Emma Woodhouse",))


def test_options_left_out_are_the_speakers_of_the_cast_in_a_seeded_order(tmp_path: Path) -> None:
    names = [f"N{n}" for n in range(6)]
    cast = [{"name": name} for name in [*names, "Silent"]]
    lines = [{"speaker": name, "text": "Yes."} for name in names]
    path = own(tmp_path, *({**SCENE, "id": f"s{n}", "cast": cast, "lines": lines} for n in "ab"))
    first, second = scenes("character_guessing", path)

    assert sorted(first.options) == sorted(second.options) == names
    assert first.options != second.options


def test_every_scene_asks_for_its_title() -> None:
    items = scenes("source_identification", options=2)

    assert [item.item_id for item in items] == ["quay-1", "quay-2", "emma-1"]
    assert [item.gold["title"] for item in items] == ["The Salt Quay", "The Salt Quay", "Emma"]
    assert items[0].text == TEXT
    assert all(sorted(item.options) == ["Emma", "The Salt Quay"] for item in items)
    assert "Emma Woodhouse" in {one.name for one in items[2].cast}


def test_each_question_is_an_item_and_its_answers_stand_where_they_are_said() -> None:
    """Offsets count code points of the line's text; a speaker counts as labelled and in full."""
    lamp, asker = scenes("question_answering")

    assert (lamp.item_id, asker.item_id) == ("quay-1:who", "quay-1:1")
    assert lamp.question == "Who lit the lamp?"
    assert lamp.gold == {"a0": "Captain Rowan's boy", "a1": "Rowan's boy"}
    assert [lamp.text[span.start : span.end] for span in lamp.spans] == list(lamp.gold.values())
    assert (asker.gold, asker.spans) == ({"a0": "Ines", "a1": "Ines Rowan"}, ())


def test_mentions_are_numbered_as_they_stand_and_clusters_are_opaque() -> None:
    quay, pier = scenes("coreference")

    assert marked(quay) == [
        ("Tomas", "0"),
        ("his", "0"),
        ("Captain Rowan's boy", "1"),
        ("Rowan's", "2"),
        ("He", "1"),
    ]
    assert marked(pier) == [("Anna", "0")]
    assert pier.text == "The pier was empty.\nAnna looked for Bruno."


def test_the_perpetrator_is_one_of_the_entities() -> None:
    (quay,) = scenes("role_detection")

    assert [gold for _, gold in marked(quay)] == ["no", "no", "yes", "no", "yes"]


def test_traits_are_asked_one_by_one_and_equal_options_accepted() -> None:
    curious, shy = scenes("personality", window_words=3)

    assert (curious.item_id, curious.scene, shy.item_id) == ("quay-1:0", "quay-1", "quay-1:1")
    assert curious.question == "Which trait of Ines does the scene show?"
    assert curious.gold == {"trait": "Curious"}
    assert (curious.options, curious.accepted) == (("Curious", "Idle", "curious"), ("curious",))
    assert (curious.flags, shy.flags) == ((), ("character_not_in_text",))
    assert curious.text == TEXT
    assert "Bruno" in {one.name for one in shy.cast}


def test_the_first_summary_is_gold_and_the_others_are_accepted() -> None:
    quay, pier = scenes("summarization")

    assert quay.gold == {"summary": "Ines asks who lit the lamp."}
    assert quay.accepted == ("A lamp is lit by a boy.",)
    assert (pier.gold, pier.accepted) == ({"summary": "Anna finds nobody."}, ())


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("character_guessing", ["#0: P0", "#2: P1", "#3: P0"]),
        ("question_answering", [":who#2: a0 a1", ":1#0: a0 a1", ":1#3: a0 a1"]),
        ("coreference", ["#1: 1 2", "#2: 1 2", "#3: 1"]),
        ("role_detection", ["#1: 1 2", "#2: 1 2", "#3: 1"]),
        ("summarization", [f"#{n}: summary" for n in range(4)]),
        ("source_identification", [f"#{n}: title" for n in range(4)]),
    ],
)
def test_windows_keep_the_gold_that_lies_in_them(task: str, expected: list[str]) -> None:
    """A scene is cut at ends of lines; a window with nothing to ask is no item."""
    windows = [item for item in scenes(task, window_words=10) if item.scene == "quay-1"]

    found = [f"{item.item_id.removeprefix('quay-1')}: {' '.join(item.gold)}" for item in windows]
    assert found == expected
    assert {item.parts for item in windows} == {4}
    assert all(item.notes[-1].startswith(f"window {item.part + 1} of 4") for item in windows)
    for item in windows:
        for span in item.spans:
            assert item.text[span.start : span.end].strip()


def test_a_work_is_chosen_by_title_and_an_unknown_one_named() -> None:
    assert [i.item_id for i in scenes("source_identification", works=("emma",))] == ["emma-1"]
    assert scenes("role_detection", works=("emma",)) == []
    with pytest.raises(UnknownName, match=r"unknown work 'Salt Key'"):
        scenes("coreference", works=("Salt Key",))


@pytest.mark.parametrize(
    ("task", "needs"),
    [
        ("character_guessing", "lines with a speaker of its cast"),
        ("question_answering", "qa"),
        ("coreference", "mentions"),
        ("role_detection", "mentions with a perpetrator"),
        ("personality", "traits"),
        ("summarization", "summary"),
    ],
)
def test_a_file_without_what_a_task_needs_is_refused(task: str, needs: str, tmp_path: Path) -> None:
    path = own(tmp_path, {"id": "a", "work": "Own", "text": "Rain."})

    with pytest.raises(DatasetError, match=f"own.jsonl: no scene has {needs}, which {task} needs;"):
        scenes(task, path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": None}, "line 1: no text under id; give id as a string that is not empty"),
        ({"work": " "}, "line 1: no text under work; give work"),
        ({"text": "Rain."}, "line 1: both lines and text; give lines where people speak, or text"),
        ({"lines": None}, "line 1: neither lines nor text; give"),
        ({"lines": []}, "line 1: no line under lines; give"),
        ({"lines": ["Rain."]}, "line 1: no list of objects under lines; give"),
        ({"lines": [{"speaker": "Ada"}]}, r"line 1, lines\[0\]: no text under text; give"),
        ({"cast": [{"name": "A", "gender": "f"}]}, r"cast\[0\]: the gender 'f'; give one of fem"),
        ({"cast": [{"name": "A"}, {"name": "A"}]}, "line 1: two of the cast are called 'A'; give"),
        ({"options": ["Bea"]}, "line 1: the speaker 'Ada' is not among the options; offer"),
        ({"mentions": [{**SEEN, "line": 2}]}, r"mentions\[0\]: line 2 of 2; count the lines"),
        ({"mentions": [{**SEEN, "line": None}]}, r"mentions\[0\]: no number under line; give"),
        ({"mentions": [{**SEEN, "end": 11}]}, r"0-11 is no stretch of the text of line 0, which h"),
        ({"mentions": [{**SEEN, "end": 0}]}, r"mentions\[0\]: 0-0 is no stretch of the text"),
        ({"mentions": [{**SEEN, "start": -1}]}, r"mentions\[0\]: no number under start; give"),
        ({"mentions": [{**SEEN, "entity": 1}]}, r"mentions\[0\]: no text under entity; give"),
        (
            {"mentions": [{**SEEN, "end": 5}, {**SEEN, "start": 2, "end": 9, "entity": "he"}]},
            r"mentions\[1\]: it crosses a mention of 'ada'; end one before",
        ),
        (
            {"mentions": [SEEN], "perpetrator": "bea"},
            "line 1: the perpetrator 'bea' is no entity of the mentions; give one of 'ada'",
        ),
        ({"qa": [{"question": "Who?"}]}, r"qa\[0\]: no answer under answers; give at least one"),
        (
            {"qa": [{"question": "Who?", "answers": [{"text": "snow"}]}]},
            r"answers\[0\]: 'snow' stands in no line; give words as they stand in one line",
        ),
        (
            {"qa": [{"question": "Who?", "answers": [{"speaker": "Bea"}]}]},
            r"answers\[0\]: 'Bea' speaks no line; name a speaker as the lines do",
        ),
        (
            {"traits": [{"character": "Ada", "options": ["Sly"], "answer": "Bold"}]},
            r"traits\[0\]: the answer 'Bold' is no option; give one of Sly",
        ),
        ({"summary": []}, "line 1: no list of texts under summary; give"),
        ({"summary": [" "]}, "line 1: an empty text under summary; leave it out"),
    ],
)
def test_a_scene_at_odds_with_the_format_is_refused(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    """The message names the file, the line and the place in it, what was found and what to do."""
    path = own(tmp_path, {**SCENE, **changes})

    with pytest.raises(DatasetError, match=message) as refusal:
        scenes("character_guessing", path)
    assert str(refusal.value).startswith(f"{path}, line 1")


def test_truncated_files_doubled_ids_and_other_encodings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"own\.jsonl, line 2: not JSON \("):
        scenes("coreference", own(tmp_path, SCENE, json.dumps(SCENE)[:-9]))
    with pytest.raises(DatasetError, match=r"line 2: the id 'a' already stands on line 1; give"):
        scenes("coreference", own(tmp_path, SCENE, SCENE))
    with pytest.raises(DatasetError, match=r"own\.jsonl, line 1: no scene; write one JSON object"):
        scenes("coreference", own(tmp_path, ""))
    (tmp_path / "own.jsonl").write_bytes(b'{"id": "\xe9"}')
    with pytest.raises(DatasetError, match=r"own\.jsonl, byte 8: not UTF-8; save the file as UTF"):
        scenes("coreference", tmp_path / "own.jsonl")


def test_the_documented_scenes_are_read_for_every_task(tmp_path: Path) -> None:
    """What `docs/own-data.md` shows works as it stands there."""
    blocks = DOCUMENT.read_text(encoding="utf-8").split("```json\n")[1:]
    shown = [json.loads(block.split("```")[0]) for block in blocks]
    path = own(tmp_path, *shown)

    for task in DIALOGUE.tasks:
        assert scenes(task, path), task


# Half of a surrogate pair is no text, and a line feed would end the line.
letters = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\n"), max_size=12
)
names = st.sampled_from(["Ada", "Bea Holt", "Éva", None])
said = st.lists(st.tuples(names, letters), min_size=1, max_size=6)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=said, data=st.data())
def test_texts_and_spans_survive_the_way_through_a_file(
    lines: list[tuple[str | None, str]], data: st.DataObject, tmp_path: Path
) -> None:
    """Whatever the lines say, the item's text shows it, and spans hold what was marked."""
    marks: dict[tuple[int, int, int], str] = {}
    for number, (_, text) in enumerate(lines):
        if text:
            start = data.draw(st.integers(0, len(text) - 1))
            end = data.draw(st.integers(start + 1, len(text)))
            marks[number, start, end] = data.draw(st.sampled_from(["x", "y"]))
    mentions = [{"line": n, "start": s, "end": e, "entity": w} for (n, s, e), w in marks.items()]
    rows = [{"speaker": speaker, "text": text} for speaker, text in lines]
    path = own(tmp_path, {**SCENE, "lines": rows, "mentions": mentions})
    if not marks:
        with pytest.raises(DatasetError, match="no scene has mentions"):
            scenes("coreference", path)
        return

    (item,) = scenes("coreference", path)
    windows = scenes("coreference", path, window_words=1)
    shown = [f"{speaker}: {text}" if speaker else text for speaker, text in lines]
    wanted = [lines[n][1][s:e] for n, s, e in marks]
    assert item.text == "\n".join(shown)
    assert [item.text[span.start : span.end] for span in item.spans] == wanted
    assert [w.text[s.start : s.end] for w in windows for s in w.spans] == wanted
    groups = list(dict.fromkeys(marks.values()))
    assert list(item.gold.values()) == [str(groups.index(entity)) for entity in marks.values()]
