"""Whether the instrument finds planted memory: the whole pipeline, then many more subjects.

    python bench/calibration.py [STORE]

First `probe calibrate experiments/calibration.toml` as a user runs it: 200 subjects with planted
memory and 200 without, over HTTP and through the store. Then subjects of other seeds, whose replies
are parsed, marked and compared by the same code without HTTP and a store between: 2,000 at the same
setting, in ten groups of 200, and 600 each at other numbers of items. The first 200 subjects are
also done both ways, and must come to the same. With a store that has been calibrated into before,
the first part asks nothing anew and its times are left out.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from rig import measure, probe, report

from analysis.calibration import Calibrated, Group, Planted, calibrated
from analysis.contrasts import ORIGIN, Contrast
from analysis.effects import Effect, effects
from analysis.metrics import Bools, headline_and_each
from analysis.pairs import Condition, Documents
from analysis.statistics import Paired
from probe.cli.run_subjects import expected
from probe.cli.show_calibration import record
from probe.resolve import find
from probe.simulate.gold import Asked, asked, known
from probe.simulate.memory import Memory
from probe.simulate.planted import PlantedMaker
from probe.simulate.replies import Asked as Request
from probe.simulate.subjects import with_subjects
from probe.spec import read_spec
from prompts.tasks import task_named

EXPERIMENT = Path("experiments/calibration.toml")
PIPELINE = {"subjects": 200, "seed": 0}
MANY, MANY_SEED = 2_000, 1
OTHER, OTHER_SEED = 600, 2
ITEMS = (38, 228)
GROUP = 200
NR = Condition("cross_culture", "baseline")
KINDS = {"subject": Memory(), "control": replace(Memory(), known=0.0)}
_SHARED = {each.name for each in fields(Contrast)}


def pipeline(folder: Path, store: Path | None) -> dict[str, Any]:
    """What the command says, and what it took."""
    words = ["--subjects", str(PIPELINE["subjects"]), "--seed", str(PIPELINE["seed"])]
    command = probe("calibrate", EXPERIMENT, *words, "--format", "json")
    command += ["--store", str(store or folder / "store")]
    done = measure(command, log=folder / "calibrate")
    if done.returncode:
        raise SystemExit(done.stderr)
    verdict = [line for line in done.stderr.splitlines() if line.startswith(("Verdict", "- "))]
    took = {"wall (s)": done.wall_s, "CPU with its endpoints (s)": done.cpu_s}
    return {
        "command": f"probe calibrate {EXPERIMENT} {' '.join(words)}",
        **({} if store else took),
        "contrasts": json.loads(done.stdout),
        "verdict": verdict,
    }


class Design:
    """The experiment with some number of items, whose subjects are asked in this process."""

    def __init__(self, items: int = 0) -> None:
        spec = with_subjects(read_spec(EXPERIMENT), ["subject"], items=items)
        self.name = spec.name
        self.seed = spec.seed
        self.everything = list(asked(find(spec, EXPERIMENT, lambda *_: None)))
        self.questions = known(self.everything)
        self._marked: dict[tuple[str, str], list[float]] = {}
        by_item: dict[str, dict[str, Asked]] = {}
        for each in self.everything:
            condition = each.condition
            own = by_item.setdefault(condition.item.item_id, {})
            own[condition.prompt.shown.names] = each
        # As the store orders documents.
        self.items = [by_item[item] for item in sorted(by_item) if len(by_item[item]) == 2]

    def group(self, kind: str, count: int, seed: int) -> Group:
        """Subjects of a kind and what is found of each."""
        memory = KINDS[kind]
        maker = PlantedMaker(self.questions, self.name, memory, seed)
        return Group(
            name=kind,
            limit=None,
            planted=Planted.of(expected(self.everything, memory)),
            contrasts=[
                self._contrast(maker, f"{kind}-{number:03d}") for number in range(1, count + 1)
            ],
        )

    def _contrast(self, maker: PlantedMaker, subject: str) -> Contrast:
        sides = [
            np.array([self._sums(maker, item[names], subject) for item in self.items])
            for names in (ORIGIN.names, NR.names)
        ]
        nothing: Bools = np.array([False])
        pooling = headline_and_each(~nothing, nothing, every_metric=False)
        items = [item[ORIGIN.names].condition.item for item in self.items]
        own = Documents(
            metrics=("accuracy",),
            paired=Paired(a=sides[0][:, None, :], b=sides[1][:, None, :], pooling=pooling),
            works=tuple(item.work for item in items),
            scenes=tuple(item.scene or item.item_id for item in items),
        )
        rng = np.random.default_rng([self.seed, int.from_bytes(subject.encode()[-8:], "big")])
        (effect,) = effects(own, None, rng)
        return _contrast(effect, self.items[0][ORIGIN.names], subject)

    def _sums(self, maker: PlantedMaker, each: Asked, subject: str) -> list[float]:
        """What a reply adds, by the task's own parser and marking; a refusal says nothing."""
        shown = each.condition.prompt.item
        request = Request(
            chat=True,
            model=subject,
            text=each.condition.prompt.text,
            choices=1,
            max_tokens=None,
            logprobs=None,
            body={},
        )
        made, task = maker.make(request, 0), task_named(shown.task)
        text = "" if made.refused else made.text
        known_before = self._marked.get((request.text, text))
        if known_before is None:
            answer = task.parse(text, shown.gold, shown.options)
            marked = task.mark(answer, shown.gold, shown.accepted)
            known_before = [float(marked.right), float(marked.units), 0.0, 0.0]
            self._marked[request.text, text] = known_before
        return known_before


