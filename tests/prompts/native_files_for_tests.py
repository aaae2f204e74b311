"""Where the real files are, and what the tests of readers do with files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from prompts import Item
from prompts.datasets import Selection

DATA = Path(__file__).parents[2].parent / "shared" / "data"
Reader = Callable[[Path, Selection], Iterator[Item]]


def shared(path: str) -> Path:
    """A real file or folder; the test is skipped where there is none."""
    if not (DATA / path).exists():
        pytest.skip(f"needs shared/data/{path} beside the repository")
    return DATA / path


def saved(path: Path, value: object) -> Path:
    """A JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def changed(value: object, *keys: str | int, to: object = None) -> object:
    """A copy of nested lists and objects with one value replaced; taken out where `to` is None."""
    copy = deepcopy(value)
    inner: Any = copy
    for key in keys[:-1]:
        inner = inner[key]
    if to is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = to
    return copy


def windows_of(items: list[Item]) -> dict[str, list[Item]]:
    """Windowed items by the document they are cut from."""
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(item.document or item.item_id, []).append(item)
    return found


def check_windows(items: list[Item], whole: list[Item], joint: str = "\n") -> None:
    """Windows are pieces of their document in order, and say of what they hold."""
    text = {item.item_id: item.text for item in whole}
    for document, own in windows_of(items).items():
        at = 0
        for item in own:
            found = text[document].find(item.text, at)
            assert found >= 0, item.item_id
            at = found + len(item.text)
            if item.document:
                assert item.item_id == f"{document}#{item.part}"
                assert any(f"window {item.part + 1} of {item.parts}" in note for note in item.notes)
            assert item.gold
        assert len({item.part for item in own}) == len(own) <= own[0].parts
        if len(own) == own[0].parts:
            assert joint.join(item.text for item in own) == text[document]
