"""TVSHOWGUESS (Sang et al. 2022; memorization paper, sections 3.1, 4.1): its annotated scenes.

Format: CSV `No.,Scene,Answer`. Records end CRLF, lines inside a cell end in a bare CR. The first
line of a scene is the episode and scene number, the second a Python list of the options, then
`label : speech`. Answers are a Python dict from label to name. The speakers to guess already read
P0, P1 …; `background` lines are stage directions.

The whole dataset, one JSON file an episode, is read by `prompts.datasets.tvshowguess_scenes`; what
`path` points to says which of the two it is. An item whose passage names one of the people to guess
is flagged `gold_name_in_text`.
"""

from __future__ import annotations

import ast
import csv
import difflib
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from prompts.datasets import tvshowguess_scenes
from prompts.datasets.base import Dataset, Selection, read_text, title_options
from prompts.datasets.chosen import works_chosen
from prompts.datasets.giveaways import gold_name_flags
from prompts.datasets.parts import cut
from prompts.datasets.works import Work, works
from prompts.errors import DatasetError
from prompts.item import Item

K = TypeVar("K")

_HEADER = ["No.", "Scene", "Answer"]
_LABEL = re.compile(
    r"\s*(P\d+(?:\s*\([^)]*\))?|[A-Za-z][\w .,'&()/-]{0,40}?)\s*:\s*(.*)\Z", re.DOTALL
)
_FIRST_LETTER = re.compile(r"(?<![\w'’])[^\W\d_]")
_DIRECTIONS = re.compile(r"\s*\([^)]*\)")
_FIX = "compare it with the file as published"


def _files(root: Path) -> list[Path]:
    """The annotated files; none where `root` holds episodes instead."""
    if not root.is_dir():
        return [] if tvshowguess_scenes.is_episode(root) else [root]
    found = sorted(root.rglob("*.raw"))
    episodes = any(map(tvshowguess_scenes.is_episode, root.rglob("*.json")))
    if found and episodes:
        fix = "point `path` at human_annotation or at dataset"
        raise DatasetError(root, "", "both .raw files and episodes in this folder", fix)
    if not found and not episodes:
        found_what = "no .raw file and no .split_scenes.json in this folder"
        raise DatasetError(root, "", found_what, "point `path` at one")
    return found


def _work(path: Path) -> Work:
    work = works().get(path.stem)
    if work is None:
        known = "friends, tbbt, frasier, gilmore_girls, the_office"
        raise DatasetError(path, "", f"no show is called {path.stem!r}", f"name the file {known}")
    return work


def _literal(text: str, kind: type[K], path: Path, where: str) -> K:
    try:
        value: object = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        value = None
    if not isinstance(value, kind):
        found = f"expected a Python {kind.__name__}, found {text.strip()[:40]!r}"
        raise DatasetError(path, where, found, _FIX)
    return value


def _records(path: Path) -> Iterator[tuple[str, str, str]]:
    try:
        rows = list(csv.reader(io.StringIO(read_text(path), newline=""), strict=True))
    except csv.Error as error:
        raise DatasetError(path, "", f"not CSV ({error})", _FIX) from None
    if not rows or rows[0] != _HEADER:
        found = (
            f"expected the columns {','.join(_HEADER)}, found {','.join(rows[0]) if rows else ''!r}"
        )
        raise DatasetError(path, "line 1", found, _FIX)
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != 3:
            raise DatasetError(path, f"record {number}", f"{len(row)} cells instead of 3", _FIX)
        yield row[0], row[1], row[2]


def _mend(label: str, known: list[str]) -> str:
    """A gold label without its stage directions, typing slips mended against the option list."""
    bare = _DIRECTIONS.sub("", label).strip().lower()
    near = difflib.get_close_matches(bare, known, n=1, cutoff=0.75)
    return near[0] if near else bare


def _shown(first: str) -> str:
    """The name shown for a lower-case label."""
    return _capitalised(first) if first.islower() else first


def _capitalised(label: str) -> str:
    return _FIRST_LETTER.sub(lambda letter: letter[0].upper(), label)


