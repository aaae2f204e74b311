"""Speaks to a hub: one request a message, with the worker's token."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

import aiohttp
from pydantic import BaseModel, ValidationError

from probe.hub.wire import Buckets, BucketsReport, Hello, Refusal, Report, Terms, Welcome
from probe.worker.errors import HubAway, HubRefuses, NotKnown
from store.hub_address import Address
from store.mirror import Gap

M = TypeVar("M", bound=BaseModel)
_TIMEOUT: Final = aiohttp.ClientTimeout(total=60.0, connect=10.0)


@dataclass(slots=True, kw_only=True)
class Link:
    """A connection to a hub. Use as an asynchronous context manager.

    Attributes:
        token: Who has it may work.
        authority: A certificate to trust beside the system's.
    """

    where: Address
    token: str = field(repr=False)
    authority: Path | None = None
    _session: aiohttp.ClientSession = field(init=False)

    async def __aenter__(self) -> Link:
        """Get ready.

        Raises:
            HubRefuses: The certificate to trust cannot be read.
        """
        context: ssl.SSLContext | bool = True
        if self.authority is not None:
            try:
                context = ssl.create_default_context(cafile=self.authority)
            except (OSError, ssl.SSLError) as error:
                raise HubRefuses(f"{self.authority} is no certificate ({error})") from None
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=context),
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=_TIMEOUT,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connection."""
        await self._session.close()

    async def hello(self, hello: Hello) -> Welcome:
        """Join, or come back; raises as every message does.

        Raises:
            HubAway: It does not answer, or cannot take anything in.
            HubRefuses: It does not let this worker in.
            NotKnown: The worker's lease is over.
        """
        return _read(Welcome, await self._send("POST", "/worker/hello", hello))

    async def report(self, report: Report) -> Terms:
        """Say how the worker stands; hear what it may do."""
        return _read(Terms, await self._send("POST", "/worker/report", report))

    async def buckets(self, report: BucketsReport) -> Buckets:
        """Take and renew buckets of features, or say that some are done."""
        return _read(Buckets, await self._send("POST", "/worker/buckets", report))

    async def piece(self, segment: str, start: int, data: bytes) -> int:
        """Hand over a piece of a journal; return where the hub's copy ends (bytes).

        Raises:
            Gap: The copy ends elsewhere.
        """
        path = f"/worker/segments/{segment}?start={start}"
        answered = await self._send("PUT", path, data, segment=segment, start=start)
        return int(_read(_End, answered).end)

    async def bye(self, worker: str) -> None:
        """Leave; all that was handed over is committed when this returns."""
        await self._send("POST", f"/worker/bye?worker={worker}", b"")

    async def stop(self) -> None:
        """Ask the hub to end; for who owns it."""
        await self._send("POST", "/own/stop", b"")

    async def _send(
        self, method: str, path: str, sent: BaseModel | bytes, *, segment: str = "", start: int = 0
    ) -> bytes:
        data = sent if isinstance(sent, bytes) else sent.model_dump_json().encode()
        url = self.where.url + path
        try:
            async with self._session.request(method, url, data=data) as answer:
                body = await answer.read()
        except aiohttp.ClientConnectorCertificateError as error:
            raise HubRefuses(
                f"hub {self.where}: its certificate is not trusted ({error.certificate_error});"
                " name the one to trust with --ca"
            ) from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise HubAway(f"hub {self.where} does not answer ({_reason(error)})") from None
        if answer.status >= _REFUSED:
            refusal = self._refusal(answer.status, body)
            if refusal.kind == "gap" and refusal.end is not None:
                raise Gap(segment, start, refusal.end)
            if refusal.kind == "expired":
                raise NotKnown(refusal.said)
            if refusal.kind == "store":
                raise HubAway(f"hub {self.where}: {refusal.said}")
            raise HubRefuses(f"hub {self.where}: {refusal.said}")
        return body

    def _refusal(self, status: int, body: bytes) -> Refusal:
        try:
            return Refusal.model_validate_json(body)
        except ValidationError:
            if status >= _SERVER:  # a proxy's page, while the hub is away
                raise HubAway(f"hub {self.where} does not answer (HTTP {status})") from None
            raise HubRefuses(f"{self.where} is no hub of gistprobe (HTTP {status})") from None


class _End(BaseModel):
    end: int


def _read(kind: type[M], body: bytes) -> M:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise HubRefuses(f"no {kind.__name__} came back: {error.errors()[0]['msg']}") from None


def _reason(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientConnectorError):
        return str(error.os_error.strerror or error.os_error)
    return str(error) or type(error).__name__


_REFUSED: Final = 400
_SERVER: Final = 500
