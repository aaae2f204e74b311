"""Watches a run while it is on: shows how it goes, here and to other terminals, and ends hangs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from probe.budget import Budget
from probe.feed import Recording
from probe.hub.show import WorkersShown
from probe.ledger import Ledger
from probe.progress import Display
from probe.record import Standing
from probe.run import ModelRun
from probe.snapshot import Meter, RunState, model_state, remove_state, write_state
from store.database import Database

_TICK_S: Final = 0.5


@dataclass(slots=True, kw_only=True)
class Watch:
    """One run's watch.

    Attributes:
        database: The store's, which is open.
        standings: Where each model stood before the run; filled once the plan is recorded.
        shown: The hub's workers, where there is one.
    """

    database: Database
    experiment: str
    display: Display[RunState]
    recording: Recording
    runs: Sequence[ModelRun]
    budget: Budget
    ledger: Ledger
    standings: Mapping[str, Standing] = field(default_factory=dict)
    shown: WorkersShown | None = None
    _told: str | None = None
    _began: float = field(init=False)
    _meters: dict[str, Meter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._began = asyncio.get_running_loop().time()

    async def run(self) -> None:
        """Go on until it is cancelled."""
        try:
            while True:
                self.look()
                await asyncio.sleep(_TICK_S)
        finally:
            self.look()
            remove_state(self.database.path)

    def look(self) -> None:
        """Look once."""
        state = self.state()
        self.display.show(state)
        self._tell()
        with suppress(OSError):  # a full disk, of which the ledger tells
            write_state(self.database.path, state)
        self.database.tend()
        for run in self.runs:
            run.end_hangs()

    def _tell(self) -> None:
        """Say once what keeps rows from being written, and that it is over."""
        now = self.database.problem
        if (now is None) != (self._told is None):
            self.display.say(now or "the store can be written again; the run goes on")
        self._told = now

    def state(self) -> RunState:
        """Where the run stands."""
        budget, recording = self.budget, self.recording
        models = tuple(
            model_state(
                run,
                self._meters.setdefault(run.model.spec.name, Meter()),
                self.standings.get(run.model.spec.name),
            )
            for run in self.runs
        )
        if self.shown is not None:
            models = self.shown.models(models, self.standings)
        state = RunState(
            pid=os.getpid(),
            experiment=self.experiment,
            run_id=self.ledger.run_id,
            elapsed_s=asyncio.get_running_loop().time() - self._began,
            cells=recording.done.cells,
            design_cells=recording.drawn.cells,
            usd=budget.usd + budget.uncertain_usd,
            most_usd=budget.ceiling.usd,
            requests=budget.requests - budget.open,
            most_requests=budget.ceiling.requests,
            problem=self.ledger.problem or self.database.problem,
            models=models,
        )
        return self.shown.spending(state) if self.shown else state
