"""What runs in Ray's actors: a worker as `probe work` starts it.

An actor that dies is started again by Ray, and does the same anew: what it had been answered lies
in its folder, which the next worker on that node hands over; what it held goes to others.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from probe.cluster.joined import node_address
from probe.errors import ProbeError, ProviderDown
from probe.progress import FetchDisplay
from probe.worker.link import Link
from prompts.errors import PromptsError
from store.errors import StoreError
from store.hub_address import Address

_OURS: Final = (ProbeError, PromptsError, StoreError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Where a worker works.

    Attributes:
        where: The hub.
        token: Who has it may work there.
        store: Stands for the hub's store, whatever its address: names the worker's folder.
        state: The folder that folder is in; None for the user's.
        name: As others are shown the worker.
    """

    where: Address
    token: str = field(repr=False)
    store: str
    name: str
    state: Path | None = None

    @property
    def folder(self) -> Path:
        """What is not yet the hub's is kept there, on the worker's node."""
        import platformdirs  # noqa: PLC0415

        base = self.state or Path(platformdirs.user_state_dir("gistprobe")) / "work"
        return base / self.store

    @property
    def link(self) -> Link:
        """A connection to the hub."""
        return Link(where=self.where, token=self.token)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToAsk:
    """What an asking worker does.

    Attributes:
        models: Those it asks.
        experiment: The file, from whose folder paths count.
        keys: Variables that the file names for keys, with their values.
    """

    models: tuple[str, ...]
    experiment: Path
    keys: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """How a worker ended.

    Attributes:
        down: Why models could not be asked there.
        trouble: What ended it early.
        found: What it has to tell beside.
    """

    down: tuple[ProviderDown, ...] = ()
    trouble: str = ""
    found: object = None


class Asking:
    """Asks cells that the hub gives out."""

    def where(self) -> str:
        """The node it is on."""
        return node_address()

    def run(self, post: Post, told: ToAsk) -> Left:
        """Work until the hub has nothing left."""
        import uvloop  # noqa: PLC0415

        from probe.worker.settings import Settings  # noqa: PLC0415
        from probe.worker.starting import worker_of  # noqa: PLC0415

        os.environ.update(told.keys)
        fetching = FetchDisplay()
        settings = Settings(
            name=f"{post.name}@{node_address()}", models=told.models, state=post.folder
        )
        worker = worker_of(settings, post.link, told.experiment, fetching)
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                ended = runner.run(worker.run())
        except _OURS as error:
            return Left(trouble=str(error))
        finally:
            fetching.close()
        return Left(down=tuple(ended.down))
