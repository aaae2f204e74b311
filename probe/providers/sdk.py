"""What the makers' SDKs raise, as troubles; and the lines of what they stream.

The two SDKs are made by the same generator, so one reader serves both. They are imported when a
provider opens, never before: whoever asks nobody through them need not have them.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

from probe.errors import ProviderDown
from probe.limits import retry_after_s
from probe.providers.batches import BatchTrouble
from probe.providers.replies import one_line, read_refusal
from probe.retry import REFUSED, Trouble

_NEVER_SENT: Final = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
"""Errors of the HTTP client before which nothing was sent."""


def load_sdk(name: str, model: str) -> ModuleType:
    """An SDK.

    Raises:
        ProviderDown: It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        fix = f"pip install 'gistprobe[{name}]', then run again"
        raise ProviderDown(model, f"the package {name} is not installed", fix) from None


def http_of(sdk: Any) -> Any:  # noqa: ANN401 - modules
    """The HTTP client's module that an SDK is made with; which one depends on its version."""
    client = next(
        each for each in sdk.DefaultAsyncHttpxClient.__mro__ if each.__name__ == "AsyncClient"
    )
    return importlib.import_module(client.__module__.partition(".")[0])


@contextmanager
def as_troubles(sdk: Any, clean: Callable[[str], str]) -> Iterator[None]:  # noqa: ANN401 - a module
    """Turn what a call of an SDK raises into BatchTrouble.

    Args:
        sdk: The module.
        clean: Takes secrets out of a text.
    """
    errors = http_of(sdk)
    try:
        yield
    except sdk.APIStatusError as error:
        raise BatchTrouble(_of_status(error, clean)) from None
    except sdk.APIConnectionError as error:
        raise BatchTrouble(_of_connection(error, error.__cause__, clean)) from None
    except (sdk.APIError, errors.HTTPError, errors.StreamError) as error:
        said = clean(f"{type(error).__name__}: {error}")
        raise BatchTrouble(malformed(said)) from None


def _of_status(error: Any, clean: Callable[[str], str]) -> Trouble:  # noqa: ANN401 - the SDK's
    status: int = error.status_code
    said = clean(error.response.text)
    read = read_refusal(status, said, retry_after_s(error.response.headers))
    message = read.message if isinstance(read, Trouble) else one_line(said)
    return Trouble(
        kind=f"http {status}",
        message=message,
        status=status,
        retry_after_s=read.retry_after_s if isinstance(read, Trouble) else None,
        perhaps_billed=status >= 500 or status == 408,
    )


def _of_connection(
    error: Exception, cause: BaseException | None, clean: Callable[[str], str]
) -> Trouble:
    name = type(cause or error).__name__
    said = one_line(clean(f"{name}: {cause or error}"))
    if name in _NEVER_SENT:
        return Trouble(kind=REFUSED if name == "ConnectError" else "connect timeout", message=said)
    return Trouble(kind="connection", message=said, perhaps_billed=True)


def malformed(said: str) -> Trouble:
    """An answer that cannot be read; what was asked for may have been done."""
    return Trouble(kind="malformed body", message=one_line(said), status=200, perhaps_billed=True)


async def lines_of(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The lines of a stream, without their ends.

    Only a line feed ends one: HTTP clients' own readers also end lines at separators that stand
    unescaped in JSON texts, such as U+2028.
    """
    begun = b""
    async for piece in pieces:
        *whole, begun = (begun + piece).split(b"\n")
        for line in whole:
            if line.strip():
                yield line
    if begun.strip():
        yield begun
