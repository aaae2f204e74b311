"""How many cells one should have at hand: enough to be busy until more come, and no more.

What one holds, others cannot ask; at the end of a run they would stand idle for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from probe.run import ModelRun

_AHEAD_S: Final = 3.0
_OVER_S: Final = 1.0


@dataclass(slots=True)
class Ahead:
    """One model's, by how fast its cells have been settled of late."""

    _since: float | None = None
    _before: int = 0
    _per_s: float = 0.0

    def room(self, run: ModelRun) -> int:
        """Cells there is room for beside those that wait already (count)."""
        now = run.clock.time()
        settled = run.tally.replies + run.tally.failed + run.tally.unavailable
        if self._since is None:
            self._since, self._before = now, settled
        elif now - self._since >= _OVER_S:
            self._per_s = (settled - self._before) / (now - self._since)
            self._since, self._before = now, settled
        wanted = int(run.gate.window) * run.model.spec.request_samples + _AHEAD_S * self._per_s
        return max(0, math.ceil(wanted) - run.work.waiting * run.model.spec.request_samples)
