"""Passages of the plays for memory probes: well-known ones, each with a little-known one.

`speeches.toml` says which are well known. Each is matched with a passage of the same play that
begins with a speech, at least 40 words into a scene without well-known passages, and that keeps 150
words away from anything else the file lists, and shares no word with another match. Two of a pair
are as long as each other in words. Of the passages that can be had the closest in form is taken:
verse or prose first, then how many names of the cast stand in it and over how many speeches it
reaches. Among those within one of the closest the draw depends on the seed, the play and the
well-known passage alone, not on what else an experiment asks for. It is one for one, so that both
kinds weigh alike in each play. The matches are as little known as the list is complete: the rest of
famous plays, not what nobody has read, so a difference between the kinds is a lower bound.

The text keeps the speakers' labels, each on a line of its own above its speech as the plays are
printed, and leaves stage directions out. So names stand in nearly every passage, also where a
soliloquy names nobody, and other names change it; what is measured lies outside the names. Where
the label is a role ("Chorus", "First Witch") a passage may name nobody of the cast: under any names
it is the same text, and its difference is 0 by construction. `passage_likelihood` leaves such pairs
out, other tasks flag the item `no_names`.

`name_cloze` takes windows of the speech alone, without labels, of which at least half lies in a
passage. Few soliloquies name anyone, so there are fewer windows than passages, and they are not
matched one for one.

A passage goes on into the speeches that follow, at most to the end of its scene. `excerpt_words`
may shorten what a task takes (`prompts.datasets.probe_items`), and never lengthens it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from typing import Final

from prompts.datasets.base import Dataset, Selection, seeded
from prompts.datasets.cloze import Cloze, cloze_windows
from prompts.datasets.play_speech import At, Form, SpokenScene, find, spoken_scenes
from prompts.datasets.probe_items import EXTRACTION_WORDS, PASSAGE_WORDS, PROBES, clozed
from prompts.datasets.shakespeare import SHAKESPEARE, Play, cast_of, files_of, read_play
from prompts.errors import DatasetError
from prompts.item import Item

WELL_KNOWN: Final = "well_known"
LITTLE_KNOWN: Final = "little_known"
KINDS: Final = (WELL_KNOWN, LITTLE_KNOWN)
NO_NAMES: Final = "no_names"
"""Flag of an item whose text is the same under all names."""

_MATCH: Final = ":match"
_BETWEEN: Final = "\n\n"
_INTO_SCENE: Final = 40
_FROM_QUOTED: Final = 150
_SLUG = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Speeches:
    """What `speeches.toml` says of a play: locators of passages, and of what else is quoted."""

    well_known: list[str]
    also: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A well-known passage and its match.

    Attributes:
        slug: Of the locator, for ids.
        known: The well-known one's place.
        little: The little-known one's place.
        words: Of each (count), `EXTRACTION_WORDS` at most.
    """

    slug: str
    known: At
    little: At
    words: int


@cache
def listed_speeches() -> dict[str, Speeches]:
    """The file, by the stems of the plays' files."""
    text = (files("prompts.datasets") / "speeches.toml").read_text(encoding="utf-8")
    return {stem: Speeches(**entry) for stem, entry in tomllib.loads(text).items()}


class _Matching:
    """Finds little-known passages of one play."""

    def __init__(
        self, scenes: Sequence[SpokenScene], known: Sequence[At], also: Sequence[At]
    ) -> None:
        famous = {at.scene for at in known}
        # What no match may share a word with: place and words.
        self.taken = [(At(at.scene, at.word - _FROM_QUOTED), 2 * _FROM_QUOTED) for at in also]
        self.scenes = scenes
        self.free = [
            At(number, start)
            for number, scene in enumerate(scenes)
            if number not in famous
            for start in scene.starts
            if start >= _INTO_SCENE
        ]

    def draw(self, like: At, count: int, *seed: object) -> At | None:
        """The place of a passage of so many words like another; None where none is left."""
        first = min(count, PASSAGE_WORDS)
        form = self.scenes[like.scene].form(like.word, first)
        open_to = [
            (_apart(self.scenes[at.scene].form(at.word, first), form), at)
            for at in self.free
            if at.word + count <= len(self.scenes[at.scene].words) and not self._overlaps(at, count)
        ]
        if not open_to:
            return None
        closest = min(far for far, _ in open_to)
        near = [at for far, at in open_to if far <= closest + 1]
        chosen = seeded(*seed).choice(near)
        self.taken.append((chosen, count))
        return chosen

    def _overlaps(self, at: At, count: int) -> bool:
        return any(
            at.scene == other.scene
            and at.word < other.word + length
            and other.word < at.word + count
            for other, length in self.taken
        )


def _apart(one: Form, other: Form) -> int:
    form = abs(one.names - other.names) + abs(one.speeches - other.speeches)
    # A passage with names is no match for one without.
    kinds = (one.verse != other.verse) + ((one.names == 0) != (other.names == 0))
    return form + 100 * kinds


