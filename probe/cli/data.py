"""`probe data`: datasets, models and encoders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from probe.cli import format_option

if TYPE_CHECKING:
    from prompts.datasets.homes import Home
    from store.read import Answered


@click.group("data")
def command() -> None:
    """List the datasets, models and encoders, fetch them, and check datasets."""


@command.command("list")
@format_option
def list_(form: str) -> None:
    """List the datasets, their tasks, where they are and their licences, and the models.

    "Reader checked on" says what of a dataset its reader has been held against.
    """
    from probe.cli.show import show_answered  # noqa: PLC0415 - keeps `probe --help` fast
    from prompts.datasets import DATASETS  # noqa: PLC0415
    from prompts.datasets.homes import homes  # noqa: PLC0415
    from store.catalogue import ENCODERS, MODELS  # noqa: PLC0415
    from store.read import Answered  # noqa: PLC0415

    known = homes()
    rows: list[tuple[object, ...]] = [
        (
            "dataset",
            each.name,
            each.title,
            ", ".join(each.tasks),
            _asset_state(each.asset) if each.asset else _home_state(each.name),
            each.licence,
            known[each.name].checked if each.name in known else "",
        )
        for each in DATASETS.values()
    ]
    rows += [
        (kind, each.name, each.title, "", _asset_state(each.name), each.licence, "")
        for kind, assets in (("model", MODELS), ("encoder", ENCODERS))
        for each in assets.values()
    ]
    columns = ("kind", "name", "what", "tasks", "where", "licence", "reader checked on")
    answered = Answered(columns, rows)
    if form == "table":
        _show_blocks(answered)
    else:
        show_answered(answered, form)


def _show_blocks(listed: Answered) -> None:
    """A paragraph for each thing: seven columns do not fit a terminal."""
    from rich.padding import Padding  # noqa: PLC0415 - keeps `probe --help` fast
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from probe.cli.show import stdout  # noqa: PLC0415

    console = stdout()
    for kind, name, what, *more in listed.rows:
        console.print(Text.assemble((str(name), "bold"), f"  {kind}: {what}"))
        facts = Table.grid(padding=(0, 2))
        for column, fact in zip(listed.columns[3:], more, strict=True):
            if fact:
                facts.add_row(Text(column, "dim"), Text(str(fact)))
        console.print(Padding(facts, (0, 0, 1, 2)))


def _asset_state(name: str) -> str:
    from store.assets import is_cached  # noqa: PLC0415 - keeps `probe --help` fast
    from store.catalogue import ASSETS  # noqa: PLC0415

    asset = ASSETS[name]
    return "cached" if is_cached(asset) else f"fetched when used, {asset.size / 1e6:.0f} MB"


def _home_state(name: str) -> str:
    from probe.homes import is_here, repository_of  # noqa: PLC0415 - keeps `probe --help` fast
    from prompts.datasets.homes import homes  # noqa: PLC0415

    if is_here(name):
        return "cached"
    if repository_of(name) is not None:
        return f"`probe data fetch {name}`"
    return "by hand: `probe data fetch` says how" if name in homes() else "your own: give path"


@command.command("fetch")
@click.argument("name")
@click.option(
    "--accept-licence",
    is_flag=True,
    help="Needed where the home states no licence: you have settled that you may use the dataset.",
)
def fetch_(name: str, *, accept_licence: bool) -> None:
    """Fetch the dataset, model or encoder NAME into the cache, and verify it.

    Prints where it lies. By fetching a dataset you accept its licence, which is named first. An
    interrupted fetch of a dataset goes on where it stopped. Where no program can fetch a dataset,
    the command says what to download and where to put it, and ends with exit code 2.
    """
    from prompts.datasets import DATASETS  # noqa: PLC0415 - keeps `probe --help` fast
    from prompts.datasets.homes import homes  # noqa: PLC0415
    from prompts.errors import UnknownName  # noqa: PLC0415
    from store.catalogue import ASSETS, ENCODERS, MODELS  # noqa: PLC0415

    asset = (DATASETS[name].asset if name in DATASETS else None) or name
    if asset in ASSETS:
        _fetch_asset(asset)
    elif name in homes():
        _fetch_home(name, homes()[name], accept_licence=accept_licence)
    elif name in DATASETS:
        _stop(f"{name} is read from a file of your own: {DATASETS[name].path_help}")
    else:
        raise UnknownName("asset", name, [*DATASETS, *homes(), *MODELS, *ENCODERS])


def _fetch_asset(name: str) -> None:
    from probe.progress import FetchDisplay  # noqa: PLC0415 - keeps `probe --help` fast
    from store.assets import fetch  # noqa: PLC0415
    from store.catalogue import ASSETS  # noqa: PLC0415

    display = FetchDisplay()
    try:
        click.echo(fetch(ASSETS[name], display))
    finally:
        display.close()


def _fetch_home(name: str, home: Home, *, accept_licence: bool) -> None:
    from probe.homes import by_hand, found, is_here, repository_of  # noqa: PLC0415 - as above
    from probe.progress import FetchDisplay  # noqa: PLC0415
    from store.repositories import fetch  # noqa: PLC0415

    repository = repository_of(name)
    click.echo(f"{name}: licence: {home.licence} ({home.scope})", err=True)
    if repository is None and is_here(name):
        click.echo(found(name))
        return
    if repository is None:
        _stop(f"{name} cannot be fetched by a program. {by_hand(name, home)}")
    elif not (home.stated or accept_licence or is_here(name)):
        _stop(
            f"{home.repository} states no licence, so using {name} is for you to settle with its "
            "authors; give --accept-licence once you have"
        )
    else:
        click.echo(f"{name}: from {home.source}; fetching it accepts the licence", err=True)
        display = FetchDisplay()
        try:
            folder = fetch(repository, display)
        finally:
            display.close()
        click.echo(folder / home.root)
        if home.by_hand:
            click.echo(f"{name}: {home.by_hand}", err=True)


def _stop(message: str) -> None:
    click.echo(f"probe: {message}", err=True)
    click.get_current_context().exit(2)


@command.command("check")
@click.argument("name")
@click.option(
    "--path",
    type=click.Path(path_type=Path),
    help="Its file or folder; without it, the copy that was fetched or put in its place.",
)
@click.option("--task", "task_names", multiple=True, help="Only this task; may be given again.")
@click.option(
    "--names",
    "strategies",
    multiple=True,
    help="Put the items under this name strategy; may be given again (by default the four).",
)
@click.option("--window-words", type=click.IntRange(min=50), help="Cut texts into such windows.")
@format_option
def check_(
    name: str,
    path: Path | None,
    task_names: tuple[str, ...],
    strategies: tuple[str, ...],
    window_words: int | None,
    form: str,
) -> None:
    """Read the whole dataset NAME for each of its tasks, and count what is in it.

    Every item is put under every name strategy, and those that cannot be are counted with the
    reason. The first thing that is not as published ends the command with its file and place.
    """
    from probe.cli.check_dataset import Checked, rows  # noqa: PLC0415 - keeps `probe --help` fast
    from probe.cli.show import show_answered  # noqa: PLC0415
    from probe.homes import root_of  # noqa: PLC0415
    from prompts import NAMES  # noqa: PLC0415
    from prompts.datasets import dataset_named  # noqa: PLC0415
    from prompts.errors import UnknownName  # noqa: PLC0415
    from store.read import Answered  # noqa: PLC0415

    dataset = dataset_named(name)
    for task in task_names:
        if task not in (*dataset.tasks, *dataset.derives):
            raise UnknownName(f"task of {name}", task, (*dataset.tasks, *dataset.derives))
    root = root_of(dataset, path)
    click.echo(f"reading {root}", err=True)
    checked = Checked(
        dataset=dataset, root=root, strategies=strategies or NAMES, window_words=window_words
    )
    tasks = task_names or dataset.tasks
    show_answered(Answered(("task", "what", "n"), rows(checked, tasks)), form)
