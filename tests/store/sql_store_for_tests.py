"""A store of drawn replies: the same for the same size, small for the docs and large for the bench.

Three tasks with measures of their own, two models, twelve conditions. Now and then a reply is
refused, cut or holds no answer, a cell fails, an attempt is in vain. Nothing is asked of a model.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from store.keys import canonical
from store.rows import (
    AttemptRow,
    CellRow,
    ExperimentRow,
    FailureRow,
    ItemRow,
    LikelihoodRow,
    ModelRow,
    PromptRow,
    RepeatRow,
    ReplyRow,
    Row,
    RunRow,
    ScoreRow,
    SetAsideRow,
)

NAMES: Final = ("original", "masked", "same_culture", "cross_culture")
PROMPTS: Final = ("baseline", "verbatim", "gist")
MODELS: Final = ("large", "small")
WORKS: Final = (
    "Dracula", "Emma", "Hamlet", "Macbeth", "Persuasion", "Pride and Prejudice", "The Tempest",
    "Wuthering Heights",
)  # fmt: skip
TASKS: Final = ("character_guessing", "coreference", "source_identification")
CAST: Final = ("Ann", "Bob", "Cy")
BEGAN: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RUN: Final = "20260102T030405-00000000"
PLAN: Final = hashlib.sha256(b"drawn").hexdigest()
_WORDS: Final = ("the", "captain", "walked", "slowly", "towards", "an", "open", "window", "and")
_SKILL: Final = {"original": 0.75, "masked": 0.45, "same_culture": 0.6, "cross_culture": 0.55}
_TOKENS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How much of everything.

    Attributes:
        items: Items (count).
        samples: Of each cell (count).
        words: Of each passage (count).
        every: Of how many cells one is asked again, and one has a likelihood (count).
    """

    items: int
    samples: int
    words: int
    every: int

    @property
    def cells(self) -> int:
        """Cells of the design (count)."""
        return self.items * len(NAMES) * len(PROMPTS) * len(MODELS) * self.samples


SMALL: Final = Design(items=24, samples=3, words=12, every=60)
"""Of the docs."""


