"""Whether the statistics of paired differences recover what was planted, design by design.

    python bench/coverage.py

Of 2,000 drawn experiments a design: how often the 95 % interval holds the planted difference, how
often the percentiles of the same draws would, and how often the test rejects at 5 % where nothing
was planted. Then what to cluster by where works are few and differ in their effects, and exact
McNemar tests. Takes some ten minutes on one core.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rig import report

from analysis.errors import Undefined
from analysis.statistics import Clusters, estimate, resampled
from tests.analysis.planted_for_tests import (
    Design,
    Planted,
    episodes,
    f1s,
    mcnemar_rejected,
    rejected,
    samples,
    speakers,
    titles,
)

EXPERIMENTS = 2_000
DESIGNS = (
    *(
        speakers(works=works, unequal=unequal)
        for works in (6, 8, 12, 30)
        for unequal in (False, True)
    ),
    *(titles(items=items) for items in (20, 60, 200)),
    *(samples(items=items) for items in (12, 40, 120)),
    *(f1s(works=works) for works in (6, 15, 30)),
    *(episodes(scenes=scenes) for scenes in (12, 30)),
)


def by_work(one: Planted) -> Clusters:
    """Clusters of works, however few."""
    return Clusters(by="work", of=np.unique(one.works, return_inverse=True)[1])


def by_item(one: Planted) -> Clusters:
    """Every item by itself."""
    return Clusters(by="item", of=np.arange(len(one.works)))


def held(
    design: Design, clusters: Callable[[Planted], Clusters] = lambda one: one.clusters
) -> dict[str, Any]:
    """How often intervals hold the planted difference."""
    ours = percentiles = undefined = 0
    width, by = 0.0, set[str]()
    for number in range(EXPERIMENTS):
        rng = np.random.default_rng([1, number])
        one = design.draw(rng, True)  # noqa: FBT003
        own = clusters(one)
        by.add(f"{own.count} {own.by}s" if own.by == "work" else f"{own.by}s")
        moving = one.paired.grouped(own.of)
        drawn = resampled(moving, rng)
        try:
            interval = estimate(drawn, moving, 0, own.by).interval
        except Undefined:
            undefined += 1
            continue
        low, high = np.nanquantile(drawn[1, :, 0], [0.025, 0.975])
        ours += interval.low <= design.truth <= interval.high
        percentiles += low <= design.truth <= high
        width += interval.high - interval.low
    defined = EXPERIMENTS - undefined
    return {
        "clusters": ", ".join(sorted(by)),
        "interval holds": ours / defined,
        "percentiles hold": percentiles / defined,
        "width": width / defined,
        "undefined": undefined,
    }


def few_works(works: int) -> dict[str, Any]:
    """What becomes of the truth about all works if so few are resampled, or their items are."""
    design = speakers(works=works, unequal=True)
    return {"by work": held(design, by_work), "by item": held(design, by_item)}


def main() -> None:
    """Measure and report."""
    report(
        "coverage",
        {
            "experiments": EXPERIMENTS,
            "designs": {
                each.name: {**held(each), "test rejects": rejected(each, EXPERIMENTS, 1_999)}
                for each in DESIGNS
            },
            "works of unequal size, few": {
                str(works): few_works(works) for works in (2, 3, 4, 5, 6, 8)
            },
            "exact McNemar rejects, by items": {
                str(items): mcnemar_rejected(items, EXPERIMENTS)
                for items in (20, 40, 100, 400, 2_000)
            },
        },
    )


if __name__ == "__main__":
    main()
