"""`probe features`: literary pipelines' features, into a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

import click

from probe.cli import format_option, store_option
from store.address import Place

if TYPE_CHECKING:
    from embedder.features import AliasMap, Reading
    from store.corpus import Part

_COUNTS = """
    SELECT corpus, pipeline, kind, work, count(*) AS features,
           count(DISTINCT character) AS characters, count(DISTINCT target_id) AS texts
    FROM features GROUP BY ALL ORDER BY ALL"""
_corpus_option = click.option(
    "--corpus", required=True, help="The corpus's name: works that are compared with each other."
)
_EXISTING = click.Path(exists=True, path_type=Path)
_NATIVE = (".book", ".book.gz")
_pipeline_option = click.option(
    "--pipeline",
    type=click.Choice(["booknlp", "fanfictionnlp"]),
    default="booknlp",
    show_default=True,
    help="What made the features.",
)


class _BookNLP(TypedDict):
    """How BookNLP is run, where a novel's text is given."""

    size: Literal["small", "big"]
    python: Path | None
    output: Path | None


class _Extract(_BookNLP):
    corpus: str
    work: str
    aliases: Path
    code: str | None
    pipeline: Literal["booknlp", "fanfictionnlp"]
    tsv: Path | None


@click.group("features")
def command() -> None:
    """Read literary pipelines' features (events, modifiers, quotes, assertions) into a store."""


def _booknlp_options(command: Callable[..., None]) -> Callable[..., None]:
    """What running BookNLP takes, the same in every command that may run it."""
    options = (
        click.option(
            "--size",
            type=click.Choice(["small", "big"]),
            default="small",
            show_default=True,
            help="BookNLP's models, where it is run: big is better, and wants a GPU or many cores.",
        ),
        click.option("--python", type=_EXISTING, help="The Python that BookNLP is installed in."),
        click.option(
            "--output",
            type=click.Path(path_type=Path, file_okay=False),
            help="Where BookNLP's files go (by default NOVEL-booknlp, beside the text).",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@command.command("extract")
@click.argument("source", type=_EXISTING)
@_corpus_option
@click.option("--work", required=True, help="The work's name in the store.")
@click.option(
    "--aliases",
    required=True,
    type=_EXISTING,
    help="Which names mean whom: lines of work, alias, character, parted by tabs.",
)
@click.option("--code", help="The work's name in that file, where it is another.")
@_pipeline_option
@click.option(
    "--tsv",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write feature files here too, as PIPELINE_KINDs/WORK.tsv.",
)
@_booknlp_options
@store_option
def extract_(source: Path, store: Place, **asked: Unpack[_Extract]) -> None:
    """Read one work's features from SOURCE.

    SOURCE is a folder with BookNLP's native output, FanfictionNLP's as a folder or a zip, or the
    text of a novel, over which BookNLP is run first, where it is installed.
    """
    from embedder.bring import named  # noqa: PLC0415 - keeps `probe --help` fast
    from embedder.features import read_aliases  # noqa: PLC0415

    aliases, code = read_aliases(asked["aliases"]), asked["code"] or asked["work"]
    native = _native(source, asked["pipeline"], asked)
    reading = named(_read(native, asked["pipeline"], code, aliases), asked["work"])
    _write_tsv(reading, asked["tsv"])
    _bring([reading], asked["corpus"], store)


@command.command("aliases")
@click.argument("source", type=_EXISTING)
@click.option("--work", required=True, help="The work's name.")
@_pipeline_option
@_booknlp_options
def aliases_(
    source: Path,
    work: str,
    pipeline: Literal["booknlp", "fanfictionnlp"],
    **asked: Unpack[_BookNLP],
) -> None:
    """Draft an alias map from the names that SOURCE's clusters go by, as `extract` takes it.

    Each name stands for itself, the most mentioned first: take out those that are no characters,
    and where one goes by several names make the last column the same.
    """
    from embedder.features import drafted_aliases, nobody_of  # noqa: PLC0415 - keeps --help fast

    reading = _read(_native(source, pipeline, asked), pipeline, work, nobody_of(work))
    for line in drafted_aliases(reading.report):
        click.echo(line)


def _native(source: Path, pipeline: str, asked: _BookNLP) -> Path:
    """The native output: what is given, or what BookNLP makes of a text."""
    if pipeline != "booknlp" or not source.is_file() or source.name.endswith(_NATIVE):
        return source
    from embedder.features import BookNLPJob, run_booknlp  # noqa: PLC0415 - keeps --help fast

    folder = asked["output"] or source.with_name(f"{source.stem}-booknlp")
    job = BookNLPJob(
        text=source,
        folder=folder,
        book_id=source.stem,
        size=asked["size"],
        python=asked["python"],
    )
    if job.path("book").exists():
        click.echo(f"taking what BookNLP made before: {folder}", err=True)
        return job.path("book")
    return run_booknlp(job, say=lambda line: click.echo(line, err=True))


def _read(native: Path, pipeline: str, code: str, aliases: AliasMap) -> Reading:
    from embedder.features import read_booknlp, read_fanfictionnlp  # noqa: PLC0415

    read = read_booknlp if pipeline == "booknlp" else read_fanfictionnlp
    return read(native, work=code, aliases=aliases)


@command.command("import")
@click.argument("folder", type=_EXISTING)
@_corpus_option
@store_option
def import_(folder: Path, corpus: str, store: Place) -> None:
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


@command.command("list")
@store_option
@format_option
def list_(store: Place, form: str) -> None:
    """List the features that a store holds."""
    from probe.cli.show import show_answered  # noqa: PLC0415 - keeps `probe --help` fast
    from store.read import ask, open_read  # noqa: PLC0415

    show_answered(ask(open_read(store), _COUNTS), form)


def _bring(readings: Sequence[Reading], corpus: str, store: Place) -> None:
    """Put features into the store, and say what a user must know of them."""
    from embedder.bring import parts_of  # noqa: PLC0415 - keeps `probe --help` fast
    from embedder.features import report_lines  # noqa: PLC0415
    from probe.cli.show import printable  # noqa: PLC0415
    from store.corpus import import_parts  # noqa: PLC0415
    from store.opening import open_write  # noqa: PLC0415

    parts = [part for reading in readings for part in parts_of(reading, corpus)]
    with open_write(store) as database:
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
