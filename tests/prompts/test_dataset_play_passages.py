"""Passages of the plays: what is well known is found, and matched by what is not."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from prompts import Item, NamePolicy, SetAside, UnknownName, show
from prompts.datasets import Selection
from prompts.datasets.play_passages import read
from prompts.datasets.shakespeare import read_play
from store.assets import asset_path
from store.catalogue import PLAYS

LISTED: dict[str, dict[str, list[str]]] = tomllib.loads(
    (Path(__file__).parents[2] / "prompts/datasets/speeches.toml").read_text(encoding="utf-8")
)
TASK_NAMES = ("passage_likelihood", "extraction", "prefix_continuation", "guided_instruction")
MATCH = ":match"
HEADING = re.compile(r"#|EPILOGUE\s*$")
UNMARKED = re.compile(
    r"^(?:Lord Chief-Justice|.{0,7}Serving-[Mm][ae]n|Master-Gunner) ", re.MULTILINE
)
LABEL = re.compile(r"\*\*.+\*\*\s*$")


def folder() -> Path:
    path = asset_path(PLAYS)
    if not path.exists():
        pytest.skip("needs the plays in the cache: run `probe data fetch shakespeare`")
    return path


def play_file(stem: str) -> Path:
    (path,) = folder().rglob(f"{stem}.md")
    return path


@cache
def passages(task: str = "extraction", **more: object) -> tuple[Item, ...]:
    return tuple(read(folder(), Selection(task=task, **more)))  # type: ignore[arg-type]


def both(items: tuple[Item, ...]) -> list[tuple[Item, Item]]:
    by_id = {item.item_id: item for item in items}
    return [(item, by_id[item.item_id + MATCH]) for item in items if "well_known" in item.flags]


def stem_of(item: Item) -> str:
    return item.item_id.split(":")[0]


@cache
def labels_of(stem: str) -> frozenset[str]:
    return frozenset(
        turn.speaker or "" for s in read_play(play_file(stem)).scenes for turn in s.turns
    )


def spoken(stem: str, text: str) -> list[str]:
    """The words of a passage's lines that are no labels."""
    lines = [line for line in text.split("\n") if line not in labels_of(stem)]
    return " ".join(lines).split()


@cache
def said(stem: str) -> tuple[str, tuple[int, ...]]:
    """All that is spoken in a play's file, parted by spaces, and the heading above each word."""
    text = play_file(stem).read_text(encoding="utf-8")
    text = re.sub(r"(^|\s)_[^_]*_(?=\s|$)", r"\1", text)
    text = UNMARKED.sub("", re.sub(r"\\?\[[^\]]*\]_?", " ", text))
    words: list[str] = []
    scenes: list[int] = []
    scene = 0
    for line in text.split("\n"):
        if HEADING.match(line):
            scene += 1
        elif not LABEL.match(line):
            words += line.replace("\\", "").split()
            scenes += [scene] * (len(words) - len(scenes))
    return f" {' '.join(words)} ", tuple(scenes)


def place(item: Item, more: str = "") -> range:
    """Where a passage's words follow each other in its play, by the number of the word."""
    stem = stem_of(item)
    own = spoken(stem, f"{item.text}\n{more}" if more else item.text)
    text, _ = said(stem)
    sought = f" {' '.join(own)} "
    assert text.count(sought) == 1, item.item_id
    first = text[: text.index(sought)].count(" ")
    return range(first, first + len(own))


def scene_of(item: Item) -> int:
    own = {said(stem_of(item))[1][word] for word in place(item)}
    assert len(own) == 1, item.item_id
    return own.pop()


@pytest.mark.parametrize("stem", LISTED)
def test_every_locator_stands_once_in_its_play(stem: str) -> None:
    """By a plain search of the file; the words of a locator are few, and a fact each."""
    text = play_file(stem).read_text(encoding="utf-8").lower()
    locators = [*LISTED[stem]["well_known"], *LISTED[stem]["also"]]

    for locator in locators:
        words = re.findall(r"[a-z]+", locator.lower())
        found = re.findall(rf"\b{r'[^a-z]+'.join(words)}\b", text)
        assert len(found) == 1, locator
        assert 2 <= len(locator.split()) <= 6, locator
    assert len(set(locators)) == len(locators)


def test_the_list_spans_the_plays() -> None:
    known = [locator for own in LISTED.values() for locator in own["well_known"]]

    assert len(LISTED) >= 30
    assert len(known) >= 100
    assert all(own["well_known"] for own in LISTED.values())


