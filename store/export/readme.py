"""An export's README: what was run, what its tables hold, how to load them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from store.export.decisions import OMITTED
from store.export.described import DATA, Facts, what_was_done
from store.export.schema import Relation

_LOADING: Final = f"""## Loading it

`results` has a readable row a cell and is where to start; `accuracy` sums it up by condition.

DuckDB:

```sql
SELECT model, names, avg(score) FROM '{DATA}/results.parquet' GROUP BY ALL;
```

Python, with pandas and pyarrow:

```python
import pandas as pd

results = pd.read_parquet("{DATA}/results.parquet")
results.groupby(["model", "names"])["score"].mean()
```

R, with the package arrow:

```r
results <- arrow::read_parquet("{DATA}/results.parquet")
aggregate(score ~ model + names, data = results, FUN = mean)
```

`sha256sum -c SHA256SUMS` says whether every file is whole. `datapackage.json` describes the tables
for programs (Data Package, version 2): types, keys, meanings, and what was done to each column.
"""
_RELEASE: Final = """## What is left out

This is a release: texts of datasets, prompts, longer replies and what may quote them are not in
it. In the place of each stands `sha256:…;characters:…`: the SHA-256 of its UTF-8 bytes, in hex, and
its length in code points. Who has the texts can check by it that they are the same; a text that can
be guessed can be checked too. Places in texts (spans, names) stay, and so do names, titles and
answers of fewer than five words. What was done to each column is said below and in
`datapackage.json`. Log-probabilities of tokens are rounded and the tokens' ids left out; who has
the same model may still narrow down what the words were.
"""
_WHOLE: Final = """## What is in it

Everything, texts of datasets and prompts included: check their licences before you pass it on.
`probe export --release` leaves them out.
"""
_MARKUP: Final = str.maketrans({"|": "\\|", "<": "&lt;", ">": "&gt;", "`": "'", "\n": " "})


def readme(facts: Facts, found: Sequence[Relation]) -> str:
    """The README as Markdown."""
    parts = [
        f"# {_plain(facts.title)}",
        _made(facts),
        _RELEASE if facts.release else _WHOLE,
        _LOADING,
        _run(facts),
        _sources(facts),
        "## Tables",
        "\n".join(_table(facts, relation) for relation in found),
        _omitted(),
    ]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def _made(facts: Facts) -> str:
    cells = facts.rows.get("results", 0)
    replies = facts.rows.get("replies", 0)
    licence = f" Licence of this data: {_plain(facts.licence)}." if facts.licence else ""
    return (
        f"Exported by gistprobe on {facts.created:%Y-%m-%d}, schema {facts.schema}:"
        f" {cells:,} cells, {replies:,} replies.{licence}"
    )


def _run(facts: Facts) -> str:
    first, last, count = facts.runs
    lines = ["## What was run", ""]
    if count:
        lines += [f"{count} run{'s' * (count != 1)}, {_day(first)} to {_day(last)}.", ""]
    lines += [
        *_rows(("model", "provider", "asked for", "served as", "note"), facts.models),
        "",
        *_packages(facts.provenance),
    ]
    for name, plan, planned, spec, cells in facts.experiments:
        fence = "~" * max(3, _longest_fence(str(spec)) + 1)
        lines += [
            f"The experiment {_plain(name)}, plan {str(plan)[:12]} of {_day(planned)},"
            f" {cells:,} cells:",
            "",
            f"{fence}toml",
            str(spec).strip("\n"),
            fence,
            "",
        ]
    return "\n".join(lines)


def _packages(provenance: dict[str, Any]) -> list[str]:
    if not provenance:
        return []
    packages = provenance.get("packages") or {}
    listed = ", ".join(f"{_plain(name)} {_plain(version)}" for name, version in packages.items())
    revision = _plain(provenance.get("code_revision") or "not known")
    return [
        f"The last run: code revision {revision}; Python {_plain(provenance.get('python', '?'))} on"
        f" {_plain(provenance.get('platform', '?'))}; {listed}.",
        "",
    ]


def _sources(facts: Facts) -> str:
    if not facts.sources:
        return ""
    rows = [(each.name, each.title, each.licence, each.path) for each in facts.sources]
    return "\n".join(["## Sources", "", *_rows(("dataset", "what", "licence", "where"), rows), ""])


def _table(facts: Facts, relation: Relation) -> str:
    rows = [
        (each.name, each.type, each.meaning, what_was_done(each, release=facts.release))
        for each in relation.columns
    ]
    count = facts.rows[relation.name]
    keys = [f"Key: {', '.join(relation.primary)}."] if relation.primary else []
    keys += [f"{', '.join(columns)} → {to}." for columns, to in relation.foreign]
    meaning = [_plain(relation.meaning)] if relation.meaning else []
    return "\n".join(
        [
            f"### {relation.name}",
            "",
            " ".join([*meaning, f"{count:,} row{'s' * (count != 1)}.", *keys]),
            "",
            *_rows(("column", "type", "meaning", "exported"), rows),
            "",
        ]
    )


def _omitted() -> str:
    return "\n".join(
        ["## Tables of the store that are not here", ""]
        + [f"- {name}: {why}" for name, why in OMITTED.items()]
    )


def _rows(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [tuple(header), tuple("---" for _ in header)]
    lines += [tuple(_plain(value) for value in row) for row in rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _plain(value: object) -> str:
    """A value as text that Markdown takes for text."""
    return str("" if value is None else value).translate(_MARKUP)


def _longest_fence(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if char == "~" else 0
        longest = max(longest, run)
    return longest


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else "?"
