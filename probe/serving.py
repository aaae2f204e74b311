"""The models of a run while it is on: which are open, and which have their turn still to come.

Endpoints are asked all at the same time. Models that are started here share one machine: they are
served one after the other, each opened when its turn comes and closed before the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from probe.budget import Budget
from probe.errors import ProviderDown
from probe.feed import Cells, ask_all
from probe.gate import Clock, Pause
from probe.ledger import Ledger
from probe.plan import Model
from probe.providers import Provider, Served
from probe.run import ModelRun
from prompts.tasks.base import Asks
from store.keys import canonical
from store.rows import ServedRow


@dataclass(slots=True, kw_only=True)
class Serving:
    """Opens the models of a run and asks them.

    Attributes:
        providers: What asks each model that may have cells left.
        asks: All that is asked for.
        may_ask: Whether a model has cells left, as far as is known.
        say: Takes a line for the user.
        runs: Those opened so far.
        down: Why others could not be.
    """

    models: Collection[Model]
    providers: Mapping[str, Provider]
    asks: Collection[Asks]
    ledger: Ledger
    may_ask: Callable[[str], bool]
    say: Callable[[str], None]
    runs: list[ModelRun] = field(default_factory=list)
    down: list[ProviderDown] = field(default_factory=list)
    _pauses: dict[tuple[str, str | None], Pause] = field(default_factory=dict)
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """Take nothing new, open nothing more; what is in flight is finished."""
        self._stopped.set()
        for run in self.runs:
            run.stop()

    async def close(self) -> None:
        """Close every provider."""
        for provider in self.providers.values():
            await provider.close()

    async def open_together(self, budget: Budget) -> list[ModelRun]:
        """Open the models that are asked at the same time."""
        together = [model for model in self.models if not model.spec.in_turn]
        opened = [await self._open(model, budget) for model in together]
        return [run for run in opened if run is not None]

    async def ask_in_turn(self, cells: Callable[[str], Cells], budget: Budget) -> None:
        """Open, ask and close the other models, one after the other.

        Args:
            cells: Gives a model's, by its name.
            budget: Of all models.
        """
        for model in self.models:
            if not model.spec.in_turn or self._stopped.is_set():
                continue
            run = await self._open(model, budget)
            if run is not None:
                await ask_all(run, cells(model.spec.name))
            if (provider := self.providers.get(model.spec.name)) is not None:
                await provider.close()

    async def _open(self, model: Model, budget: Budget) -> ModelRun | None:
        name, spec = model.spec.name, model.spec
        if name not in self.providers or not self.may_ask(name):
            return None
        provider = self.providers[name]
        try:
            served = await self._opened(provider)
        except ProviderDown as down:
            self.down.append(down)
            return None
        if served is None:
            return None
        for asks, reason in served.unavailable.items():
            self.say(f"{name}: no {asks} to be had ({reason}); those cells are put down as such")
        await self.ledger.keep(
            ServedRow(
                run_id=self.ledger.run_id,
                model=name,
                opened_at=datetime.now(UTC),
                facts=canonical(served.facts),
                unavailable=canonical(served.unavailable),
            )
        )
        clock: Clock = asyncio.get_running_loop()
        server = (spec.base_url or name, spec.api_key_env)
        run = ModelRun(
            model=model,
            provider=provider,
            ledger=self.ledger,
            budget=budget,
            pause=self._pauses.setdefault(server, Pause(clock)),
            clock=clock,
            unavailable=served.unavailable,
        )
        self.runs.append(run)
        if self._stopped.is_set():  # while it was being opened
            run.stop()
        return run

    async def _opened(self, provider: Provider) -> Served | None:
        """What answers; None where a stop came before it was ready, which may take minutes."""
        opening = asyncio.create_task(provider.open(self.asks))
        stop = asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait({opening, stop}, return_when=asyncio.FIRST_COMPLETED)
            return opening.result() if opening.done() else None
        finally:
            for task in (opening, stop):
                task.cancel()
            await asyncio.wait({opening, stop})