def test_well_known_passages_begin_with_their_locators() -> None:
    """After the label of whoever speaks, which the item that is best known of all shows."""
    known = {item.item_id: item for item in passages() if "well_known" in item.flags}
    begun = Counter[str]()
    for item in known.values():
        said_first = " ".join(spoken(stem_of(item), item.text)[:8])
        folded = re.sub(r"[^a-z]", "", said_first.lower())
        begun[stem_of(item)] += any(
            folded.startswith(re.sub(r"[^a-z]", "", locator.lower()))
            for locator in LISTED[stem_of(item)]["well_known"]
        )

    assert begun == {stem: len(own["well_known"]) for stem, own in LISTED.items()}
    assert known["hamlet:to-be-or-not-to-be"].text.startswith("HAMLET\nTo be, or")
    assert known["hamlet:to-be-or-not-to-be"].work == "Hamlet"
    assert known["hamlet:to-be-or-not-to-be"].scene == "hamlet:3.1"


@pytest.mark.parametrize("task", TASK_NAMES)
def test_each_play_has_as_many_little_known_passages_as_well_known_ones(task: str) -> None:
    items = passages(task)
    kinds = Counter((stem_of(item), item.flags[0]) for item in items)

    assert len({item.item_id for item in items}) == len(items) == 2 * len(both(items))
    for stem, own in LISTED.items():
        count = kinds[stem, "well_known"]
        assert count == kinds[stem, "little_known"]
        if task != "passage_likelihood":
            assert count == len(own["well_known"])
    assert all(item.task == task and item.dataset == "play_passages" for item in items)


def test_two_of_a_pair_are_alike_in_length_and_form() -> None:
    """As many words spoken, at least 100; verse with verse; names and speeches about as many.

    Labels come on top, so that the texts are within a quarter of each other in all their words.
    """
    pairs = both(passages())
    counts = [(len(spoken(stem_of(a), a.text)), len(spoken(stem_of(b), b.text))) for a, b in pairs]
    shown = [(len(a.text.split()), len(b.text.split())) for a, b in pairs]
    speeches = [
        [sum(line in labels_of(stem_of(one)) for line in one.text.split("\n")) for one in pair]
        for pair in both(passages("passage_likelihood"))
    ]

    assert all(known == little and 100 <= known <= 160 for known, little in counts)
    assert all(max(pair) <= 1.25 * min(pair) for pair in shown)
    assert sum(abs(a - b) <= 1 for a, b in speeches) > 0.9 * len(speeches)
    assert sum(a - b for a, b in speeches) <= 0.75 * len(speeches)
    for known, little in both(passages("passage_likelihood")):
        assert in_verse(known) == in_verse(little), known.item_id


def in_verse(item: Item) -> bool:
    lines = item.text.split("\n")
    within = [
        line for before, line in pairwise(lines) if not {before, line} & labels_of(stem_of(item))
    ]
    upper = sum(line.lstrip("'\"(-")[0].isupper() for line in within)
    return not within or upper >= 0.75 * len(within)


def test_matches_lie_in_other_scenes_than_what_is_well_known_and_no_two_overlap() -> None:
    """They are mid-scene, too, and keep away from what else is listed of the play."""
    known = {item.item_id: scene_of(item) for item, _ in both(passages())}
    for _, match in both(passages()):
        stem, where = stem_of(match), place(match)
        scenes = said(stem)[1]
        assert scene_of(match) not in {
            scene for item_id, scene in known.items() if item_id.startswith(f"{stem}:")
        }
        assert scenes[where.start - 40] == scenes[where.start]
        for also in LISTED[stem]["also"]:
            at = word_of(stem, also)
            assert at not in range(where.start - 140, where.stop + 140), (match.item_id, also)

    taken = [(stem_of(item), word) for item in passages() for word in place(item)]
    assert len(set(taken)) == len(taken)


@cache
def folded(stem: str) -> list[str]:
    return [re.sub(r"[\W_]", "", word).lower() for word in said(stem)[0].split()]


def word_of(stem: str, locator: str) -> int:
    """The number of the word that a locator begins with."""
    words = folded(stem)
    sought = [re.sub(r"[\W_]", "", word).lower() for word in locator.split()]
    (found,) = [at for at in range(len(words)) if words[at : at + len(sought)] == sought]
    return found


