"""`probe embed`: vectors of the features a store holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from probe.cli import store_option
from probe.cli.hub_options import ca_option, plain_option, state_option
from probe.cli.ray_options import (
    patience_option,
    ray_option,
    worker_cpus_option,
    worker_gpus_option,
    workers_option,
)
from store.address import Place, folder_of
from store.catalogue import MINILM

if TYPE_CHECKING:
    from embedder.encoders.base import Settings
    from embedder.places import Workplace
    from embedder.worker import State, Tally, Wanted


class _Asked(TypedDict):
    kind: tuple[str, ...]
    corpus: str | None
    pipeline: str | None
    work: str | None
    device: str
    dtype: str
    pooling: str | None
    batch_tokens: int | None
    max_tokens: int | None
    api_key_env: str | None
    hub: str | None
    plain: bool
    ca: Path | None
    state: Path | None
    ray: str | None
    patience_s: float
    workers: int
    worker_cpus: float
    worker_gpus: float


@click.command("embed")
@click.argument("encoder", default=MINILM.name)
@store_option
@click.option(
    "--kind",
    multiple=True,
    type=click.Choice(["event", "modifier", "quote", "assertion"]),
    help="Only features of this kind; may be given again (by default what the encoder is for).",
)
@click.option("--corpus", help="Only features of this corpus.")
@click.option("--pipeline", help="Only features that this pipeline extracted.")
@click.option("--work", help="Only features of this work.")
@click.option(
    "--device", default="auto", show_default=True, help="cpu, cuda:0 and so on; auto takes a GPU."
)
@click.option(
    "--dtype",
    default="auto",
    show_default=True,
    help="What the model computes in: auto, float32, bfloat16 or float16.",
)
@click.option(
    "--pooling",
    type=click.Choice(["own", "published"]),
    help="Of a word's pieces: its own (the default), or as the paper's code takes them.",
)
@click.option("--batch-tokens", type=click.IntRange(min=1), help="Tokens of a batch, padding too.")
@click.option(
    "--max-tokens", type=click.IntRange(min=1), help="A window narrower than the model's."
)
@click.option("--api-key-env", help="The variable that holds a server's key, never the key.")
@click.option(
    "--hub",
    metavar="quack:HOST:PORT",
    help="A hub whose store is meant, instead of one of this machine.",
)
@plain_option
@ca_option
@state_option
@ray_option
@workers_option
@worker_cpus_option
@worker_gpus_option
@patience_option
def command(encoder: str, store: Place, **asked: Unpack[_Asked]) -> None:
    """Make vectors of a store's features with ENCODER, and store them.

    ENCODER is all-minilm-l6-v2 (quotes and assertions), t5-11b or a smaller t5 (events and
    modifiers, as words in their sentences), nv-embed-v1, nv-embed-v2, sentence:MODEL or word:MODEL
    for any other model of the hub or in a folder, or served:URL#MODEL for a server's.

    Stop it at any time; the same command goes on where it stopped. To use several GPUs start it
    once for each, with --device: they share the work. So do workers on other machines, with --hub
    and its token in GISTPROBE_TOKEN, and workers that Ray places, with --ray.
    """
    if asked["ray"] is not None:
        _say(_on_ray(asked["ray"], encoder, folder_of(store, "--ray"), asked))
        return
    from rich.text import Text  # noqa: PLC0415 - keeps `probe --help` fast

    from embedder.worker import embed  # noqa: PLC0415
    from probe.cli.encoders import encoder_named, kinds_for  # noqa: PLC0415
    from probe.progress import Display  # noqa: PLC0415

    made = encoder_named(encoder, _settings(asked))

    def line(state: State) -> str:
        return f"{made.identity.encoder}: {describe(state)}"

    try:
        wanted = _wanted(asked, kinds_for(made, asked["kind"], encoder))
        with (
            Display(Text, lambda text: [text], first_line_s=0.0) as display,
            _place(store, asked) as place,
        ):
            tally = embed(place, made, wanted, lambda state: display.show(line(state)))
    finally:
        made.close()
    _say(tally)


@contextmanager
def _place(store: Place, asked: _Asked) -> Iterator[Workplace]:
    """The store that is meant: of this machine, or a hub's."""
    from embedder.places import Here  # noqa: PLC0415 - keeps `probe --help` fast

    hub = asked["hub"]
    if hub is None:
        yield Here(folder_of(store, "probe embed"))
        return
    from probe.cli.hub_options import link_to, state_folder  # noqa: PLC0415
    from probe.worker.embedding import HubPlace  # noqa: PLC0415

    link = link_to(hub, asked)
    with HubPlace(where=link.where, link=link, folder=state_folder(hub, asked)) as place:
        yield place


