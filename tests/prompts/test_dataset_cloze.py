"""Cloze passages: one name and no other, by hand and over the real excerpts and plays."""

from __future__ import annotations

import re

import pytest

from prompts.datasets import Selection
from prompts.datasets.cloze import Cloze, cloze_windows
from prompts.datasets.excerpts import read
from prompts.datasets.shakespeare import read_play
from prompts.item import Character
from prompts.names.casts import cast_of
from prompts.names.find import find_names
from prompts.tasks.name_cloze import MASK
from store.assets import asset_path, is_cached
from store.catalogue import PLAYS
from tests.prompts.native_files_for_tests import shared

CAST = (
    Character(name="Ann Bell", aliases=("Ann",), gender="female"),
    Character(name="Mr. Grey", gender="male"),
    Character(name="Hope", gender="female"),
    Character(name="First Clown", proper=False),
)
PLAIN = "It rained all day and the road was white with it."  # 11 words and a full stop


def found(text: str, *, least: int = 8, most: int = 14) -> list[Cloze]:
    return list(cloze_windows(text, CAST, least=least, most=most))


def masked(text: str, *, least: int = 8, most: int = 14) -> list[tuple[str, str]]:
    return [(cloze.name, cloze.text) for cloze in found(text, least=least, most=most)]


@pytest.mark.parametrize(
    ("shown", "stands", "name"),
    [
        ("Then came [MASK], and we all went home.", "Ann", "Ann"),
        ("Then came [MASK]'s letter, and we read it.", "Ann", "Ann"),
        ("Then came Mr. [MASK], and we went home.", "Grey", "Grey"),
        ("Then came [MASK], and we all went home.", "ANN", "Ann"),
        ("The first clown whom [MASK] saw was not there.", "Bell", "Bell"),
    ],
)
def test_the_one_name_of_a_passage_is_masked(shown: str, stands: str, name: str) -> None:
    """In capitals it is asked for as the cast has it."""
    assert masked(shown.replace(MASK, stands)) == [(name, shown)]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "Then came Ann, and Bell, and we went home.",
        "Then came Ann, and we all went home, Ann.",
        "Then came Ann Bell, and we all went home.",
        "Then came the Greys, and we all went home.",
        "Then came Ann, and we all went to Rome.",
        "Then came Ann with all of her Roman friends.",
        "Hope was what she had, and no hope left.",
        "It was the First Clown whom Bell saw there.",
        "Ann came.",
        "Then came Ann, and we all went home, and it rained, and we slept.",
    ],
)
def test_passages_with_no_name_or_two_are_left_out(text: str) -> None:
    """Nor are names of two words, plurals, words that may be no name, or what is short or long."""
    assert masked(text) == []


def test_a_capital_within_a_sentence_is_no_name_where_the_text_has_the_word_without() -> None:
    text = "Then came Ann to the Park, as she does. The park was wet and we went home."

    assert [name for name, _ in masked(text)] == ["Ann"]
    assert masked(text.replace("The park", "A garden")) == []


def test_a_name_that_begins_a_line_of_prose_is_seen() -> None:
    """Its line begins with it, its sentence does not; one that only begins sentences passes."""
    assert masked("Then came Ann, and we all went to\nRome by night.") == []
    assert masked("Nobody knew. Then came Ann, and we all went home.", most=20) != []


def test_passages_are_whole_sentences_that_do_not_overlap() -> None:
    """The shortest from where the last ended; `Mr.` ends no sentence, a blank line does."""
    text = f"{PLAIN} Ann slept. We saw Mr. Grey go by.\n\nA heading\n\n{PLAIN} Bell woke. {PLAIN}"

    assert [(c.name, text[c.start : c.end]) for c in found(text, least=14, most=40)] == [
        ("Ann", f"{PLAIN} Ann slept."),
        ("Grey", f"We saw Mr. Grey go by.\n\nA heading\n\n{PLAIN}"),
        ("Bell", f"Bell woke. {PLAIN}"),
    ]


@pytest.mark.parametrize("before", ["Mr.", "J."])
def test_the_full_stop_of_a_title_or_an_initial_ends_no_sentence(before: str) -> None:
    """Else a passage would end with it, before the other name."""
    assert masked(f"Ann had seen the old house of {before} Wood there.") == []
    assert len(masked("Ann had seen the old house of them. Wood lay there.")) == 1


def test_a_passage_has_as_many_tokens_as_were_asked_for() -> None:
    """Words and marks count: `Then came Ann, and we all went home.` has ten."""
    text = "Then came Ann, and we all went home."

    assert [len(found(text, least=n, most=n)) for n in (9, 10, 11)] == [0, 1, 0]
    assert found("") == []
    assert list(cloze_windows(text, (), least=1, most=60)) == []


def check(text: str, cast: tuple[Character, ...]) -> int:
    """Each passage holds its text with one name masked, and no name of the cast besides."""
    windows, reached = list(cloze_windows(text, cast)), 0
    known = cast_of(cast)
    for cloze in windows:
        assert cloze.start >= reached
        reached = cloze.end
        before, after = cloze.text.split(MASK)
        whole = text[cloze.start : cloze.end]
        assert whole.startswith(before)
        assert whole.endswith(after)
        name = whole[len(before) : len(whole) - len(after)]
        assert cloze.name in {name, *known.spellings}
        assert cloze.name.casefold() == name.casefold()
        forms = [*known.phrases, *known.spellings]
        assert [
            place for place in find_names(before + "x" + after, forms) if place.case == "name"
        ] == []
        assert 40 <= len(re.findall(r"\w+(?:['’]\w+)*|[^\w\s]", whole)) <= 60
    return len(windows)


def test_real_excerpts_give_passages_with_one_name() -> None:
    items = read(shared("source-id-pd/excerpts.jsonl"), Selection(task="source_identification"))
    counts = [check(item.text, item.cast) for item in items]

    assert len(counts) == 100
    assert sum(counts) > 150
    assert sum(map(bool, counts)) > 60


def test_a_real_play_gives_passages_with_one_name() -> None:
    if not is_cached(PLAYS):
        pytest.skip("needs the plays in the cache: run `probe data fetch shakespeare`")
    play = read_play(next(asset_path(PLAYS).rglob("hamlet.md")))
    cast = tuple({person.name: person for person in play.cast.values()}.values())
    counts = [check("\n\n".join(turn.text for turn in scene.turns), cast) for scene in play.scenes]

    assert sum(counts) > 50
