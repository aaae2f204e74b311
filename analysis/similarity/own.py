"""The user's own models among the systems that say who is like whom.

`probe run` asks them the three tasks of `prompts.tasks.similar_characters`; the store's view
`answered_choices` has what they name. A model's answers to one task under one condition are a
system. It belongs to a corpus if every name on the list it chose from is one of the corpus's:
of another list no answer could be held against the corpus's benchmarks, and of a list that is
partly another, some answers would be misses for no fault of the model's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from analysis.sql import query
from prompts.tasks import TASKS
from store.read import Source, ask

SINGLE: Final = ("most_similar_character", "most_similar_character_reasoned")
TEN: Final = "ten_most_similar_characters"
_SUFFIXES: Final = {SINGLE[0]: "", SINGLE[1]: " Reasoning", TEN: " Top Ten List"}
"""Task -> what its rows are called after the model's name."""
_ORIGIN: Final = ("original", "baseline")
_ANY: Final = "SELECT count(*) FROM items WHERE list_contains($tasks, task)"
_VIEW: Final = "SELECT count(*) FROM duckdb_views() WHERE view_name = 'answered_choices'"
_KNOWN: Final = """
    SELECT character FROM characters WHERE corpus = $corpus
    UNION SELECT character FROM character_groups WHERE corpus = $corpus
    UNION SELECT unnest([character, chosen]) FROM character_choices WHERE corpus = $corpus"""

List: TypeAlias = tuple[str, str, str]
"""Experiment, dataset and work: what a list of names is told by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOf:
    """How often a model was asked about one character (counts).

    Attributes:
        questions: As planned now.
        replies: That have come.
        answers: Replies in which one could be read.
    """

    questions: int
    replies: int
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSystem:
    """A model's answers to one task under one condition.

    Attributes:
        name: What its rows are called: model and task, and the condition unless it is the origin.
        label: The same for people.
        work: As the dataset calls the list.
        offered: The names on the list.
        asked: Each character that it was asked about.
    """

    name: str
    label: str
    experiment: str
    dataset: str
    work: str
    task: str
    model: str
    names: str
    prompt: str
    offered: tuple[str, ...]
    asked: Mapping[str, AskedOf]

    @property
    def is_ten(self) -> bool:
        """Whether it names ten characters, and not one."""
        return self.task == TEN

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Whom it was asked about without an answer that could be read."""
        return tuple(name for name, of in self.asked.items() if not of.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """The user's own systems for a corpus.

    Attributes:
        systems: In the order in which tables show them.
        left_out: Why there are not more, a sentence each.
    """

    systems: tuple[OwnSystem, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def single(self) -> tuple[str, ...]:
        """The names of those that choose one character."""
        return tuple(each.name for each in self.systems if not each.is_ten)

    @property
    def ten(self) -> tuple[str, ...]:
        """The names of those that choose ten."""
        return tuple(each.name for each in self.systems if each.is_ten)

    def label_of(self) -> dict[str, str]:
        """Name -> what people call it."""
        return {each.name: each.label for each in self.systems}


def find_own(source: Source, corpus: str) -> Own:
    """The systems of a store whose lists are of a corpus, and why the others are left out.

    Raises:
        QueryError: The store refuses a query.
    """
    tasks: list[object] = [*SINGLE, TEN]
    if not ask(source, _ANY, {"tasks": tasks}).rows[0][0]:
        return Own()
    if not ask(source, _VIEW).rows[0][0]:
        return Own(
            left_out=(
                "Answers of the store's own models are left out: it was last written before they"
                " could be shown; the next `probe run` or `probe embed` on it makes them so.",
            )
        )
    lists = _lists(source)
    found = _systems(source, lists)
    known = {str(row[0]) for row in ask(source, _KNOWN, {"corpus": corpus}).rows}
    foreign = {each: [name for name in names if name not in known] for each, names in lists.items()}
    return Own(
        systems=tuple(_apart([each for each in found if not foreign[_list_of(each)]])),
        left_out=tuple(
            _reason(each, lists[each], names, corpus) for each, names in foreign.items() if names
        ),
    )


def _list_of(system: OwnSystem) -> List:
    return system.experiment, system.dataset, system.work


def _lists(source: Source) -> dict[List, tuple[str, ...]]:
    found: dict[List, list[str]] = {}
    for row in ask(source, query("similarity/offered")).rows:
        experiment, dataset, work, name = map(str, row)
        found.setdefault((experiment, dataset, work), []).append(name)
    return {each: tuple(names) for each, names in found.items()}


def _systems(source: Source, lists: Mapping[List, tuple[str, ...]]) -> list[OwnSystem]:
    asked: dict[tuple[str, ...], dict[str, AskedOf]] = {}
    for row in ask(source, query("similarity/asked")).rows:
        *place, character = map(str, row[:8])
        questions, replies, answers = (int(str(value)) for value in row[8:])
        asked.setdefault(tuple(place), {})[character] = AskedOf(
            questions=questions, replies=replies, answers=answers
        )
    systems = [_system(place, of, lists) for place, of in asked.items()]
    return sorted(systems, key=_order)


def _system(
    place: tuple[str, ...], asked: Mapping[str, AskedOf], lists: Mapping[List, tuple[str, ...]]
) -> OwnSystem:
    experiment, dataset, work, task, model, names, prompt = place
    name, label = f"{model} {task}", f"{model}{_SUFFIXES[task]}"
    if (names, prompt) != _ORIGIN:
        name += f" {names}+{prompt}"
        label += f", {names.replace('_', ' ')} names" if names != _ORIGIN[0] else ""
        label += f", {prompt} prompt" if prompt != _ORIGIN[1] else ""
    return OwnSystem(
        name=name,
        label=label,
        experiment=experiment,
        dataset=dataset,
        work=work,
        task=task,
        model=model,
        names=names,
        prompt=prompt,
        offered=lists[experiment, dataset, work],
        asked=asked,
    )


def _order(system: OwnSystem) -> tuple[object, ...]:
    """A model's rows together, the origin first, and within a condition as the tasks go."""
    condition = system.names, system.prompt
    task = tuple(TASKS).index(system.task)
    return system.model, _list_of(system), condition != _ORIGIN, condition, task


def _apart(systems: Sequence[OwnSystem]) -> list[OwnSystem]:
    """The same with what tells them apart in their names, where several would have one name.

    A model's name is the experiment file's: in two experiments it may stand for two models.
    """
    found = list(systems)
    for part in ("experiment", "work", "dataset"):
        times = Counter(each.name for each in found)
        found = [
            replace(
                each,
                name=f"{each.name} ({getattr(each, part)})",
                label=f"{each.label} ({getattr(each, part)})",
            )
            if times[each.name] > 1
            else each
            for each in found
        ]
    return found


def _reason(place: List, offered: Sequence[str], foreign: Sequence[str], corpus: str) -> str:
    experiment, _, work = place
    if len(foreign) == len(offered):
        found = f"none of its {len(offered)} names is"
    elif len(foreign) == 1:
        found = f"{foreign[0]!r}, one of its {len(offered)} names, is not"
    else:
        found = f"{len(foreign)} of its {len(offered)} names, such as {foreign[0]!r}, are not"
    return (
        f"The answers of the experiment {experiment} on the list {work} are left out: {found} of"
        f" the corpus {corpus}."
    )
