"""FriendsQA: questions about dialogues of Friends (Yang and Choi 2019).

Format: JSON, `data[].paragraphs[]` with utterances (under the key `utterances:`, colon included)
and `qas`. Utterances are tokens parted by spaces. An answer is an utterance and the first and last
of its tokens, both inclusive, or the utterance's speaker. An answer that is nothing without
punctuation and articles stays in the gold answer, and a note says so.

The published files have dev and test swapped: `friendsqa_dev.json` holds the episodes from 23 on,
which are the paper's test set, and `friendsqa_tst.json` its development set, episodes 21 and 22.
A folder is therefore read for its episodes from 23 on, whichever file they stand in; a file is read
whole.

A window without any answer to a question is no item; a speaker is an answer where he speaks. An
answer by `#ALL#` reads "All"; a stage direction has no speaker, so one given as an answer is left
out with a note, and a question that has no other answer is no item.

For character guessing the six friends read P0, P1 … in order of appearance, others keep their
names, and the six that speak in the scene are the options. A scene with one of them is no item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from prompts.datasets.base import Dataset, Selection, shuffled
from prompts.datasets.friends_transcripts import (
    MAIN,
    NOTE,
    cast_with,
    check_works,
    episode,
    friends,
    label_of,
    line,
    speakers,
)
from prompts.datasets.giveaways import gold_name_flags
from prompts.datasets.native_json import Field, read_json
from prompts.datasets.parts import cut
from prompts.errors import DatasetError
from prompts.item import Item, TextSpan

_FIRST_TEST_EPISODE: Final = 23
_NOTHING = re.compile(r"\b(?:a|an|the)\b|[^\w]|_", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Utterance:
    speakers: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def line(self) -> str:
        return line(self.speakers, " ".join(self.words))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialogue:
    title: str
    episode: str
    utterances: Mapping[int, _Utterance]
    questions: Sequence[Field]

    @property
    def lines(self) -> list[str]:
        return [utterance.line for utterance in self.utterances.values()]

    @property
    def all_speakers(self) -> tuple[str, ...]:
        spoken = (name for one in self.utterances.values() for name in one.speakers)
        return tuple(dict.fromkeys(spoken))

    def speaks(self, name: str, window: range) -> bool:
        """Whether someone speaks in one of the lines of a window."""
        return any(name in list(self.utterances.values())[at].speakers for at in window)

    def start(self, uid: int) -> int:
        """Where the words of an utterance begin in the text (code points)."""
        start = 0
        for own, utterance in self.utterances.items():
            if own == uid:
                return start + len(label_of(utterance.speakers))
            start += len(utterance.line) + 1
        raise KeyError(uid)


def _files(root: Path) -> list[Path]:
    if not root.is_dir():
        return [root]
    found = sorted(root.rglob("friendsqa_*.json"))
    if not found:
        fix = "point `path` at friendsqa_dev.json, or at the folder it is in"
        raise DatasetError(root, "", "no friendsqa_*.json in this folder", fix)
    return found


def _dialogues(path: Path) -> Iterator[_Dialogue]:
    for scene in read_json(path).at("data").each():
        title = scene.at("title")
        for paragraph in scene.at("paragraphs").each():
            utterances: dict[int, _Utterance] = {}
            for raw in paragraph.at("utterances:").each():
                uid = raw.at("uid").number()
                if uid in utterances:
                    raise raw.wrong(f"the uid {uid} stands here twice")
                words = tuple(raw.at("utterance").text().split())
                utterances[uid] = _Utterance(speakers=speakers(raw.at("speakers")), words=words)
            yield _Dialogue(
                title=title.text(),
                episode=episode(title),
                utterances=utterances,
                questions=paragraph.at("qas").each(),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    text: str
    start: int | None = None
    note: str = ""

    @property
    def is_nothing(self) -> bool:
        return not _NOTHING.sub("", self.text)


def _answer(raw: Field, dialogue: _Dialogue) -> _Answer:
    text = " ".join(raw.at("answer_text").text().split())
    uid = raw.at("utterance_id").number()
    first, last = raw.at("inner_start").number(), raw.at("inner_end").number()
    if raw.at("is_speaker").flag() or first == -1:
        return _speaker(raw, dialogue, uid)
    if uid not in dialogue.utterances:
        raise raw.wrong(f"no utterance {uid}")
    words = dialogue.utterances[uid].words
    if not 0 <= first <= last < len(words):
        raise raw.wrong(f"tokens {first}-{last} of an utterance that has {len(words)}")
    stands = " ".join(words[first : last + 1])
    if stands != text:
        raise raw.wrong(f"the answer reads {text!r}, but its tokens read {stands!r}")
    before = " ".join(words[:first])
    at = dialogue.start(uid) + len(before) + bool(before)
    return _Answer(text=text, start=at)


def _speaker(raw: Field, dialogue: _Dialogue, uid: int) -> _Answer:
    said = " ".join(raw.at("answer_text").text().split())
    if said == NOTE:
        return _Answer(text="", note="a stage direction has no speaker: answer left out")
    name = "All" if said == "#ALL#" else said
    if uid == -1:
        known = dialogue.all_speakers
    elif uid in dialogue.utterances:
        known = dialogue.utterances[uid].speakers
    else:
        raise raw.wrong(f"no utterance {uid}")
    if name not in known:
        found = f"{said!r} does not speak there; the speaker is {' and '.join(known) or 'nobody'}"
        raise raw.wrong(found)
    return _Answer(text=name)


def _question_items(dialogue: _Dialogue, selection: Selection) -> Iterator[Item]:
    cast = cast_with(dialogue.all_speakers, "\n".join(dialogue.lines))
    first: dict[str, int] = {}
    for raw in dialogue.questions:
        own_id = raw.at("id").text()
        times = first[own_id] = first.get(own_id, 0) + 1
        gold, spans, notes = {}, [], []
        for number, one in enumerate(raw.at("answers").each()):
            answer, label = _answer(one, dialogue), f"a{number}"
            if answer.note:
                notes.append(answer.note)
                continue
            if answer.is_nothing:
                notes.append(f"answer {label} is nothing without punctuation and articles")
            gold[label] = answer.text
            if answer.start is not None:
                end = answer.start + len(answer.text)
                spans.append(TextSpan(label=label, start=answer.start, end=end))
        if times > 1:
            notes.append(f"the id {own_id!r} stands in this dialogue {times} times so far")
        item = Item(
            item_id=own_id if times == 1 else f"{own_id}:{times}",
            task=selection.task,
            dataset="friendsqa",
            work=friends().titles[0],
            text="\n".join(dialogue.lines),
            question=" ".join(raw.at("question").text().split()),
            gold=gold,
            spans=tuple(spans),
            cast=cast,
            scene=dialogue.title,
            notes=tuple(notes),
        )

        def speaks(label: str, window: range, item: Item = item) -> bool:
            return dialogue.speaks(item.gold[label], window)

        yield from cut(item, dialogue.lines, selection.window_words, holds=speaks)


def _guess_items(dialogue: _Dialogue, selection: Selection) -> Iterator[Item]:
    main = [name for name in dialogue.all_speakers if name in MAIN]
    if len(main) < 2:
        return
    codes = {name: f"P{number}" for number, name in enumerate(main)}
    lines = [
        line([codes.get(name, name) for name in one.speakers], " ".join(one.words))
        for one in dialogue.utterances.values()
    ]
    names = {code: name for name, code in codes.items()}
    item = Item(
        item_id=dialogue.title,
        task=selection.task,
        dataset="friendsqa",
        work=friends().titles[0],
        text="\n".join(lines),
        gold=names,
        options=shuffled(main, selection.seed, dialogue.title, "options"),
        cast=cast_with(dialogue.all_speakers, "\n".join(lines)),
        scene=dialogue.episode,
    )

    def speaks(label: str, window: range) -> bool:
        return dialogue.speaks(names[label], window)

    for part in cut(item, lines, selection.window_words, holds=speaks):
        yield replace(part, flags=gold_name_flags(part))


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """The questions of the dialogues, or the dialogues with their speakers to guess.

    Raises:
        DatasetError: A file is not as published.
        UnknownName: `works` names something else than the show.
    """
    check_works(selection)
    for path in _files(root):
        for dialogue in _dialogues(path):
            if root.is_dir() and int(dialogue.episode[-2:]) < _FIRST_TEST_EPISODE:
                continue
            if selection.task == "question_answering":
                yield from _question_items(dialogue, selection)
            else:
                yield from _guess_items(dialogue, selection)


FRIENDSQA = Dataset(
    name="friendsqa",
    title="FriendsQA, questions about dialogues of Friends (JSON)",
    tasks=("question_answering", "character_guessing"),
    licence="annotations Apache-2.0; the scripts belong to their studio",
    source="emorynlp/FriendsQA, dat/",
    path_help="a friendsqa_*.json, or a folder of them, read for its test episodes",
    read=read,
)
