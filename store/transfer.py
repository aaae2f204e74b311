"""Moves experiments from one store to another, whichever of the two is a file and which a lake.

Rows are copied as they are, a table a transaction, and only those the target lacks: what was cut
short is taken up by doing it again, and nothing comes in twice. Then the target is read anew, and
every row that left the source is looked for in it by a hash of all its columns.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from store.address import Place
from store.errors import BadAddress, QueryError, StoreBroken
from store.gate import quoted
from store.memory import for_vectors
from store.opening import open_write
from store.read import Connection, Reader, open_read
from store.vectors import ensure_table

_NOT_MOVED: Final = frozenset({"schema_migrations", "journal_positions"})
_TABLES: Final = """
    SELECT table_name, string_agg(column_name, ' ' ORDER BY column_index) FROM duckdb_columns()
    WHERE database_name = current_database() AND NOT internal AND table_name IN (
        SELECT table_name FROM duckdb_tables() WHERE database_name = current_database())
    GROUP BY table_name ORDER BY table_name"""
_ONE_OF: Final = {
    "experiments": ("experiment_id",),
    "models": ("experiment_id", "model"),
    "items": ("item_hash",),
    "prompts": ("prompt_hash",),
    "cells": ("experiment_id", "cell_id"),
    "runs": ("run_id",),
    "run_ends": ("run_id",),
    "replies": ("key",),
    "likelihoods": ("key",),
    "scores": ("prompt_hash", "key", "version"),
    "encoders": ("encoder_id",),
}
"""What there is one row of: where the target has it already, its own stays."""
_OF_REPLIES: Final = frozenset({"likelihoods", "scores"})
_FIRST: Final = ("experiments", "models", "items", "prompts", "cells", "replies")
_HUNT: Final = "look at the table in both stores; the source is as it was"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What became of one table.

    Attributes:
        rows: Rows that were to come (count).
        added: Of them, those that were new (count).
        kept: Of them, those of which the target has another one that stays (count).
        checksum: Of the rows that came, in hex: the sum of a hash of each.
    """

    table: str
    rows: int
    added: int
    kept: int
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """One table's rows, in a file on the way; with the replies' file, where there are replies."""

    table: str
    file: Path
    columns: tuple[str, ...]
    replies: Path | None

    @property
    def hashed(self) -> str:
        """The hash of a row, the same in every kind of store."""
        texts = ", ".join(f'"{column}"::VARCHAR' for column in self.columns)
        return f"hash({texts})"

    @property
    def came(self) -> str:
        """The rows that come, each with its hash, its place, and which of its like it is."""
        other = "false"
        if own := _ONE_OF.get(self.table):
            same = " AND ".join(f't."{column}" = c."{column}"' for column in own)
            other = (
                f'EXISTS (SELECT 1 FROM "{self.table}" AS t WHERE {same})'
                " AND h NOT IN (SELECT h FROM there)"
            )
        if self.table in _OF_REPLIES:
            other = f"({other}) OR key IN ({self._other_replies})"
        return f"""
            there AS (SELECT {self.hashed} AS h, count(*) AS n FROM "{self.table}" GROUP BY h),
            raw AS (SELECT *, {self.hashed} AS h
                    FROM read_parquet({quoted(str(self.file))}, file_row_number = true)),
            came AS (
                SELECT c.*, row_number() OVER (PARTITION BY h ORDER BY file_row_number) AS nth,
                       coalesce({other}, false) AS other
                FROM raw AS c)"""

    @property
    def _other_replies(self) -> str:
        """The keys that have another reply in the target than in the source."""
        if self.replies is None:
            return "SELECT NULL WHERE false"
        return f"""
            SELECT r.key FROM read_parquet({quoted(str(self.replies))}) AS r
            JOIN replies AS own USING (key) WHERE r.run_id <> own.run_id OR r.raw <> own.raw"""


def transfer(source: Place, target: Place, experiments: Sequence[str] = ()) -> list[Moved]:
    """Copy experiments, or all there is, into another store; return what came, table by table.

    Args:
        source: Read only; a run may be on.
        target: Made if it is not there.
        experiments: Names of those wanted, with all their plans; all and all else if empty.

    Raises:
        BadAddress: The two are the same.
        QueryError: An experiment is not in the source.
        StoreBroken: A table did not arrive as it was.
        StoreError: One of them cannot be opened.
    """
    if source == target or _resolved(source) == _resolved(target):
        raise BadAddress(str(target), "it is the store that is to be copied", "name another")
    with tempfile.TemporaryDirectory(prefix="gistprobe-") as folder:
        with contextlib.closing(open_read(source)) as reader:
            taken = list(_take(reader, Path(folder), experiments))
        with open_write(target) as database:
            came = {each.table: database.call(partial(_insert, taken=each)) for each in taken}
        with contextlib.closing(open_read(target)) as reader:
            return [_checked(reader, each, came[each.table], target) for each in taken]


def _resolved(place: Place) -> object:
    return place.resolve() if isinstance(place, Path) else str(place)