@dataclass
class Drawing:
    """Draws the rows of one experiment, an item at a time."""

    design: Design
    rng: random.Random = field(default_factory=lambda: random.Random(7))
    number: int = 0

    def head(self) -> Iterator[Row]:
        """The experiment, its models and its one run."""
        yield ExperimentRow(
            experiment_id=PLAN,
            experiment="drawn",
            seed=1,
            spec="name = 'drawn'",
            cells=self.design.cells,
            planned_at=BEGAN,
        )
        for model in MODELS:
            yield ModelRow(
                experiment_id=PLAN, model=model, provider="openai", identity="{}", note=None
            )
        yield RunRow(run_id=RUN, experiment_id=PLAN, started_at=BEGAN, provenance="{}")

    def item(self, at: int) -> Iterator[Row]:
        """An item and all that hangs on it."""
        task, work = TASKS[at % len(TASKS)], WORKS[at % len(WORKS)]
        gold: dict[str, str] = {"title": work}
        if task == "character_guessing":
            gold = {f"P{place}": name for place, name in enumerate(CAST)}
        item = ItemRow(
            item_hash=_hash(f"item {at}")[:32],
            task=task,
            dataset="excerpts",
            item_id=f"item-{at:05}",
            work=work,
            text=self._text(self.design.words),
            gold=canonical(gold),
            accepted="[]",
            options=canonical(list(CAST if task == "character_guessing" else WORKS)),
            cast="[]",
            culture="english",
            notes="[]",
            question="",
            spans="[]",
            scene=f"scene {at // 4}",
            document="",
            part=0,
            parts=1,
            flags="[]",
        )
        yield item
        if at % 10 == 3:
            yield SetAsideRow(
                experiment_id=PLAN, task=task, dataset="excerpts", item_id=item.item_id,
                names="same_culture", reason="too few names of that culture",
            )  # fmt: skip
        for names in NAMES:
            for prompt in PROMPTS:
                yield from self._prompt(item, names, prompt)

    def _prompt(self, item: ItemRow, names: str, prompt: str) -> Iterator[Row]:
        changed = names != "original"
        leaks = {"Ann": 2} if changed and self.rng.random() < 0.05 else {}
        shown = PromptRow(
            prompt_hash=_hash(f"{item.item_id} {names} {prompt}")[:32],
            item_hash=item.item_hash,
            names=names,
            prompt=prompt,
            choices="open" if item.task == "coreference" else "options",
            text=item.text,
            gold=item.gold,
            accepted="[]",
            options=item.options,
            chance=_CHANCE[item.task],
            name_map="{}",
            replaced=self.rng.randrange(1, 20) if changed else 0,
            leaks=canonical(leaks),
            suspects="{}",
            wording="own",
            descriptions="none",
            titles="{}",
            places='{"Longbourn":1}' if self.rng.random() < 0.02 else "{}",
            phrases="{}",
            names_at="[[0, 11]]",
        )
        yield shown
        for model in MODELS:
            for sample in range(self.design.samples):
                yield from self._cell(item, shown, model, sample)

    def _cell(self, item: ItemRow, shown: PromptRow, model: str, sample: int) -> Iterator[Row]:
        self.number += 1
        key = _hash(f"{shown.prompt_hash} {model} {sample}")
        cell = CellRow(
            experiment_id=PLAN,
            cell_id=key[:20],
            key=key,
            prompt_hash=shown.prompt_hash,
            model=model,
            sample=sample,
            ordinal=self.number,
            is_first=True,
        )
        yield cell
        at = BEGAN + timedelta(milliseconds=20 * self.number)
        latency = 0.2 + 2 * self.rng.random() ** 4
        tries = 2 if self.rng.random() < 0.02 else 1
        for attempt in range(1, tries + 1):
            last = attempt == tries
            yield AttemptRow(
                key=key,
                run_id=RUN,
                attempt=attempt,
                started_at=at,
                latency_s=latency,
                status=200 if last else 429,
                error_kind=None if last else "rate_limited",
                error=None if last else "slow down",
                usd=1e-5 if last else None,
                usd_at_most=None,
            )
        if self.rng.random() < 0.002:
            yield FailureRow(
                key=key, run_id=RUN, attempts=3, kind="timeout", error="no reply in 60 s",
                permanent=False, failed_at=at,
            )  # fmt: skip
        else:
            yield from self._reply(item, cell, shown, (at, latency, tries))

    def _reply(
        self, item: ItemRow, cell: CellRow, shown: PromptRow, when: tuple[datetime, float, int]
    ) -> Iterator[Row]:
        at, latency, tries = when
        draw = self.rng.random()
        outcome = "refused" if draw < 0.01 else "truncated" if draw < 0.02 else "ok"
        unparsed = {"refused": "the model refused", "truncated": "cut before the answer"}.get(
            outcome, "no answer found" if draw < 0.03 else None
        )
        skill = _SKILL[shown.names] + 0.1 * (shown.prompt == "gist") * (shown.names != "original")
        score = self._score(item, cell, shown, skill - 0.15 * (cell.model == "small"), unparsed)
        text = unparsed or score.answer or ""
        yield ReplyRow(
            key=cell.key,
            run_id=RUN,
            outcome=outcome,
            text=text,
            finish_reason="length" if outcome == "truncated" else "stop",
            served_model=f"{cell.model}-2026",
            fingerprint="fp_1",
            prompt_tokens=self.design.words * 4 // 3 + 100,
            reply_tokens=len(text) // 4 + 1,
            attempts=tries,
            latency_s=latency,
            received_at=at,
            raw=_RAW.replace("TEXT", text.replace('"', '\\"')).replace("KEY", cell.key[:24]),
        )
        yield score
        if self.number % self.design.every == 0:
            same = self.rng.random() < 0.9
            yield RepeatRow(
                key=cell.key, run_id=RUN, asked_at=at, same=same, text=None if same else "other",
                served_model=f"{cell.model}-2026", fingerprint="fp_1",
            )  # fmt: skip
        if self.number % self.design.every == 1:
            yield self._likelihood(cell.key)

    def _score(
        self, item: ItemRow, cell: CellRow, shown: PromptRow, skill: float, unparsed: str | None
    ) -> ScoreRow:
        said, right, units = self._answer(item, skill)
        answer = None if unparsed else said
        right = 0 if unparsed else right
        if item.task == "coreference":
            measures = self._f1s(0.3 + 0.5 * skill)
        else:
            measures = [{"metric": "accuracy", "num": right, "den": units, "headline": True}]
        return ScoreRow(
            prompt_hash=shown.prompt_hash,
            key=cell.key,
            version=1,
            answer=answer,
            unparsed=unparsed,
            units_right=right,
            units=units,
            scored_at=BEGAN,
            measures=canonical(measures),
        )

    def _answer(self, item: ItemRow, skill: float) -> tuple[str, int, int]:
        """What is answered, how many units of it are right, and how many there are."""
        if item.task == "coreference":
            return '{"1":"0","2":"0"}', 0, 0
        if item.task == "source_identification":
            right = self.rng.random() < skill
            title = item.work if right else self.rng.choice(WORKS)
            return canonical({"title": title}), int(title == item.work), 1
        marks = [self.rng.random() < skill for _ in CAST]
        said = {f"P{at}": CAST[at] if mark else "Di" for at, mark in enumerate(marks)}
        return canonical(said), sum(marks), len(CAST)

    def _f1s(self, share: float) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for metric in ("b_cubed", "ceaf_e", "lea", "muc"):
            said, there = self.rng.randrange(5, 18), self.rng.randrange(5, 18)
            both = share * (0.5 + 0.5 * self.rng.random()) * min(said, there)
            sums = {"num": both, "den": said, "recall_num": both, "recall_den": there}
            found.append({"metric": metric, "headline": metric != "lea", **sums})
        return found

    def _likelihood(self, key: str) -> LikelihoodRow:
        offsets = tuple(range(0, self.design.words * 4, 4))[:_TOKENS]
        later = range(1, len(offsets))
        return LikelihoodRow(
            key=key,
            run_id=RUN,
            offsets=offsets,
            logprobs=(None, *(-3 * self.rng.random() for _ in later)),
            token_ids=None,
            ranks=(None, *(self.rng.randrange(1, 5) for _ in later)),
            means=None,
            variances=None,
            exact=False,
        )

    def _text(self, words: int) -> str:
        return " ".join(self.rng.choices(_WORDS, k=words))


_CHANCE: Final = {"character_guessing": 1 / 3, "coreference": None, "source_identification": 0.125}
_RAW: Final = canonical(
    {
        "id": "KEY",
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "TEXT", "refusal": None},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 400, "completion_tokens": 20, "total_tokens": 420},
    }
)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
