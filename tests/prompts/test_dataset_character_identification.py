"""Character identification: every mention of one person is read, and whom it means stays hidden."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prompts import DatasetError, Item, UnknownName
from prompts.datasets import Selection
from prompts.datasets.character_identification import read
from tests.prompts.native_files_for_tests import changed, check_windows, saved, shared, windows_of

NAME = "character-identification/json/character-identification-tst.json"
SCENE: dict[str, Any] = {
    "scene_id": "s01_e22_c01",
    "utterances": [
        {
            "utterance_id": "s01_e22_c01_u001",
            "speakers": ["Ross Geller"],
            "transcript": "Hi, Pheebs.  I'm gonna call\nher.",
            "tokens": [["Hi", ",", "Pheebs", "."], ["I", "'m", "gon", "na", "call", "her", "."]],
            "character_entities": [
                [[2, 3, "Phoebe Buffay"]],
                [[0, 1, "Ross Geller"], [5, 6, "Ida Ray"]],
            ],
        },
        {
            "utterance_id": "s01_e22_c01_u002",
            "speakers": [],
            "transcript": "",
            "tokens": [],
            "character_entities": [],
        },
        {
            "utterance_id": "s01_e22_c01_u003",
            "speakers": ["#ALL#"],
            "transcript": 'We "know" my boss.',
            "tokens": [["We", "``", "know", "''", "my", "boss", "."]],
            "character_entities": [
                [
                    [0, 1, "Ross Geller", "Phoebe Buffay"],
                    [4, 6, "Ross's tailor"],
                    [4, 5, "Ross Geller"],
                    [2, 3, "#GENERAL#"],
                    [5, 6, "#OTHER#"],
                ]
            ],
        },
    ],
}
FILE = {"season_id": "x", "episodes": [{"episode_id": "s01_e22", "scenes": [SCENE]}]}
UTTERANCE = ("episodes", 0, "scenes", 0, "utterances", 0)
ENTITY = (*UTTERANCE, "character_entities", 0, 0)


def scenes(root: Path, **more: object) -> list[Item]:
    return list(read(root, Selection(task="coreference", **more)))  # type: ignore[arg-type]


def mentions_by_hand(scene: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The words of each mention without spaces, and whom it means."""
    for utterance in scene["utterances"]:
        pairs = zip(utterance["tokens"], utterance["character_entities"], strict=True)
        for words, entities in pairs:
            for first, end, *meant in sorted(entities, key=lambda entity: (entity[0], -entity[1])):
                yield "".join(words[first:end]), meant


def scenes_by_hand() -> list[dict[str, Any]]:
    with shared(NAME).open(encoding="utf-8") as file:
        return [scene for part in json.load(file)["episodes"] for scene in part["scenes"]]


def test_every_mention_of_one_person_is_read_in_its_cluster() -> None:
    """Mentions in order, their words and who means the same agree with the file.

    Counted in the file by other means: 28 and 52 mentions of 3 and 10 people, in 21 and 36 lines.
    """
    items = scenes(shared(NAME))

    for item, raw in zip(items, scenes_by_hand(), strict=True):
        kept = [
            (words, meant[0])
            for words, meant in mentions_by_hand(raw)
            if len(meant) == 1 and not meant[0].startswith("#")
        ]
        shown = [item.text[span.start : span.end].replace(" ", "") for span in item.spans]
        assert shown == [words for words, _ in kept]
        numbers: dict[str, str] = {}
        clusters = [numbers.setdefault(meant, str(len(numbers))) for _, meant in kept]
        assert list(item.gold.values()) == clusters
        assert list(item.gold) == [span.label for span in item.spans]
        assert list(item.gold) == [str(number + 1) for number in range(len(kept))]
    assert [len(item.gold) for item in items] == [28, 52]
    assert [len(set(item.gold.values())) for item in items] == [3, 10]
    assert [len(item.text.split("\n")) for item in items] == [21, 36]


def test_what_has_no_cluster_is_counted_in_a_note() -> None:
    one, two = scenes(shared(NAME))
    left_out = [
        [meant for _, meant in mentions_by_hand(raw) if len(meant) > 1 or meant[0][0] == "#"]
        for raw in scenes_by_hand()
    ]

    assert [len(meant) for meant in left_out] == [2, 6]
    assert one.notes == ("mentions left out of the gold answer: 2 of several people",)
    assert two.notes == (
        "mentions left out of the gold answer: 3 of no one in particular, 3 of several people",
    )


