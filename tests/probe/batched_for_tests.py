"""Experiments that are asked in batches, and what must be true of them after whatever happened."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from probe.budget import Ceiling
from probe.ended import Ended
from probe.plan import Model
from probe.providers.base import Provider
from probe.resolve import provider_for
from store.database import Database
from tests.probe.batches_for_tests import FakeBatches
from tests.probe.experiments_for_tests import CELLS, write_experiment
from tests.probe.fake_endpoint import started
from tests.probe.runs import conduct, count, no_progress

PRICE = "price = { input_usd_per_m = 1.0, output_usd_per_m = 2.0 }"


def batch_experiment(
    folder: Path,
    url: str,
    provider: str = "openai",
    extra: str = "",
    *,
    mode: str = "batch",
    a_work: int = 2,
) -> Path:
    """The small experiment, asked in batches; its keys are the same wherever the server is."""
    lines = f"""
mode = "{mode}"
batch_poll_s = 0.01
api_key_env = "BATCH_KEY"
endpoint = "fake"
params = {{ max_tokens = 50 }}
{PRICE}
{extra}"""
    base = url if provider == "openai" else url.removesuffix("/v1")
    path = write_experiment(folder, base, extra=lines, a_work=a_work)
    text = path.read_text(encoding="utf-8").replace('"openai"', f'"{provider}"')
    path.write_text(text, encoding="utf-8")
    return path


def batched(model: Model, log: Path) -> Provider:
    """What asks a model, as the command finds it."""
    return provider_for(model.spec, Path("x.toml"), log, no_progress)


@cache
def _empty() -> TemporaryDirectory[str]:
    """A store that holds nothing: making one takes longer than most runs of these tests."""
    folder = TemporaryDirectory()
    with Database(Path(folder.name, "store")):
        return folder


def store_in(folder: Path) -> Path:
    """A test's store, which is empty at first."""
    store = folder / "store"
    if not store.exists():
        shutil.copytree(Path(_empty().name, "store"), store)
    return store


async def run(
    folder: Path,
    fake: FakeBatches,
    provider: str = "openai",
    extra: str = "",
    ceiling: Ceiling | None = None,
) -> Ended:
    """One run of the small experiment, in this process."""
    async with started(fake) as url:
        path = batch_experiment(folder, url, provider, extra)
        return await conduct(path, store_in(folder), make_provider=batched, ceiling=ceiling)


def sound(folder: Path, fake: FakeBatches) -> None:
    """Every key has one reply, and no line was bought twice."""
    store = folder / "store"
    assert count(store, "SELECT count(*) FROM replies") == CELLS
    assert count(store, "SELECT count(DISTINCT key) FROM replies") == CELLS
    assert set(fake.bought.values()) == {1}
    assert len(fake.bought) == CELLS
