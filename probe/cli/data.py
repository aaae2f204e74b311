"""`probe data`: datasets, models and encoders."""

from __future__ import annotations

import click

from probe.cli import format_option


@click.group("data")
def command() -> None:
    """List the datasets, models and encoders, and fetch those that come as assets."""


@command.command("list")
@format_option
def list_(form: str) -> None:
    """List the datasets, their tasks and licences, and the embedded models and encoder."""
    from probe.cli.show import show_answered  # noqa: PLC0415 - keeps `probe --help` fast
    from prompts.datasets import DATASETS  # noqa: PLC0415
    from store.assets import is_cached  # noqa: PLC0415
    from store.catalogue import ASSETS, ENCODERS, MODELS  # noqa: PLC0415
    from store.read import Answered  # noqa: PLC0415

    def where(asset: str | None) -> str:
        if asset is None:
            return "give path"
        return "cached" if is_cached(ASSETS[asset]) else f"fetched when used, {size(asset)}"

    def size(asset: str) -> str:
        return f"{ASSETS[asset].size / 1e6:.0f} MB"

    rows: list[tuple[object, ...]] = [
        ("dataset", each.name, each.title, ", ".join(each.tasks), where(each.asset), each.licence)
        for each in DATASETS.values()
    ]
    rows += [
        (kind, each.name, each.title, "", where(each.name), each.licence)
        for kind, assets in (("model", MODELS), ("encoder", ENCODERS))
        for each in assets.values()
    ]
    show_answered(Answered(("kind", "name", "what", "tasks", "where", "licence"), rows), form)


@command.command("fetch")
@click.argument("name")
def fetch_(name: str) -> None:
    """Fetch the dataset, model or encoder NAME into the cache, and verify it."""
    from probe.progress import FetchDisplay  # noqa: PLC0415 - keeps `probe --help` fast
    from prompts.datasets import DATASETS  # noqa: PLC0415
    from prompts.errors import UnknownName  # noqa: PLC0415
    from store.assets import fetch  # noqa: PLC0415
    from store.catalogue import ASSETS, ENCODERS, MODELS  # noqa: PLC0415

    asset = DATASETS[name].asset if name in DATASETS else name
    if asset not in ASSETS:
        fetchable = [each.name for each in DATASETS.values() if each.asset]
        fetchable += [*MODELS, *ENCODERS]
        raise UnknownName("asset", name, fetchable)
    display = FetchDisplay()
    try:
        click.echo(fetch(ASSETS[asset], display))
    finally:
        display.close()
