"""A worker of a hub that asks models as they are found here."""

from __future__ import annotations

from pathlib import Path

from probe.model_spec import ModelSpec
from probe.plan import Model
from probe.providers import Provider
from probe.resolve import as_hub_has_it, provider_for
from probe.worker.link import Link
from probe.worker.session import Worker
from probe.worker.settings import Settings
from store.assets import Progress


def worker_of(settings: Settings, link: Link, experiment: Path, progress: Progress) -> Worker:
    """A worker, not started yet.

    Args:
        settings: How it works.
        link: To its hub.
        experiment: From whose folder the paths of models count.
        progress: Shows what is fetched.
    """

    def resolve(spec: ModelSpec, endpoint: str) -> Model:
        return as_hub_has_it(spec, endpoint, experiment)

    def provider(model: Model, log: Path) -> Provider:
        return provider_for(model.spec, experiment, log, progress)

    return Worker(settings=settings, link=link, resolve=resolve, make_provider=provider)