def _lines(scene: list[str]) -> str:
    shown: list[str] = []
    for line in scene:
        match = _LABEL.match(line)
        if not match:
            shown.append(" ".join(line.split()))
        elif match[1].lower() == "background":
            shown.append(" ".join(match[2].split()))
        else:
            shown.append(f"{_capitalised(match[1])}: {' '.join(match[2].split())}")
    return "\n".join(line for line in shown if line not in {"", "[SCENE_BREAK]"})


def _item(path: Path, record: tuple[str, str, str], selection: Selection) -> Item:
    number, scene, answer = record
    where, work = f"record {number}", _work(path)
    rows = scene.split("\r") if "\r" in scene else scene.split("\n")
    if len(rows) < 3:
        found = f"{len(rows)} lines in the scene: the number, the options and the lines are wanted"
        raise DatasetError(path, where, found, _FIX)
    episode, options_text, *lines = rows
    options = _literal(options_text, list, path, where)
    gold = _literal(answer, dict, path, where)
    known = [str(option) for option in options]
    mended = {code: _mend(str(label), known) for code, label in gold.items()}
    strange = {code: name for code, name in mended.items() if name not in known}
    if strange:
        raise DatasetError(path, where, f"answers {strange} are not among the options", _FIX)
    text = _lines(lines)
    unseen = [code for code in gold if not re.search(rf"^{re.escape(str(code))}\b", text, re.M)]
    if unseen or not gold:
        found = f"no line is spoken by {', '.join(map(str, unseen)) or 'anyone to guess'}"
        raise DatasetError(path, where, found, _FIX)
    notes = tuple(
        f"label {label!r} read as {mended[code]!r}"
        for code, label in gold.items()
        if mended[code] != label
    )
    guessing = selection.task == "character_guessing"
    titles = [known_work.titles[0] for known_work in works().values()]
    return Item(
        item_id=f"{path.stem}:{episode.replace(' ', ':').strip()}",
        scene=f"{path.stem}:{episode.split()[0] if episode.split() else number}",
        task=selection.task,
        dataset="tvshowguess",
        work=work.titles[0],
        text=text,
        gold={code: _shown(name) for code, name in mended.items()}
        if guessing
        else {"title": work.titles[0]},
        accepted=() if guessing else work.titles,
        options=tuple(_shown(name) for name in known)
        if guessing
        else title_options(
            work.titles[0], titles, selection.options, selection.seed, path.stem, episode
        ),
        cast=work.cast,
        notes=notes,
    )


def _parts(item: Item, selection: Selection) -> Iterator[Item]:
    """The scene, or its windows in which someone to guess speaks."""
    lines = item.text.split("\n")
    guessing = selection.task == "character_guessing"

    def speaks(label: str, window: range) -> bool:
        own = re.compile(rf"{re.escape(label)}\b")
        return not guessing or any(own.match(lines[at]) for at in window)

    for part in cut(item, lines, selection.window_words, holds=speaks):
        yield replace(part, flags=gold_name_flags(part)) if guessing else part


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """Scenes of the annotated files, or of whole episodes, one item each.

    Raises:
        DatasetError: A file is not as published.
        UnknownName: `works` names a show that is not there.
    """
    paths = _files(root)
    if not paths:
        yield from tvshowguess_scenes.read(root, selection)
        return
    titles = {path: _work(path).titles for path in paths} if selection.works else {}
    chosen = works_chosen(selection.works, titles.values())
    for path in paths:
        if chosen(titles.get(path, ())):
            for record in _records(path):
                yield from _parts(_item(path, record, selection), selection)


TVSHOWGUESS = Dataset(
    name="tvshowguess",
    title="TVSHOWGUESS, annotated scenes (.raw) or all scenes (JSON)",
    tasks=("character_guessing", "source_identification"),
    licence="annotations MIT; the scripts belong to their studios",
    source="YisiSang/TVSHOWGUESS, human_annotation/ or dataset/",
    path_help="a .raw file named after its show, a .split_scenes.json, or a folder of either",
    read=read,
)
