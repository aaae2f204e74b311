"""The paper's contrasts: what changing the names costs and what a prompt changes, item by item.

Source: memorization paper, sections 4 to 6 and Table 3. The paper prints differences of unpaired
means without intervals; here the same items stand on both sides, and what is not independent moves
together: a document with its windows and samples, and the documents of a scene or work.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import groupby
from typing import Final

import numpy as np

from analysis.effects import HEADLINE, Effect, effects, mean_effect
from analysis.errors import BadRequest
from analysis.pairs import Compared, Condition, Place, asked, documents, gaps
from analysis.statistics import Interval, holm
from store.read import Source

ORIGIN: Final = Condition("original", "baseline")
NR: Final = "cross_culture"
"""The name strategy that stands for changed names where no other is asked for."""
ALL_TASKS: Final = "all tasks"
MEMORY_TASKS: Final = frozenset(
    {
        "control_test",
        "decop",
        "extraction",
        "guided_instruction",
        "lowercase_likelihood",
        "name_cloze",
        "output_distribution",
        "passage_likelihood",
        "prefix_continuation",
        "source_identification",
    }
)
"""Tasks that ask what is remembered, not what is understood: no part of the mean over tasks."""
_NAMES: Final = ("original", "masked", "same_culture", "cross_culture")
"""The papers' strategies, in the order of the tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One paired difference of a metric between two conditions.

    Every value is a fraction, not in percentage points. What is None is undefined, and `undefined`
    says why, but for what says so itself.

    Attributes:
        task: Or "all tasks", the mean of a model's tasks but for those of memory: each weighs
            alike, and within it each of its datasets, choices and descriptions, which then read
            "all".
        contrast: "origin - NR", "NR - NR+GIST", or "verbatim - baseline (masked)" and the like.
        a: The first condition.
        b: The second.
        metric: "headline", the mean of the task's headline metrics, or one metric's name.
        value_a: Under the first condition.
        difference: `value_a` less `value_b`.
        interval: 95 %, by the bootstrap's standard error and t.
        undefined: Why there is no interval.
        p: Of no difference, two-sided; None only where there are fewer than 2 items.
        test: "exact McNemar" where every document is one answer that is right or wrong and moves
            alone, else "sign-flip permutation" of the clusters.
        p_holm: `p` adjusted for all headline contrasts of the experiment (a condition pair that
            goes by two names counts once); None for single metrics.
        share: `difference` over `value_a`; None also where that is 0.
        share_interval: 95 % (Fieller); None also where `value_a` cannot be told from 0.
        lowest: The difference over all items asked under both conditions if every missing answer
            were wrong under the first and right under the second. A right answer has all of what
            such answers have on average of that item, a wrong one none; in an F1 a missing answer
            says as many things as there are to find. None where a metric is not within [0, 1].
        highest: The other way round.
        missing: Cells of the two conditions without a score (count).
        items: Documents with answers under both conditions (count).
        differing: Documents that do not do alike under both (count).
        clusters: What is resampled and flipped (count).
        clustered_by: "work", "scene" or "item"; see `analysis.statistics.clustered`.
        needed: Documents that would show such a difference with a chance of 80 % (count).
        detectable: The smallest difference that this many documents show with that chance.
    """

    task: str
    dataset: str
    choices: str
    wording: str
    descriptions: str
    model: str
    contrast: str
    a: Condition
    b: Condition
    metric: str
    value_a: float | None
    value_b: float | None
    difference: float | None
    interval: Interval | None
    undefined: str | None
    p: float | None
    test: str | None
    p_holm: float | None
    share: float | None
    share_interval: Interval | None
    lowest: float | None
    highest: float | None
    missing: int
    items: int
    differing: int
    clusters: int
    clustered_by: str
    needed: int | None
    detectable: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingSpread:
    """How one difference varies with the wording of the instructions.

    Attributes:
        wordings: With a difference (count, at least 2).
        mean: Of the wordings' differences.
        spread: Their standard deviation.
        lowest: The least of them.
        highest: The greatest.
    """

    task: str
    dataset: str
    choices: str
    descriptions: str
    model: str
    contrast: str
    metric: str
    wordings: int
    mean: float
    spread: float
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """An effect, and where it was found."""

    place: Place
    name: str
    pair: Compared
    effect: Effect

    @property
    def tested(self) -> tuple[Place, frozenset[Condition]] | None:
        """What its p is of, whichever way round and by whichever name; None for single metrics."""
        if self.effect.metric != HEADLINE:
            return None
        return self.place, frozenset((self.pair.a, self.pair.b))


def contrasts(
    source: Source, experiment: str, seed: int, *, nr: str = NR, every_metric: bool = False
) -> list[Contrast]:
    """Every contrast between conditions that an experiment asks, by task, dataset and model.

    Args:
        source: The store.
        experiment: Its name.
        seed: Of all draws. Each contrast has a stream of its own, which no other changes.
        nr: The name strategy that "NR" stands for; not asked, such contrasts are absent.
        every_metric: Whether each metric has a contrast of its own, after the headline's.

    Returns:
        Sorted by task, dataset, choices, model, wording and descriptions; the means over tasks
        last. A pair of conditions without common items is there and undefined, as long as either
        has a score; tasks in which nothing is right or wrong have no contrasts.
    """
    held = asked(source, experiment)
    names = {each.names for conditions in held.values() for each in conditions}
    pairs = {
        name: pair
        for name, pair in _named_pairs(names, nr).items()
        if any(_comparable(own, pair) for own in held.values())
    }
    if not pairs:
        return []
    compared = list(pairs.values())
    paired = documents(source, experiment, compared, every_metric=every_metric)
    lacking = gaps(source, experiment, compared, every_metric=every_metric)
    found: list[_Found] = []
    for name, pair in pairs.items():
        for place in (place for place, own in held.items() if _comparable(own, pair)):
            rng = stream_of(seed, place, pair)
            own = effects(paired.get((place, pair)), lacking.get((place, pair)), rng)
            found += [_Found(place=place, name=name, pair=pair, effect=each) for each in own]
    found.sort(key=lambda each: each.place)
    found += _over_tasks(found, seed)
    return _adjusted(found)


def spread_over_wordings(found: Sequence[Contrast]) -> list[WordingSpread]:
    """Of each contrast that was asked in several wordings, how its difference varies with them."""

    def place(each: Contrast) -> tuple[str, ...]:
        return (
            each.task, each.dataset, each.choices, each.descriptions, each.model,
            each.contrast, each.metric,
        )  # fmt: skip

    spreads = []
    for own, group in groupby(sorted(found, key=place), key=place):
        differences = [each.difference for each in group if each.difference is not None]
        if len(differences) > 1:
            task, dataset, choices, descriptions, model, contrast, metric = own
            spreads.append(
                WordingSpread(
                    task=task,
                    dataset=dataset,
                    choices=choices,
                    descriptions=descriptions,
                    model=model,
                    contrast=contrast,
                    metric=metric,
                    wordings=len(differences),
                    mean=float(np.mean(differences)),
                    spread=float(np.std(differences, ddof=1)),
                    lowest=min(differences),
                    highest=max(differences),
                )
            )
    return spreads


def _named_pairs(names: Collection[str], nr: str) -> dict[str, Compared]:
    if nr == ORIGIN.names:
        raise BadRequest(
            f"NR cannot stand for {nr!r}, which changes no name; give another strategy"
        )
    changed = Condition(nr, "baseline")
    found = {
        "origin - NR": Compared(ORIGIN, changed),
        "NR - NR+GIST": Compared(changed, Condition(nr, "gist")),
    }
    for prompt in ("verbatim", "gist"):
        for each in (*(own for own in _NAMES if own in names), *sorted(set(names) - set(_NAMES))):
            pair = Compared(Condition(each, prompt), Condition(each, "baseline"))
            found[f"{prompt} - baseline ({each})"] = pair
    return found


def _comparable(own: Mapping[Condition, int], pair: Compared) -> bool:
    return pair.a in own and pair.b in own and own[pair.a] + own[pair.b] > 0


def stream_of(seed: int, place: Place, pair: Compared) -> np.random.Generator:
    """The draws of one contrast.

    The same whichever way round, so that a pair of two names has one interval and p.
    """
    words = sorted(f"{each.names} {each.prompt}" for each in (pair.a, pair.b))
    return _stream(seed, *astuple(place), *words)


def stream_over_tasks(seed: int, model: str, wording: str, name: str) -> np.random.Generator:
    """The draws of the mean over a model's tasks of one contrast, by its name."""
    return _stream(seed, model, wording, name)


