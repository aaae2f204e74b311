"""A play as it is spoken: scenes of speeches under their speakers' labels, directions left out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from typing import Final

from prompts.datasets.shakespeare import Play, Scene
from prompts.names.replace import fold, is_name_word, name_phrase, words

_BRACKETS = re.compile(r"\[[^\]]*\]")
_WORD = re.compile(r"\S+")
_BESIDE = re.compile(r"[\W_]+")
_VERSE: Final = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What two passages are held against each other by.

    Attributes:
        names: Words in it that are names of the cast, those of its labels with them (count).
        speeches: Speeches it has a part of (count).
        verse: Whether its lines begin with capitals, as verse does.
    """

    names: int
    speeches: int
    verse: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text that may be cut after any of its words.

    Attributes:
        ends: Where each of its words ends, labels not counted (code points).
    """

    text: str
    ends: tuple[int, ...]

    @classmethod
    def plain(cls, text: str) -> Passage:
        """A text all of whose words count."""
        return cls(text=text, ends=tuple(match.end() for match in _WORD.finditer(text)))

    def __len__(self) -> int:
        """Words (count)."""
        return len(self.ends)

    def piece(self, start: int, end: int) -> str:
        """Its words from one to another, with the labels before and between them."""
        after = min(end, len(self.ends))
        if after <= start:
            return ""
        return self.text[self.ends[start - 1] if start else 0 : self.ends[after - 1]].strip()


@dataclass(frozen=True, kw_only=True)
class SpokenScene:
    """What is said in a scene, its words parted by white space.

    Attributes:
        labels: Who speaks each speech, as the file has it.
        label_names: Names of the cast in each label (count).
        words: Of all its speeches.
        speech: Of each word, the number of its speech.
        begins_line: Of each word, whether a line within a speech begins with it.
        names: Of each word, how many names of the cast it holds (count).
    """

    number: str
    labels: tuple[str, ...]
    label_names: tuple[int, ...]
    words: tuple[str, ...]
    speech: tuple[int, ...]
    begins_line: tuple[bool, ...]
    names: tuple[int, ...]

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first word of each speech."""
        return tuple(bisect_left(self.speech, number) for number in range(len(self.labels)))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Its words in the form that locators are compared in."""
        return tuple(map(key, self.words))

    @cached_property
    def _sums(self) -> tuple[list[int], list[int], list[int]]:
        """Names, lines and lines with a capital before each word."""
        capitals = (
            begins and word.lstrip("'\"(-")[:1].isupper()
            for begins, word in zip(self.begins_line, self.words, strict=True)
        )
        return (
            list(accumulate(self.names, initial=0)),
            list(accumulate(self.begins_line, initial=0)),
            list(accumulate(capitals, initial=0)),
        )

    def form(self, start: int, count: int) -> Form:
        """The form of so many words from a word on; the scene must have them."""
        end = start + count
        first, last = self.speech[start], self.speech[end - 1]
        names, lines, capitals = self._sums
        within = lines[end] - lines[start + 1]
        upper = capitals[end] - capitals[start + 1]
        return Form(
            names=names[end] - names[start] + sum(self.label_names[first : last + 1]),
            speeches=last - first + 1,
            # Speeches of one line cannot tell; most such speeches are verse.
            verse=within == 0 or upper / within >= _VERSE,
        )

    def passage(self, start: int, count: int) -> Passage:
        """So many words from a word on, as far as the scene goes, under their speakers' labels."""
        text, before = "", -1
        ends: list[int] = []
        for at in range(start, min(start + count, len(self.words))):
            if self.speech[at] != before:
                before = self.speech[at]
                text += f"\n{self.labels[before]}\n" if text else f"{self.labels[before]}\n"
            else:
                text += "\n" if self.begins_line[at] else " "
            text += self.words[at]
            ends.append(len(text))
        return Passage(text=text, ends=tuple(ends))

    @cached_property
    def bare(self) -> Passage:
        """All its words without labels, a blank line between two speeches."""
        text = ""
        ends: list[int] = []
        for at, word in enumerate(self.words):
            new = at > 0 and self.speech[at] != self.speech[at - 1]
            joint = "\n\n" if new else "\n" if self.begins_line[at] else " "
            text += f"{joint}{word}" if at else word
            ends.append(len(text))
        return Passage(text=text, ends=tuple(ends))


@lru_cache(maxsize=1 << 16)  # the plays have few words, and repeat them
def key(word: str) -> str:
    """A word without case and punctuation."""
    return _BESIDE.sub("", word).casefold()


def spoken_scenes(play: Play) -> tuple[SpokenScene, ...]:
    """The scenes of a play in which someone speaks."""
    known = frozenset(_name_words(play))

    @cache
    def names(text: str) -> int:
        return sum(fold(word) in known for word in words(text) if word[0].isupper())

    scenes = (_spoken(scene, names) for scene in play.scenes)
    return tuple(scene for scene in scenes if scene.words)


def _name_words(play: Play) -> Iterator[str]:
    for person in play.cast.values():
        for form in person.forms if person.proper else ():
            for part in name_phrase(form):
                yield from (fold(word) for word in words(part) if is_name_word(word))


def _spoken(scene: Scene, names: Callable[[str], int]) -> SpokenScene:
    labels: list[str] = []
    spoken: list[str] = []
    speech: list[int] = []
    begins: list[bool] = []
    for turn in scene.turns:
        rows = _BRACKETS.sub(" ", turn.text).split("\n") if turn.speaker else []
        lines = [line for row in rows if (line := row.split())]
        if turn.speaker is None or not lines:
            continue
        # Someone who goes on after a direction makes one speech.
        goes_on = bool(labels) and labels[-1] == turn.speaker
        if not goes_on:
            labels.append(turn.speaker)
        for number, line in enumerate(lines):
            spoken += line
            speech += [len(labels) - 1] * len(line)
            begins += [goes_on or number > 0, *[False] * (len(line) - 1)]
    return SpokenScene(
        number=scene.number,
        labels=tuple(labels),
        label_names=tuple(map(names, labels)),
        words=tuple(spoken),
        speech=tuple(speech),
        begins_line=tuple(begins),
        names=tuple(map(names, spoken)),
    )


@dataclass(frozen=True, slots=True, order=True)
class At:
    """A place in a play: which of its scenes, and which word of the scene."""

    scene: int
    word: int


def find(scenes: Sequence[SpokenScene], locator: str) -> list[At]:
    """Every place where the words of a locator follow each other, case and punctuation aside."""
    sought = tuple(key(word) for word in locator.split())
    return [
        At(number, place)
        for number, scene in enumerate(scenes)
        for place, own in enumerate(scene.keys)
        if own == sought[0] and scene.keys[place : place + len(sought)] == sought
    ]
