"""The hub's one address: workers' messages, and DuckDB's protocol passed on to the served store.

A token in the `Authorization` header says who asks; a reader's queries carry theirs as DuckDB's
client sends it. Every answer that refuses says why in one line.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar

import aiohttp
from aiohttp import web
from pydantic import BaseModel, ValidationError

from probe.errors import ProbeError
from probe.hub.arrivals import Arrivals
from probe.hub.buckets import Leases
from probe.hub.hub import Hub, Refused
from probe.hub.tokens import Tokens
from probe.hub.wire import BucketsReport, Hello, Refusal, Report, Role
from store.database import Database
from store.errors import DiskFull, StoreError
from store.hub_address import Address
from store.live import read_live
from store.mirror import BadSegment, Gap

M = TypeVar("M", bound=BaseModel)
_MOST_BYTES: Final = 64 << 20
_STATUS: Final = {"token": 401, "version": 409, "expired": 410, "gap": 409, "store": 503}
_PASSED: Final = ("Content-Type", "Accept")
_BLOCK: Final = 1 << 16


class CannotListen(ProbeError):
    """The address cannot be listened at."""

    def __init__(self, where: Address, found: str) -> None:
        super().__init__(where, found)
        self.where, self.found = where, found

    def __str__(self) -> str:
        return f"cannot listen at {self.where}: {self.found}; name another with --listen"


@dataclass(slots=True, kw_only=True)
class Front:
    """Listens for a hub. Use as an asynchronous context manager.

    Attributes:
        arrivals: Takes in what workers bring.
        hub: None where only the store is served.
        on_stop: Called where an owner asks the hub to end.
    """

    where: Address
    database: Database
    tokens: Tokens
    leases: Leases
    arrivals: Arrivals
    hub: Hub | None = None
    on_stop: Callable[[], None] = lambda: None
    bound: Address = field(init=False)
    _runner: web.AppRunner = field(init=False)
    _session: aiohttp.ClientSession = field(init=False)

    async def __aenter__(self) -> Front:
        """Listen.

        Raises:
            CannotListen: With the reason.
        """
        app = web.Application(client_max_size=_MOST_BYTES, middlewares=[_in_words])
        app.add_routes(
            [
                web.get("/", self._greet),
                web.post("/quack", self._pass_on),
                web.post("/worker/hello", self._hello),
                web.post("/worker/report", self._report),
                web.put("/worker/segments/{segment}", self._segment),
                web.post("/worker/bye", self._bye),
                web.post("/worker/buckets", self._buckets),
                web.post("/own/stop", self._stop),
            ]
        )
        self._session = aiohttp.ClientSession(auto_decompress=False)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=5.0)
        await self._runner.setup()
        try:
            site = web.TCPSite(self._runner, self.where.host, self.where.port)
            await site.start()
        except OSError as error:
            await self.__aexit__()
            raise CannotListen(self.where, error.strerror or str(error)) from None
        server = self._runner.addresses[0]
        self.bound = Address(self.where.host, int(server[1]))
        return self

    async def __aexit__(self, *_: object) -> None:
        """Listen no more."""
        await self._runner.cleanup()
        await self._session.close()

    @property
    def is_exposed(self) -> bool:
        """Whether other machines reach it as it is, without TLS."""
        try:
            return not ipaddress.ip_address(self.where.host).is_loopback
        except ValueError:
            return not self.where.is_here

    async def _greet(self, request: web.Request) -> web.Response:
        del request
        return web.Response(text="gistprobe's hub: probe work --hub, or ATTACH from DuckDB\n")

    async def _hello(self, request: web.Request) -> web.Response:
        self._check(request, "work")
        return _answer(await self._running.hello(await _read(request, Hello)))

    async def _report(self, request: web.Request) -> web.Response:
        self._check(request, "work")
        return _answer(await self._running.report(await _read(request, Report)))

    async def _segment(self, request: web.Request) -> web.Response:
        self._check(request, "work")
        start = request.query.get("start", "0")
        if not start.isdigit():
            raise Refused("message", f"start={start!r:.40} is no place in a journal")
        piece = await request.read()
        end = await self.arrivals.take(request.match_info["segment"], int(start), piece)
        return web.json_response({"end": end})

    async def _bye(self, request: web.Request) -> web.Response:
        self._check(request, "work")
        await self._running.bye(request.query.get("worker", ""))
        return web.json_response({})

    async def _buckets(self, request: web.Request) -> web.Response:
        self._check(request, "work")
        asked = await _read(request, BucketsReport)
        return _answer(self.leases.report(asked))

    async def _stop(self, request: web.Request) -> web.Response:
        self._check(request, "own")
        self.on_stop()
        return web.json_response({})

    @property
    def _running(self) -> Hub:
        if self.hub is None:
            raise Refused("message", "no experiment is being run here; the store is only served")
        return self.hub

    def _check(self, request: web.Request, role: Role) -> None:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind != "Bearer" or not self.tokens.allows(token, role):
            said = f"the hub does not take this token for this ({role}); `probe token {role}` there"
            raise Refused("token", f"{said} prints the right one")

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        """Hand a message of DuckDB's client to the server in this process, and its answer back."""
        live = read_live(self.database.path)
        if live is None:
            raise Refused("store", "the store is not served")
        url = f"http://{live.address.removeprefix('quack:')}/quack"
        headers = {name: request.headers[name] for name in _PASSED if name in request.headers}
        async with self._session.post(url, data=await request.read(), headers=headers) as answer:
            passed = {name: answer.headers[name] for name in _PASSED if name in answer.headers}
            response = web.StreamResponse(status=answer.status, headers=passed)
            if answer.content_length is not None:
                response.content_length = answer.content_length
            await response.prepare(request)
            async for block in answer.content.iter_chunked(_BLOCK):
                await response.write(block)
            await response.write_eof()
            return response


@web.middleware
async def _in_words(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Say what is refused, and why."""
    try:
        return await handler(request)
    except Refused as error:
        refusal = Refusal(kind=error.kind, said=str(error))
    except Gap as error:
        refusal = Refusal(kind="gap", said=str(error), end=error.end)
    except BadSegment as error:
        refusal = Refusal(kind="segment", said=str(error))
    except DiskFull:
        refusal = Refusal(kind="store", said="the hub's disk is full; make room there")
    except StoreError as error:
        refusal = Refusal(kind="store", said=f"the hub cannot take this in ({error})")
    except aiohttp.ClientError as error:
        refusal = Refusal(kind="store", said=f"the served store does not answer ({error})")
    return _answer(refusal, _STATUS.get(refusal.kind, 400))


async def _read(request: web.Request, kind: type[M]) -> M:
    try:
        return kind.model_validate_json(await request.read())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise Refused("message", f"no {kind.__name__}: {where}: {first['msg']}") from None


def _answer(message: BaseModel, status: int = 200) -> web.Response:
    return web.Response(
        text=message.model_dump_json(), status=status, content_type="application/json"
    )