@pytest.mark.parametrize("task", ["prefix_continuation", "guided_instruction"])
def test_a_continuation_follows_on_its_beginning_in_the_play(task: str) -> None:
    lengths = {"prefix_continuation": {(40, 50)}, "guided_instruction": {(60, 60)}}[task]
    short = {(53, 53), (59, 59)} if task == "guided_instruction" else set()
    found = set()
    for item in passages(task):
        first, second = item.text, item.gold["suffix"]
        own = tuple(len(spoken(stem_of(item), piece)) for piece in (first, second))
        assert len(place(item, second)) == sum(own)
        assert (first, second) == (first.strip(), second.strip())
        assert item.question == ""
        found.add(own)

    assert lengths <= found <= lengths | short


def test_shorter_passages_are_the_beginnings_of_longer_ones() -> None:
    longer = {item.item_id: item.text for item in passages()}

    for item in (*passages("passage_likelihood"), *passages("prefix_continuation")):
        assert longer[item.item_id].startswith(item.text)
    for item in passages("passage_likelihood", excerpt_words=30, works=("Macbeth",)):
        assert longer[item.item_id].startswith(item.text)
        assert len(spoken(stem_of(item), item.text)) == 30
    assert passages(excerpt_words=99, works=("Macbeth",)) == ()


def test_what_is_drawn_depends_on_the_seed_and_the_play_alone() -> None:
    alone = tuple(read(folder(), Selection(task="extraction", works=("Macbeth", "Hamlet"))))
    again = tuple(read(folder(), Selection(task="extraction", works=("Hamlet", "Macbeth"))))
    other = passages(works=("Hamlet", "Macbeth"), seed=1)

    assert again == tuple(item for item in passages() if item.work == "Hamlet") + tuple(
        item for item in passages() if item.work == "Macbeth"
    )
    assert {item.item_id: item for item in alone} == {item.item_id: item for item in again}
    assert [a for a, _ in both(other)] == [a for a, _ in both(again)]
    assert sum(a != b for (_, a), (_, b) in zip(both(other), both(again), strict=True)) > 5


def test_a_work_that_is_no_play_is_refused() -> None:
    with pytest.raises(UnknownName, match="Hamlett"):
        list(read(folder(), Selection(task="extraction", works=("Hamlett",))))


@pytest.mark.parametrize("names", ["masked", "same_culture", "cross_culture"])
def test_other_names_change_every_passage_that_is_measured_under_them(names: str) -> None:
    """Pairs in which one names nobody are no items; in the others a name is replaced in each."""
    replaced: dict[str, list[int]] = {"well_known": [], "little_known": []}
    aside: list[str] = []
    for item in passages("passage_likelihood"):
        assert "no_names" not in item.flags
        try:
            shown = show(item, names, NamePolicy())
        except SetAside as reason:
            aside.append(str(reason))
            continue
        assert shown.audit.replaced > 0, item.item_id
        assert shown.item.text != item.text
        replaced[item.flags[0]].append(shown.audit.replaced)
    known, little = (sum(own) / len(own) for own in replaced.values())

    assert aside == []
    assert min(known, little) > 2
    assert abs(known - little) < 0.5


def test_passages_flagged_as_without_names_are_the_same_under_all_names() -> None:
    flagged = [item for item in passages("extraction") if "no_names" in item.flags]

    assert {"henry-v:now-entertain-conjecture", "romeo-and-juliet:two-households-both-alike"} <= {
        item.item_id for item in flagged
    }
    for item in flagged:
        assert show(item, "cross_culture", NamePolicy()).item.text == item.text


def test_cloze_windows_are_of_the_passages_and_name_one_person() -> None:
    """Most of each window lies in a passage, and the name stands in the play where the mask is."""
    works = ("Julius Caesar", "A Midsummer Night's Dream")
    items = passages("name_cloze", works=works)
    around = {item.item_id: place(item) for item in passages(works=works)}

    assert {item.flags for item in items} == {("well_known",), ("little_known",)}
    assert len({item.item_id for item in items}) == len(items) > 10
    for item in items:
        assert item.text.count("[MASK]") == 1
        assert item.gold["name"] not in item.text
        words = item.text.replace("[MASK]", item.gold["name"]).split()
        assert 30 <= len(words) <= 60
        text, _ = said(stem_of(item))
        start = text[: text.index(f" {' '.join(words)} ")].count(" ")
        inside = set(range(start, start + len(words))) & set(around[item.item_id.rsplit(":", 1)[0]])
        assert len(inside) >= 0.45 * len(words), item.item_id
