"""Stores of passages whose every likelihood is planted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from prompts.likelihood import Likelihood
from prompts.tasks.base import Marked
from prompts.tasks.extraction import EXTRACTION
from prompts.tasks.lowercase_likelihood import LOWERCASE_LIKELIHOOD, lowered
from prompts.tasks.passage_likelihood import PASSAGE_LIKELIHOOD
from store.insert import insert
from store.read import Connection
from store.rows import LikelihoodRow, Row
from tests.store.rows_for_tests import (
    RUN,
    cell_row,
    experiment_row,
    item_row,
    model_row,
    prompt_row,
    reply_row,
    score_row,
)

WORDS = (
    "the a lamp river quiet under stone went slowly over and then nobody knew why it had been left"
    " there so long beside that old grey wall where some small birds came each day for bread"
).split()
OTHERS = {"cross_culture": "Okonkwo", "same_culture": "Hattie", "masked": "P0"}
"""What stands for the one name of every passage, Agnes, by strategy."""
TASKS = {
    "passage_likelihood": PASSAGE_LIKELIHOOD,
    "lowercase_likelihood": LOWERCASE_LIKELIHOOD,
    "extraction": EXTRACTION,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One passage and how likely a model finds it.

    Attributes:
        logprobs: Of each token, by what it is read under: a strategy of names, "lower" or
            "extraction".
        kind: "well_known", "little_known" or nothing.
    """

    item: str
    work: str
    kind: str
    text: str
    logprobs: Mapping[str, Sequence[float | None]]
    model: str = "m"
    scene: str | None = None
    spread: tuple[Sequence[float], Sequence[float]] | None = None
    exact: bool = True


def offsets(text: str) -> list[int]:
    """Each word is a token, with the blank before it."""
    ends = [at for at, letter in enumerate(text) if letter == " "]
    return [0, *ends]


def name_at(text: str, name: str) -> list[list[int]]:
    start = text.index(name)
    return [[start, start + len(name)]]


def put(connection: Connection, passages: Sequence[Known], experiment: str = "small") -> None:
    """Insert an experiment with these passages, scored by their tasks."""
    plan = f"plan of {experiment}"
    insert(connection, [experiment_row(plan, experiment=experiment)])
    for model in dict.fromkeys(each.model for each in passages):
        insert(connection, [replace(model_row(model), experiment_id=plan)])
    seen: set[str] = set()
    rows: dict[type[Row], list[Row]] = {}
    for each in passages:
        for row in _rows(each, plan):
            own = getattr(row, "prompt_hash", "") if hasattr(row, "item_hash") else ""
            name = f"{type(row).__name__} {own or getattr(row, 'item_hash', '')}"
            if hasattr(row, "item_hash") and name in seen:
                continue
            seen.add(name)
            rows.setdefault(type(row), []).append(row)
    for kind in rows.values():
        insert(connection, kind)


def _rows(each: Known, plan: str) -> Iterator[Row]:
    for under, logprobs in each.logprobs.items():
        task = {"lower": "lowercase_likelihood", "extraction": "extraction"}.get(
            under, "passage_likelihood"
        )
        names = "original" if under in {"lower", "extraction"} else under
        name = OTHERS.get(under, "Agnes")
        text = each.text.replace("Agnes", name)
        text = lowered(text) if under == "lower" else text
        places = name_at(text, name.lower() if under == "lower" else name)
        item = replace(
            item_row(f"{task} {each.item}", task=task),
            item_id=each.item,
            dataset="play_passages",
            work=each.work,
            scene=each.scene,
            flags=json.dumps([each.kind] if each.kind else []),
        )
        prompt = replace(
            prompt_row(f"{task} {each.item}", names),
            text=text,
            gold="{}",
            choices="open",
            names_at=json.dumps(places),
        )
        cell = cell_row(prompt, experiment_id=plan, model=each.model)
        means, variances = each.spread or ((), ())
        likelihood = Likelihood(
            offsets=tuple(offsets(text)),
            logprobs=tuple(logprobs),
            means=tuple(means),
            variances=tuple(variances),
            exact=each.exact,
        )
        marked = TASKS[task].measure(likelihood, text, [(places[0][0], places[0][1])])
        yield from (item, prompt, cell, reply_row(cell.key, text=None))
        yield LikelihoodRow(
            key=cell.key,
            run_id=RUN,
            offsets=likelihood.offsets,
            logprobs=likelihood.logprobs,
            token_ids=None,
            ranks=None,
            means=likelihood.means or None,
            variances=likelihood.variances or None,
            exact=each.exact,
        )
        yield replace(score_row(cell, 0, units=0), measures=_measures(marked))


def _measures(marked: Marked) -> str:
    return json.dumps([asdict(each) for each in marked.measures])


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """Passages of two kinds in several works, with what is true of them.

    Attributes:
        gap: What well-known passages lose with other names, nats a token outside names.
        common: What passages of either kind lose.
        likelier: How much likelier well-known passages are under their own names.
    """

    works: int = 8
    each: int = 4
    gap: float = 0.4
    common: float = 0.1
    likelier: float = 0.0
    models: tuple[str, ...] = ("m",)
    artefact: str = ""


def planted(own: Planted, seed: int = 0) -> list[Known]:
    """Passages of 60 words, a token each, with the truth that is asked for."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(own.works * own.each * 2):
        kind = "well_known" if number % 2 else "little_known"
        known = kind == "well_known"
        words = list(rng.choice(WORDS, 120))
        words[20] = "Agnes"
        if known and own.artefact:
            words[40] = own.artefact
        text = " ".join(words).capitalize().replace("agnes", "Agnes")
        for model in own.models:
            base = rng.normal(-3.0, 1.0, 120).clip(max=-0.01) + own.likelier * known
            base = base.clip(max=-0.001) + rng.normal(0, 0.1)
            lost = own.common + own.gap * known
            noise = rng.normal(0, 0.3, (3, 120))
            under: dict[str, Sequence[float | None]] = {"original": [None, *base[1:].tolist()]}
            for at, names in enumerate(OTHERS):
                under[names] = [None, *(base - lost + noise[at])[1:].tolist()]
            under["lower"] = [None, *(base - 0.5 + noise[0] - 0.2 * known)[1:].tolist()]
            under["extraction"] = under["original"]
            found.append(
                Known(
                    item=f"i{number:03}",
                    work=f"Work {number // 2 % own.works}",
                    kind=kind,
                    text=text,
                    logprobs=under,
                    model=model,
                    scene=f"scene {number}",
                    spread=((base - 0.3).tolist(), np.full(120, 2.0).tolist()),
                )
            )
    return found