def _only(path: Path, scenes: Sequence[SpokenScene], locator: str) -> At:
    found = find(scenes, locator)
    if len(found) != 1:
        times = f"{locator!r} stands there {len(found)} times, not once"
        raise DatasetError(path, "", times, "fetch the plays again")
    return found[0]


def pairs(path: Path, play: Play, scenes: Sequence[SpokenScene], seed: int) -> list[Pair]:
    """The passages of a play that the file lists, each with a match, in the file's order.

    Args:
        path: The play's file, for messages.
        play: As read from it.
        scenes: What is spoken in it.
        seed: The experiment's.

    Raises:
        DatasetError: A locator does not stand in the play just once, or no match is left.
    """
    listed = listed_speeches()[play.stem]
    known = {locator: _only(path, scenes, locator) for locator in listed.well_known}
    also = [_only(path, scenes, locator) for locator in listed.also]
    matching = _Matching(scenes, list(known.values()), also)
    found = []
    for locator, at in known.items():
        scene = scenes[at.scene]
        count = min(EXTRACTION_WORDS, len(scene.words) - at.word)
        little = matching.draw(at, count, seed, play.stem, locator)
        if little is None:
            missing = f"no passage is left that would match {locator!r}"
            raise DatasetError(path, "", missing, "fetch the plays again")
        slug = _SLUG.sub("-", locator.lower().replace("'", "")).strip("-")
        found.append(Pair(slug=slug, known=at, little=little, words=count))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """The passages of one play."""

    play: Play
    scenes: tuple[SpokenScene, ...]
    pairs: list[Pair]
    task: str

    def item(self, pair: Pair, kind: str) -> Item:
        """The item of one of a pair, without its text."""
        number = self.scenes[self.place(pair, kind).scene].number
        return Item(
            item_id=f"{self.play.stem}:{pair.slug}{_MATCH if kind == LITTLE_KNOWN else ''}",
            task=self.task,
            dataset="play_passages",
            work=self.play.title,
            text="",
            gold={},
            cast=cast_of(self.play),
            culture=self.play.culture,
            scene=f"{self.play.stem}:{number}",
            flags=(kind,),
        )

    @staticmethod
    def place(pair: Pair, kind: str) -> At:
        """Where one of a pair begins."""
        return pair.known if kind == WELL_KNOWN else pair.little


def _passages(chosen: _Chosen, most_words: int) -> Iterator[Item]:
    probe = PROBES[chosen.task]
    for pair in chosen.pairs:
        count = min(pair.words, probe.takes, most_words)
        if count < probe.needs:
            continue
        places = {kind: chosen.place(pair, kind) for kind in KINDS}
        named = {
            kind: chosen.scenes[at.scene].form(at.word, count).names > 0
            for kind, at in places.items()
        }
        if chosen.task == "passage_likelihood" and not all(named.values()):
            continue
        for kind, at in places.items():
            item = chosen.item(pair, kind)
            flagged = item if named[kind] else replace(item, flags=(*item.flags, NO_NAMES))
            yield from probe.make(flagged, chosen.scenes[at.scene].passage(at.word, count))


def _clozes(chosen: _Chosen, most_words: int) -> Iterator[Item]:
    """Windows of the whole play: how it spells its other words tells what is a name."""
    bare = [scene.bare for scene in chosen.scenes]
    starts = list(accumulate((len(each.text) + len(_BETWEEN) for each in bare), initial=0))
    whole = _BETWEEN.join(each.text for each in bare)
    windows = list(cloze_windows(whole, cast_of(chosen.play)))
    for pair in chosen.pairs:
        for kind in KINDS:
            at = chosen.place(pair, kind)
            ends = bare[at.scene].ends
            start = starts[at.scene] + (ends[at.word - 1] if at.word else 0)
            end = starts[at.scene] + ends[at.word + min(pair.words, most_words) - 1]
            here = [own for own in windows if _share(own, start, end) >= 0.5]
            yield from clozed(chosen.item(pair, kind), here)


def _share(window: Cloze, start: int, end: int) -> float:
    """How much of a window lies between two places."""
    inside = min(end, window.end) - max(start, window.start)
    return inside / (window.end - window.start)


def _items(path: Path, selection: Selection) -> Iterator[Item]:
    play = read_play(path)
    scenes = spoken_scenes(play)
    chosen = _Chosen(
        play=play,
        scenes=scenes,
        pairs=pairs(path, play, scenes, selection.seed),
        task=selection.task,
    )
    make = _clozes if selection.task == "name_cloze" else _passages
    yield from make(chosen, selection.excerpt_words)


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """Well-known passages and their matches, by play and in the list's order."""
    for path in files_of(root, selection.works):
        if path.stem in listed_speeches():
            yield from _items(path, selection)


PLAY_PASSAGES: Final = Dataset(
    name="play_passages",
    title="well-known and little-known passages of Shakespeare's plays",
    tasks=tuple(PROBES),
    licence=SHAKESPEARE.licence,
    source=SHAKESPEARE.source,
    path_help=SHAKESPEARE.path_help,
    read=read,
    asset=SHAKESPEARE.asset,
)
