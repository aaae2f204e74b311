"""What an experiment's prompts ask and what is right, for subjects that are to know it.

The experiment is planned as `probe run` plans it, so the prompts are those that will be sent. Each
right and each wrong answer is held against the task's own parser before it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from probe.conditions import Aside, Condition
from probe.plan import Plan
from probe.simulate.draws import Draw
from probe.simulate.errors import NotPlanted
from probe.simulate.memory import Passage
from probe.simulate.planted import FORMS, GARBLED, REFUSAL, Question, said
from probe.simulate.replies import text_digest
from probe.simulate.structured import fitting
from probe.spec import Spec
from prompts import Item
from prompts.tasks import Answer, task_named

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_MOST_WRONG: Final = 8
_OTHER_TITLES: Final = ("Middlemarch", "Moby-Dick", "Dracula")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One condition of an item, with what a planted subject knows of it.

    Attributes:
        units: Units asked for (count).
        readable: Of them, those that its task's parser finds right in the right answer (count);
            in the others even a subject that knows it is marked wrong.
    """

    condition: Condition
    question: Question
    units: int
    readable: int


def check(spec: Spec) -> None:
    """Refuse an experiment that planted subjects cannot play.

    Raises:
        NotPlanted: A task whose answers are not right or wrong by unit.
    """
    for task in spec.tasks:
        if task.name not in FORMS:
            found = "its answers are not right or wrong by unit, so no memory can be planted in it"
            fix = f"leave it out; planted subjects play {', '.join(FORMS)}"
            raise NotPlanted(f"task {task.name}", found, fix)


def asked(plan: Plan) -> Iterator[Asked]:
    """Every item of a plan under every condition.

    Raises:
        NotPlanted: A task that cannot be played, or a wrong answer that its parser reads as right.
        PlanEmpty, DatasetError: As the plan's drawing raises them.
    """
    check(plan.spec)
    with plan.draw() as drawn:
        items = [
            (drawn.spool.get(number), plan.spec.tasks[owner].asked)
            for number, owner in zip(drawn.order, drawn.owners, strict=True)
        ]
    golds = [own for item, _ in items if (own := item.gold.get("title"))]
    titles = tuple(dict.fromkeys([*golds, *_OTHER_TITLES]))
    aside: list[Aside] = []
    for item, choices in items:
        for condition in plan.asking.conditions(item, choices, aside):
            yield _asked(condition, titles)


def known(everything: Sequence[Asked]) -> dict[bytes, Question]:
    """What is asked, by the digest of the prompt's text.

    A prompt that is the same under several conditions is one question: where names were kept under
    one of them, they stand there.

    Raises:
        NotPlanted: Two items ask the same, and what is right differs.
    """
    found: dict[bytes, Question] = {}
    for each in everything:
        digest, own = text_digest(each.condition.prompt.text), each.question
        other = found.setdefault(digest, own)
        if other.right != own.right:
            ids = f"items {other.passage.item_id} and {own.passage.item_id} of {own.task}"
            raise NotPlanted(ids, "one prompt, two answers", "ask fewer items, or mend the dataset")
        if own.passage.names_kept and not other.passage.names_kept:
            found[digest] = own
    return found


def _asked(condition: Condition, titles: Sequence[str]) -> Asked:
    shown, item = condition.prompt.item, condition.item
    task = task_named(shown.task)
    kept = (shown.text, shown.question, shown.options) == (item.text, item.question, item.options)
    passage = Passage(
        work=item.work, item_id=item.item_id, names_kept=kept, prompt=condition.prompt.prompt
    )
    questions = [
        Question(
            task=task.name,
            passage=passage,
            right=right,
            wrong={label: _wrong(shown, label, titles) for label in right},
            options=shown.options,
        )
        for right in _rights(shown)
    ]
    readable = [_right(condition, each, each.right) for each in questions]
    question = questions[readable.index(max(readable))]
    _check_wrong(condition, question)
    return Asked(
        condition=condition,
        question=question,
        units=task.mark(Answer({}), shown.gold, shown.accepted).units,
        readable=max(readable),
    )


def _rights(shown: Item) -> list[Mapping[str, str]]:
    """Right answers, in the order of preference."""
    if shown.task == "question_answering":
        return [
            {"answer": words} for words in dict.fromkeys((*shown.gold.values(), *shown.accepted))
        ]
    return [shown.gold]


def _wrong(shown: Item, label: str, titles: Sequence[str]) -> tuple[str, ...]:
    """What a wrong answer may say of a unit: other options, else other titles or other words."""
    task = task_named(shown.task)
    if shown.task == "character_guessing":
        return tuple(name for name in shown.options if name != shown.gold[label])
    if shown.task == "question_answering":
        others: Sequence[str] = tuple(dict.fromkeys(_WORD.findall(shown.text)))
    else:
        others = shown.options or tuple(titles)
    wrong = (
        each
        for each in others
        if not task.mark(Answer({label: each}), shown.gold, shown.accepted).right
    )
    return tuple(each for each, _ in zip(wrong, range(_MOST_WRONG), strict=False))


def _right(condition: Condition, question: Question, answer: Mapping[str, str]) -> int:
    """Units that the task's parser finds right in an answer, in prose or JSON: the fewer."""
    own = said(question, answer)
    texts = [own.prose]
    if condition.prompt.schema is not None:
        texts.append(fitting(condition.prompt.schema, own.values, Draw(condition.prompt.text)))
    return min(_marked(condition, text) for text in texts)


def _marked(condition: Condition, text: str) -> int:
    shown = condition.prompt.item
    task = task_named(shown.task)
    answer = task.parse(text, shown.gold, shown.options)
    return task.mark(answer, shown.gold, shown.accepted).right


def _check_wrong(condition: Condition, question: Question) -> None:
    """Wrong answers, refusals and what is garbled must have nothing right."""
    shown = condition.prompt.item
    texts = [REFUSAL, GARBLED]
    for at in range(max(map(len, question.wrong.values()), default=0)):
        answer = {label: own[at % len(own)] for label, own in question.wrong.items() if own}
        texts.append(said(question, answer).prose)
    taken = next((text for text in texts if _marked(condition, text)), None)
    if taken is not None:
        what = f"item {shown.item_id} of {shown.task} under {condition.prompt.shown.names}"
        fix = "ask other items, or mend the dataset"
        raise NotPlanted(what, f"{taken!r} is marked right, and should be wrong", fix)
