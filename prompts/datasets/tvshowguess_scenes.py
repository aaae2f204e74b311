"""TVSHOWGUESS, all scenes: one JSON file an episode, `FRIENDS_09x01.split_scenes.json`.

Format: `Episode Number` and `scenes[]`, each with an `id`, a `title` (the direction that opens it),
`participants` (speaker to lines spoken) and `lines`, pairs of a speaker in lower case, or
`background`, and the line with the speaker before a colon. The show is told by the file's name, or
by `Show Title`.

The six main characters of a show are those to guess, as in the published evaluation: those of them
who speak in a scene read P0, P1 … in order of appearance and are its options; others keep their
names. A scene with one of them is no item. The published script spells the lead of The Office
"michel", a speaker who never speaks there, and so leaves him out; here he is one of the six.

Its test set is the last seasons (Friends 9, The Big Bang Theory 8, Frasier 10, Gilmore Girls 5, The
Office 8, and those after): point `path` at those files to read only them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from prompts.datasets.base import Selection, shuffled, title_options
from prompts.datasets.chosen import works_chosen
from prompts.datasets.giveaways import gold_name_flags
from prompts.datasets.native_json import Field, read_json
from prompts.datasets.parts import cut
from prompts.datasets.works import Work, work_titled, works
from prompts.errors import DatasetError
from prompts.item import Item

_SUFFIX: Final = ".split_scenes.json"
_NAMED = re.compile(r"(.+)_\d+x\d+\Z")
_SPEECH = re.compile(r"[^:]*?(\([^)]*\))?\s*:\s*(.*)\Z", re.DOTALL)
# Each line a person: the name offered, then other ways the scripts write that speaker.
_MAIN: Final = {
    "Friends": """Rachel rach
        Ross
        Joey
        Monica mnca
        Phoebe phoe
        Chandler chan""",
    "The Big Bang Theory": "Leonard\nSheldon\nPenny\nHoward\nRaj rajesh\nAmy",
    "Frasier": "Frasier\nDaphne\nNiles\nRoz\nMartin\nBob bulldog",
    "Gilmore Girls": "Lorelai\nRory\nSookie\nLane\nMichel\nLuke",
    "The Office": "Pam\nJim\nDwight\nMichael\nJan\nRyan",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    speaker: str
    direction: str
    words: str

    def shown(self, label: str) -> str:
        """The line under a label; words alone for a direction."""
        before = " ".join(filter(None, (label, self.direction)))
        return f"{before}: {self.words}" if before else self.words


def is_episode(path: Path) -> bool:
    """Whether a path is that of an episode's scenes."""
    return path.suffix == ".json"


def _work(path: Path) -> Work:
    named = _NAMED.match(path.name.removesuffix(".json").removesuffix(".split_scenes"))
    title = named[1].replace("_", " ") if named else read_json(path).at("Show Title").text()
    work = work_titled(title)
    if work is None or work.titles[0] not in _MAIN:
        fix = f"name the file SHOW_01x01{_SUFFIX}, the show one of {', '.join(_MAIN)}"
        raise DatasetError(path, "", f"no show is called {title!r}", fix)
    return work


def _codes(title: str) -> dict[str, str]:
    """Speaker, as the files write it -> the name offered."""
    people = [line.split() for line in _MAIN[title].split("\n")]
    return {form.casefold(): person[0] for person in people for form in person}


def _lines(scene: Field) -> Iterator[_Line]:
    title = " ".join(scene.at("title").text().split())
    if title:
        yield _Line(speaker="", direction="", words=title)
    for pair in scene.at("lines").each():
        parts = pair.texts()
        if len(parts) != 2:
            raise pair.wrong(f"{len(parts)} texts instead of a speaker and a line")
        speaker, said = (" ".join(part.split()) for part in parts)
        if speaker == "background":
            speaker = ""
        spoken = _SPEECH.match(said) if speaker else None
        if speaker and spoken is None:
            raise pair.wrong(f"no colon after the speaker in {said[:40]!r}")
        direction, words = (spoken[1] or "", spoken[2]) if spoken else ("", said)
        if words:
            yield _Line(speaker=speaker.casefold(), direction=direction, words=words)


def _label(speaker: str) -> str:
    return re.sub(r"(?<![\w'’])[^\W\d_]", lambda letter: letter[0].upper(), speaker)


def _items(path: Path, work: Work, selection: Selection) -> Iterator[Item]:
    root = read_json(path)
    key = next(key for key, known in works().items() if known is work)
    episode = f"{key}:{root.at('Episode Number').text()}"
    names = _codes(work.titles[0])
    for scene in root.at("scenes").each():
        scene.at("participants").keys()
        lines = list(_lines(scene))
        speaking = dict.fromkeys(names[one.speaker] for one in lines if one.speaker in names)
        if len(speaking) < 2:
            continue
        item_id = f"{episode}:{scene.at('id').number()}"
        item = Item(
            item_id=item_id,
            task=selection.task,
            dataset="tvshowguess",
            work=work.titles[0],
            text="",
            gold={"title": work.titles[0]},
            accepted=work.titles,
            options=title_options(
                work.titles[0], list(_MAIN), selection.options, selection.seed, item_id
            ),
            cast=work.cast,
            scene=episode,
        )
        if selection.task == "character_guessing":
            codes = {name: f"P{number}" for number, name in enumerate(speaking)}
            item = replace(
                item,
                gold={code: name for name, code in codes.items()},
                accepted=(),
                options=shuffled(codes, selection.seed, item_id, "options"),
            )
            names_shown = {speaker: codes.get(name, name) for speaker, name in names.items()}
            yield from _parts(item, lines, names_shown, selection)
        else:
            yield from _parts(item, lines, {}, selection)


def _parts(
    item: Item, lines: list[_Line], labels: Mapping[str, str], selection: Selection
) -> Iterator[Item]:
    """The scene, its speakers under their labels, or its windows."""
    own = [labels.get(one.speaker, _label(one.speaker)) for one in lines]
    shown = [one.shown(label) for one, label in zip(lines, own, strict=True)]
    whole = replace(item, text="\n".join(shown))

    def speaks(label: str, window: range) -> bool:
        return not labels or any(own[at] == label for at in window)

    for part in cut(whole, shown, selection.window_words, holds=speaks):
        yield replace(part, flags=gold_name_flags(part)) if labels else part


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """The scenes of an episode or of a folder of episodes, in which two or more are to guess.

    Raises:
        DatasetError: A file is not as published.
        UnknownName: `works` names a show that is not there.
    """
    paths = sorted(path for path in root.rglob("*.json")) if root.is_dir() else [root]
    shows = {path: _work(path) for path in paths}
    chosen = works_chosen(selection.works, (show.titles for show in shows.values()))
    for path, show in shows.items():
        if chosen(show.titles):
            yield from _items(path, show, selection)
