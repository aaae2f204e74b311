"""Errors of placing workers.

ProbeError
├── RayMissing     Ray is not installed
├── NoCluster      there is no cluster at the address, or none that can be joined
└── NotOnRay       something that workers on a cluster cannot do
"""

from __future__ import annotations

from probe.errors import ProbeError


class RayMissing(ProbeError):
    """Ray is not installed."""

    def __str__(self) -> str:
        return "--ray needs Ray, which is not installed; pip install 'gistprobe[ray]'"


class NoCluster(ProbeError):
    """There is no cluster at an address, or none that this process can join."""

    def __init__(self, address: str, found: str, fix: str) -> None:
        super().__init__(address, found, fix)
        self.address, self.found, self.fix = address, found, fix

    def __str__(self) -> str:
        return f"Ray at {self.address}: {self.found}; {self.fix}"


class NotOnRay(ProbeError):
    """Something that workers on a cluster cannot do."""

    def __init__(self, what: str, fix: str) -> None:
        super().__init__(what, fix)
        self.what, self.fix = what, fix

    def __str__(self) -> str:
        return f"{self.what}; {self.fix}"
