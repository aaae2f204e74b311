"""How a run ended."""

from __future__ import annotations

from dataclasses import dataclass, field

from probe.errors import ProviderDown


@dataclass(slots=True, kw_only=True)
class Ended:
    """How a run ended.

    Attributes:
        held: Cells that needed no asking (count).
        asked: Replies had (count).
        failed: Cells given up (count).
        waiting: Cells that are in batches at their provider, for a later run to take (count).
        spent: Whether a ceiling left no room for another request.
        down: Models that could not be asked.
        trouble: What ended the run early on our side, such as a disk that is gone.
    """

    held: int = 0
    asked: int = 0
    failed: int = 0
    waiting: int = 0
    interrupted: bool = False
    spent: bool = False
    down: list[ProviderDown] = field(default_factory=list)
    trouble: BaseException | None = None

    @property
    def how(self) -> str:
        """In one word."""
        if self.trouble is not None:
            return "broken"
        if self.interrupted:
            return "interrupted"
        if self.down:
            return "stopped"
        if self.spent:
            return "spent"
        return "waiting" if self.waiting else "done"
