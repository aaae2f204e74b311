"""The shell's own commands: a backslash and a letter, as in psql; some of DuckDB's dot commands."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from probe.cli.sql_shell.catalogue import Catalogue, read_catalogue
from probe.cli.sql_shell.opening import opening
from probe.cli.sql_shell.outlet import FORMATS, Outlet, write_whole
from probe.cli.sql_shell.session import Session
from store.read import Answered

HELP: Final = r"""
  select … ;   a query; it may go over several lines, until its semicolon
  \d           tables, views and macros        \d NAME     columns of one, with what they hold
  \dt \dv \dm  tables, views, macros           \o FILE     results go to a file; \o alone: here
  \f FORMAT    table, csv, json, parquet or markdown
  \x           one block a row, or no more     \timing     say how long each query took, or no more
  \open        lines that open the store in DuckDB's command, its UI or a client
  \?           this                            \q, Ctrl-D  leave

  Tab completes names. Up and Ctrl-R find earlier queries. Ctrl-C drops a line or stops waiting.
  Nothing can be changed here. The store is open only while a query runs, so a run can start.
""".lstrip("\n")

_DOTS: Final = {
    ".exit": "\\q",
    ".help": "\\?",
    ".mode": "\\f",
    ".open": "\\open",
    ".output": "\\o",
    ".quit": "\\q",
    ".schema": "\\d",
    ".tables": "\\d",
    ".timer": "\\timing",
}
_WORDS: Final = {"exit": "\\q", "quit": "\\q", "help": "\\?"}


class ShellError(Exception):
    """A command of the shell that is none, or lacks something; says what to type."""


@dataclass(slots=True, kw_only=True)
class Shell:
    r"""What the commands act on.

    Attributes:
        session: The store.
        outlet: How and where results are written.
        catalogue: Names of the store, read again by `\d`.
        timing: Whether to say how long each query took.
        ended: Whether the user has asked to leave.
        say: Told lines that are no results.
    """

    session: Session
    outlet: Outlet
    catalogue: Catalogue
    say: Callable[[str], None]
    timing: bool = False
    ended: bool = False
    refreshed: list[Callable[[Catalogue], None]] = field(default_factory=list)

    def refresh(self) -> None:
        """Read the names again: a run may have brought new ones."""
        self.catalogue = read_catalogue(self.session)
        for hear in self.refreshed:
            hear(self.catalogue)


def is_command(text: str) -> bool:
    """Whether a line is the shell's own rather than SQL."""
    return text.lstrip().startswith(("\\", ".")) or text.strip().rstrip(";").lower() in _WORDS


def names() -> list[str]:
    """Every command, for completion."""
    return [*_COMMANDS, *_DOTS]


def obey(shell: Shell, line: str) -> None:
    """Do what a line says.

    Raises:
        ShellError: It is no command, or lacks something.
        StoreError: As a query.
    """
    word, _, rest = line.strip().partition(" ")
    word = word.rstrip(";")
    word = _WORDS.get(word.lower(), _DOTS.get(word, word))
    if word not in _COMMANDS:
        near = difflib.get_close_matches(word, names(), n=1)
        hint = f"did you mean {near[0]}?" if near else "\\? lists them"
        raise ShellError(f"no command is called {word}; {hint}")
    _COMMANDS[word](shell, rest.strip().rstrip(";").strip())


def _describe(shell: Shell, name: str) -> None:
    shell.refresh()
    if name:
        _show(shell, _columns(shell.catalogue, name.strip('"')))
    else:
        _show(shell, shell.catalogue.relations)
        _show(shell, shell.catalogue.macros)


def _columns(catalogue: Catalogue, name: str) -> Answered:
    known = {each.lower(): each for each in catalogue.names()}
    if name.lower() in known:
        own = [row[1:] for row in catalogue.columns.rows if row[0] == known[name.lower()]]
        return Answered(catalogue.columns.columns[1:], own)
    macros = [row for row in catalogue.macros.rows if str(row[0]).lower() == name.lower()]
    if macros:
        return Answered(catalogue.macros.columns, macros)
    everything = [*known.values(), *catalogue.macro_names()]
    near = difflib.get_close_matches(name, everything, n=1)
    hint = f"did you mean {near[0]}?" if near else "\\d lists what there is"
    raise ShellError(f"no table, view or macro is called {name}; {hint}")


def _list(kind: str) -> Callable[[Shell, str], None]:
    def show(shell: Shell, rest: str) -> None:
        del rest
        shell.refresh()
        relations = shell.catalogue.relations
        rows: list[tuple[object, ...]] = [
            (name, comment) for name, what, comment in relations.rows if what == kind
        ]
        _show(shell, Answered(("name", "comment"), rows))

    return show


def _macros(shell: Shell, rest: str) -> None:
    del rest
    shell.refresh()
    _show(shell, shell.catalogue.macros)


def _show(shell: Shell, answered: Answered) -> None:
    """To the terminal, whatever the format and file of results."""
    shell.outlet.show(Outlet(pager=shell.outlet.pager).text(answered))


def _format(shell: Shell, form: str) -> None:
    if form not in FORMATS:
        found = f"is {form}" if form else "is missing"
        raise ShellError(f"\\f: the format {found}; it is one of {', '.join(FORMATS)}")
    shell.outlet.form = form
    if form == "parquet" and shell.outlet.file is None:
        shell.say("parquet goes to a file: name one with \\o FILE")


def _output(shell: Shell, name: str) -> None:
    if not name:
        shell.outlet.file = None
        return
    file = Path(name.strip("'\"")).expanduser()
    write_whole("", file)
    shell.outlet.file = file


def _expand(shell: Shell, rest: str) -> None:
    del rest
    shell.outlet.expanded = not shell.outlet.expanded
    shell.say("one block a row" if shell.outlet.expanded else "tables where they fit")


def _time(shell: Shell, rest: str) -> None:
    shell.timing = rest == "on" if rest in {"on", "off"} else not shell.timing
    shell.say(f"timing is {'on' if shell.timing else 'off'}")


def _open(shell: Shell, rest: str) -> None:
    del rest
    shell.outlet.show(opening(shell.session.store))


def _help(shell: Shell, rest: str) -> None:
    del rest
    shell.outlet.show(f"{HELP}\n{opening(shell.session.store)}")


def _quit(shell: Shell, rest: str) -> None:
    del rest
    shell.ended = True


_COMMANDS: Final[dict[str, Callable[[Shell, str], None]]] = {
    "\\?": _help,
    "\\d": _describe,
    "\\dm": _macros,
    "\\dt": _list("table"),
    "\\dv": _list("view"),
    "\\f": _format,
    "\\o": _output,
    "\\open": _open,
    "\\q": _quit,
    "\\timing": _time,
    "\\x": _expand,
}