def _contrast(effect: Effect, each: Asked, subject: str) -> Contrast:
    item, manner = each.condition.item, each.condition.prompt.manner
    found = {name: getattr(effect, name) for name in _SHARED if hasattr(effect, name)}
    return Contrast(
        **found,
        task=item.task,
        dataset=item.dataset,
        choices=each.condition.choices,
        wording=manner.wording.name,
        descriptions=manner.descriptions,
        model=subject,
        contrast="origin - NR",
        a=ORIGIN,
        b=NR,
        p_holm=effect.p,
    )


def in_groups(group: Group) -> Iterator[Calibrated]:
    """The same group as several of 200."""
    for start in range(0, len(group.contrasts), GROUP):
        part: Sequence[Contrast] = group.contrasts[start : start + GROUP]
        yield from calibrated(replace(group, contrasts=part))


def summary(found: Calibrated) -> dict[str, Any]:
    """The numbers of one contrast."""
    kept = (
        "group", "items", "clusters", "planted", "mean", "bias", "bias_error", "subjects",
        "undefined", "held", "coverage", "coverage_interval_low", "coverage_interval_high",
        "width", "significant_share", "significant_interval_low", "significant_interval_high",
    )  # fmt: skip
    said = record(found)
    return {name: said[name] for name in kept}


def many(items: int, count: int, seed: int) -> dict[str, Any]:
    """Both kinds of subjects, without HTTP and a store."""
    design, found = Design(items), {}
    for kind in KINDS:
        group = design.group(kind, count, seed)
        (whole,) = calibrated(group)
        parts = list(in_groups(group))
        found[kind] = {
            **summary(whole),
            f"coverage in groups of {GROUP}": [part.coverage for part in parts],
            f"significant in groups of {GROUP}": [part.significant_share for part in parts],
        }
    return found


def both_ways(contrasts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The pipeline's subjects without HTTP and a store: the means must be equal."""
    design, found = Design(), {}
    for kind, theirs in zip(KINDS, contrasts, strict=True):
        (ours,) = calibrated(design.group(kind, PIPELINE["subjects"], PIPELINE["seed"]))
        if abs((ours.mean or 0.0) - theirs["mean"]) > 1e-12:
            raise SystemExit(f"{kind}: {ours.mean} without a store, {theirs['mean']} with one")
        found[kind] = summary(ours)
    return found


def main() -> None:
    """Measure and report."""
    found: dict[str, Any] = {"memory": _settings()}
    with tempfile.TemporaryDirectory() as name:
        store = Path(sys.argv[1]) if len(sys.argv) > 1 else None
        found["pipeline"] = pipeline(Path(name), store)
    sys.stderr.write("the pipeline is done\n")
    found["the same subjects without HTTP"] = both_ways(found["pipeline"]["contrasts"])
    found[f"{MANY} subjects of seed {MANY_SEED}"] = many(0, MANY, MANY_SEED)
    for items in ITEMS:
        found[f"{items} items, {OTHER} subjects of seed {OTHER_SEED}"] = many(
            items, OTHER, OTHER_SEED
        )
        sys.stderr.write(f"{items} items are done\n")
    report("calibration", found)


def _settings() -> dict[str, float]:
    return {each.name: getattr(Memory(), each.name) for each in fields(Memory)}


if __name__ == "__main__":
    main()
