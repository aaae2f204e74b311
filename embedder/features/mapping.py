"""From clusters to characters: what both pipelines' readers do alike.

Clusters of one character are put together in the order of the files, and characters come in the
order of their first cluster, as in the published feature files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from embedder.features.base import Check, Dropped, Kind
from store.errors import BadFile

MOST_EXAMPLES = 5


@dataclass(slots=True)
class Losses:
    """Counts features that belong to no character, by kind and reason, while a work is read."""

    counts: Counter[tuple[Kind, str]] = field(default_factory=Counter)

    def add(self, kind: Kind, why: str, count: int) -> None:
        """Count `count` more; nothing where it is 0."""
        if count:
            self.counts[kind, why] += count

    def dropped(self) -> tuple[Dropped, ...]:
        """The counts, largest first within each kind, kinds in the order they came in."""
        kinds = list(dict.fromkeys(kind for kind, _ in self.counts))
        ordered = sorted(self.counts.items(), key=lambda item: (kinds.index(item[0][0]), -item[1]))
        return tuple(Dropped(kind=kind, why=why, count=count) for (kind, why), count in ordered)


@dataclass(slots=True)
class Tally:
    """Counts comparisons of one sort, and keeps the first few that fail."""

    what: str
    checked: int = 0
    wrong: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, *, agrees: bool, example: str) -> None:
        """Count one comparison."""
        self.checked += 1
        if not agrees:
            self.wrong += 1
            if len(self.examples) < MOST_EXAMPLES:
                self.examples.append(example)

    def check(self) -> Check:
        """What was counted."""
        return Check(
            what=self.what,
            checked=self.checked,
            wrong=self.wrong,
            examples=tuple(self.examples),
        )


def by_character(names: Iterable[str | None]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Each character and the places of its clusters, in the order of its first cluster.

    Args:
        names: Each cluster's character, or None.
    """
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        if name is not None:
            places.setdefault(name, []).append(place)
    for name, found in places.items():
        yield name, tuple(found)


def check_kinds(path: Path, kinds: Sequence[Kind], known: Sequence[Kind], pipeline: str) -> None:
    """Whether the pipeline has every kind that was asked for.

    Raises:
        BadFile: It lacks one.
    """
    for kind in kinds:
        if kind not in known:
            raise BadFile(path, "", f"{pipeline} has no {kind}s", f"ask for {' or '.join(known)}")
