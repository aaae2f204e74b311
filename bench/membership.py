"""Whether intervals of AUC and TPR hold what was planted, and what a blind baseline tells of noise.

    python bench/membership.py

Scores are normal, those of known passages higher by a shift; in works that lie higher or lower as
a whole, and differ in the shift. Of 1,000 drawn samples a design: how often 95 % intervals hold the
truth, which is the mean of 2,000 samples more. Then the AUC of the text-only classifiers over
passages of words by chance. Takes some ten minutes on one core.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from rig import report

from analysis.membership import Estimated, Labelled, blind_by_length, blind_by_words, detect
from analysis.membership.detection import curve
from tests.analysis.memory_for_tests import WORDS

SAMPLES = 1_000
TRUTHS = 2_000
TEXTS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Passages of each kind, and how far they lie apart.

    Attributes:
        works: 0 for passages that stand alone.
        apart: Standard deviation of the shift over works.
    """

    each: int
    shift: float
    works: int = 0
    apart: float = 0.0

    def draw(self, *seed: int) -> Labelled:
        """One sample."""
        rng = np.random.default_rng(seed)
        number = np.arange(2 * self.each)
        member = number % 2 == 1
        scores = rng.normal(size=len(number)) + self.shift * member
        work = number // 2 % max(1, self.works)
        if self.works:
            scores += rng.normal(0, 0.3, self.works)[work]
            scores += rng.normal(0, self.apart, self.works)[work] * member
        return Labelled(
            scores=scores,
            member=member,
            works=tuple(map(str, work)),
            scenes=tuple(map(str, number)),
        )


DESIGNS = (
    *(Design(each=each, shift=shift) for each in (6, 20, 60, 200) for shift in (0.0, 1.0, 2.0)),
    *(Design(each=8 * works, shift=1.0, works=works, apart=0.3) for works in (6, 12, 30)),
)


def held(design: Design) -> dict[str, Any]:
    """How often intervals hold the truth."""
    truths = [design.draw(9, number) for number in range(TRUTHS)]
    curves = [curve(own.scores, own.member, np.ones((1, len(own.member)))) for own in truths]
    auc = float(np.mean([own.auc[0] for own in curves]))
    tpr = float(np.mean([own.tpr[0.05][0] for own in curves]))
    found = []
    for number in range(SAMPLES):
        rng = np.random.default_rng([2, number])
        found.append(detect(design.draw(1, number), rng, draws=1_000))
    return {
        "AUC": auc,
        "AUC's interval holds": _share([own.auc for own in found], auc),
        "TPR at 5 %": tpr,
        "TPR's interval holds": _share([own.tpr[0.05] for own in found], tpr),
        "clusters": found[0].clustered_by,
    }


def _share(numbers: list[Estimated], truth: float) -> dict[str, Any]:
    known = [own.interval for own in numbers if own.interval is not None]
    holds = sum(own.low <= truth <= own.high for own in known)
    return {
        "share": holds / len(known) if known else None,
        "undefined": len(numbers) - len(known),
    }


def blind(*, unequal: bool) -> dict[str, Any]:
    """Mean AUC of text-only classifiers where there is nothing to tell: 8 works of 14 passages.

    Args:
        unequal: Whether half the works have 13 of one kind and 1 of the other, and half the other
            way round; else 7 of each.
    """
    judges = {"words": blind_by_words, "length and zlib": blind_by_length}
    found: dict[str, list[float]] = {name: [] for name in judges}
    for number in range(TEXTS):
        rng = np.random.default_rng([5, number])
        texts = [" ".join(rng.choice(WORDS, 60)) for _ in range(8 * 14)]
        place, work = np.arange(8 * 14) % 14, np.arange(8 * 14) // 14
        member = place < np.where(work % 2, 1, 13) if unequal else place % 2 == 1
        for name, judge in judges.items():
            scores = judge(texts, member, [str(each) for each in work])
            whole = curve(scores, member, np.ones((1, len(member))))
            found[name].append(float(whole.auc[0]))
    return {
        name: {"mean": float(np.mean(own)), "standard deviation": float(np.std(own, ddof=1))}
        for name, own in found.items()
    }


def main() -> None:
    """Measure and report."""
    report(
        "membership",
        {
            "samples": SAMPLES,
            "designs": {str(each): held(each) for each in DESIGNS},
            "blind, AUC by chance": {
                "works alike": blind(unequal=False),
                "works unlike": blind(unequal=True),
            },
        },
    )


if __name__ == "__main__":
    main()
