"""`probe features`: literary pipelines' features, into a store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

import click

from probe.cli import format_option, store_option

if TYPE_CHECKING:
    from embedder.features import Reading
    from store.corpus import Part

_COUNTS = """
    SELECT corpus, pipeline, kind, work, count(*) AS features,
           count(DISTINCT character) AS characters, count(DISTINCT target_id) AS texts
    FROM features GROUP BY ALL ORDER BY ALL"""
_corpus_option = click.option(
    "--corpus", required=True, help="The corpus's name: works that are compared with each other."
)
_EXISTING = click.Path(exists=True, path_type=Path)


class _Extract(TypedDict):
    corpus: str
    work: str
    aliases: Path
    code: str | None
    pipeline: Literal["booknlp", "fanfictionnlp"]
    tsv: Path | None


@click.group("features")
def command() -> None:
    """Read literary pipelines' features (events, modifiers, quotes, assertions) into a store."""


@command.command("extract")
@click.argument("output", type=_EXISTING)
@_corpus_option
@click.option("--work", required=True, help="The work's name in the store.")
@click.option(
    "--aliases",
    required=True,
    type=_EXISTING,
    help="Which names mean whom: lines of work, alias, character, parted by tabs.",
)
@click.option("--code", help="The work's name in that file, where it is another.")
@click.option(
    "--pipeline",
    type=click.Choice(["booknlp", "fanfictionnlp"]),
    default="booknlp",
    show_default=True,
    help="What made the output.",
)
@click.option(
    "--tsv",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write feature files here too, as PIPELINE_KINDs/WORK.tsv.",
)
@store_option
def extract_(output: Path, store: Path, **asked: Unpack[_Extract]) -> None:
    """Read a pipeline's native OUTPUT for one work: a folder, or FanfictionNLP's as a zip."""
    from embedder.bring import named  # noqa: PLC0415 - keeps `probe --help` fast
    from embedder.features import (  # noqa: PLC0415
        read_aliases,
        read_booknlp,
        read_fanfictionnlp,
    )

    read = read_booknlp if asked["pipeline"] == "booknlp" else read_fanfictionnlp
    aliases, code = read_aliases(asked["aliases"]), asked["code"] or asked["work"]
    reading = named(read(output, work=code, aliases=aliases), asked["work"])
    _write_tsv(reading, asked["tsv"])
    _bring([reading], asked["corpus"], store)


@command.command("import")
@click.argument("folder", type=_EXISTING)
@_corpus_option
@store_option
def import_(folder: Path, corpus: str, store: Path) -> None:
    """Read a FOLDER of feature files.

    They are laid out as booknlp_events/WORK.tsv, fanfic-quotes/WORK_quotes.tsv.gz and so on. A file
    replaces what the store's views show of the same corpus, pipeline, kind and work.
    """
    from embedder.bring import feature_files  # noqa: PLC0415 - keeps `probe --help` fast
    from embedder.features import read_published  # noqa: PLC0415

    found = feature_files(folder)
    readings = [
        read_published(each.path, pipeline=each.pipeline, kind=each.kind, work=each.work)
        for each in found.files
    ]
    _bring(readings, corpus, store)
    for path in found.passed_over:
        click.echo(f"passed over {path}: not named after a pipeline and a kind", err=True)


@command.command("read")
@click.argument("text", type=click.Path(exists=True, path_type=Path, dir_okay=False))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", help="What the output's files are called (by default after TEXT).")
@click.option(
    "--size",
    type=click.Choice(["small", "big"]),
    default="small",
    show_default=True,
    help="BookNLP's models: big is better, and wants a GPU or many cores.",
)
@click.option("--python", type=_EXISTING, help="The Python that BookNLP is installed in.")
def read_(
    text: Path, folder: Path, *, name: str | None, size: Literal["small", "big"], python: Path
) -> None:
    """Run BookNLP over a novel's TEXT and put its output into FOLDER, for `extract`."""
    from embedder.features import BookNLPJob, run_booknlp  # noqa: PLC0415 - keeps --help fast

    job = BookNLPJob(text=text, folder=folder, book_id=name or text.stem, size=size, python=python)
    click.echo(run_booknlp(job, say=lambda line: click.echo(line, err=True)))


@command.command("list")
@store_option
@format_option
def list_(store: Path, form: str) -> None:
    """List the features that a store holds."""
    from probe.cli.show import show_answered  # noqa: PLC0415 - keeps `probe --help` fast
    from store.read import ask, open_read  # noqa: PLC0415

    show_answered(ask(open_read(store), _COUNTS), form)


def _bring(readings: Sequence[Reading], corpus: str, store: Path) -> None:
    """Put features into the store, and say what a user must know of them."""
    from embedder.bring import parts_of  # noqa: PLC0415 - keeps `probe --help` fast
    from embedder.features import report_lines  # noqa: PLC0415
    from probe.cli.show import printable  # noqa: PLC0415
    from store.corpus import import_parts  # noqa: PLC0415
    from store.database import Database  # noqa: PLC0415

    parts = [part for reading in readings for part in parts_of(reading, corpus)]
    with Database(store) as database:
        brought = database.call(lambda connection: import_parts(connection, parts))
    for reading in readings:
        for line in report_lines(reading.report):
            click.echo(printable(line), err=True)
    _say(brought, parts)


def _say(brought: Sequence[Part], parts: Sequence[Part]) -> None:
    features = sum(part.size for part in brought)
    held = sum(part.size for part in parts) - features
    click.echo(f"brought in {features:,} features, already held {held:,}")


def _write_tsv(reading: Reading, folder: Path | None) -> None:
    from embedder.features import write_published  # noqa: PLC0415 - keeps `probe --help` fast

    for extracted in reading.extracted if folder else ():
        inner = (folder or Path()) / f"{extracted.pipeline}_{extracted.kind}s"
        inner.mkdir(parents=True, exist_ok=True)
        write_published(inner / f"{extracted.work}.tsv", extracted)
