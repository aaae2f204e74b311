"""The page `docs/sql.md`, made anew: `python -m tests.store.sql_page_for_tests > docs/sql.md`."""

from __future__ import annotations

import sys

from store.read import Source
from store.reference import answered_questions, reference
from tests.store.rows_for_tests import memory
from tests.store.sql_corpus_for_tests import small_store

_HEAD = """\
# Ask the data anything

Everything a run finds is in one DuckDB database, `probe.duckdb` in the store's folder, and
`probe sql` asks it, also [while a run is on](live-sql.md):

```console
$ probe sql "from accuracy_by('task, model')"
```

The *views* are for people: `results` has one readable row a cell, and most questions are a
`GROUP BY` away from it. *Macros* are for what that alone does not give: intervals, paired
differences, agreement. The *tables* are what was recorded; they only ever grow. Every one of them,
and every column, carries what is said here as a comment
(`select column_name, comment from duckdb_columns() where table_name = 'results'`).

Vectors lie in tables of their own, one a dimension (`vectors_384`); the views `vectors` and
`imported_vectors` run over all of them.

Fractions are between 0 and 1, times are UTC, durations are seconds, money is US dollars, places in
a text are code points from 0. What is not known is NULL, not 0.

"""
_QUESTIONS = """\
## Twenty questions

Below each query stands what it gives on a small store of drawn replies, which the tests make
(`tests/store/sql_store_for_tests.py`): the numbers say nothing of any model. `bench/sql.py` asks
the same of a million replies.

"""


def page(small: Source, empty: Source) -> str:
    """The whole page.

    Args:
        small: The store that the questions are asked of.
        empty: One whose schema is described.
    """
    return f"{_HEAD}{_QUESTIONS}{answered_questions(small)}\n{reference(empty)}"


if __name__ == "__main__":
    sys.stdout.write(page(small_store(), memory()))
