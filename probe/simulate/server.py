"""The endpoint itself, on aiohttp's low-level server: no routing, no middleware, no access log."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Final

from aiohttp import web

from probe.simulate.errors import SettingsError
from probe.simulate.ledger import Ledger
from probe.simulate.limits import Limits
from probe.simulate.planner import JSON, Planned, Planner, refused
from probe.simulate.replies import Asked, ReplyMaker
from probe.simulate.settings import Settings
from probe.simulate.wire import Refusal, models_body, read_body

_CHAT: Final = "/v1/chat/completions"
_TEXT: Final = "/v1/completions"
_MODELS: Final = "/v1/models"
_STATS: Final = "/v1/stats"
_METHODS: Final = {_CHAT: "POST", _TEXT: "POST", _MODELS: "GET", _STATS: "GET"}
_BREAKS: Final = frozenset({"reset", "truncated", "hang"})
_BACKLOG: Final = 1024
_STOPPING_S: Final = 0.1
_RESET_ON_CLOSE: Final = struct.pack("ii", 1, 0)


class Simulator:
    """Handles the requests to one endpoint."""

    def __init__(self, settings: Settings, maker: ReplyMaker | None = None) -> None:
        self._models = settings.models or ("simulated",)
        self._limits = Limits(settings)
        self._ledger = Ledger(settings.record)
        self._planner = Planner(settings, self._limits, self._ledger, maker)
        self._started = int(time.time())

    def close(self) -> None:
        """Close the record."""
        self._ledger.close()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """The response to any request; it must be cancelled when the client goes away."""
        path = request.raw_path.partition("?")[0]
        method = _METHODS.get(path)
        if method is None:
            unknown = Refusal(status=404, message=f"there is no {path}", code="unknown_url")
            return self._response(refused(unknown))
        if method != request.method:
            said = f"{path} takes {method}, not {request.method}"
            return self._response(
                refused(Refusal(status=405, message=said, headers={"allow": method}))
            )
        if method == "POST":
            return await self._complete(request, chat=path == _CHAT)
        if path == _STATS:
            return web.Response(body=self._ledger.stats(), content_type=JSON)
        if refusal := self._planner.wrong_key(request.headers.get("Authorization")):
            return self._response(refused(refusal))
        listed = models_body(self._models, self._started)
        return self._response(Planned(status=200, body=listed))

    async def _complete(self, request: web.BaseRequest, *, chat: bool) -> web.StreamResponse:
        raw = await request.content.read()
        read = read_body(raw, chat=chat)
        number = self._ledger.asked(raw, read.text if isinstance(read, Asked) else None)
        status = fault = None
        try:
            refusal = self._planner.wrong_key(request.headers.get("Authorization"))
            planned = self._planner.plan(number, raw, refusal or read)
            fault = planned.fault
            if planned.latency_s:
                await asyncio.sleep(planned.latency_s)
            if fault in _BREAKS:
                await self._break(request, planned)
            response = self._response(planned)
            # aiohttp meets the same error on the response it is handed, and ends the connection.
            with contextlib.suppress(ConnectionError):
                await response.prepare(request)
                await response.write_eof()
                status = planned.status
                self._ledger.bought(planned.prompt_tokens, planned.reply_tokens)
            return response
        finally:
            self._ledger.ended(number, status, fault)

    def _response(self, planned: Planned) -> web.Response:
        return web.Response(
            status=planned.status,
            body=planned.body,
            content_type=planned.content_type,
            headers=self._headers(planned),
        )

    def _headers(self, planned: Planned) -> dict[str, str]:
        return {**self._limits.headers(), **planned.headers}

    async def _break(self, request: web.BaseRequest, planned: Planned) -> None:
        """End a request without its whole response; ends by cancellation, with the connection."""
        transport = request.transport
        if transport is not None and planned.fault == "reset":
            held: socket.socket = transport.get_extra_info("socket")
            held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            transport.abort()
        elif transport is not None and planned.fault == "truncated":
            response = web.StreamResponse(status=planned.status, headers=self._headers(planned))
            response.content_type = planned.content_type
            response.content_length = len(planned.body)
            with contextlib.suppress(ConnectionError):
                await response.prepare(request)
                await response.write(planned.body[: len(planned.body) // 2])
            transport.close()
        await asyncio.get_running_loop().create_future()


@contextlib.asynccontextmanager
async def serving(settings: Settings, maker: ReplyMaker | None = None) -> AsyncIterator[str]:
    """An endpoint on 127.0.0.1, as its base URL, for as long as the context lasts.

    Args:
        settings: How it behaves.
        maker: Makes its replies, in place of the one the settings name.

    Raises:
        SettingsError: The port is taken, or the record cannot be written.
    """
    simulator = Simulator(settings, maker)
    server = web.Server(simulator.handle, access_log=None, handler_cancellation=True)
    runner = web.ServerRunner(server, shutdown_timeout=_STOPPING_S)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, "127.0.0.1", settings.port, backlog=_BACKLOG).start()
        except OSError as error:
            raise SettingsError("port", settings.port, f"free ({error.strerror})") from error
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()
        simulator.close()


async def serve(
    settings: Settings,
    announce: Callable[[str], None],
    maker: ReplyMaker | None = None,
    *,
    until_stdin_closes: bool = False,
) -> None:
    """Serve until SIGINT or SIGTERM comes.

    Args:
        settings: How the endpoint behaves.
        announce: Told the base URL once it listens.
        maker: Makes its replies, in place of the one the settings name.
        until_stdin_closes: End also when standard input ends.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signal_number, stopped.set)
    if until_stdin_closes:
        # A daemon, not a task: a read that never ends would hold up the exit.
        threading.Thread(target=_watch_stdin, args=(loop, stopped.set), daemon=True).start()
    async with serving(settings, maker) as url:
        announce(url)
        await stopped.wait()


def _watch_stdin(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    with contextlib.suppress(OSError):
        while os.read(sys.stdin.fileno(), 65536):
            pass
    with contextlib.suppress(RuntimeError):  # the loop has ended already
        loop.call_soon_threadsafe(stop)
