"""The prompt: reads queries until their semicolon, and answers them one by one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from probe.cli.sql_shell.catalogue import read_catalogue
from probe.cli.sql_shell.commands import Shell, ShellError, is_command, names, obey
from probe.cli.sql_shell.completion import SqlCompleter
from probe.cli.sql_shell.history import history
from probe.cli.sql_shell.outlet import FORMATS, Outlet, append, say
from probe.cli.sql_shell.session import Session
from probe.cli.sql_shell.statements import Statement, is_finished, statements
from store.address import Place
from store.errors import StoreError

_PROMPT: Final = "probe> "
_CONTINUED: Final = "  ...> "


def run_shell(store: Place, outlet: Outlet, kept: History | None = None) -> None:
    """Ask and answer until the user leaves.

    Args:
        store: Its folder.
        outlet: How and where results are written at first.
        kept: Earlier queries; by default those of this user's earlier shells.

    Raises:
        StoreError: The store cannot be opened at all.
    """
    session = Session(store, say)
    shell = Shell(session=session, outlet=outlet, catalogue=read_catalogue(session), say=say)
    completer = SqlCompleter(shell.catalogue, names(), FORMATS)
    shell.refreshed.append(lambda found: setattr(completer, "catalogue", found))
    asking: PromptSession[str] = PromptSession(
        _PROMPT,
        multiline=True,
        prompt_continuation=_CONTINUED,
        history=kept or history(),
        completer=completer,
        complete_while_typing=False,
        auto_suggest=AutoSuggestFromHistory(),
        enable_history_search=True,
        key_bindings=_keys(),
    )
    say(f"store {store}; \\? for help, \\d for what there is, \\q to leave")
    if session.run is not None:
        say(f"a run is on (process {session.run}) and answers")
    _converse(shell, asking.prompt)


def _keys() -> KeyBindings:
    """Enter sends what is complete, and begins a new line of what is not."""
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return keys


def is_complete(text: str) -> bool:
    """Whether Enter sends a text: a command, a query with its semicolon, or nothing at all."""
    return not text.strip() or is_command(text) or is_finished(text)


def _converse(shell: Shell, read: Callable[[], str]) -> None:
    while not shell.ended:
        try:
            text = read()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        _answer(shell, text)


def _answer(shell: Shell, text: str) -> None:
    """Do what was typed; what goes wrong is said, and the shell goes on."""
    try:
        if is_command(text):
            obey(shell, text)
            return
        for statement in statements(text):
            _query(shell, statement)
    except KeyboardInterrupt:
        on = shell.session.run
        shell.say(
            "stopped"
            if on is None
            else f"stopped waiting; the run (process {on}) goes on with the query until it is done"
        )
    except (StoreError, ShellError) as error:
        shell.say(str(error))
    except click.UsageError as error:
        shell.say(error.message.replace("--format parquet needs --output FILE", _NO_FILE))


_NO_FILE: Final = "parquet goes to a file: name one with \\o FILE"


def _query(shell: Shell, statement: Statement) -> None:
    began = time.monotonic()
    outlet = shell.outlet
    if outlet.form == "parquet":
        outlet.parquet(shell.session, statement.text)
        _timed(shell, began)
        return
    answered = shell.session.ask(statement.text)
    took_s = time.monotonic()
    text = outlet.text(answered)
    if outlet.file is None:
        outlet.show(text)
    else:
        append(text, outlet.file)
    _timed(shell, began, took_s)


def _timed(shell: Shell, began_s: float, ended_s: float | None = None) -> None:
    if shell.timing:
        shell.say(f"{(ended_s or time.monotonic()) - began_s:.3f} s")
