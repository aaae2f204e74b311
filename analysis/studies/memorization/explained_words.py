"""What each number of the study's tables is, in words."""

from __future__ import annotations

from typing import Final

from analysis.explain.explanation import Definition, Explanation, Numbers
from analysis.explain.metrics import told_metric
from analysis.statistics import DRAWS, FLIPS
from analysis.studies.memorization.rows import ALL_TASKS
from analysis.studies.scores import Score

_SOURCES: Final = {
    "3": "memorization paper, section 6.3 and Table 3",
    "Figure 2": "memorization paper, section 4.3 and Figure 2",
    "Figure 3": "memorization paper, section 5.1 and Figure 3",
    "Figure 4": "memorization paper, section 5.2 and Figure 4",
    "Figure 5": "memorization paper, section 6.3 and Figure 5 (worked out from Table 3)",
    "descriptions": "memorization paper, section 5.2",
    "wordings": "ours, over the wordings of the instructions; Table 3 for the columns",
}
_POOLED: Final = (
    "for each headline metric sum(num) / sum(den) over the documents, or the F1 of that and of"
    " sum(recall_num) / sum(recall_den); then the mean over the metrics"
)
_RESAMPLED: Final = (
    f"95 %: t times the bootstrap's standard error of {DRAWS:,} resamples of whole clusters: works"
    " where there are at least six, else scenes, else documents (Efron & Tibshirani 1993, ch. 6"
    " and 12)"
)


def definition_of(cell: Score, seed: int) -> Definition:
    """What a cell is, what its interval is and where it is from."""
    what, formula = _level(cell) if cell.kind == "level" else _change(cell)
    interval = _interval(cell, seed)
    if "wordings" in cell.facts:
        what = f"The mean over the wordings {cell.facts['wordings']}: {what}"
        formula = f"of each wording {formula}; the mean of these"
        interval = f"The lowest and the highest of the wordings. {interval}"
    return Definition(
        what=what,
        formula=formula,
        unit="percent" if cell.kind == "level" else "percentage points",
        source=next(
            (said for table, said in _SOURCES.items() if cell.table.startswith(table)),
            "memorization paper",
        ),
        interval=interval,
    )


def of_the_paper(cell: Score) -> Explanation:
    """A number that the paper prints of a model that is none of the user's."""
    said = Definition(
        what=f"What the paper prints of {cell.group.removesuffix(', the paper' + chr(39) + 's')}.",
        formula="none: it is copied from the paper",
        unit="percent" if cell.kind == "level" else "percentage points",
        source="memorization paper, Table 3",
    )
    return Explanation(
        definition=said,
        query="",
        recompute=lambda rows: Numbers(value=None, n=len(rows)),
        nothing="the number is the paper's own, and no row of the store is behind it",
    )


def _condition(names: object, prompt: object, descriptions: object) -> str:
    told = "" if descriptions in {"none", None} else f" and the descriptions {descriptions}"
    return f"{names} names, the prompt {prompt}{told}"


def _where(cell: Score) -> str:
    facts = cell.facts
    if facts["task"] == ALL_TASKS:
        return "the mean of the model's tasks, those of memory left out, each of which weighs alike"
    flag = f", items with the flag {facts['flag']}" if facts["flag"] else ""
    return f"{facts['task']} on {facts['dataset']} ({facts['choices']}{flag})"


def _level(cell: Score) -> tuple[str, str]:
    facts = cell.facts
    own = _condition(facts["names"], facts["prompt"], facts["descriptions"])
    if facts["task"] == ALL_TASKS:
        what = f"Under {own}: {_where(cell)}, over the items of the contrast that has it."
        return what, f"of each task {_POOLED}; the mean over tasks; times 100"
    metric = told_metric(str(facts.get("metric") or "accuracy"), str(facts["task"]))
    return f"The headline of {_where(cell)} under {own}: {metric}.", f"{_POOLED}; times 100"


def _change(cell: Score) -> tuple[str, str]:
    facts = cell.facts
    own = _condition(facts["names"], facts["prompt"], facts["descriptions"])
    before = _condition(
        facts["against_names"], facts["against_prompt"], facts["against_descriptions"]
    )
    what = (
        f"The headline of {_where(cell)} under {own}, less that under {before}, over the items"
        " with replies under both; negative where something is lost."
    )
    return what, f"for each side {_POOLED}; b less a, or a less b as the names say; times 100"


def _interval(cell: Score, seed: int) -> str:
    if cell.kind == "level" and cell.facts["task"] == ALL_TASKS:
        return "none: the change has one"
    if cell.kind == "level":
        return (
            f"{_RESAMPLED}, kept within 0 and 100. Seed {seed}; the same again:"
            " analysis.studies.memorization.sums.level_spread on these rows with"
            " analysis.studies.memorization.load.stream(seed, place, model, side)."
        )
    if "contrast" not in cell.facts:
        return (
            f"{_RESAMPLED}; not tested. Seed {seed}; the same again:"
            " analysis.studies.memorization.sums.change_spread on these rows with"
            " analysis.studies.memorization.load.stream(seed, place, model, before, after)."
        )
    return (
        f"{_RESAMPLED}. p: {cell.facts.get('test') or 'of each wording by itself'}"
        f" ({FLIPS:,} flips where they are drawn); p_holm over the experiment's headline contrasts,"
        f" which the experiment's table contrasts explains. Seed {seed}; the same again:"
        " analysis.effects.effects on these rows with analysis.contrasts.stream_of(seed, place,"
        " pair)."
    )
