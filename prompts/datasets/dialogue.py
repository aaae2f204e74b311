"""Scenes of one's own, for every task that has a passage: JSON lines, one scene a line.

`docs/own-data.md` describes the format. A task takes the scenes that have what it needs, and leaves
the others out; a file where none has it is refused. Where a scene gives no cast, that of the works
file stands in, if it knows the work.

Character guessing: speakers of the cast become P0, P1 … in order of appearance, other speakers keep
their labels; options are those of the scene, else the names of the cast that speak, in a seeded
order. Question answering: one item a question; an answer that is a text stands where it is first
said. Of a scene cut into windows, those without an answer, a mention or a speaker to guess are no
items; the question which trait a scene shows is asked about the whole of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from prompts.datasets.base import Dataset, Selection, shuffled, title_options
from prompts.datasets.chosen import works_chosen
from prompts.datasets.dialogue_scenes import Question, Scene, Stretch, Trait, read_scenes
from prompts.datasets.giveaways import gold_name_flags, is_named
from prompts.datasets.mentions import mention_items
from prompts.datasets.parts import cut, parts
from prompts.datasets.personet import NOT_IN_TEXT
from prompts.datasets.roles import role_items
from prompts.datasets.works import work_titled
from prompts.errors import DatasetError
from prompts.item import Character, Item, TextSpan
from prompts.names.replace import fold

_FIX: Final = "add it to the scenes, as docs/own-data.md says"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What items are made for.

    Attributes:
        works: The shown titles of all works of the file.
    """

    path: Path
    selection: Selection
    works: tuple[str, ...]


Maker = Callable[[Scene, Item, _Asked], Iterator[Item]]


def _titles(work: str) -> tuple[str, ...]:
    known = work_titled(work)
    return tuple(dict.fromkeys((*(known.titles if known else ()), work)))


def _with_cast(scene: Scene) -> Scene:
    known = work_titled(scene.work)
    return replace(scene, cast=known.cast) if known and not scene.cast else scene


def _whole(scene: Scene, asked: _Asked) -> Item:
    return Item(
        item_id=scene.scene_id,
        task=asked.selection.task,
        dataset="dialogue",
        work=_titles(scene.work)[0],
        text=scene.text,
        gold={},
        cast=scene.cast,
        scene=scene.scene_id,
    )


def _blocks(scene: Scene) -> list[str]:
    return [line.shown for line in scene.lines]


def _guessing(scene: Scene, item: Item, asked: _Asked) -> Iterator[Item]:
    people = [scene.named(line.speaker) for line in scene.lines]
    codes = {name: f"P{n}" for n, name in enumerate(dict.fromkeys(filter(None, people)))}
    if not codes:
        return
    if scene.options:
        strange = [name for name in codes if name not in scene.options]
        if strange:
            found = f"the speaker {strange[0]!r} is not among the options"
            raise DatasetError(asked.path, scene.where, found, "offer every speaker by name")
    names = [one.name for one in scene.cast if one.name in codes]
    blocks = [
        f"{codes[name]}: {line.text}" if name else line.shown
        for name, line in zip(people, scene.lines, strict=True)
    ]
    whole = replace(
        item,
        text="\n".join(blocks),
        gold={code: name for name, code in codes.items()},
        options=scene.options or shuffled(names, asked.selection.seed, scene.scene_id),
    )

    def speaks(code: str, block_range: range) -> bool:
        return any(codes.get(people[at] or "") == code for at in block_range)

    for window in cut(whole, blocks, asked.selection.window_words, holds=speaks):
        yield replace(window, flags=gold_name_flags(window))


def _sourcing(scene: Scene, item: Item, asked: _Asked) -> Iterator[Item]:
    selection = asked.selection
    whole = replace(item, gold={"title": item.work}, accepted=_titles(scene.work))
    for part in parts(whole, _blocks(scene), selection.window_words):
        own = part.item
        options = title_options(
            own.work, asked.works, selection.options, selection.seed, own.item_id
        )
        yield replace(own, options=options)


def _answering(scene: Scene, item: Item, asked: _Asked) -> Iterator[Item]:
    for question in scene.questions:
        yield from _question(scene, item, question, asked.selection.window_words)


