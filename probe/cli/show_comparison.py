"""What `probe score` and `probe diff` print alike: conditions, records and quoted replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.text import Text

from probe.cli.show import echo_csv, echo_json, printable

Record = Mapping[str, Any]
_LONGEST: Final = 400
_USUAL: Final = {"wording": "own", "descriptions": "none"}


def echo_tables(tables: Mapping[str, Sequence[Record]], form: str) -> None:
    """Print records of several tables as one list, told apart by `table`."""
    records = [{"table": name, **row} for name, rows in tables.items() for row in rows]
    if form == "json":
        echo_json(records)
        return
    columns = list(dict.fromkeys(column for record in records for column in record))
    echo_csv(columns, [[record.get(column) for column in columns] for record in records])


def telling(rows: Sequence[Record], columns: Sequence[str]) -> list[str]:
    """Columns whose values say something: those that vary, or are not what goes without saying."""
    return [
        name
        for name in columns
        if len({row[name] for row in rows}) > 1
        or (name in _USUAL and rows and rows[0][name] != _USUAL[name])
    ]


def quoted(text: object) -> str:
    """A reply as a terminal may show it: in full if short, else its beginning and its end."""
    if text is None:
        return "no text"
    said = str(text).strip()
    if len(said) > _LONGEST:
        half = _LONGEST // 2
        said = f"{said[:half]} […{len(said) - 2 * half:,} characters…] {said[-half:]}"
    return printable(said) or "empty"


def labelled(label: str, text: str) -> Text:
    """One line, or more, with what it is in front."""
    return Text.assemble((f"{label}: ", "dim"), text)
