"""How an encoder tells of a target: a vector, or that there is none and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import numpy as np

from embedder.encoders.base import Encoded, Skipped, Target
from embedder.errors import CannotEncode

Tell: TypeAlias = Callable[[Skipped], None] | None


class Outcomes:
    """What comes of targets."""

    def __init__(self, dtype: str, tell: Tell) -> None:
        """Start with what the model computes in, and who is told of targets without a vector."""
        self._dtype, self._tell = dtype, tell

    def skip(self, target: Target, reason: str) -> None:
        """Tell that a target has no vector.

        Raises:
            CannotEncode: There is nobody to tell.
        """
        if self._tell is None:
            raise CannotEncode(target.target_id, reason)
        self._tell(Skipped(target_id=target.target_id, reason=reason))

    def sentences(self, targets: Iterable[Target]) -> Iterator[Target]:
        """The targets that are whole texts; the others are skipped."""
        for target in targets:
            if target.start is None:
                yield target
            else:
                self.skip(target, "it is a word in its context, and this encodes sentences")

    def vectors(self, made: Iterable[tuple[Target, Encoded]]) -> list[Encoded]:
        """Those whose numbers are all finite; the others are skipped."""
        good: list[Encoded] = []
        for target, each in made:
            if np.isfinite(each.vector).all():
                good.append(each)
            else:
                found = f"its vector has numbers that are not finite in {self._dtype}"
                self.skip(target, f"{found}; use another dtype")
        return good


def by_text(targets: Iterable[Target]) -> dict[str, list[Target]]:
    """The targets of each distinct text, so that it goes through the model once."""
    found: dict[str, list[Target]] = {}
    for target in targets:
        found.setdefault(target.text, []).append(target)
    return found
