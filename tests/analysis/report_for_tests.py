"""A store to report on: two tasks, two models, names that change, and replies that mean harm."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from store.insert import insert
from store.read import Connection
from store.rows import PromptRow
from tests.store.rows_for_tests import (
    attempt_row,
    cell_row,
    experiment_row,
    failure_row,
    item_row,
    model_row,
    prompt_row,
    reply_row,
    run_end_row,
    run_row,
    score_row,
)

HOSTILE = (
    "<script>alert(1)</script> </script><img src=x onerror=alert(1)> <!-- \x1b[31mred =cmd()"
    " \x00 \u202eolleh\u202c \u2028 {{ 7 * 7 }} &amp; \x9b"
)
"""What a reply may hold that a page, a terminal or a spreadsheet could take for its own."""
CONDITIONS = (
    ("original", "baseline"),
    ("original", "gist"),
    ("cross_culture", "baseline"),
    ("cross_culture", "gist"),
)
ITEMS = 8
LOST = ("walk-0", "walk-1", "walk-2", "walk-3", "walk-4", "walk-5")
"""Items of the first task that both models get right under original names only."""
GAINED = "walk-6"
MAP = {"Mary Gray": "Lihua Zhou", "Tom": "Wei"}
SPEC = 'name = "small"\npath = "/home/someone/books/walks.jsonl"\napi_key_env = "SOME_KEY"'
PROVENANCE = {
    "spec": SPEC,
    "code_revision": "0123abc",
    "packages": {"gistprobe": "0.1.0"},
    "python": "3.12.1",
    "platform": "Linux",
    "cores": 4,
    "command": ["probe", "run", "/home/someone/small.toml"],
}


@dataclass(frozen=True, slots=True)
class Size:
    """How much the store holds.

    Attributes:
        items: Of each task (count).
        words: By which passages are longer (count).
    """

    items: int = ITEMS
    words: int = 0


def fill(connection: Connection, size: Size | None = None) -> None:
    """Insert the experiment."""
    of = size or Size()
    run = replace(run_row(), provenance=json.dumps(PROVENANCE))
    insert(connection, [replace(experiment_row(), spec=SPEC, items=2 * of.items)])
    insert(connection, [model_row("first"), replace(model_row("second"), note="A small one.")])
    insert(connection, [run, run_end_row()])
    for task in ("character_guessing", "source_identification"):
        for number in range(of.items):
            _item(connection, task, number, of)


def _item(connection: Connection, task: str, number: int, of: Size) -> None:
    name = f"walk-{number}" if task == "character_guessing" else f"title-{number}"
    item = replace(item_row(name, task=task), work=f"Work {number}", notes='["line 3 is mended"]')
    insert(connection, [item])
    cells, replies, scores = [], [], []
    for condition in CONDITIONS:
        prompt = _prompt(name, condition, number, of)
        insert(connection, [prompt])
        for model in ("first", "second"):
            cell = cell_row(prompt, model=model)
            cells.append(cell)
            text = _reply(name, condition, model)
            if text is None:
                insert(connection, [failure_row(cell.key, error=f"no reply {HOSTILE}")])
                continue
            right = int(_is_right(name, condition))
            answer = json.dumps({"title": text[:40]})
            replies.append(reply_row(cell.key, text=text))
            scores.append(score_row(cell, right, answer=answer))
    insert(connection, cells)
    insert(connection, replies)
    insert(connection, scores)
    insert(connection, [attempt_row(each.key, usd=0.01) for each in replies])


def _prompt(name: str, condition: tuple[str, str], number: int, of: Size) -> PromptRow:
    names, prompt = condition
    changed = names == "cross_culture"
    people = list(MAP.values() if changed else MAP.keys())
    first = people[0].split()[0]
    told = f"{people[0]} met {people[1]} at gate {number}. {first} laughed; the marygold did not."
    filler = " ".join(f"step {step} of {number}" for step in range(of.words))
    row = prompt_row(name, names, prompt)
    return replace(
        row,
        text=f"Who speaks here ({prompt})?\n\n{told} {filler}".strip(),
        name_map=json.dumps(MAP if changed else {}),
        replaced=3 if changed else 0,
        leaks=json.dumps({"Gray": 1} if changed and number == 0 else {}),
        suspects=json.dumps({"Gate": 2} if changed else {}),
    )


def _is_right(name: str, condition: tuple[str, str]) -> bool:
    if name in LOST:
        return condition[0] == "original"
    if name == GAINED:
        return condition[0] != "original"
    return True


def _reply(name: str, condition: tuple[str, str], model: str) -> str | None:
    """What came back; one reply is missing, and one means harm."""
    if (name, condition, model) == ("title-1", CONDITIONS[2], "second"):
        return None
    if (name, condition, model) == ("walk-0", CONDITIONS[2], "first"):
        return HOSTILE
    return f"It is {model}'s reply to {name}."


def unpacked(chunks: tuple[str, ...]) -> Iterator[dict[str, list[object]]]:
    """What a browser takes out of a report's chunks."""
    for chunk in chunks:
        yield json.loads(gzip.decompress(base64.b64decode(chunk)))
