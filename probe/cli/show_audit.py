"""Prints an audit of names: the summary first, then what leaks most, then who is set aside."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import click

from probe.cli.audit_names import KINDS, Audited
from probe.cli.show import show_answered
from store.read import Answered

_Key: TypeAlias = tuple[str, str, str]  # dataset, task, names
_MOST_FORMS: Final = 12
_SHOWN_FORMS: Final = 6


def show_audits(found: Sequence[Audited], form: str, *, each: bool) -> None:
    """Print an audit.

    Args:
        found: Every item under every strategy.
        form: `table`, `csv` or `json`; the latter two print one table alone.
        each: A row an item, in place of what leaks most; in `csv` and `json` in place of the
            summary.
    """
    if form != "table":
        show_answered(_items(found) if each else _summary(found), form)
        return
    show_answered(_summary_for_people(found), form)
    if each:
        click.echo("\nEach item:")
        show_answered(_items(found), form)
        return
    for heading, table in (
        ("What is left, the most frequent first:", _forms(found)),
        ("Set aside:", _aside(found)),
    ):
        if table.rows:
            click.echo(f"\n{heading}")
            show_answered(table, form)


def _by_key(found: Iterable[Audited]) -> dict[_Key, list[Audited]]:
    groups: dict[_Key, list[Audited]] = defaultdict(list)
    for one in found:
        groups[one.item.dataset, one.item.task, one.names].append(one)
    return dict(sorted(groups.items(), key=lambda pair: pair[0][:2]))


def _summary(found: Sequence[Audited]) -> Answered:
    """A row a dataset, task and strategy, with everything that is counted."""
    rows: list[tuple[object, ...]] = []
    for key, own in _by_key(found).items():
        shown = [one for one in own if one.reason is None]
        leaking = sum(one.leaks for one in shown)
        rows.append(
            (
                *key,
                len(own),
                len(own) - len(shown),
                sum(one.replaced for one in shown),
                leaking,
                # Of no item nothing can be said: that is not a rate of 0.
                leaking / len(shown) if shown else None,
                *(sum(bool(one.left[kind]) for one in shown) for kind in KINDS),
                sum(bool(one.unknown) for one in shown),
            )
        )
    kinds = tuple(f"with {kind}" for kind in KINDS)
    columns = ("dataset", "task", "names", "items", "set aside", "replaced", "leaking", "leak rate")
    return Answered((*columns, *kinds, "with unknown names"), rows)


def _summary_for_people(found: Sequence[Audited]) -> Answered:
    """The same in as many columns as a terminal holds."""
    rows: list[tuple[object, ...]] = []
    for record in _summary(found).records():
        aside, items, rate = record["set aside"], record["items"], record["leak rate"]
        rows.append(
            (
                record["dataset"],
                record["task"],
                record["names"],
                f"{items}, {aside} set aside" if aside else f"{items}",
                record["replaced"],
                record["with names"],
                "–" if rate is None else f"{100 * float(str(rate)):.1f} %",
                record["with unknown names"],
            )
        )
    columns = ("dataset", "task", "names", "items", "replaced", "names left in", "leak rate")
    return Answered((*columns, "unknown names in"), rows)


def _forms(found: Sequence[Audited]) -> Answered:
    """The forms that leak most; of strategies that leave one, the one that leaves most counts."""
    times: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    items: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for one in found:
        for kind, left in one.left.items():
            for form, count in left.items():
                place = (one.item.dataset, kind, form)
                times[place][one.names] += count
                items[place][one.names] += 1
    strategies = list(dict.fromkeys(one.names for one in found))
    ranked = sorted(times, key=lambda place: (-max(times[place].values()), place))
    rows: list[tuple[object, ...]] = [
        (
            *place,
            max(times[place].values()),
            max(items[place].values()),
            ", ".join(own for own in strategies if own in times[place])
            if len(times[place]) < len(strategies)
            else "every one",
        )
        for place in ranked[:_MOST_FORMS]
    ]
    return Answered(("dataset", "kind", "left", "times", "items", "under"), rows)


def _aside(found: Sequence[Audited]) -> Answered:
    reasons = Counter(
        (one.item.dataset, one.item.task, one.names, one.reason)
        for one in found
        if one.reason is not None
    )
    rows: list[tuple[object, ...]] = [(*place, count) for place, count in sorted(reasons.items())]
    return Answered(("dataset", "task", "names", "reason", "items"), rows)


def _items(found: Sequence[Audited]) -> Answered:
    rows: list[tuple[object, ...]] = [
        (
            one.item.dataset,
            one.item.item_id,
            one.names,
            one.replaced,
            "; ".join(f"{kind}: {_told(left)}" for kind, left in one.left.items() if left),
            _told(one.unknown),
            one.reason or "",
        )
        for one in found
    ]
    columns = ("dataset", "item", "names", "replaced", "left", "unknown names", "set aside")
    return Answered(columns, rows)


def _told(forms: Mapping[str, int]) -> str:
    """Forms with how often each stands, the most frequent first; the rest as a count."""
    ranked = sorted(forms, key=lambda form: (-forms[form], form))
    said = ", ".join(
        f"{form} ×{forms[form]}" if forms[form] > 1 else form for form in ranked[:_SHOWN_FORMS]
    )
    more = len(ranked) - _SHOWN_FORMS
    return f"{said} and {more} more" if more > 0 else said
