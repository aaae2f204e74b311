"""How a hub's workers stand: in the picture of the run, a line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from probe.hub.hub import Hub
from probe.hub.members import Member
from probe.record import Standing
from probe.snapshot import Meter, ModelState, RunState

_QUIET_S = 5.0


@dataclass(slots=True)
class WorkersShown:
    """Adds what workers do to what this process does itself."""

    hub: Hub
    _meters: dict[str, Meter] = field(default_factory=dict)

    def models(
        self, here: Sequence[ModelState], standings: Mapping[str, Standing]
    ) -> tuple[ModelState, ...]:
        """The run's models, asked here or by workers."""
        known = {state.model: state for state in here}
        found = []
        for name in self.hub.desks:
            state = known.pop(name, None) or _not_here(name, standings.get(name))
            found.append(self._added(state))
        return (*found, *known.values())

    def _added(self, state: ModelState) -> ModelState:
        hub, name = self.hub, state.model
        settled = hub.replies[name] + hub.failed[name]
        meter = self._meters.setdefault(name, Meter())
        per_min, tokens = meter.rates(hub.clock.time(), settled, hub.tokens_used[name])
        rate = state.requests_per_min + per_min
        done, failed = state.done + hub.replies[name], state.failed + hub.failed[name]
        left = None if state.to_ask is None else max(0, state.to_ask - done - failed)
        left_s = None if left is None or not rate else left * 60 / rate
        reports = [member.on(name) for member in hub.members.values()]
        return replace(
            state,
            done=done,
            failed=failed,
            requests_per_min=rate,
            tokens_per_min=state.tokens_per_min + tokens,
            window=state.window or hub.in_flight(name),
            in_flight=state.in_flight + sum(report.in_flight for report in reports),
            left_s=0.0 if left == 0 else left_s,
        )

    def spending(self, state: RunState) -> RunState:
        """The run with what all have spent, and are told to spend at most."""
        ceilings = self.hub.ceilings
        used, most = ceilings.used(), ceilings.ceiling
        return replace(
            state,
            usd=used.usd,
            requests=used.requests,
            most_usd=most.usd,
            most_requests=most.requests,
            workers=self.lines(),
        )

    def lines(self) -> tuple[str, ...]:
        """The workers, a line each."""
        members = sorted(self.hub.members.values(), key=lambda member: member.hello.name)
        return tuple(self._line(member) for member in members)

    def _line(self, member: Member) -> str:
        report = member.report
        parts = [f"worker {member.hello.name}: {member.replies:,} cells settled"]
        for name, model in report.models.items():
            if model.asking:
                parts.append(f"{name} {model.in_flight} open")
            if model.down:
                parts.append(f"{name} cannot be asked there ({model.down})")
        quiet_s = self.hub.clock.time() - member.heard
        if quiet_s > _QUIET_S:
            parts.append(f"not heard of for {quiet_s:.0f} s")
        if report.problem:
            parts.append(report.problem)
        return " · ".join(parts)


def _not_here(name: str, standing: Standing | None) -> ModelState:
    return ModelState(
        model=name,
        to_ask=standing.to_ask if standing else None,
        done=0,
        failed=0,
        held=standing.held if standing else 0,
        requests_per_min=0.0,
        tokens_per_min=0.0,
        limits_per_min={},
        in_flight=0,
        window=0,
        retries=0,
        refusals=0,
        failures={},
        pause_s=0.0,
        pause_why="",
        left_s=None,
        limited_by="",
        down=None,
    )