def _on_ray(cluster: str, encoder: str, store: Path, asked: _Asked) -> Tally:
    """Have workers on a cluster do it."""
    from functools import partial  # noqa: PLC0415 - keeps `probe --help` fast

    from rich.text import Text  # noqa: PLC0415

    from probe.cli.ray_embedding import EmbedOnRay, asked_for, embed_on_ray  # noqa: PLC0415
    from probe.cli.ray_embedding import wanted_of as wanted  # noqa: PLC0415
    from probe.cluster.groups import Needs  # noqa: PLC0415
    from probe.progress import Display  # noqa: PLC0415

    if asked["hub"] is not None:
        raise click.UsageError("--ray serves the store of this machine; leave --hub out")
    on_ray = EmbedOnRay(
        cluster=cluster,
        make=asked_for(encoder, _settings(asked)),
        wanted=partial(wanted, name=encoder, kinds=asked["kind"], asked=_wanted(asked, ())),
        workers=asked["workers"],
        needs=Needs(cpus=asked["worker_cpus"], gpus=asked["worker_gpus"]),
        key_env=asked["api_key_env"],
        state=asked["state"],
        patience_s=asked["patience_s"],
    )
    with Display(Text, lambda text: [text], first_line_s=0.0) as display:
        return embed_on_ray(
            on_ray,
            store,
            display.say,
            lambda state: display.show(f"{encoder}: {describe(state)}"),
        )


def _settings(asked: _Asked) -> Settings:
    from embedder.encoders.base import Settings  # noqa: PLC0415 - keeps `probe --help` fast

    return Settings(
        device=asked["device"],
        dtype=asked["dtype"],
        pooling=asked["pooling"],
        batch_tokens=asked["batch_tokens"],
        max_tokens=asked["max_tokens"],
        api_key_env=asked["api_key_env"],
    )


def _wanted(asked: _Asked, kinds: tuple[str, ...]) -> Wanted:
    from embedder.worker import Wanted  # noqa: PLC0415 - keeps `probe --help` fast

    return Wanted(
        kinds=kinds, corpus=asked["corpus"], pipeline=asked["pipeline"], work=asked["work"]
    )


def describe(state: State) -> str:
    """How far a worker is, in a line."""
    from probe.progress import span  # noqa: PLC0415 - keeps `probe --help` fast

    done = state.held + state.embedded + state.skipped
    parts = [f"{done:,} of {state.targets:,} texts have vectors"]
    if state.embedded and state.elapsed_s > 0:
        per_s = state.embedded / state.elapsed_s
        tokens = state.tokens / state.elapsed_s
        parts.append(f"{per_s:,.0f} texts/s, {tokens:,.0f} tokens/s")
    if state.left_s:
        parts.append(f"{span(state.left_s)} left")
    if state.cut:
        parts.append(f"{state.cut:,} longer than the window")
    if state.skipped:
        parts.append(f"{state.skipped:,} without a vector")
    return " · ".join(parts)


def _say(tally: Tally) -> None:
    """What was done, and what a user must know of it."""
    state = tally.state
    if tally.without_context:
        click.echo(
            f"{tally.without_context:,} features have no vector: their sentence is not known",
            err=True,
        )
    for each in tally.skipped[:10]:
        click.echo(f"no vector of {each.target_id}: {each.reason}", err=True)
    if tally.waiting:
        click.echo(
            "another process has the store; the vectors come into it with its next look, or when"
            " the store is opened next",
            err=True,
        )
    click.echo(
        f"embedded {state.embedded:,}, already held {state.held:,}, for {tally.features:,} features"
    )
