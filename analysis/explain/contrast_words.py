"""What each column of the table of contrasts is, in words."""

from __future__ import annotations

from typing import Final

from analysis.contrasts import ALL_TASKS, Contrast
from analysis.explain.explanation import Definition
from analysis.explain.metrics import SOURCE_OF_POOLING
from analysis.statistics import DRAWS, FLIPS
from prompts.tasks import TASKS

SOURCE: Final = "memorization paper, sections 4 to 6 and Table 3; pairing and intervals are ours"
POOLED: Final = (
    "for each side sum(num) / sum(den) of each metric over the documents, or the F1 of that and of"
    " sum(recall_num) / sum(recall_den); then the mean over the metrics"
)
_WHAT: Final = {
    "difference": "{a} less {b}: the task's headline over the documents with answers under both",
    "value_a": "The headline under {a}, over the documents with answers under both conditions",
    "value_b": "The headline under {b}, over the documents with answers under both conditions",
    "low": "The lower end of the difference's 95 % interval",
    "high": "The upper end of the difference's 95 % interval",
    "p": "How often a difference at least as far from 0 would be seen if there were none",
    "test": "Which test the p is of",
    "p_holm": "The p, adjusted for all headline contrasts of the experiment",
    "share": "The difference over the headline under {a}",
    "share_low": "The lower end of the share's 95 % interval",
    "share_high": "The upper end of the share's 95 % interval",
    "lowest": "The difference if every missing answer were wrong under {a} and right under {b}",
    "highest": "The difference if every missing answer were right under {a} and wrong under {b}",
    "missing": "Cells of both conditions without a score, of the items that both ask",
    "items": "Documents with answers under both conditions",
    "differing": "Documents that do not do alike under both conditions",
    "clusters": "What is resampled and flipped",
    "clustered_by": "What moves together",
    "needed": "Documents that would show such a difference with a chance of 80 %",
    "detectable": "The smallest difference that this many documents show with a chance of 80 %",
}
_FORMULA: Final = {
    "share": "(a - b) / a",
    "share_low": "Fieller's interval of (a - b) / a",
    "share_high": "Fieller's interval of (a - b) / a",
    "lowest": "known sums plus open_a as wrong, less known sums plus open_b as right",
    "highest": "known sums plus open_a as right, less known sums plus open_b as wrong",
    "missing": "missing, as the query has it; added up over places",
    "items": "count(DISTINCT document), added up over places",
    "differing": "documents of which the shares of a counted metric differ",
    "clusters": "works where there are at least six, else scenes, else documents",
    "clustered_by": "works where there are at least six, else scenes, else documents",
    "needed": "the power of the t test with the spread seen (analysis.power)",
    "detectable": "the power of the t test with the spread seen (analysis.power)",
    "p_holm": "max over smaller p of (m - rank) p, at most 1, of the m contrasts",
}
_COUNTS: Final = frozenset({"missing", "items", "differing", "clusters", "needed"})
_PLAIN: Final = frozenset({"p", "p_holm"})
_TEXTS: Final = frozenset({"test", "clustered_by"})
_WITHOUT_DRAWS: Final = frozenset({"missing", "items", "differing", "lowest", "highest"})


def definition_of(each: Contrast, column: str, seed: int) -> Definition:
    """What a column says of a contrast."""
    a, b = (f"{own.names} names with the prompt {own.prompt}" for own in (each.a, each.b))
    what = _WHAT[column].format(a=a, b=b)
    if each.task == ALL_TASKS:
        what += (
            "; the mean of the model's tasks but for those of memory, each of which weighs alike,"
            " and within it each of its datasets, choices and descriptions"
        )
    return Definition(
        what=f"{what[0].upper()}{what[1:]}.",
        formula=_FORMULA.get(column, f"{POOLED}; a less b"),
        unit=_unit(each, column),
        source=f"{SOURCE}; {SOURCE_OF_POOLING}",
        interval="" if column in _WITHOUT_DRAWS else interval_of(each, seed),
    )


def interval_of(each: Contrast, seed: int) -> str:
    """How a contrast's interval and its test are made, and how to make the same again."""
    by = each.clustered_by.replace(", ", " or ")
    said = (
        f"95 %: t times the bootstrap's standard error of {DRAWS:,} resamples of whole clusters"
        f" ({each.clusters} by {by}; Efron & Tibshirani 1993, ch. 6 and 12); p: "
    )
    if each.test == "exact McNemar":
        said += "exact McNemar over the documents right under one condition only (McNemar 1947)"
    else:
        said += (
            f"sign-flip permutation of the clusters, all flips up to 12 that differ, else"
            f" {FLIPS:,} (Phipson & Smyth 2010)"
        )
    again = (
        "analysis.effects.effects on these rows with"
        " analysis.contrasts.stream_of(seed, place, pair)"
    )
    return f"{said}; Holm over the experiment's headlines. Seed {seed}; the same again: {again}."


def _unit(each: Contrast, column: str) -> str:
    if column in _COUNTS:
        return "count"
    if column in _TEXTS:
        return "text"
    if column in _PLAIN:
        return "probability"
    task = TASKS.get(each.task)
    if task is not None and task.unit == "nats" and not column.startswith("share"):
        return "nats a token"
    if column.startswith("share"):
        return "share of the first condition's value"
    return "fraction of 1, printed in percentage points"
