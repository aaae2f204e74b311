"""What a dataset is: a reader from a native format to items, and what users should know of it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from prompts.datasets.derived import BASES, DERIVED, derived
from prompts.errors import DatasetError
from prompts.item import Item

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What an experiment asks of a dataset.

    Attributes:
        task: The task the items are for.
        works: Only these works, by any accepted title; all if empty.
        excerpt_words: Words of an excerpt cut from a longer text (count, a target).
        window_words: Words of a window where a text is too long for a model (count); None leaves
            texts whole.
        options: Answers offered for a title question (count); 0 leaves it open.
        seed: Drives every draw, together with the item's own id.
    """

    task: str
    works: tuple[str, ...] = ()
    excerpt_words: int = 300
    window_words: int | None = None
    options: int = 0
    seed: int = 0


class Reader(Protocol):
    """Reads a dataset's files into items, in the files' own order."""

    def __call__(self, root: Path, selection: Selection, /) -> Iterator[Item]:
        """Yield the items; raise `DatasetError` at the first thing that is not as it should be."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """One dataset: where it comes from, and how it is read.

    Attributes:
        asset: Name of the asset that carries it; None where the user gives a path.
        path_help: What `path` must point to.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    licence: str
    source: str
    path_help: str
    read: Reader
    asset: str | None = None

    @property
    def derives(self) -> tuple[str, ...]:
        """Tasks whose items are made from those of its own tasks."""
        return tuple(
            task for task, bases in BASES.items() if any(base in self.tasks for base in bases)
        )

    def items(self, root: Path, selection: Selection) -> Iterator[Item]:
        """The items of any of its tasks, derived ones too; raises `DatasetError` as it reads."""
        if selection.task not in DERIVED:
            return self.read(root, selection)
        base = next(base for base in BASES[selection.task] if base in self.tasks)
        return derived(self.read(root, replace(selection, task=base)), selection.task)


def seeded(*parts: object) -> random.Random:
    """A generator that depends on its arguments alone, on every machine."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - draws, not secrets


def shuffled(values: Iterable[T], *seed: object) -> tuple[T, ...]:
    """The values in a seeded order."""
    result = list(values)
    seeded(*seed).shuffle(result)
    return tuple(result)


def title_options(gold: str, works: Sequence[str], count: int, *seed: object) -> tuple[str, ...]:
    """The right title among seeded others, `count` in all; none where `count` is 0."""
    if count == 0:
        return ()
    others = [work for work in works if work != gold]
    drawn = seeded(*seed, "others").sample(others, min(count - 1, len(others)))
    return shuffled((gold, *drawn), *seed, "order")


def read_text(path: Path) -> str:
    """A file's text, its line ends untouched.

    Raises:
        DatasetError: The file is missing or not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise DatasetError(
            path, "", "no such file", "check `path` in the experiment file"
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise DatasetError(path, "", reason, "check `path` and its permissions") from None
    except UnicodeDecodeError as error:
        raise DatasetError(
            path, f"byte {error.start}", "not UTF-8", "save the file as UTF-8 and try again"
        ) from None