def _take(reader: Reader, folder: Path, experiments: Sequence[str]) -> Iterator[_Taken]:
    """Write what is wanted of every table, as they all were at one moment, into files."""
    _check_names(reader, experiments)
    found = {str(table): columns for table, columns in reader.answer(_TABLES).rows}
    tables = [table for table in found if table not in _NOT_MOVED]
    lasts = ", ".join(f'(SELECT coalesce(max(rowid), -1) FROM "{table}")' for table in tables)
    (ends,) = reader.answer(f"SELECT {lasts}").rows
    at = {table: int(str(end)) for table, end in zip(tables, ends, strict=True)}
    filled = {table for table in tables if at[table] >= 0}
    chosen = _chosen(experiments) if experiments else dict.fromkeys(filled, "true")
    replies = folder / "replies.parquet" if "replies" in filled & chosen.keys() else None
    for table in sorted(filled & chosen.keys(), key=lambda each: (_place(each), each)):
        file = folder / f"{table}.parquet"
        reader.write_parquet(
            f'SELECT * FROM "{table}" WHERE rowid <= {at[table]} AND ({chosen[table]})'
            " ORDER BY rowid",
            file,
        )
        columns = tuple(str(found[table]).split(" "))
        yield _Taken(table=table, file=file, columns=columns, replies=replies)


def _place(table: str) -> int:
    """What others hang on comes first."""
    return _FIRST.index(table) if table in _FIRST else len(_FIRST)


def _check_names(reader: Reader, wanted: Sequence[str]) -> None:
    rows = reader.answer("SELECT DISTINCT experiment FROM experiments ORDER BY 1").rows
    known = [str(row[0]) for row in rows]
    for name in wanted:
        if name not in known:
            has = f"the store has {', '.join(known)}" if known else "the store has none"
            raise QueryError(f"no experiment is called {name!r}; {has}")


def _chosen(experiments: Sequence[str]) -> dict[str, str]:
    """Which rows belong to experiments, by table; of every other table none do."""
    named = f"experiment IN ({', '.join(map(quoted, experiments))})"
    plans = f"experiment_id IN (SELECT experiment_id FROM experiments WHERE {named})"
    prompts = f"prompt_hash IN (SELECT prompt_hash FROM cells WHERE {plans})"
    keys = f"key IN (SELECT key FROM cells WHERE {plans})"
    runs = " UNION ".join(
        f"SELECT run_id FROM {table} WHERE {keys}"
        for table in ("replies", "attempts", "failures", "repeats")
    )
    own_runs = f"{plans} OR run_id IN ({runs})"
    batches = f"batch_id IN (SELECT batch_id FROM batches WHERE {plans})"
    of_runs = f"run_id IN (SELECT run_id FROM runs WHERE {own_runs})"
    return {
        "experiments": named,
        **dict.fromkeys(("models", "plan_chunks", "set_aside", "cells", "batches"), plans),
        "prompts": prompts,
        "items": f"item_hash IN (SELECT item_hash FROM prompts WHERE {prompts})",
        **dict.fromkeys(("replies", "likelihoods", "repeats", "failures", "attempts"), keys),
        "scores": f"{keys} AND {prompts}",
        "runs": own_runs,
        **dict.fromkeys(("run_ends", "served"), of_runs),
        **dict.fromkeys(("batch_lines", "batch_events"), batches),
    }


def _insert(connection: Connection, taken: _Taken) -> tuple[int, int]:
    """Insert the rows that a table lacks, in their order; how many, and how many do not come."""
    if found := re.fullmatch(r"((?:character_)?vectors_)(\d+)", taken.table):
        ensure_table(connection, found[1], int(found[2]))
    in_lake = connection.execute("SELECT current_database() = 'lake'").fetchone() == (True,)
    with contextlib.nullcontext() if in_lake else for_vectors(connection):
        names = ", ".join(f'"{column}"' for column in taken.columns)
        kept = connection.execute(
            f"WITH {taken.came} SELECT count(*) FROM came WHERE other"
        ).fetchone()
        row = connection.execute(
            f'INSERT INTO "{taken.table}" BY NAME'
            f" WITH {taken.came} SELECT {names} FROM came LEFT JOIN there USING (h)"
            " WHERE NOT other AND nth > coalesce(n, 0) ORDER BY file_row_number"
        ).fetchone()
    return int(row[0]) if row else 0, int(kept[0]) if kept else 0


def _checked(reader: Reader, taken: _Taken, came: tuple[int, int], target: Place) -> Moved:
    """Look for every row in the target that was to come.

    Raises:
        StoreBroken: One is not there.
    """
    query = f"""
        WITH {taken.came},
        wanted AS (SELECT h, count(*) AS wanted FROM came WHERE NOT other GROUP BY h)
        SELECT (SELECT count(*) FROM came),
               coalesce(sum(least(wanted, coalesce(n, 0))), 0),
               coalesce(sum(wanted * h::HUGEINT), 0),
               coalesce(sum(least(wanted, coalesce(n, 0)) * h::HUGEINT), 0)
        FROM wanted LEFT JOIN there USING (h)"""
    rows, there, sent, got = (int(str(value)) for value in reader.answer(query).rows[0])
    added, kept = came
    if there != rows - kept or sent != got:
        lost = rows - kept - there
        found = f"table {taken.table}: {lost} of {rows} rows did not arrive as they were"
        raise StoreBroken(target, found, _HUNT)
    checksum = f"{got % (1 << 64):016x}"
    return Moved(table=taken.table, rows=rows, added=added, kept=kept, checksum=checksum)
