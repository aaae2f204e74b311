"""Writes a store as a folder that describes itself."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from store.address import Place
from store.errors import BadFile, StoreGone
from store.export.checking import refuse_quotations
from store.export.copying import copy_tables
from store.export.described import DATA, Asked, datapackage, gather
from store.export.folder import whole_folder, write_sums
from store.export.readme import readme
from store.export.schema import Relation, relations
from store.gate import quoted
from store.migrate import migrate
from store.read import Connection, open_read

_WORK: Final = ".work"
_MOST_ENDS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written.

    Attributes:
        rows: Of each table (count).
        size_bytes: Of all files.
    """

    rows: dict[str, int]
    size_bytes: int


def export(store: Place, target: Path, asked: Asked) -> Exported:
    """Write a store's tables, described, into a folder that is there whole or not at all.

    While a run is on, the tables are as they all were at one moment after this began.

    Args:
        store: The store's folder.
        target: The folder to be made; it may be there if it is empty.
        asked: How it is wanted.

    Raises:
        BadFile: The folder is not empty or cannot be written, or a release would hold a quotation.
        QueryError: An experiment is not in the store.
        StoreGone: Runs ended in the middle, again and again.
    """
    with whole_folder(target) as made:
        try:
            return _written(store, made, target, asked)
        except duckdb.Error as error:
            found = str(error).split("\n", 1)[0]
            raise BadFile(target, "", f"cannot be written ({found})", _FIX) from None


_FIX: Final = "nothing is left of it; mend that and export again"


def _written(store: Place, made: Path, target: Path, asked: Asked) -> Exported:
    working = made / _WORK
    for _ in range(_MOST_ENDS):
        working.mkdir(mode=0o700)
        try:
            rows = _once(store, made, target, asked)
        except StoreGone:  # the file can be read now, or another run answers
            continue
        finally:
            shutil.rmtree(working)
        write_sums(made)
        size = sum(path.stat().st_size for path in made.rglob("*") if path.is_file())
        return Exported(rows=rows, size_bytes=size)
    raise StoreGone(store)


def _once(store: Place, made: Path, target: Path, asked: Asked) -> dict[str, int]:
    working = made / _WORK
    with duckdb.connect(str(working / "work.duckdb")) as work:
        work.execute("SET TimeZone = 'UTC'")
        work.execute(f"SET temp_directory = {quoted(str(working / 'spilt'))}")
        migrate(work, working)
        reader = open_read(store)
        try:
            taken = copy_tables(reader, work, working, asked.chosen, release=asked.release)
        finally:
            reader.close()
        found = relations(work)
        if taken.texts is not None:
            refuse_quotations(work, taken.texts, found, target)
        (made / DATA).mkdir(exist_ok=True)
        for relation in found:
            _write(work, relation, made / DATA / f"{relation.name}.parquet")
        facts = gather(work, asked, found)
    (made / "datapackage.json").write_text(datapackage(made, facts, found), encoding="utf-8")
    (made / "README.md").write_text(readme(facts, found), encoding="utf-8")
    return facts.rows


def _write(work: Connection, relation: Relation, file: Path) -> None:
    columns = ", ".join(column.stored for column in relation.columns)
    work.execute(
        f'COPY (SELECT {columns} FROM "{relation.name}") TO {quoted(str(file))}'
        " (FORMAT parquet, COMPRESSION zstd)"
    )
