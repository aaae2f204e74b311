"""What the tasks' metrics are, in words."""

from __future__ import annotations

from typing import Final

SOURCE_OF_POOLING: Final = "sums pooled over documents (micro-average)"

_TOLD: Final = {
    "accuracy": "the share of the units asked for that are answered rightly",
    "exact_match": "the share of answers that are one of the accepted ones, as SQuAD compares them",
    "f1": "the F1 of what is said against what is there",
    "perpetrator": "the F1 of the mentions named as the perpetrator's",
    "rouge1": "ROUGE-1 F1 of the summary against the references, mean over documents",
    "rouge2": "ROUGE-2 F1 of the summary against the references, mean over documents",
    "rougeL": "ROUGE-L F1 of what is written against what is there, mean over documents",
    "muc": "MUC F1: links of clusters found",
    "b_cubed": "B-cubed F1: clusters of mentions, mention by mention",
    "ceaf_e": "CEAF-e F1: clusters matched one to one",
    "logprob": "the mean log-probability of the tokens that share nothing with a name",
    "common_prefix": "the share of the continuation's words that are the work's up to the first"
    " that is not",
    "exact": "the share of continuations that are the work's word for word",
}
"""Metric -> what it is."""


def told_metric(metrics: str, task: str) -> str:
    """What a headline's metrics are, in words.

    Args:
        metrics: Names, parted by " + ".
        task: Whose they are.
    """
    names = metrics.split(" + ")
    each = [_TOLD.get(name, f"{name}, as the task {task} measures it") for name in names]
    if len(each) == 1:
        return f"{names[0]}, {each[0]}" if names[0] in _TOLD else each[0]
    told = "; ".join(f"{name}: {text}" for name, text in zip(names, each, strict=True))
    return f"the mean of {len(names)} metrics ({told})"