def test_the_transcript_is_shown_and_tokens_where_they_do_not_fit_it(tmp_path: Path) -> None:
    """Words are as people write them; spans follow them, also where one lies in another."""
    (item,) = scenes(saved(tmp_path / "mine.json", FILE))

    assert item.text == (
        "Ross Geller: Hi, Pheebs. I'm gonna call her.\nAll: We `` know '' my boss ."
    )
    assert [item.text[span.start : span.end] for span in item.spans] == [
        "Pheebs",
        "I",
        "her",
        "my boss",
        "my",
    ]
    assert list(item.gold.items()) == [("1", "0"), ("2", "1"), ("3", "2"), ("4", "3"), ("5", "1")]
    assert item.notes == (
        "s01_e22_c01_u003: tokens shown, not the transcript",
        "mentions left out of the gold answer: 1 of no one in particular, 1 of several people, "
        "1 of someone not told",
    )
    assert (item.work, item.scene) == ("Friends", "s01_e22")
    proper = {person.name: person.proper for person in item.cast}
    assert (proper["Ida Ray"], proper["Ross's tailor"], proper["All"]) == (True, False, False)


def test_the_real_transcripts_need_no_tokens() -> None:
    raw = scenes_by_hand()

    for item, scene in zip(scenes(shared(NAME)), raw, strict=True):
        spoken = [line.partition(": ")[2] for line in item.text.split("\n")]
        assert spoken == [" ".join(one["transcript"].split()) for one in scene["utterances"]]


def test_windows_number_their_own_mentions_and_lose_none() -> None:
    whole = scenes(shared(NAME))
    windowed = scenes(shared(NAME), window_words=80)

    check_windows(windowed, whole)
    for item in whole:
        cut = windows_of(windowed)[item.item_id]
        assert len(cut) > 1
        words = [part.text[span.start : span.end] for part in cut for span in part.spans]
        assert words == [item.text[span.start : span.end] for span in item.spans]
        for part in cut:
            assert list(part.gold) == [str(number + 1) for number in range(len(part.spans))]
            first = list(dict.fromkeys(part.gold.values()))
            assert first == [str(number) for number in range(len(first))]


def test_a_folder_is_read_for_its_test_file_and_a_scene_without_mentions_is_no_item(
    tmp_path: Path,
) -> None:
    empty = changed(FILE, *UTTERANCE[:-1], to=[])
    saved(tmp_path / "json" / "character-identification-trn.json", FILE)
    saved(tmp_path / "json" / "character-identification-tst.json", empty)
    nothing = tmp_path / "nothing"
    nothing.mkdir()

    assert scenes(tmp_path) == []
    assert len(scenes(shared("character-identification"))) == 2
    with pytest.raises(DatasetError, match="0 files of that name in this folder; point `path` at"):
        scenes(nothing)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed(FILE, "episodes"), "mine.json: no 'episodes'; compare it with the file"),
        (changed(FILE, "episodes", 0, "scenes"), r"mine.json, episodes\[0\]: no 'scenes'"),
        (changed(FILE, *UTTERANCE, "tokens"), r"scenes\[0\].utterances\[0\]: no 'tokens'"),
        (changed(FILE, *UTTERANCE, "character_entities", 1), "2 sentences, but mentions of 1;"),
        (changed(FILE, *UTTERANCE, "speakers", 0, to="#X#"), "the label '#X#' is unknown; use"),
        (changed(FILE, *ENTITY, 2), "2 values instead of a first token, an end and a name;"),
        (changed(FILE, *ENTITY, 1, to=5), "tokens 2 to 5 of a sentence that has 4;"),
        (changed(FILE, *ENTITY, 1, to=2), "tokens 2 to 2 of a sentence that has 4;"),
        (changed(FILE, *ENTITY, 0, to="2"), 'expected a whole number, found "2"'),
        (
            changed(FILE, *ENTITY, 2, to="#SOME#"),
            "the label '#SOME#' is unknown; use a name or one of #GENERAL#, #OTHER#",
        ),
        (
            changed(FILE, "episodes", 0, "scenes", 0, "scene_id", to="1"),
            r"scenes\[0\].scene_id: '1' names no episode; name scenes like s01_e24_c11",
        ),
    ],
)
def test_a_file_that_is_not_as_published_is_refused(
    change: object, message: str, tmp_path: Path
) -> None:
    path = saved(tmp_path / "mine.json", change)

    with pytest.raises(DatasetError, match=message) as refusal:
        scenes(path)
    assert refusal.value.path == path
    assert refusal.value.fix


def test_a_truncated_file_and_a_wrong_encoding_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "mine.json", FILE)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DatasetError, match=r"mine\.json, line \d+: not JSON \("):
        scenes(path)
    path.write_bytes("é".encode("latin-1"))
    with pytest.raises(DatasetError, match=r"mine\.json, byte 0: not UTF-8"):
        scenes(path)
    with pytest.raises(UnknownName, match="unknown work 'Emma'; known: Friends"):
        scenes(path, works=("Emma",))
