"""`probe diff`: compare two runs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

import click

from probe.cli import format_option, store_option
from store.address import Place, parse_place

if TYPE_CHECKING:
    from analysis.comparison.sides import Together
    from store.read import Reader


class _Place(NamedTuple):
    """A store's folder, and the experiment in it if the user names one."""

    store: Place
    experiment: str | None


class _Wanted(TypedDict):
    """The options."""

    models: tuple[str, ...]
    same_prompts: bool
    changed: bool
    examples: int
    form: str


@click.command("diff")
@click.argument("a")
@click.argument("b", required=False)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="A=B",
    help="Hold the model A of the first against B of the second; may be repeated. Only models that"
    " are named are compared. Else those of one name are.",
)
@click.option("--same-prompts", is_flag=True, help="Only cells asked in the same words on both.")
@click.option("--changed", is_flag=True, help="List every cell that scores otherwise, too.")
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=4,
    show_default=True,
    help="How many cells that changed to show with both replies.",
)
@store_option
@format_option
def command(a: str, b: str | None, store: Place, **wanted: Unpack[_Wanted]) -> None:
    """Compare A with B, each a STORE, a STORE:EXPERIMENT or an EXPERIMENT of --store.

    Cells are matched by task, dataset, item, condition, sample and model. Prints by condition what
    changed from right to wrong and back, the paired difference B - A of the headline with its 95 %
    interval and p (after Holm), and what else is not the same: prompts, parsers, served models.
    Without B, two models of A are compared; name them with --model.
    """
    from analysis.comparison.differences import Asked, differences  # noqa: PLC0415
    from analysis.comparison.sides import side, together  # noqa: PLC0415
    from probe.cli.show_diff import show_diff  # noqa: PLC0415
    from store.read import open_read  # noqa: PLC0415

    if b is None and not wanted["models"]:
        raise click.UsageError("name two things to compare, or two models of one with --model A=B")
    places = [_placed(word, store) for word in (a, b or a)]
    readers: dict[Place, Reader] = {}
    with ExitStack() as stack:
        for place in places:
            if place.store not in readers:
                readers[place.store] = stack.enter_context(
                    closing(open_read(place.store, sparing=True))
                )
        first, second = (
            side(readers[place.store], word, place.experiment)
            for word, place in zip((a, b or a), places, strict=True)
        )
        pairs = together(first, second, wanted["models"])
        if _same(places) and first.experiment == second.experiment:
            _refuse_itself(first.label, pairs)
        asked = Asked(
            models=pairs,
            same_prompts=wanted["same_prompts"],
            examples=wanted["examples"],
            changed=wanted["changed"],
        )
        found = differences(first, second, asked)
    show_diff(first, second, asked, found, form=wanted["form"])


def _placed(word: str, store: Place) -> _Place:
    """Where something is that a user names.

    Raises:
        UsageError: It could be a store or an experiment.
    """
    from store.read import DATABASE  # noqa: PLC0415 - keeps --help fast

    if word.startswith("ducklake:"):
        return _Place(parse_place(word), None)
    if (Path(word) / DATABASE).exists():
        if "/" not in word and _holds(store, word):
            raise click.UsageError(
                f"{word} is a store, and {store} has an experiment of that name; "
                f"write ./{word} or {store}:{word}"
            )
        return _Place(Path(word), None)
    folder, colon, experiment = word.rpartition(":")
    if colon and experiment:
        return _Place(Path(folder) if folder else store, experiment)
    return _Place(Path(word.rstrip(":")), None) if "/" in word else _Place(store, word)


def _holds(store: Place, experiment: str) -> bool:
    from store.errors import StoreError  # noqa: PLC0415 - keeps --help fast
    from store.read import ask, open_read  # noqa: PLC0415

    try:
        with closing(open_read(store)) as reader:
            named = {"name": experiment}
            found = ask(reader, "SELECT 1 FROM experiments WHERE experiment = $name", dict(named))
    except StoreError:
        return False
    return bool(found.rows)


def _same(places: Sequence[_Place]) -> bool:
    stores = [place.store for place in places]
    return len({each.resolve() if isinstance(each, Path) else each for each in stores}) == 1


def _refuse_itself(label: str, pairs: Sequence[Together]) -> None:
    if all(pair.a == pair.b for pair in pairs):
        raise click.UsageError(
            f"{label} is compared with itself; name another store or experiment, or two models of"
            " it with --model A=B"
        )
