"""The orchestrator and the command: experiment file, plan, pace, providers, run."""

from probe.errors import PlanEmpty, ProbeError, ProviderDown, SpecError

__all__ = ["PlanEmpty", "ProbeError", "ProviderDown", "SpecError"]
