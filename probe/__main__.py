"""The `probe` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; every error a user can cause is one line, without a traceback."""
    from probe.cli import cli  # noqa: PLC0415 - so that importing this module starts nothing

    sys.exit(cli(prog_name="probe"))


if __name__ == "__main__":
    main()