def _stream(seed: int, *words: str) -> np.random.Generator:
    """Draws of their own for everything that is drawn for."""
    return np.random.default_rng([seed, zlib.crc32("\n".join(words).encode())])


def _over_tasks(found: Sequence[_Found], seed: int) -> Iterator[_Found]:
    """The mean of each model's tasks, by wording and contrast, where there are at least two."""
    groups: dict[tuple[str, str, str], list[_Found]] = {}
    for each in found:
        if each.effect.metric == HEADLINE and each.place.task not in MEMORY_TASKS:
            own = each.place.model, each.place.wording, each.name
            groups.setdefault(own, []).append(each)
    for (model, wording, name), own_parts in groups.items():
        parts = [(each.place.task, each.effect) for each in own_parts]
        if len({task for task, _ in parts}) > 1:
            effect = mean_effect(parts, stream_over_tasks(seed, model, wording, name))
            place = Place(ALL_TASKS, "all", "all", model, wording, "all")
            yield replace(own_parts[0], place=place, effect=effect)


def _adjusted(found: Sequence[_Found]) -> list[Contrast]:
    """The contrasts, with their p adjusted for the family of all headlines."""
    p_of = {
        tested: each.effect.p
        for each in found
        if (tested := each.tested) is not None and each.effect.p is not None
    }
    adjusted = dict(zip(p_of, holm(list(p_of.values())), strict=True))
    return [_contrast(each, adjusted.get(each.tested) if each.tested else None) for each in found]


def _contrast(found: _Found, p_holm: float | None) -> Contrast:
    effect, place = found.effect, found.place
    return Contrast(
        task=place.task,
        dataset=place.dataset,
        choices=place.choices,
        wording=place.wording,
        descriptions=place.descriptions,
        model=place.model,
        contrast=found.name,
        a=found.pair.a,
        b=found.pair.b,
        metric=effect.metric,
        value_a=effect.value_a,
        value_b=effect.value_b,
        difference=effect.difference,
        interval=effect.interval,
        undefined=effect.undefined,
        p=effect.p,
        test=effect.test,
        p_holm=p_holm,
        share=effect.share,
        share_interval=effect.share_interval,
        lowest=effect.lowest,
        highest=effect.highest,
        missing=effect.missing,
        items=effect.items,
        differing=effect.differing,
        clusters=effect.clusters,
        clustered_by=effect.clustered_by,
        needed=effect.needed,
        detectable=effect.detectable,
    )
