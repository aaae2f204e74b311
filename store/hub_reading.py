"""Opens a store that a hub on some machine serves, for reading."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import duckdb

from store.errors import StoreError
from store.gate import quoted
from store.hub_address import Address
from store.live import Live, load_extensions
from store.migrate import VERSION, refuse_version

TOKEN: Final = "GISTPROBE_TOKEN"  # noqa: S105 - the variable's name
CERTIFICATES: Final = "SSL_CERT_FILE"
_REFUSED: Final = ("authentication", "Authentication", "token")


class HubSilent(StoreError):
    """A hub's store cannot be read."""

    def __init__(self, where: Address, found: str, fix: str) -> None:
        super().__init__(where, found, fix)
        self.where, self.found, self.fix = where, found, fix

    def __str__(self) -> str:
        return f"hub {self.where}: {self.found}; {self.fix}"


def connect_to_hub(where: Address) -> tuple[duckdb.DuckDBPyConnection, Live]:
    """A connection that queries are sent to a hub over, and what stands for the hub.

    The token is the environment's. A certificate to trust beside the system's is named by
    SSL_CERT_FILE, as for other programs.

    Raises:
        HubSilent: It does not answer, or does not take the token.
        StoreTooNew: Its store is of a later version.
    """
    token = os.environ.get(TOKEN, "")
    if not token:
        found, fix = f"{TOKEN} is not set", "on the hub's machine `probe token read` prints it"
        raise HubSilent(where, found, fix)
    live = Live(address=where.for_duckdb, token=token, pid=0, plain=where.plain)
    connection = duckdb.connect(":memory:")
    try:
        load_extensions(connection)
        connection.execute("SET TimeZone = 'UTC'; SET python_enable_replacements = false")
        # Its plain client goes where it is told, whatever proxy the environment names.
        connection.execute("SET httpfs_client_implementation = 'httplib'; SET http_proxy = ''")
        # DuckDB trusts any certificate unless told otherwise, and would hand it the token.
        connection.execute("SET enable_server_cert_verification = true")
        if authority := os.environ.get(CERTIFICATES):
            connection.execute(f"SET ca_cert_file = {quoted(authority)}")
        secret = f"TOKEN {quoted(token)}, SCOPE {quoted(live.address)}"
        connection.execute(f"CREATE SECRET (TYPE quack, {secret})")
        answered = connection.execute(live.sent(VERSION)).fetchone()
    except (duckdb.Error, ModuleNotFoundError) as error:
        connection.close()
        said = str(error).split("\n", 1)[0].replace(token, "…")
        if any(sign in said for sign in _REFUSED):
            fix = "`probe token read` on its machine prints the right one"
            raise HubSilent(where, f"it does not take the token of {TOKEN}", fix) from None
        raise HubSilent(where, f"it does not answer ({said})", "see that it runs there") from None
    refuse_version(int(answered[0]) if answered else 0, Path(str(where)))
    return connection, live
