"""A report on a reading, as lines for a terminal and as JSON."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from embedder.features.base import Check, Cluster, Coverage, Report, WhyUnmapped

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

MEANINGS: dict[WhyUnmapped, str] = {
    "no alias": "their name is not in the alias map",
    "too few mentions": "they have five mentions or fewer",
    "no proper or common name": "they have only pronouns",
}


def report_as_dict(report: Report) -> dict[str, Json]:
    """All of the report, ready for JSON; its keys are the fields' names."""
    return {
        field.name: as_json(getattr(report, field.name)) for field in dataclasses.fields(report)
    }


def as_json(value: object) -> Json:
    """A value of a report as JSON has it.

    Raises:
        TypeError: It is of no kind that reports hold.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple):
        return [as_json(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: as_json(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    raise TypeError(f"{type(value).__name__} in a report")


def report_lines(report: Report, *, most: int = 10) -> list[str]:
    """What a user must know, one thing a line; lists are cut to their first `most`.

    Nothing is left out of `report_as_dict`.
    """
    kept = ", ".join(amount(each.count, each.kind) for each in report.kept)
    lines = [
        f"{report.work}, {report.pipeline}, {report.source}: {kept}, "
        f"of {amount(report.characters, 'character')}"
    ]
    if report.absent:
        lines.append(f"not there: {', '.join(report.absent)}")
    lines += [
        f"alias map, line {row.line}: {row.alias!r} does not count, line {row.by_line} "
        "gives it to another"
        for row in report.overridden
    ]
    lines += cluster_lines(report, most)
    lines += [
        f"dropped: {amount(dropped.count, dropped.kind)}, {dropped.why}"
        for dropped in report.dropped
    ]
    lines += speaker_lines(report, most)
    lines += context_lines(report)
    if report.coverage is not None:
        lines += coverage_lines(report.coverage, most)
    lines += [check_line(check) for check in report.checks]
    if report.empty_texts:
        lines.append(f"no word at all: {amount(report.empty_texts, 'quote or assertion')}")
    return lines


def cluster_lines(report: Report, most: int) -> Iterator[str]:
    """How many clusters map to a character, and which map to nobody."""
    if not report.clusters:
        return
    total, mapped = len(report.clusters), len(report.mapped)
    documents = amount(report.documents, "document")
    yield f"clusters: {mapped:,} of {total:,} map to a character, in {documents}"
    for why, meaning in MEANINGS.items():
        clusters = tuple(cluster for cluster in report.unmapped if cluster.why == why)
        if not clusters:
            continue
        mentions = sum(cluster.mentions for cluster in clusters)
        line = f"map to nobody: {len(clusters):,} ({amount(mentions, 'mention')}), {meaning}"
        yield line if why != "no alias" else f"{line}: {listed(by_name(clusters), most)}"


def by_name(clusters: Iterable[Cluster]) -> list[str]:
    """Lead names with their mentions and features over all documents, most mentions first."""
    mentions: dict[str, int] = {}
    features: dict[str, int] = {}
    for cluster in clusters:
        name = cluster.name or "(only pronouns)"
        mentions[name] = mentions.get(name, 0) + cluster.mentions
        features[name] = features.get(name, 0) + cluster.features
    ordered = sorted(mentions, key=lambda name: -mentions[name])
    return [f"{name} ({mentions[name]:,}, {amount(features[name], 'feature')})" for name in ordered]


def drafted_aliases(report: Report) -> list[str]:
    """Rows of an alias map for the clusters that lack one, most mentions first, for people to edit.

    Each name stands for itself, those that begin with no capital left out: where one character goes
    by several, the last column is to be made the same.
    """
    mentions: Counter[str] = Counter()
    for cluster in report.unmapped:
        if cluster.why == "no alias" and cluster.name and cluster.name[:1].isupper():
            mentions[cluster.name] += cluster.mentions
    return [f"{report.work}\t{name}\t{name}" for name, _ in mentions.most_common()]


def speaker_lines(report: Report, most: int) -> Iterator[str]:
    """The speakers that are not in `.book`."""
    if report.unknown_speakers:
        ids = [f"{speaker.id} ({speaker.quotes:,})" for speaker in report.unknown_speakers]
        yield f"speakers that .book does not have, by id (quotes): {listed(ids, most)}"


def context_lines(report: Report) -> Iterator[str]:
    """What is not known of the sentences, and where words stand twice in them."""
    if report.without_context:
        yield (
            f"without its sentence: {amount(report.without_context, 'event or modifier')}; "
            "contexts need BookNLP's .tokens file beside .book"
        )
    if report.repeated_targets:
        which = (
            "the token id says which is meant"
            if report.clusters
            else "the file does not say which is meant, the first is taken"
        )
        count = amount(report.repeated_targets, "event or modifier")
        yield f"the word stands more than once in its sentence: {count}; {which}"


def coverage_lines(coverage: Coverage, most: int) -> Iterator[str]:
    """Which documents there are, and what of them is not there."""
    if coverage.documents:
        first, last = coverage.documents[0], coverage.documents[-1]
        yield f"documents: {len(coverage.documents):,}, {first} to {last}"
    named = (
        ("files that a document lacks", coverage.missing),
        ("documents that the numbering skips", coverage.gaps),
        ("names of two clusters of one document, not told apart", coverage.shared_names),
        ("documents whose text stands in another too, so counts twice", coverage.contained),
        ("files that are not read", coverage.ignored),
    )
    for what, names in named:
        if names:
            yield f"{what}: {len(names):,}: {listed(names, most)}"


def check_line(check: Check) -> str:
    """The outcome of one comparison."""
    if not check.checked:
        return f"{check.what}: nothing to compare them with"
    if not check.wrong:
        return f"{check.what}: all {check.checked:,} that can be compared agree"
    return f"{check.what}: {check.wrong:,} of {check.checked:,} disagree, as {check.examples[0]}"


def amount(count: int, noun: str) -> str:
    """A count with its noun; "quote or assertion" becomes "quotes or assertions"."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} " + " or ".join(f"{word}s" for word in noun.split(" or "))


def listed(names: Iterable[str], most: int) -> str:
    """The first names, and how many more there are."""
    everything = list(names)
    rest = len(everything) - most
    more = f"; and {rest:,} more" if rest > 0 else ""
    return "; ".join(everything[:most]) + more
