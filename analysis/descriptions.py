"""What an experiment's models said of the characters, as further experiments take it in.

Source: memorization paper, section 5.2 and appendix D.
"""

from __future__ import annotations

import json
from pathlib import Path

from analysis.errors import NoDescriptions, NoSuchTable, NotWritten
from analysis.sql import query
from store.read import Source, ask


def descriptions(source: Source, experiment: str, model: str | None) -> list[dict[str, object]]:
    """One record a character of each work: the first description of it, and whose it is.

    Args:
        source: The store.
        experiment: One that asked for character descriptions.
        model: Which of its models; the first in the order of asking if None.

    Raises:
        NoSuchTable: The store has no such experiment.
        NoDescriptions: It holds none.
    """
    known = tuple(str(row[0]) for row in ask(source, query("plans")).rows)
    if experiment not in known:
        raise NoSuchTable(experiment, known)
    bound: dict[str, object] = {"experiment": experiment, "model": model}
    found = ask(source, query("descriptions"), bound).records()
    if not found:
        raise NoDescriptions(experiment, model)
    return [{**record, "experiment": experiment} for record in found]


def write_descriptions(records: list[dict[str, object]], path: Path) -> None:
    """Write them as JSON lines, whole or not at all.

    Raises:
        NotWritten: The folder does not take the file.
    """
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(lines, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise NotWritten(path.name, path.parent, error.strerror or str(error)) from None
