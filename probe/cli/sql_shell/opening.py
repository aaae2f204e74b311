"""The lines that open a store in DuckDB's own command, its UI or any of its clients."""

from __future__ import annotations

import shlex
from importlib import metadata, resources
from pathlib import Path

from store.address import Lake, Place
from store.errors import NoStore
from store.gate import quoted
from store.hub_address import Address
from store.hub_reading import TOKEN
from store.live import LIVE, read_live
from store.read import DATABASE


def opening(store: Place) -> str:
    """What to type elsewhere to see a store, as it can be reached now.

    The token of a run is never in it: DuckDB reads it from the store's folder by itself.

    Raises:
        NoStore: There is none at the path.
    """
    if isinstance(store, Address):
        return _of_hub(store)
    if not isinstance(store, Path):
        return _of_lake(store)
    folder = store.resolve()
    file = folder / DATABASE
    if not file.exists():
        raise NoStore(store)
    return _of_file(file) if read_live(folder) is None else _of_run(folder)


def _of_file(file: Path) -> str:
    path = shlex.quote(str(file))
    return "\n".join(
        [
            "# DuckDB's own command, or its UI in the browser, which it downloads when first used:",
            f"duckdb -readonly {path}",
            f"duckdb -readonly -ui {path}",
            "",
            "# Any other client of DuckDB, such as Python's, R's or DBeaver's:",
            f"ATTACH {quoted(str(file))} AS store (READ_ONLY); USE store;",
            "",
            "# While it is open there no run can start: close it, or ask through `probe sql`.",
            "",
        ]
    )


def _of_lake(lake: Lake) -> str:
    address = quoted(f"ducklake:{lake.kind}:{lake.catalogue}")
    options = f"READ_ONLY, METADATA_SCHEMA {quoted(lake.schema)}" if lake.schema else "READ_ONLY"
    return "\n".join(
        [
            "# DuckDB's own command or any other client of it, which fetches the extensions once:",
            f"INSTALL ducklake; INSTALL {lake.kind};",
            f"ATTACH {address} AS store ({options}); USE store;",
            "",
            "# The tables are there, also while runs are on; views and macros are `probe sql`'s.",
            "",
        ]
    )


def _of_hub(where: Address) -> str:
    address = quoted(where.for_duckdb)
    plain = ", DISABLE_SSL true" if where.plain else ""
    return "\n".join(
        [
            f"# In DuckDB {metadata.version('duckdb')}, its UI or a client, with the hub's token:",
            *(f"LOAD {quoted(str(path))};" for path in _extensions()),
            "SET enable_server_cert_verification = true;  -- or any certificate is trusted",
            f"CREATE SECRET (TYPE quack, TOKEN getenv({quoted(TOKEN)}), SCOPE {address});",
            f"ATTACH {address} AS run (READ_ONLY{plain});",
            "FROM run.results LIMIT 5;",
            "",
        ]
    )


def _of_run(folder: Path) -> str:
    live = read_live(folder)
    address = quoted(live.address) if live else ""
    steps = (
        *(f"LOAD {quoted(str(path))};" for path in _extensions()),
        f"SET VARIABLE token = (SELECT token FROM read_json({quoted(str(folder / LIVE))}));",
        f"CREATE SECRET (TYPE quack, TOKEN getvariable('token'), SCOPE {address});",
        f"ATTACH {address} AS run (READ_ONLY);",
    )
    version = metadata.version("duckdb")
    return "\n".join(
        [
            f"# A run has the store and answers. In DuckDB {version}, its UI or a client:",
            *steps,
            "FROM run.results LIMIT 5;",
            "",
            f"# The token is read from {LIVE}, which is yours alone; no history or log holds it.",
            "# In another DuckDB, instead of the two LOADs:",
            "# FORCE INSTALL quack FROM core_nightly; LOAD quack;",
            "# A query of several tables must run where the tables are:",
            f"FROM quack_query({address}, 'SELECT … FROM … JOIN …');",
            "",
        ]
    )


def _extensions() -> list[Path]:
    """The extensions of this installation, as files."""
    found: list[Path] = []
    for name in ("httpfs", "quack"):
        wheel = resources.files(f"duckdb_extension_{name}")
        version = metadata.version("duckdb")
        found.append(Path(str(wheel / "extensions" / f"v{version}" / f"{name}.duckdb_extension")))
    return found
