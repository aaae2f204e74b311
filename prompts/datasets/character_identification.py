"""Character identification: who is meant, in scenes of Friends (Chen and Choi 2016; Zhou 2018).

Format: JSON, `episodes[].scenes[].utterances[]`, each with its `speakers`, its `transcript`, the
same as `tokens` of sentences, and for each sentence `character_entities`, lists of the first token,
one past the last, and whom the mention means.

A scene is an item: its mentions, each in the cluster of the person it means. Three kinds of mention
are not in the gold answer, and a note counts them: those of several people ("we"), which belong to
no one cluster; `#GENERAL#`, which means no one in particular; and `#OTHER#`, which means someone,
but not the same person each time. A scene without other mentions is no item.

A folder is read for its test file, episodes from 22 on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Final

from prompts.datasets.base import Dataset, Selection
from prompts.datasets.friends_transcripts import (
    cast_with,
    check_works,
    episode,
    friends,
    label_of,
    speakers,
)
from prompts.datasets.mentions import Mention, mention_items
from prompts.datasets.native_json import Field, read_json
from prompts.errors import DatasetError
from prompts.item import Item

_TEST_FILE: Final = "character-identification-tst.json"
_LEFT_OUT: Final = {"#GENERAL#": "no one in particular", "#OTHER#": "someone not told"}
_SEVERAL: Final = "several people"


@dataclass(slots=True)
class _Scene:
    """What has been read of a scene."""

    lines: list[str] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    people: dict[str, None] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    @property
    def length(self) -> int:
        """Where the next line begins (code points)."""
        return sum(len(line) + 1 for line in self.lines)


def _file(root: Path) -> Path:
    if not root.is_dir():
        return root
    found = sorted(root.rglob(_TEST_FILE))
    if len(found) != 1:
        fix = f"point `path` at one {_TEST_FILE}"
        raise DatasetError(root, "", f"{len(found)} files of that name in this folder", fix)
    return found[0]


def _places(words: list[str], transcript: str) -> list[int] | None:
    """Where each token begins in a transcript; None where they are not the same text."""
    places, at = [], 0
    for word in words:
        at += transcript[at:].startswith(" ")
        if not transcript.startswith(word, at):
            return None
        places.append(at)
        at += len(word)
    return places if at == len(transcript) else None


def _read_utterance(raw: Field, scene: _Scene) -> None:
    sentences = [sentence.texts() for sentence in raw.at("tokens").each()]
    entities = raw.at("character_entities").each()
    if len(entities) != len(sentences):
        raise raw.wrong(f"{len(sentences)} sentences, but mentions of {len(entities)}")
    words = [word for sentence in sentences for word in sentence]
    spoken = " ".join(raw.at("transcript").text().split())
    names = speakers(raw.at("speakers"))
    if not words and not spoken:
        return
    places = _places(words, spoken)
    if places is None:
        spoken = " ".join(words)
        places = [0, *accumulate(len(word) + 1 for word in words)]
        scene.notes.append(f"{raw.at('utterance_id').text()}: tokens shown, not the transcript")
    start = scene.length + len(label_of(names))
    before = 0
    for sentence, own in zip(sentences, entities, strict=True):
        for entity in own.each():
            first, end, meant = _entity(entity, len(sentence))
            why = _SEVERAL if len(meant) > 1 else _LEFT_OUT.get(meant[0])
            if why:
                scene.left_out[why] += 1
                continue
            last = before + end - 1
            scene.mentions.append(
                Mention(
                    start=start + places[before + first],
                    end=start + places[last] + len(words[last]),
                    entity=meant[0],
                )
            )
        before += len(sentence)
    scene.lines.append(f"{label_of(names)}{spoken}")
    scene.people.update(dict.fromkeys(names))


def _entity(raw: Field, length: int) -> tuple[int, int, tuple[str, ...]]:
    """First token, one past the last, and who is meant."""
    parts = raw.each()
    if len(parts) < 3:
        raise raw.wrong(f"{len(parts)} values instead of a first token, an end and a name")
    first, end = parts[0].number(), parts[1].number()
    if not 0 <= first < end <= length:
        raise raw.wrong(f"tokens {first} to {end} of a sentence that has {length}")
    meant = tuple(dict.fromkeys(part.text() for part in parts[2:]))
    for name in meant:
        if name.startswith("#") and name not in _LEFT_OUT:
            fix = f"use a name or one of {', '.join(_LEFT_OUT)}"
            raise raw.wrong(f"the label {name!r} is unknown", fix)
    return first, end, meant


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """The scenes of a file with their mentions, one item each.

    Raises:
        DatasetError: The file is not as published.
        UnknownName: `works` names something else than the show.
    """
    check_works(selection)
    for raw_episode in read_json(_file(root)).at("episodes").each():
        for raw in raw_episode.at("scenes").each():
            scene = _Scene()
            for utterance in raw.at("utterances").each():
                _read_utterance(utterance, scene)
            counts = [f"{count} of {what}" for what, count in sorted(scene.left_out.items())]
            if counts:
                scene.notes.append(f"mentions left out of the gold answer: {', '.join(counts)}")
            meant = [mention.entity for mention in scene.mentions]
            text = "\n".join(scene.lines)
            item = Item(
                item_id=raw.at("scene_id").text(),
                task=selection.task,
                dataset="character_identification",
                work=friends().titles[0],
                text=text,
                gold={},
                cast=cast_with((*scene.people, *meant), text),
                scene=episode(raw.at("scene_id")),
                notes=tuple(scene.notes),
            )
            yield from mention_items(item, scene.lines, scene.mentions, selection.window_words)


CHARACTER_IDENTIFICATION = Dataset(
    name="character_identification",
    title="Character identification, mentions in scenes of Friends (JSON)",
    tasks=("coreference",),
    licence="annotations Apache-2.0; the scripts belong to their studio",
    source="emorynlp/character-identification, json/",
    path_help="a character-identification-*.json, or a folder with the test file in it",
    read=read,
)
