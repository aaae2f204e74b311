"""`probe explain`: where one number of a table comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Unpack

import click

from probe.cli import format_option, store_option
from probe.cli.study_options import Wanted, asked_for, asked_of, study_named, study_options
from store.address import Place

if TYPE_CHECKING:
    from analysis.explain.entries import Entry
    from store.read import Reader

_FIRST = 10
"""Rows that are shown of those behind a number (count)."""


class _Given(Wanted):
    """The options, those of studies among them."""

    rows: int
    whole: bool
    behind: int | None
    experiment: bool


@click.command("explain")
@click.argument("table")
@click.argument("row", required=False)
@click.argument("column", required=False)
@store_option
@format_option
@click.option(
    "--rows",
    default=_FIRST,
    show_default=True,
    type=click.IntRange(min=0),
    help="How many of the rows behind the number to show.",
)
@click.option("--all", "whole", is_flag=True, help="Show all rows behind the number.")
@click.option(
    "--behind",
    type=click.IntRange(min=1),
    metavar="ROW",
    help="Show what is behind one of these rows, by its number: cells and replies.",
)
@study_options
def command(
    table: str,
    row: str | None,
    column: str | None,
    *,
    store: Place,
    form: str,
    **given: Unpack[_Given],
) -> None:
    """Say where the number in a ROW and COLUMN of a TABLE comes from.

    TABLE is what `probe table` takes, and which of its tables: quickstart/accuracy,
    memorization/3, austenalike/"figure 2". ROW and COLUMN are words of the labels as printed, or of
    the names in json, as many as it takes to tell. Left out, what there is is listed.

    Printed are the number's definition, the query behind it, which `probe sql` runs as it stands,
    and its rows; the number is worked out anew from them, and both are held against each other.
    """
    from analysis.explain import matching  # noqa: PLC0415 - keeps --help fast
    from probe.cli import show_explained as show  # noqa: PLC0415

    name, _, part = table.partition("/")
    most = None if given["whole"] else given["rows"]
    behind = given["behind"]
    with _book(name, store, given) as (entries, reader):
        if not part:
            show.list_tables(name, entries, form)
            return
        own = matching.of_table(entries, part)
        if row is None or column is None:
            show.list_places(own if row is None else matching.of_row(own, row), form)
            return
        found = matching.find(own, row, column)
        shown = show.Shown(name=name, most=most, form=form)
        if behind is None:
            same = show.explain(found, reader, shown)
        else:
            same = True
            show.show_behind(found, reader, behind, shown)
    if not same:
        raise SystemExit(1)


@contextmanager
def _book(name: str, store: Place, given: _Given) -> Iterator[tuple[Sequence[Entry], Reader]]:
    """Every number that `probe table NAME` gives, and the store it is from."""
    from analysis.explain.experiment import experiment_entries  # noqa: PLC0415
    from analysis.explain.studies import study_entries  # noqa: PLC0415
    from analysis.studies import ExperimentStudy, bring_in  # noqa: PLC0415
    from store.read import open_read  # noqa: PLC0415

    wanted: Wanted = {option: given[option] for option in Wanted.__annotations__}  # type: ignore[literal-required,assignment]
    study = study_named(name, wanted, experiment=given["experiment"])
    if isinstance(study, ExperimentStudy):
        asked = asked_of(wanted)
        reader = open_read(store)
        try:
            yield list(study_entries(*study.explained(reader, asked))), reader
        finally:
            reader.close()
    elif study is not None:
        of_corpus = asked_for(study, wanted)
        reader = bring_in(store, study, of_corpus.inputs)
        try:
            yield list(study_entries(*study.explained(reader, of_corpus))), reader
        finally:
            reader.close()
    else:
        reader = open_read(store)
        try:
            yield experiment_entries(reader, name), reader
        finally:
            reader.close()
