"""Passages of one's own for the memory probes: JSON lines, one passage a line.

The format is that of scenes of one's own (`docs/own-data.md`): `id`, `work`, `text` (or `lines`
with speakers) and `cast`; beside these `flags`, a list of words that tables tell passages apart by,
such as "well_known" and "little_known". Where a passage gives no cast, that of the works file
stands in, if it knows the work; without one no name is replaced.

A text is used from its start, and no more of it than `excerpt_words`. A task leaves out passages
that are too short for it, as `prompts.datasets.probe_items` says; a file where all are is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from prompts.datasets.base import Dataset, Selection
from prompts.datasets.chosen import works_chosen
from prompts.datasets.dialogue_scenes import Scene, read_scenes
from prompts.datasets.jsonl import JsonLine, read_lines
from prompts.datasets.play_speech import Passage
from prompts.datasets.probe_items import PROBES, cut_to
from prompts.datasets.works import work_titled
from prompts.errors import DatasetError
from prompts.item import Item


def _flags(path: Path, line: JsonLine) -> tuple[str, ...]:
    value = line.raw.get("flags", [])
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        found = "no list of words under flags"
        raise DatasetError(path, line.where, found, 'give flags as in ["well_known"], or none')
    return tuple(dict.fromkeys(value))


def _titles(work: str) -> tuple[str, ...]:
    known = work_titled(work)
    return tuple(dict.fromkeys((*(known.titles if known else ()), work)))


def _item(scene: Scene, flags: tuple[str, ...], task: str) -> Item:
    known = work_titled(scene.work)
    return Item(
        item_id=scene.scene_id,
        task=task,
        dataset="passages",
        work=_titles(scene.work)[0],
        text="",
        gold={},
        cast=scene.cast or (known.cast if known else ()),
        scene=scene.scene_id,
        flags=flags,
    )


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """The items of a file for one task, in the file's order."""
    # The scenes come one an object, in the file's order.
    rows = list(zip(read_scenes(root), read_lines(root), strict=True))
    chosen = works_chosen(selection.works, dict.fromkeys(_titles(scene.work) for scene, _ in rows))
    probe, longest = PROBES[selection.task], 0
    for scene, line in rows:
        item = _item(scene, _flags(root, line), selection.task)
        passage = cut_to(Passage.plain(scene.text), selection.excerpt_words)
        longest = max(longest, len(passage))
        if len(passage) >= probe.needs and chosen(_titles(scene.work)):
            yield from probe.make(item, passage)
    if longest < probe.needs:
        needs = f"{selection.task} needs {probe.needs}"
        found = f"no passage with the words that {needs}; the longest has {longest}"
        raise DatasetError(root, "", found, "give longer texts, or a larger excerpt_words")


PASSAGES: Final = Dataset(
    name="passages",
    title="passages of your own for memory probes (JSON lines)",
    tasks=tuple(PROBES),
    licence="that of the texts you bring",
    source="your own file",
    path_help="a .jsonl file with id, work and text on each line",
    read=read,
)
