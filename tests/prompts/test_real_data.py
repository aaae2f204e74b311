"""The datasets as published: counted independently, and our facts about them checked.

The files are not part of the project; without them these tests are skipped and say what is missing.
"""

from __future__ import annotations

import ast
import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from prompts import Item, NamePolicy, Names, show
from prompts.datasets import Selection, dataset_named
from prompts.datasets.shakespeare import Play, PlayFacts, _excerpts, _facts, read_play
from prompts.datasets.works import work_titled, works
from prompts.names.replace import words
from store.assets import asset_path
from store.catalogue import PLAYS

DATA = Path(__file__).parents[2].parent / "shared" / "data"
REPLACING: tuple[Names, ...] = ("masked", "same_culture", "cross_culture")
STEMS = sorted(_facts())
# Lines that the play files set like a speaker's name: verse, and two headings.
NOT_SPEAKERS = {"This way will I", "Here stand I", "As long as you or I", "Scene III"}
UNMARKED = re.compile("Lord Chief-Justice|.*Serving-[Mm][ae]n|Master-Gunner")


def shared(path: str) -> Path:
    if not (DATA / path).exists():
        pytest.skip(f"needs shared/data/{path} beside the repository")
    return DATA / path


def scenes_by_hand(path: Path) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            lines = record["Scene"].split("\r")
            yield (
                record["Scene"],
                ast.literal_eval(lines[1].strip()),
                ast.literal_eval(record["Answer"].strip()),
            )


def play_path(stem: str) -> Path:
    folder = asset_path(PLAYS)
    if not folder.exists():
        pytest.skip("needs the plays in the cache: run `probe data fetch shakespeare`")
    (path,) = folder.rglob(f"{stem}.md")
    return path


def speaker_lines(path: Path) -> list[str]:
    """The labels as marked, each with the first words that stand two lines above it."""
    first = r"(?:^(LADY|BISHOP|CARDINAL|COUNTESS|RICHARD|DON ADRIANO DE|Ghosts?)\n\n)?"
    marked = re.compile(first + r"^\*\*(.+?)\*\*\s*$", re.MULTILINE)
    found = marked.findall(path.read_text(encoding="utf-8"))
    return [f"{begins} {label}".strip().replace(":", "") for begins, label in found]


def lines_by_hand(item: Item) -> Counter[str]:
    return Counter(re.findall(r"^(P\d+)\b", item.text, re.MULTILINE))


@pytest.mark.parametrize(("show_name", "count"), [("friends", 25), ("tbbt", 25)])
def test_every_annotated_scene_is_read_whole(show_name: str, count: int) -> None:
    """Scenes, people, options and each person's lines agree with a count by other means."""
    path = shared(f"tvshowguess/human_annotation/{show_name}.raw")
    by_hand = list(scenes_by_hand(path))
    items = list(dataset_named("tvshowguess").read(path, Selection(task="character_guessing")))

    assert len(items) == len(by_hand) == count
    assert len({item.item_id for item in items}) == count
    for item, (raw, options, answers) in zip(items, by_hand, strict=True):
        assert list(item.gold) == list(answers)
        assert set(item.gold.values()) <= set(item.options)
        assert [option.lower() for option in item.options] == options
        assert lines_by_hand(item) == Counter(re.findall(r"\r\s*(P\d+)\b", raw))
        assert set(item.gold) <= set(lines_by_hand(item))
        assert "\r" not in item.text
        assert len(item.notes) == sum(name not in options for name in answers.values())


@pytest.mark.parametrize("names", REPLACING)
@pytest.mark.parametrize("show_name", ["friends", "tbbt"])
def test_every_scene_can_be_shown_and_no_name_of_its_options_leaks(
    show_name: str, names: Names
) -> None:
    path = shared(f"tvshowguess/human_annotation/{show_name}.raw")

    for item in dataset_named("tvshowguess").read(path, Selection(task="character_guessing")):
        shown = show(item, names, NamePolicy())
        assert not set(shown.item.options) & set(item.options)
        assert not set(item.options) & set(words(shown.item.text))
        assert shown.audit.leaks == {}


def test_the_excerpts_are_five_of_each_of_twenty_known_works() -> None:
    path = shared("source-id-pd/excerpts.jsonl")
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    items = list(dataset_named("excerpts").read(path, Selection(task="source_identification")))
    counts = Counter(item.work for item in items)

    assert len(items) == len(rows) == 100
    assert [item.text for item in items] == [row["text"] for row in rows]
    assert [item.item_id for item in items] == [row["id"] for row in rows]
    assert len(counts) == 20
    assert set(counts.values()) == {5}
    for row in rows:
        work = work_titled(row["source"])
        assert work is not None
        assert len(work.cast) > 3


