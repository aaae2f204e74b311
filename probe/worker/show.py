"""How a worker stands, as its terminal shows it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from probe.budget import Budget
from probe.run import ModelRun
from probe.snapshot import Meter, ModelState, RunState, model_state
from probe.worker.cells import HubCells


@dataclass(slots=True, kw_only=True)
class WorkerShown:
    """Makes pictures of a worker."""

    experiment: str
    run_id: str
    runs: Sequence[ModelRun]
    cells: Mapping[str, HubCells]
    budget: Budget
    _began: float = field(init=False)
    _meters: dict[str, Meter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._began = asyncio.get_running_loop().time()

    def state(self, problem: str | None) -> RunState:
        """Where it stands; what the whole run has to do is the hub's to say."""
        budget = self.budget
        done = sum(run.tally.replies + run.tally.failed for run in self.runs)
        return RunState(
            pid=os.getpid(),
            experiment=self.experiment,
            run_id=self.run_id,
            elapsed_s=asyncio.get_running_loop().time() - self._began,
            cells=done,
            design_cells=done,
            usd=budget.usd + budget.uncertain_usd,
            most_usd=None,
            requests=budget.requests - budget.open,
            most_requests=None,
            problem=problem,
            models=tuple(map(self._model, self.runs)),
        )

    def _model(self, run: ModelRun) -> ModelState:
        """One model: what it has to do is what the worker holds."""
        name, tally = run.model.spec.name, run.tally
        state = model_state(run, self._meters.setdefault(name, Meter()), None)
        settled = tally.replies + tally.failed + tally.unavailable
        return replace(state, to_ask=settled + len(self.cells[name].held))
