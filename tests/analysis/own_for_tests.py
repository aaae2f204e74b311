"""What `probe run` leaves of the tasks of similar characters, made by hand: plans and replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from analysis.scoring import score_replies
from store.database import Database
from store.insert import insert
from store.keys import canonical
from store.read import Connection
from store.rows import ItemRow, PromptRow, Row
from tests.store.rows_for_tests import cell_row, experiment_row, item_row, prompt_row, reply_row

ONE: Final = "most_similar_character"
REASONED: Final = "most_similar_character_reasoned"
TEN: Final = "ten_most_similar_characters"
PENDING: Final = ("?",)
"""In place of a reply: none has come."""

Said = Sequence[str] | None
"""The names that one reply gives, as the dataset has them; None for a reply that gives none."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """A model's replies to one task under one condition.

    Attributes:
        said: Character -> what each sample says.
        offered: The list.
        shown: Name -> the name shown, under replaced names.
        plan: An experiment_id.
    """

    said: Mapping[str, Sequence[Said]]
    offered: Sequence[str]
    task: str = ONE
    model: str = "m"
    experiment: str = "mine"
    work: str = "list"
    names: str = "original"
    prompt: str = "baseline"
    shown: Mapping[str, str] = field(default_factory=dict)
    plan: str = "own-1"


def rows(answers: Answers) -> Iterator[Row]:
    """The rows of its items, prompts, cells and replies; the last sample first."""
    for character, samples in answers.said.items():
        item = _item(answers, character)
        prompt = _prompt(answers, item)
        yield item
        yield prompt
        for sample in reversed(range(len(samples))):
            key = f"{prompt.prompt_hash} {answers.model} {sample}"
            yield replace(
                cell_row(prompt, model=answers.model, sample=sample, key=key),
                experiment_id=answers.plan,
            )
            said = samples[sample]
            if said is not PENDING:
                yield reply_row(key, text=_text(answers, said))


def _item(answers: Answers, character: str) -> ItemRow:
    own = f"{answers.plan} {answers.work} {answers.task} {character}"
    return replace(
        item_row(character, task=answers.task),
        item_hash=own,
        dataset="characters",
        work=answers.work,
        gold=canonical({"target": character}),
        options=canonical(list(answers.offered)),
    )


def _prompt(answers: Answers, item: ItemRow) -> PromptRow:
    def shown(name: str) -> str:
        return answers.shown.get(name, name)

    return replace(
        prompt_row(item.item_id, answers.names, answers.prompt),
        prompt_hash=f"{item.item_hash} {answers.names} {answers.prompt}",
        item_hash=item.item_hash,
        gold=canonical({"target": shown(item.item_id)}),
        options=canonical([shown(name) for name in answers.offered]),
        chance=None,
        name_map=canonical(dict(answers.shown)),
    )


def _text(answers: Answers, said: Said) -> str:
    """A reply by the numbers of the list, or one that gives none."""
    if said is None:
        return "I cannot say."
    numbers = [str(answers.offered.index(name) + 1) for name in said]
    if answers.task == REASONED:
        return f"They are much alike.\nAnswer: {numbers[0]}"
    return ", ".join(numbers)


def ask(store: Path, *asked: Answers) -> Path:
    """Bring answers into a store, read by the tasks' parsers; return its folder."""
    plans = {each.plan: each.experiment for each in asked}
    made: list[Row] = [
        experiment_row(plan, experiment=experiment) for plan, experiment in plans.items()
    ]
    once: dict[str, Row] = {}
    for each in asked:
        for row in rows(each):
            if isinstance(row, ItemRow):
                once[row.item_hash] = row
            elif isinstance(row, PromptRow):
                once[row.prompt_hash] = row
            else:
                made.append(row)

    def bring(connection: Connection) -> None:
        insert(connection, [*made, *once.values()])
        score_replies(connection)

    with Database(store) as database:
        database.call(bring)
    return store