@pytest.mark.parametrize("names", REPLACING)
def test_the_names_of_the_excerpts_are_replaced(names: Names) -> None:
    """Most excerpts name someone; hardly a listed name is left standing."""
    path = shared("source-id-pd/excerpts.jsonl")
    items = dataset_named("excerpts").read(path, Selection(task="source_identification"))
    accounts = [show(item, names, NamePolicy()).audit for item in items]
    replaced = sum(account.replaced for account in accounts)
    leaks = sum(sum(account.leaks.values()) for account in accounts)

    assert len(accounts) == 100
    assert sum(account.replaced > 0 for account in accounts) > 80
    assert leaks <= replaced / 100


def test_every_work_of_the_works_file_has_a_cast_of_different_people() -> None:
    for key, work in works().items():
        names = [character.name for character in work.cast]
        assert len(set(names)) == len(names) > 3, key
        assert work_titled(work.titles[0]) is work


def test_the_collection_is_38_plays_and_each_file_has_its_facts() -> None:
    play_path("hamlet")
    found = sorted(path.stem for path in asset_path(PLAYS).rglob("*.md"))

    assert found == STEMS
    assert len(STEMS) == 38


def facts_that_do_not_hold(play: Play, facts: PlayFacts, path: Path) -> list[str]:
    names = {character.name for character in play.cast.values()}
    present = {word.casefold() for word in words(path.read_text(encoding="utf-8"))}
    aliases = [alias for own in facts.aliases.values() for alias in own]
    speakers = speaker_lines(path)
    return [
        *(name for name in (*facts.women, *facts.aliases, *facts.roles) if name not in names),
        *(alias for alias in aliases if not {w.casefold() for w in words(alias)} <= present),
        *(slip for slip in facts.slips if slip not in speakers),
        *(right for right in facts.slips.values() if right not in play.cast),
    ]


@pytest.mark.parametrize("stem", STEMS)
def test_the_facts_of_a_play_hold_in_its_file(stem: str) -> None:
    """Every woman, role and alias is someone who speaks, every slip stands in the file."""
    path = play_path(stem)
    play = read_play(path)

    assert facts_that_do_not_hold(play, _facts()[stem], path) == []
    assert not set(_facts()[stem].slips) & set(play.cast)


@pytest.mark.parametrize("stem", STEMS)
def test_every_speech_of_a_play_is_read_and_no_label_is_verse_or_a_heading(stem: str) -> None:
    """The speakers follow each other as the file's speaker lines do."""
    path = play_path(stem)
    play, slips = read_play(path), _facts()[stem].slips
    marked = [slips.get(label, label) for label in speaker_lines(path) if label not in NOT_SPEAKERS]
    turns = [turn for scene in play.scenes for turn in scene.turns]
    # A speaker goes on in a turn of his own after a direction, so repeats are not compared. Some
    # roles are not marked as speakers at all, and are read by their words.
    spoken = [turn.speaker for turn in turns if turn.speaker and not UNMARKED.match(turn.speaker)]

    assert len(play.scenes) > 4
    assert len({scene.number for scene in play.scenes}) == len(play.scenes)
    assert [speaker for speaker, _ in groupby(spoken)] == [label for label, _ in groupby(marked)]
    assert not [turn for turn in turns if re.search(r"[\\*_#]|\[\[|\]\]|\[\]", turn.text)]
    for label in play.cast:
        assert len(label.split()) <= 5
        assert not re.search(r"\bI\b.|[,.;!?]|^(?:scene|act|of)\b", label, re.IGNORECASE), label


@pytest.mark.parametrize("stem", STEMS)
def test_the_excerpts_of_a_scene_are_its_speeches_in_order(stem: str) -> None:
    """Nothing is cut, doubled or moved; only a tail under half an excerpt's length is left out."""
    play = read_play(play_path(stem))
    excerpts = list(_excerpts(play, 300))

    assert len({excerpt.item_id for excerpt in excerpts}) == len(excerpts)
    for scene in play.scenes:
        own = [e for e in excerpts if e.item_id.startswith(f"{stem}:{scene.number}:")]
        kept = [turn for excerpt in own for turn in excerpt.turns]
        assert scene.turns[: len(kept)] == kept
        assert sum(len(turn.text.split()) for turn in scene.turns[len(kept) :]) < 150


@pytest.mark.parametrize("task", ["character_guessing", "source_identification"])
def test_the_items_of_the_plays_are_unique_and_their_gold_is_in_the_text(task: str) -> None:
    play_path("hamlet")
    selection = Selection(task=task, options=4)
    items = list(dataset_named("shakespeare").read(asset_path(PLAYS), selection))

    assert len({item.item_id for item in items}) == len(items) > 2000
    assert len({item.work for item in items}) == 38
    for item in items:
        assert set(item.gold.values()) <= set(item.options)
        if task == "character_guessing":
            assert set(item.gold) == set(lines_by_hand(item))
            assert len(set(item.options)) == len(item.options) > 1