def _question(
    scene: Scene, item: Item, question: Question, most_words: int | None
) -> Iterator[Item]:
    said = [(value, answer) for answer in question.answers for value in _answers(scene, answer)]
    labelled = {f"a{n}": answer for n, (_, answer) in enumerate(said)}
    whole = replace(
        item,
        item_id=f"{scene.scene_id}:{question.question_id}",
        question=question.text,
        gold={f"a{n}": value for n, (value, _) in enumerate(said)},
        spans=tuple(
            TextSpan(label=label, start=answer.start, end=answer.end)
            for label, answer in labelled.items()
            if isinstance(answer, Stretch)
        ),
    )

    def speaks(label: str, block_range: range) -> bool:
        return any(scene.lines[at].speaker == labelled[label] for at in block_range)

    yield from cut(whole, _blocks(scene), most_words, holds=speaks)


def _answers(scene: Scene, answer: Stretch | str) -> tuple[str, ...]:
    """An answer in words; a speaker's label, and the name in the cast if that is another."""
    if isinstance(answer, Stretch):
        return (scene.text[answer.start : answer.end],)
    return tuple(dict.fromkeys((answer, scene.named(answer) or answer)))


def _coreference(scene: Scene, item: Item, asked: _Asked) -> Iterator[Item]:
    yield from mention_items(item, _blocks(scene), scene.mentions, asked.selection.window_words)


def _roles(scene: Scene, item: Item, asked: _Asked) -> Iterator[Item]:
    if scene.mentions and scene.perpetrator is not None:
        yield from role_items(
            item, _blocks(scene), scene.mentions, scene.perpetrator, asked.selection.window_words
        )


def _personality(scene: Scene, item: Item, asked: _Asked) -> Iterator[Item]:
    del asked
    for number, trait in enumerate(scene.traits):
        yield _trait(scene, item, number, trait)


def _trait(scene: Scene, item: Item, number: int, trait: Trait) -> Item:
    gold = trait.options.index(trait.answer)
    forms = next((one.forms for one in item.cast if trait.character in one.forms), None)
    named = is_named(scene.text, forms or (trait.character,))
    return replace(
        item,
        item_id=f"{scene.scene_id}:{number}",
        question=f"Which trait of {trait.character} does the scene show?",
        gold={"trait": trait.answer},
        accepted=tuple(
            option
            for at, option in enumerate(trait.options)
            if at != gold and fold(option.strip()) == fold(trait.answer.strip())
        ),
        options=trait.options,
        cast=item.cast if forms else (*item.cast, Character(name=trait.character)),
        flags=() if named else (NOT_IN_TEXT,),
    )


def _summaries(scene: Scene, item: Item, asked: _Asked) -> Iterator[Item]:
    if scene.summaries:
        first, *further = scene.summaries
        whole = replace(item, gold={"summary": first}, accepted=tuple(further))
        for part in parts(whole, _blocks(scene), asked.selection.window_words):
            yield part.item


_MAKERS: Final[Mapping[str, Maker]] = {
    "character_guessing": _guessing,
    "source_identification": _sourcing,
    "question_answering": _answering,
    "coreference": _coreference,
    "role_detection": _roles,
    "personality": _personality,
    "summarization": _summaries,
}
_NEEDS: Final[Mapping[str, str]] = {
    "character_guessing": "lines with a speaker of its cast",
    "source_identification": "work",
    "question_answering": "qa",
    "coreference": "mentions",
    "role_detection": "mentions with a perpetrator",
    "personality": "traits",
    "summarization": "summary",
}


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """The items of a file for one task, in the file's order."""
    scenes = [_with_cast(scene) for scene in read_scenes(root)]
    works = dict.fromkeys(scene.work for scene in scenes)
    chosen = works_chosen(selection.works, [_titles(work) for work in works])
    asked = _Asked(
        path=root,
        selection=selection,
        works=tuple(dict.fromkeys(_titles(work)[0] for work in works)),
    )
    make, any_made = _MAKERS[selection.task], False
    for scene in scenes:
        for item in make(scene, _whole(scene, asked), asked):
            any_made = True
            if chosen(_titles(scene.work)):
                yield item
    if not any_made:
        found = f"no scene has {_NEEDS[selection.task]}, which {selection.task} needs"
        raise DatasetError(root, "", found, _FIX)


DIALOGUE = Dataset(
    name="dialogue",
    title="scenes of your own (JSON lines)",
    tasks=tuple(_MAKERS),
    licence="that of the texts you bring",
    source="your own file",
    path_help="a .jsonl file with one scene a line, as docs/own-data.md says",
    read=read,
)
