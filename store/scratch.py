"""A database in memory with what was read from a store once, for queries that build on it.

Some views take seconds to work out, and a study asks them many times. Here they are tables of the
same names, so that a query that runs here runs on the store as well.
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import pyarrow as pa

from store.read import Connection, Source, ask


def scratch(source: Source, relations: Mapping[str, str]) -> Connection:
    """A connection whose tables hold the rows of queries.

    Args:
        source: The store.
        relations: Name of a table -> the query that fills it.

    Raises:
        QueryError: DuckDB refuses a query.
        StoreGone: The run that serves the store has ended.
    """
    connection = duckdb.connect(":memory:")
    connection.execute("SET python_enable_replacements = false; SET TimeZone = 'UTC'")
    for name, query in relations.items():
        described = ask(source, f"DESCRIBE {query}").records()
        kinds = ", ".join(f'"{row["column_name"]}" {row["column_type"]}' for row in described)
        connection.execute(f"CREATE TABLE {name} ({kinds})")
        answered = ask(source, query)
        if answered.rows:
            columns = zip(*answered.rows, strict=True)
            arrays = {
                str(column["column_name"]): pa.array(values)
                for column, values in zip(described, columns, strict=True)
            }
            connection.register("batch", pa.table(arrays))
            connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM batch")
            connection.unregister("batch")
    return connection
