"""Errors of the simulated endpoint.

ProbeError
└── SettingsError    a setting the endpoint cannot be started with
"""

from __future__ import annotations

from probe.errors import ProbeError


class SettingsError(ProbeError):
    """A setting that cannot be; the message names the flag it is given by."""

    def __init__(self, flag: str, found: object, wanted: str) -> None:
        super().__init__(flag, found, wanted)
        self.flag, self.found, self.wanted = flag, found, wanted

    def __str__(self) -> str:
        return f"--{self.flag} is {self.found}, it must be {self.wanted}"
