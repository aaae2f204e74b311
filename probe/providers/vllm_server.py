"""The supervising child: starts vLLM's server, says when it answers, and ends it with the parent.

Started as `python -m probe.providers.vllm_server`, with its settings as one JSON line on standard
input. Prints one line once a real request was answered (vLLM's own health page answers before that
and can lie), or once it is clear that none will be. Then it waits. When standard input ends, which
it does when the parent closes it or dies, however it dies, vLLM ends with all its processes.
"""

from __future__ import annotations

import contextlib
import ctypes
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil

from probe.providers.vllm_log import ENDED, Why, served_dtype, why

_POLL_S: Final = 0.25
_ANSWER_S: Final = 120.0
_GRACE_S: Final = 4.0
"""Between asking vLLM's processes to end and ending them; the parent waits 10 s in all."""
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the parent says.

    Attributes:
        command: vLLM's server with all its arguments.
        environment: Beside what the child inherits.
        log: Where standard error goes, vLLM's output with it.
        start_s: Time it has to get ready (seconds).
        facts: For messages: python, port, context, model.
    """

    command: list[str]
    environment: dict[str, str]
    key: str
    model: str
    port: int
    log: str
    start_s: float
    facts: dict[str, str]


def main() -> None:
    """Serve until standard input ends."""
    settings = Settings(**json.loads(sys.stdin.readline()))
    _set_process(_PR_SET_CHILD_SUBREAPER, 1)  # so that nothing of vLLM's gets out of reach
    log = Path(settings.log)
    from_here = log.stat().st_size
    server = _start(settings)
    if isinstance(server, Why):
        _say({"error": server.found, "fix": server.fix})
        return
    threading.Thread(target=_end_with_parent, args=(server,), daemon=True).start()
    ready = _ready(server, settings, lambda: _lines(log, from_here))
    if isinstance(ready, Why):
        end(server)
        _say({"error": ready.found, "fix": f"{ready.fix} ({log})"})
        return
    _say(ready)
    code = server.wait()
    end(server)
    sys.stderr.write(f"\n{ENDED} with exit status {code}\n")


def _say(line: Mapping[str, object]) -> None:
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def _lines(log: Path, from_here: int) -> list[str]:
    with log.open("rb") as file:
        file.seek(from_here)
        return file.read().decode(errors="replace").splitlines()


def _start(settings: Settings) -> subprocess.Popen[bytes] | Why:
    if _taken(settings.port):
        fix = "leave out serve.port, so that a free one is taken, or stop what listens there"
        return Why(f"vLLM was not started: the port {settings.port} is in use", fix)
    try:
        return subprocess.Popen(  # noqa: S603 - the user's own choice of a python
            settings.command,
            env=os.environ | settings.environment,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            stderr=sys.stderr.fileno(),
            start_new_session=True,
            # No thread runs yet. Should this process be killed, vLLM is asked to end.
            preexec_fn=_ask_to_end_with_me,  # noqa: PLW1509
        )
    except OSError as error:
        found = f"{settings.command[0]} cannot be started ({error.strerror})"
        return Why(found, "name the python of vLLM's environment in serve.python")


def _taken(port: int) -> bool:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def _set_process(option: int, value: int) -> None:
    """One of Linux's settings of a process; elsewhere nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value)


def _ask_to_end_with_me() -> None:
    _set_process(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _end_with_parent(server: subprocess.Popen[bytes]) -> None:
    sys.stdin.read()
    end(server)
    os._exit(0)


def end(server: subprocess.Popen[bytes]) -> None:
    """End vLLM and every process it started, also those that left its group."""
    family = psutil.Process().children(recursive=True)
    _signal(server.pid, signal.SIGTERM)
    for process in family:
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) != server.pid:
                process.terminate()
    psutil.wait_procs(family, timeout=_GRACE_S)
    _signal(server.pid, signal.SIGKILL)
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(psutil.Process().children(recursive=True), timeout=_GRACE_S)


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _ready(
    server: subprocess.Popen[bytes], settings: Settings, lines: Callable[[], list[str]]
) -> dict[str, object] | Why:
    """What answers, once a real request has been answered; or why none is."""
    until = time.monotonic() + settings.start_s
    last = "it does not listen"
    while time.monotonic() < until:
        code = server.poll()
        if code is not None:
            return why(lines(), code, **settings.facts)
        try:
            status, said = _asked(settings)
        except (OSError, http.client.HTTPException, ValueError):
            time.sleep(_POLL_S)
            continue
        if status == 200:
            return _facts(settings, lines())
        last = f"asked to continue a text it answers {status}: {json.dumps(said)[:200]}"
        if 400 <= status < 500:
            return Why(f"vLLM serves {settings.model}, but {last}", "see serve.args")
        time.sleep(_POLL_S)
    found = why(lines(), None, **settings.facts)
    return Why(f"{found.found}; {last} after {settings.start_s:g} s", found.fix)


def _asked(settings: Settings) -> tuple[int, object]:
    """The status and body of a real request, after the list of models says that it is ours."""
    status, listed = _request(settings, "GET", "/v1/models")
    if status != 200:
        raise ValueError("not yet, or not ours")
    body = {"model": settings.model, "prompt": "One two", "max_tokens": 1, "temperature": 0.0}
    del listed
    return _request(settings, "POST", "/v1/completions", body)


def _request(settings: Settings, method: str, path: str, body: object = None) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", settings.port, timeout=_ANSWER_S)
    headers = {
        "Authorization": f"Bearer {settings.key}",
        "Content-Type": "application/json",
        "Connection": "close",
    }
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def _facts(settings: Settings, lines: list[str]) -> dict[str, object]:
    facts: dict[str, object] = {"url": f"http://127.0.0.1:{settings.port}/v1"}
    with contextlib.suppress(OSError, http.client.HTTPException, ValueError, AttributeError):
        facts["version"] = _request(settings, "GET", "/version")[1].get("version")
    dtype = served_dtype(lines)
    if dtype is not None:
        facts["dtype"] = dtype
    return facts


if __name__ == "__main__":
    main()
