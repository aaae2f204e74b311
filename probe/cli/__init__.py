"""The command's front door: one file a command, imported when it is called."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any, Final

import click

_COMMANDS: Final = {
    "batch": "Write requests to a file for `vllm run-batch`, and read what came of them.",
    "calibrate": "Run an experiment on simulated subjects with planted memory: is it found?",
    "data": "List the datasets, models and encoders, fetch them, and check datasets.",
    "describe": "Write what an experiment said of the characters, for others to take in.",
    "diff": "Compare two runs: which items changed from right to wrong, by condition.",
    "doctor": "Say what is installed, what is cached and what is missing.",
    "embed": "Make vectors of the features a store holds.",
    "explain": "Say where one number of a table comes from: definition, query and rows.",
    "export": "Write a store as a folder that describes itself, for others to read.",
    "features": "Read literary pipelines' features into a store.",
    "import": "Copy experiments of another store into this one, and check every row.",
    "lake": "Tidy a lake: join small files, let go of old ones.",
    "names": "Audit what name strategies replaced and what leaked; list them.",
    "plan": "Show cells, tokens, cost and time before anything is spent.",
    "report": "Write what a run found as one HTML file.",
    "run": "Start or resume an experiment.",
    "score": "Read and mark stored replies again where a parser has changed; asks nobody.",
    "serve": "Give an experiment's cells to workers, and answer SQL from other machines.",
    "simulate": "Serve a simulated endpoint to rehearse an experiment with.",
    "sql": "Ask a store in SQL: a query, a file of them, or at a prompt.",
    "status": "Show how far the experiments of a store are.",
    "table": "Print what an experiment found, or the tables of a study.",
    "token": "Print a hub's token: to read, to work or to own.",
    "work": "Ask cells that a hub on another machine gives out.",
}


_FOLDER: Final = click.Path(path_type=Path, file_okay=False)


class _Place(click.ParamType[Any]):
    """A store's folder, or the address of a lake; parsed once, here."""

    name = "place"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """The folder's path, or the lake."""
        if not isinstance(value, str):
            return value
        from store.address import parse_place  # noqa: PLC0415 - keeps `probe --help` fast

        place = parse_place(value)
        return _FOLDER.convert(value, param, ctx) if isinstance(place, Path) else place


PLACE: Final = _Place()

store_option = click.option(
    "--store",
    default="probe-store",
    show_default=True,
    type=PLACE,
    metavar="PLACE",
    help="The store: a folder, or ducklake:postgres:… for several machines.",
)
"""The same option in every command."""

format_option = click.option(
    "--format",
    "form",
    default="table",
    show_default=True,
    type=click.Choice(["table", "csv", "json"]),
    help="How to print the result.",
)


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        # No module can be called import.
        module = importlib.import_module(f"probe.cli.{cmd_name.replace('import', 'import_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        with _OneLine():
            return super().invoke(ctx)


class _OneLine:
    """Turns what a user can cause into one line and an exit code; a bug keeps its traceback."""

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Exit where the error is one of ours."""
        del kind, trace
        code = _exit_code(error) if error is not None else None
        if code is not None:
            from probe.cli.show import printable  # noqa: PLC0415 - only when something went wrong

            click.echo(f"probe: {printable(str(error)) or 'interrupted'}", err=True)
            sys.exit(code)


def _exit_code(error: BaseException) -> int | None:
    """2 for bad usage or input, 1 for what the world would not give, None for everything else."""
    if isinstance(error, KeyboardInterrupt):
        return 130
    clicks_own = (click.ClickException, click.exceptions.Exit, click.Abort)
    if not isinstance(error, Exception) or isinstance(error, clicks_own):
        return None
    from analysis.errors import AnalysisError  # noqa: PLC0415 - only when something went wrong
    from embedder.errors import EmbedderError  # noqa: PLC0415
    from probe.errors import ProbeError, ProviderDown  # noqa: PLC0415
    from probe.worker.errors import HubAway  # noqa: PLC0415
    from prompts.errors import PromptsError  # noqa: PLC0415
    from store.errors import AssetError, StoreError  # noqa: PLC0415

    if isinstance(error, (ProviderDown, AssetError, HubAway)):
        return 1
    if isinstance(error, (AnalysisError, EmbedderError, ProbeError, PromptsError, StoreError)):
        return 2
    return None


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gistprobe", prog_name="probe")
def cli() -> None:
    """Tell whether a language model understands a character or remembers the book."""
