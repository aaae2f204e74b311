"""Leases on the work of encoders: which embedding worker, on which machine, has which buckets."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from probe.gate import Clock
from probe.hub.wire import Buckets, BucketsReport


@dataclass(slots=True, kw_only=True)
class Leases:
    """Buckets that are taken; one not renewed for as long as a lease lasts is free again.

    Attributes:
        lease_s: How long that is (seconds).
    """

    clock: Clock
    lease_s: float
    _taken: dict[tuple[str, int], tuple[str, float]] = field(default_factory=dict)
    _done: defaultdict[tuple[str, str], set[int]] = field(default_factory=lambda: defaultdict(set))

    def report(self, asked: BucketsReport) -> Buckets:
        """Take, renew and give back what a worker asks; say what it has now, and what is done."""
        now, encoder = self.clock.time(), asked.encoder_id
        finished = self._done[encoder, asked.wanted]
        for bucket in asked.done:
            if self._holder(encoder, bucket, now) == asked.worker:
                del self._taken[encoder, bucket]
                finished.add(bucket)
        held = [
            bucket
            for bucket in sorted({*asked.take} - finished)
            if self._holder(encoder, bucket, now) in {None, asked.worker}
        ]
        self._taken.update({(encoder, b): (asked.worker, now + self.lease_s) for b in held})
        return Buckets(held=held, finished=sorted(finished))

    def _holder(self, encoder: str, bucket: int, now: float) -> str | None:
        worker, until = self._taken.get((encoder, bucket), ("", 0.0))
        return worker if worker and until >= now else None
