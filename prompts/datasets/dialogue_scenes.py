"""Reads scenes of one's own, one JSON object a line; `docs/own-data.md` describes every key.

Lines of a scene are counted from 0, and offsets count code points of a line's text, half-open.
Keys that no task needs are ignored; what a task needs is checked here, wherever it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from prompts.datasets.jsonl import read_lines
from prompts.datasets.mentions import Mention
from prompts.errors import DatasetError
from prompts.item import Character, Gender

_GENDERS: Final = ("female", "male", "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What is said, or told where nobody speaks."""

    speaker: str | None
    text: str

    @property
    def shown(self) -> str:
        """The line as a passage shows it."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Where an answer stands in the text of the scene, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about a scene.

    Attributes:
        answers: Each a stretch of the text, or who speaks as the lines name them.
    """

    question_id: str
    text: str
    answers: tuple[Stretch | str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """Which of some traits a scene shows of a character."""

    character: str
    options: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One line of the file; what it does not say is None or empty.

    Attributes:
        where: Its line in the file, for messages.
        text: Its lines as shown, joined.
    """

    where: str
    scene_id: str
    work: str
    lines: tuple[Line, ...]
    text: str
    cast: tuple[Character, ...]
    options: tuple[str, ...]
    questions: tuple[Question, ...]
    mentions: tuple[Mention, ...]
    perpetrator: str | None
    traits: tuple[Trait, ...]
    summaries: tuple[str, ...]

    def named(self, speaker: str | None) -> str | None:
        """Whom of the cast a speaker or alias is, by name."""
        return next((one.name for one in self.cast if speaker in one.forms), None)


@dataclass(frozen=True, slots=True)
class _Object:
    """One object of the file, with its place."""

    path: Path
    where: str
    raw: Mapping[str, Any]

    def wrong(self, found: str, fix: str) -> DatasetError:
        return DatasetError(self.path, self.where, found, fix)

    def has(self, key: str) -> bool:
        return self.raw.get(key) is not None

    def text(self, key: str) -> str:
        value = self.raw.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(f"no text under {key}", f"give {key} as a string that is not empty")
        return value

    def number(self, key: str) -> int:
        value = self.raw.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.wrong(f"no number under {key}", f"give {key} as a whole number from 0")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.raw.get(key)
        if not (isinstance(value, list) and value and all(isinstance(one, str) for one in value)):
            raise self.wrong(f"no list of texts under {key}", f"give {key} as a list of strings")
        return tuple(value)

    def objects(self, key: str) -> list[_Object]:
        value = self.raw.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self.wrong(f"no list of objects under {key}", f"give {key} as a list of objects")
        return [_Object(self.path, f"{self.where}, {key}[{n}]", one) for n, one in enumerate(value)]


class _Places:
    """Where the texts of a scene's lines stand in its text."""

    def __init__(self, lines: Sequence[Line], *, by_lines: bool) -> None:
        self.lines = lines
        self.by_lines = by_lines
        self.starts: list[int] = []
        at = 0
        for line in lines:
            self.starts.append(at + len(line.shown) - len(line.text))
            at += len(line.shown) + 1
        self.length = at - 1

    def stretch(self, at: _Object) -> Stretch:
        """The stretch that `line`, `start` and `end` give; `line` is left out in a plain text."""
        start, end = at.number("start"), at.number("end")
        offset, length, called = 0, self.length, "the text"
        if self.by_lines or at.has("line"):
            number = at.number("line")
            if number >= len(self.lines):
                found = f"line {number} of {len(self.lines)}"
                raise at.wrong(found, "count the lines of the scene from 0")
            offset, length = self.starts[number], len(self.lines[number].text)
            called = f"the text of line {number}"
        if not start < end <= length:
            found = f"{start}-{end} is no stretch of {called}, which has {length} code points"
            raise at.wrong(found, "give start and end so that text[start:end] is what is meant")
        return Stretch(start=offset + start, end=offset + end)

    def first(self, words: str) -> Stretch | None:
        """Where words first stand within a line's text."""
        for start, line in zip(self.starts, self.lines, strict=True):
            at = line.text.find(words)
            if at >= 0:
                return Stretch(start=start + at, end=start + at + len(words))
        return None


def read_scenes(path: Path) -> Iterator[Scene]:
    """The scenes of a file, in its order.

    Raises:
        DatasetError: The file is missing, not UTF-8, or not one object a line; a key is missing,
            of another kind than the format says, or at odds with the rest of its scene.
    """
    first: dict[str, str] = {}
    for line in read_lines(path):
        scene = _scene(_Object(path, line.where, line.raw))
        if first.setdefault(scene.scene_id, line.where) != line.where:
            found = f"the id {scene.scene_id!r} already stands on {first[scene.scene_id]}"
            raise DatasetError(path, line.where, found, "give each scene an id of its own")
        yield scene
    if not first:
        raise DatasetError(path, "line 1", "no scene", "write one JSON object a line")


def _scene(raw: _Object) -> Scene:
    lines = _lines(raw)
    places = _Places(lines, by_lines=raw.has("lines"))
    mentions = _mentions(raw, places)
    perpetrator = raw.text("perpetrator") if raw.has("perpetrator") else None
    entities = dict.fromkeys(mention.entity for mention in mentions)
    if perpetrator is not None and mentions and perpetrator not in entities:
        found = f"the perpetrator {perpetrator!r} is no entity of the mentions"
        raise raw.wrong(found, f"give one of {', '.join(map(repr, entities))}")
    scene = Scene(
        where=raw.where,
        scene_id=raw.text("id"),
        work=raw.text("work"),
        lines=lines,
        text="\n".join(line.shown for line in lines),
        cast=tuple(_character(one) for one in raw.objects("cast")),
        options=raw.texts("options") if raw.has("options") else (),
        questions=_questions(raw, places),
        mentions=mentions,
        perpetrator=perpetrator,
        traits=tuple(_trait(one) for one in raw.objects("traits")),
        summaries=_summaries(raw),
    )
    names = [one.name for one in scene.cast]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise raw.wrong(f"two of the cast are called {twice!r}", "give each a name of its own")
    return scene


def _lines(raw: _Object) -> tuple[Line, ...]:
    if raw.has("lines") == raw.has("text"):
        found = "both lines and text" if raw.has("lines") else "neither lines nor text"
        raise raw.wrong(found, "give lines where people speak, or text")
    if raw.has("text"):
        return tuple(Line(speaker=None, text=row) for row in raw.text("text").split("\n"))
    lines = []
    for one in raw.objects("lines"):
        if not isinstance(one.raw.get("text"), str):
            raise one.wrong("no text under text", "give text as a string")
        speaker = one.text("speaker") if one.has("speaker") else None
        lines.append(Line(speaker=speaker, text=one.raw["text"]))
    if not lines:
        raise raw.wrong("no line under lines", "give each line with speaker and text")
    return tuple(lines)


def _character(raw: _Object) -> Character:
    gender = raw.raw.get("gender") or "unknown"
    if gender not in _GENDERS:
        raise raw.wrong(f"the gender {gender!r}", f"give one of {', '.join(_GENDERS)}")
    return Character(
        name=raw.text("name"),
        aliases=raw.texts("aliases") if raw.raw.get("aliases") else (),
        gender=cast(Gender, gender),
    )


def _mentions(raw: _Object, places: _Places) -> tuple[Mention, ...]:
    """The mentions, those that repeat left out; brackets could not show two that cross."""
    found: dict[Mention, _Object] = {}
    for one in raw.objects("mentions"):
        at = places.stretch(one)
        found.setdefault(Mention(start=at.start, end=at.end, entity=one.text("entity")), one)
    around: list[Mention] = []
    for mention in sorted(found, key=lambda mention: (mention.start, -mention.end)):
        while around and around[-1].end <= mention.start:
            around.pop()
        if around and mention.end > around[-1].end:
            fix = "end one before the other begins, or let one contain the other"
            raise found[mention].wrong(f"it crosses a mention of {around[-1].entity!r}", fix)
        around.append(mention)
    return tuple(found)


def _questions(raw: _Object, places: _Places) -> tuple[Question, ...]:
    questions: list[Question] = []
    for number, one in enumerate(raw.objects("qa")):
        answers = tuple(dict.fromkeys(_answer(each, places) for each in one.objects("answers")))
        if not answers:
            raise one.wrong("no answer under answers", "give at least one")
        own = one.text("id") if one.has("id") else str(number)
        if any(own == before.question_id for before in questions):
            raise one.wrong(f"the id {own!r} stands twice", "give each question an id of its own")
        questions.append(Question(question_id=own, text=one.text("question"), answers=answers))
    return tuple(questions)


def _answer(raw: _Object, places: _Places) -> Stretch | str:
    if raw.has("speaker"):
        speaker = raw.text("speaker")
        if not any(speaker == line.speaker for line in places.lines):
            raise raw.wrong(f"{speaker!r} speaks no line", "name a speaker as the lines do")
        return speaker
    if not raw.has("text"):
        return places.stretch(raw)
    found = places.first(raw.text("text"))
    if found is None:
        fix = "give words as they stand in one line, or line, start and end, or speaker"
        raise raw.wrong(f"{raw.text('text')[:40]!r} stands in no line", fix)
    return found


def _trait(raw: _Object) -> Trait:
    options, answer = raw.texts("options"), raw.text("answer")
    if answer not in options:
        raise raw.wrong(f"the answer {answer!r} is no option", f"give one of {', '.join(options)}")
    return Trait(character=raw.text("character"), options=options, answer=answer)


def _summaries(raw: _Object) -> tuple[str, ...]:
    value = raw.raw.get("summary")
    if value is None:
        return ()
    found = raw.texts("summary") if isinstance(value, list) else (raw.text("summary"),)
    if not all(one.strip() for one in found):
        raise raw.wrong("an empty text under summary", "leave it out")
    return found
