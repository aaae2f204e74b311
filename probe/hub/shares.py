"""Something that is limited, shared out to several who use it far from each other.

What one has been told is its own until it confirms a smaller share: so the shares never add up to
more than there is, however long a message takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Shares:
    """Shares of a whole.

    Attributes:
        whole: All there is; None where there is no limit.
    """

    whole: float | None
    _told: dict[str, float] = field(default_factory=dict)
    _perhaps: dict[str, float] = field(default_factory=dict)

    def room(self, who: str) -> float:
        """The most one may have now, what it has included."""
        if self.whole is None:
            return float("inf")
        others = sum(most for name, most in self._perhaps.items() if name != who)
        return max(0.0, self.whole - others)

    def tell(self, who: str, wanted: float) -> float:
        """The share one has from now on: what is wanted, as far as there is room."""
        share = min(wanted, self.room(who))
        self._told[who] = share
        self._perhaps[who] = max(self._perhaps.get(who, 0.0), share)
        return share

    def confirm(self, who: str) -> None:
        """One keeps to the share it was told last."""
        if who in self._told:
            self._perhaps[who] = self._told[who]

    def drop(self, who: str, used: float = 0.0) -> None:
        """One is gone; what it used for good stays taken."""
        self._told.pop(who, None)
        self._perhaps[who] = used
        if not used:
            del self._perhaps[who]


def fair(whole: float, most: Mapping[str, float]) -> dict[str, float]:
    """What each gets of a whole where all want as much as they may.

    Args:
        whole: What there is.
        most: What each may have at most.
    """
    left, shares = whole, {}
    for count, (who, limit) in enumerate(sorted(most.items(), key=lambda each: (each[1], each[0]))):
        shares[who] = min(limit, left / (len(most) - count))
        left -= shares[who]
    return shares


def fair_counts(whole: int, most: Mapping[str, int]) -> dict[str, int]:
    """As `fair`, in whole numbers; what is left over goes to the first by name."""
    shares = {who: int(share) for who, share in fair(whole, dict(most)).items()}
    for who in sorted(most):
        if sum(shares.values()) < whole and shares[who] < most[who]:
            shares[who] += 1
    return shares
