"""Hubs and workers in processes of their own."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from pathlib import Path

from probe.hub.tokens import tokens_of
from probe.hub.wire import Role
from probe.worker.link import Link
from store.hub_address import Address
from tests.probe.runs import wait_until
from tests.probe.warm_for_tests import Running


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@dataclass
class Place:
    """One store's hub, and workers of it, on this machine. Use as a context manager."""

    store: Path
    experiment: Path | None = None
    lease_s: float = 3.0
    port: int = field(default_factory=free_port)
    started: list[Running] = field(default_factory=list)

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self.started:
            each.kill()
            with each:
                said = each.communicate()[1]
                print(each.words[0], each.returncode, said)  # noqa: T201 - where a test fails

    @property
    def address(self) -> str:
        return str(self.where)

    def token(self, role: Role = "work") -> str:
        return tokens_of(self.store).by_role[role]

    def hub(self, *flags: object, command: str = "serve") -> Running:
        """`probe serve`, started."""
        listening = ("--listen", f"localhost:{self.port}", "--lease", self.lease_s)
        named = () if self.experiment is None else (self.experiment,)
        hub = self._start((command, *named, "--store", self.store, *listening, *flags))
        wait_until(lambda: self.answers() or hub.poll() is not None)
        return hub

    def answers(self) -> bool:
        """Whether someone listens at the port."""
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", self.port)) == 0

    def link(self, role: Role = "work") -> Link:
        """A connection, with a role's token."""
        return Link(where=self.where, token=self.token(role))

    @property
    def where(self) -> Address:
        return Address("localhost", self.port)

    def worker(self, name: str, *flags: object, token: str | None = None) -> Running:
        """`probe work`, started."""
        state = self.store.parent / f"state-{name}"
        words = "work", "--hub", self.address, "--name", name, "--state", state
        return self._start((*words, *flags), {"GISTPROBE_TOKEN": token or self.token()})

    def _start(
        self, words: tuple[object, ...], environment: dict[str, str] | None = None
    ) -> Running:
        self.started.append(Running(words, environment))
        return self.started[-1]
