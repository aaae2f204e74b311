"""SummScreen: transcripts of television episodes with recaps (Chen et al. 2022).

Format: JSON objects with `Transcript` (a list of lines) and `Recap` (a text, or a list of texts
that are its parts): one object a line in the tokenised files of a split, one object a file in the
untokenised release. `Show Title`, `Episode Number`, `Episode Title` and `filename` are there or
not, by source (ForeverDreaming, TVMegaSite) and release. Tokenised files cut rare words into pieces
with `@@` at the joint, which is undone; their spaces around punctuation stay. In anonymised files
people are `ENTITY` and a number: those are no names, and the items have the flag `anonymised`.

An item is a transcript or a window of it, cut at line ends; the gold of each is the recap of the
whole. The cast are those of the works file and the speakers: the labels before a colon.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from prompts.datasets.base import Dataset, Selection, read_text
from prompts.datasets.chosen import works_chosen
from prompts.datasets.jsonl import JsonLine, read_lines
from prompts.datasets.parts import parts
from prompts.datasets.speakers import cast_of, label_of, speech_of
from prompts.datasets.works import work_titled
from prompts.errors import DatasetError
from prompts.item import Character, Item
from prompts.names.replace import words

ANONYMISED: Final = "anonymised"
_HALF: Final = re.compile("[\ud800-\udfff]")
_ENTITY: Final = re.compile(r"\bENTITY\d+\b|@@ENT")
_JOINT: Final = re.compile(r"@@( |\Z)")
# The end of a file's name that numbers or dates the episode: "Show-03x12", "show-10-18-05".
_EPISODE: Final = re.compile(r"[-_. ]*(?:\d{1,2}x\d{1,3}|[sS]\d{1,2}[eE]\d{1,3}|\d[\d_.-]*).*\Z")
_FIX: Final = "compare it with the file as published"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Episode:
    item_id: str
    show: str
    lines: tuple[str, ...]
    recap: str
    notes: tuple[str, ...]


def _files(root: Path) -> list[Path]:
    if not root.is_dir():
        return [root]
    found = sorted(path for path in root.rglob("*.json*") if path.suffix in {".json", ".jsonl"})
    # The anonymised files hold the same episodes again.
    named = [path for path in found if "anonymi" not in path.stem]
    if not (named or found):
        raise DatasetError(root, "", "no .json file in this folder", "point `path` at one")
    return named or found


def _objects(path: Path) -> Iterator[tuple[JsonLine, bool]]:
    """The objects of a file, and whether the object is the whole file."""
    text = read_text(path)
    try:
        whole = json.loads(text)  # a file of lines fails at its second
    except json.JSONDecodeError:
        whole = None
    if not isinstance(whole, dict):
        yield from ((line, False) for line in read_lines(path))
    elif _HALF.search(json.dumps(whole, ensure_ascii=False)):
        raise DatasetError(path, "line 1", "half of a surrogate pair", "mend the \\u escape")
    else:
        yield JsonLine(raw=whole, number=1), True


def _texts(value: Any) -> list[str] | None:  # noqa: ANN401 - JSON may be anything
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        return None
    plain = [" ".join(_JOINT.sub("", one).split()) for one in listed]
    return [one for one in plain if one]


def _episodes(path: Path) -> Iterator[_Episode]:
    first: dict[str, str] = {}
    for line, alone in _objects(path):
        episode = _episode(path, line, alone=alone)
        if first.setdefault(episode.item_id, line.where) != line.where:
            found = f"the episode {episode.item_id!r} already stands on {first[episode.item_id]}"
            raise DatasetError(path, line.where, found, "keep one of them")
        yield episode
    if not first:
        raise DatasetError(path, "line 1", "no episode", _FIX)


def _episode(path: Path, line: JsonLine, *, alone: bool) -> _Episode:
    raw = line.raw
    transcript = raw.get("Transcript")
    lines = _texts(transcript) if isinstance(transcript, list) else None
    recap = _texts(raw.get("Recap"))
    if not lines or not recap:
        missing = [key for key, text in (("Transcript", lines), ("Recap", recap)) if not text]
        fix = "give Transcript as a list of lines and Recap as a text or a list of texts"
        raise DatasetError(path, line.where, f"no text under {', '.join(missing)}", fix)
    name, title = raw.get("filename"), raw.get("Show Title")
    stem = Path(name).stem if isinstance(name, str) else path.stem if alone else ""
    told = title if isinstance(title, str) and title.strip() else ""
    show = " ".join((told or _EPISODE.sub("", stem).replace("_", " ")).split())
    if not show:
        fix = "give the show's name as Show Title"
        raise DatasetError(path, line.where, "neither a Show Title nor a show's filename", fix)
    return _Episode(
        item_id=path.stem if alone else f"{path.stem}:{stem or line.number}",
        show=show,
        lines=tuple(lines),
        recap=" ".join(recap),
        notes=() if told else (f"show read from the file's name {stem!r}",),
    )


def _titles(show: str) -> tuple[str, ...]:
    work = work_titled(show)
    return tuple(dict.fromkeys((*(work.titles if work else ()), show)))


def _cast(episode: _Episode) -> tuple[Character, ...]:
    labels = [label for line in episode.lines if (label := label_of(line))]
    said = "\n".join(speech_of(line) for line in episode.lines)
    work = work_titled(episode.show)
    return cast_of(labels, Counter(words(said)), work.cast if work else ())


def _items(episode: _Episode, selection: Selection) -> Iterator[Item]:
    text = "\n".join(episode.lines)
    item = Item(
        item_id=episode.item_id,
        task=selection.task,
        dataset="summscreen",
        work=_titles(episode.show)[0],
        text=text,
        gold={"summary": episode.recap},
        cast=_cast(episode),
        scene=episode.item_id,
        flags=(ANONYMISED,) if _ENTITY.search(f"{text}\n{episode.recap}") else (),
        notes=episode.notes,
    )
    for part in parts(item, episode.lines, selection.window_words):
        yield part.item


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """Episodes with their recaps, one item a window; of a folder, those that keep their names."""
    paths = _files(root)
    if selection.works:
        shows = dict.fromkeys(e.show for path in paths for e in _episodes(path))
        chosen = works_chosen(selection.works, [_titles(show) for show in shows])
    else:
        chosen = works_chosen((), ())
    for path in paths:
        for episode in _episodes(path):
            if chosen(_titles(episode.show)):
                yield from _items(episode, selection)


SUMMSCREEN = Dataset(
    name="summscreen",
    title="SummScreen, television transcripts with recaps",
    tasks=("summarization",),
    licence="MIT; the transcripts and recaps belong to their owners",
    source="mingdachen/SummScreen (files on Google Drive)",
    path_help="a .json file of a split, or a folder of untokenised episodes",
    read=read,
)
