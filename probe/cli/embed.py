"""`probe embed`: vectors of the features a store holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from probe.cli import store_option
from store.catalogue import MINILM

if TYPE_CHECKING:
    from embedder.encoders.base import Encoder
    from embedder.worker import State, Tally


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
def command(encoder: str, store: Path, **asked: Unpack[_Asked]) -> None:
    """Make vectors of a store's features with ENCODER, and store them.

    ENCODER is all-minilm-l6-v2 (quotes and assertions), t5-11b or a smaller t5 (events and
    modifiers, as words in their sentences), nv-embed-v1, nv-embed-v2, sentence:MODEL or word:MODEL
    for any other model of the hub or in a folder, or served:URL#MODEL for a server's.

    Stop it at any time; the same command goes on where it stopped. To use several GPUs start it
    once for each, with --device: they share the work.
    """
    from rich.text import Text  # noqa: PLC0415 - keeps `probe --help` fast

    from embedder.worker import KINDS, Wanted, embed  # noqa: PLC0415
    from probe.progress import Display  # noqa: PLC0415

    made = _make(encoder, asked)

    def line(state: State) -> str:
        return f"{made.identity.encoder}: {describe(state)}"

    try:
        kinds = asked["kind"] or KINDS[made.identity.unit]
        _check_kinds(kinds, KINDS[made.identity.unit], encoder)
        wanted = Wanted(
            kinds=kinds, corpus=asked["corpus"], pipeline=asked["pipeline"], work=asked["work"]
        )
        with Display(Text, lambda text: [text], first_line_s=0.0) as display:
            tally = embed(store, made, wanted, lambda state: display.show(line(state)))
    finally:
        made.close()
    _say(tally)


def _make(name: str, asked: _Asked) -> Encoder:
    from embedder.encoders.base import Settings  # noqa: PLC0415 - keeps `probe --help` fast
    from embedder.encoders.registry import make  # noqa: PLC0415
    from probe.progress import FetchDisplay  # noqa: PLC0415
    from store.assets import fetch  # noqa: PLC0415
    from store.catalogue import ENCODERS  # noqa: PLC0415

    folder = None
    if name in ENCODERS:
        fetching = FetchDisplay()
        try:
            folder = fetch(ENCODERS[name], fetching)
        finally:
            fetching.close()
    settings = Settings(
        device=asked["device"],
        dtype=asked["dtype"],
        pooling=asked["pooling"],
        batch_tokens=asked["batch_tokens"],
        max_tokens=asked["max_tokens"],
        api_key_env=asked["api_key_env"],
    )
    return make(name, folder=folder, settings=settings)


def _check_kinds(kinds: tuple[str, ...], fitting: tuple[str, ...], encoder: str) -> None:
    wrong = [kind for kind in kinds if kind not in fitting]
    if wrong:
        raise click.UsageError(
            f"{encoder} makes vectors of {' and '.join(fitting)}s, not of {', '.join(wrong)}s;"
            " name another encoder, or another --kind"
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
