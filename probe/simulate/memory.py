"""What a planted subject remembers and can do, and what it is to be expected to score. Pure.

A subject knows some works, each by itself with the same chance. A passage of a known work is
recognised by its names, where they stand as they are, or by its wording. What is recognised is
answered rightly; else each unit asked for is answered rightly with the chance that is its skill.
A reply may be refused or garbled, whatever it would have said, and then has nothing right.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict, dataclass, fields

from probe.simulate.errors import SettingsError

_FORM = 1
"""Goes up when the same settings give other replies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A kind of subject; each field is a probability in [0, 1] and the flag of the same name.

    Attributes:
        known: That a work is known.
        by_names: That a passage of a known work is recognised by its names, if they are there.
        by_wording: That it is recognised by its wording, whatever the names.
        skill: That a unit of what is not recognised is answered rightly.
        verbatim: That the verbatim prompt makes recognised what would not be, of a known work.
        gist: That the gist prompt keeps from use what would be recognised.
        refuse: That a reply is a refusal.
        garble: That it is garbled.
    """

    known: float = 0.5
    by_names: float = 0.8
    by_wording: float = 0.3
    skill: float = 0.4
    verbatim: float = 0.0
    gist: float = 0.0
    refuse: float = 0.02
    garble: float = 0.02

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not (isinstance(value, (int, float)) and math.isfinite(value) and 0 <= value <= 1):
                raise SettingsError(each.name.replace("_", "-"), value, "between 0 and 1")
        if self.refuse + self.garble > 1 + 1e-9:
            total = f"{self.refuse + self.garble:g}"
            raise SettingsError("refuse and --garble in sum", total, "at most 1")

    def recognition(self, *, names_kept: bool, prompt: str) -> float:
        """The chance that a passage is recognised, over works known and not known."""
        by_names = self.by_names if names_kept else 0.0
        found = 1 - (1 - by_names) * (1 - self.by_wording)
        if prompt == "verbatim":
            found += (1 - found) * self.verbatim
        elif prompt == "gist":
            found *= 1 - self.gist
        return self.known * found

    def expected(self, *, names_kept: bool, prompt: str) -> float:
        """The expected share of units answered rightly, over all subjects of this kind.

        Args:
            names_kept: Whether the passage is shown with its own names.
            prompt: `baseline`, `verbatim` or `gist`.
        """
        recognised = self.recognition(names_kept=names_kept, prompt=prompt)
        answered = recognised + (1 - recognised) * self.skill
        return (1 - self.refuse - self.garble) * answered


@dataclass(frozen=True, slots=True)
class Passage:
    """What is recognised, or not: a passage of a work, under some names, asked with a prompt."""

    work: str
    item_id: str
    names_kept: bool
    prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One subject of a kind: what it knows and recognises is drawn from the seed and its name.

    Which works it knows holds for all that it is asked, and what it recognises of a passage is
    drawn once for all conditions, samples and tasks: names left out never make it recognise more.
    """

    memory: Memory
    seed: int
    name: str

    def knows(self, work: str) -> bool:
        """Whether it knows a work."""
        return even(f"{self.seed}", self.name, "work", work)[0] < self.memory.known

    def recognises(self, passage: Passage) -> bool:
        """Whether it recognises a passage under a condition."""
        if not self.knows(passage.work):
            return False
        drawn = even(f"{self.seed}", self.name, "passage", passage.work, passage.item_id)
        by_names, by_wording, verbatim, gist = drawn
        found = by_wording < self.memory.by_wording
        found = found or (passage.names_kept and by_names < self.memory.by_names)
        if passage.prompt == "verbatim":
            return found or verbatim < self.memory.verbatim
        if passage.prompt == "gist":
            return found and gist >= self.memory.gist
        return found


def kind_of(memory: Memory, seed: int) -> str:
    """What stands for subjects of a kind and seed: the same text, the same replies."""
    parts = [f"form {_FORM}", f"seed {seed}"]
    parts += [f"{name} {value!r}" for name, value in sorted(_plain(memory).items())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _plain(memory: Memory) -> dict[str, float]:
    return {name: float(value) for name, value in asdict(memory).items()}


def even(*parts: str) -> tuple[float, float, float, float]:
    """Four numbers drawn evenly in [0, 1) by some texts."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()
    first, second, third, fourth = (
        (int.from_bytes(digest[at : at + 8], "big") >> 11) / 2**53 for at in range(0, 32, 8)
    )
    return first, second, third, fourth
