"""Errors of a worker.

ProbeError
├── HubRefuses       the hub does not do what is asked, and will not
├── HubAway          the hub does not answer, or not now
├── NotKnown         the hub does not know the worker any more: its lease is over
└── OtherWeights     a model's weights here are not the hub's
"""

from __future__ import annotations

from probe.errors import ProbeError


class HubRefuses(ProbeError):
    """The hub refuses for a reason that lasts."""


class HubAway(ProbeError):
    """The hub cannot be reached, or cannot take anything in at present."""


class NotKnown(ProbeError):
    """The worker's lease has run out, or the hub was restarted."""


class OtherWeights(ProbeError):
    """A model's weights are not those that its cells' keys stand for."""

    def __init__(self, model: str, here: str, there: str) -> None:
        super().__init__(model, here, there)
        self.model, self.here, self.there = model, here, there

    def __str__(self) -> str:
        return (
            f"model {self.model}: {self.here} here, {self.there} at the hub; bring the same weights"
            " here, or leave the model to others with --model"
        )
