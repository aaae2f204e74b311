"""Where results go: the terminal, through the user's pager where they are long, or a file."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from probe.cli.show import printable, stdout, table_text, written
from probe.cli.sql_shell.session import Session
from store.errors import BadFile
from store.read import Answered

FORMATS: Final = ("table", "csv", "json", "parquet", "markdown")
_MARGIN: Final = 2
"""Lines of a terminal that a prompt takes."""


@dataclass(slots=True, kw_only=True)
class Outlet:
    """How results are written, and where; a shell's user changes it as they go.

    Attributes:
        form: table, csv, json, parquet or markdown.
        file: Instead of standard output.
        raw: Of csv: texts as they are, for programs.
        pager: Whether what is longer than the terminal goes through the user's pager.
        expanded: Of table: one block a row.
    """

    form: str = "table"
    file: Path | None = None
    raw: bool = False
    pager: bool = True
    expanded: bool = False

    def text(self, answered: Answered) -> str:
        """A result as this prints it."""
        if self.form != "table":
            return written(answered, self.form, raw=self.raw)
        if self.file is not None:
            return table_text(answered, expanded=self.expanded)
        console = stdout()
        return table_text(
            answered,
            width=console.width,
            styled=console.is_terminal and not console.no_color,
            expanded=self.expanded,
        )

    def show(self, text: str) -> None:
        """Put a text on standard output, or through the pager."""
        console = stdout()
        lines = text.count("\n") + _MARGIN
        if self.pager and console.is_terminal and lines > console.height:
            os.environ.setdefault("LESS", "-RS")
            click.echo_via_pager(text, color=True)
        else:
            click.echo(text, nl=False, color=True)  # else it would take out what --raw keeps

    def parquet(self, session: Session, query: str) -> None:
        """Write a query's result to the file as Parquet, whole or not at all.

        Raises:
            UsageError: No file is named.
            BadFile: It cannot be written.
        """
        file = self.file
        if file is None:
            raise click.UsageError("--format parquet needs --output FILE")
        beside = _beside(file)
        try:
            session.write_parquet(query, beside)
            beside.replace(file)
        except OSError as error:
            raise _unwritable(file, error) from None
        finally:
            beside.unlink(missing_ok=True)


def write_whole(text: str, file: Path) -> None:
    """Write a text to a file that is there whole or not at all.

    Raises:
        BadFile: It cannot be written.
    """
    if file.exists() and not file.is_file():  # a pipe or a device: there is nothing to keep whole
        append(text, file)
        return
    beside = _beside(file)
    try:
        beside.write_text(text, encoding="utf-8", newline="")
        beside.replace(file)
    except OSError as error:
        raise _unwritable(file, error) from None
    finally:
        beside.unlink(missing_ok=True)


def append(text: str, file: Path) -> None:
    """Add a text to the end of a file; raises as `write_whole` does."""
    try:
        with file.open("a", encoding="utf-8", newline="") as out:
            out.write(text)
    except OSError as error:
        raise _unwritable(file, error) from None


def _beside(file: Path) -> Path:
    try:
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    except OSError as error:
        raise _unwritable(file, error) from None
    os.close(handle)
    beside = Path(name)
    mask = os.umask(0)
    os.umask(mask)
    beside.chmod(0o666 & ~mask)
    return beside


def _unwritable(file: Path, error: OSError) -> BadFile:
    found = f"cannot be written ({error.strerror or error})"
    return BadFile(file, "", found, "name another file with --output")


def say(line: str) -> None:
    """Put a line beside the results, on standard error."""
    click.echo(printable(line), err=True)
