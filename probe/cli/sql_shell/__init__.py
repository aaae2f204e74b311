"""`probe sql`: queries from the command line and from files, and a prompt of its own."""

from probe.cli.sql_shell.opening import opening
from probe.cli.sql_shell.outlet import FORMATS, Outlet, say, write_whole
from probe.cli.sql_shell.session import Session
from probe.cli.sql_shell.statements import Statement, statements

__all__ = [
    "FORMATS",
    "Outlet",
    "Session",
    "Statement",
    "opening",
    "say",
    "statements",
    "write_whole",
]
