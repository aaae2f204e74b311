"""vLLM is started, waited for, asked and ended; where it does not start, one line says why.

A fake stands in for it, in processes of its own as the real one has them.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from probe.errors import ProviderDown
from probe.providers.base import Reply, Request, Served
from probe.providers.vllm import Vllm
from probe.retry import REFUSED, Trouble
from tests.probe.runs import running, wait_until
from tests.probe.vllm_for_tests import engines, fake_spec, fake_vllm


@asynccontextmanager
async def opened(vllm: Vllm) -> AsyncIterator[Served]:
    try:
        yield await vllm.open()
    finally:
        await vllm.close()


async def test_it_is_started_with_what_the_file_says_asked_and_ended(tmp_path: Path) -> None:
    """Also the process that left its group and does not heed a request to end."""
    vllm = fake_vllm(
        tmp_path, "stubborn", dtype="float16", tensor_parallel=2, args=["--max-num-seqs=64"]
    )
    async with opened(vllm) as served:
        reply = (await vllm.ask(vllm.body(Request(text="Hi")))).result
        there = running(engines(tmp_path))
    started = json.loads((tmp_path / "started.json").read_text())

    assert isinstance(reply, Reply)
    assert reply.text == "hello"
    assert len(there) == 1
    assert running(engines(tmp_path)) == []
    words = " ".join(started["words"])
    assert words.startswith("-m vllm.entrypoints.openai.api_server --model org/m")
    assert "--dtype float16 --tensor-parallel-size 2" in words
    assert "--max-model-len 2048" in words
    assert "--generation-config vllm" in words
    assert "--revision" not in words
    assert words.endswith("--max-num-seqs=64")
    assert started["quiet"] == "1"
    assert served.facts["version"] == "0.0.fake"
    assert served.facts["dtype"] == "bfloat16"
    assert served.facts["tensor_parallel"] == 2


async def test_the_key_is_in_no_command_line_and_no_log(tmp_path: Path) -> None:
    vllm = fake_vllm(tmp_path)
    async with opened(vllm):
        chat = vllm._chat
        assert chat is not None
        key = chat._key

    assert key
    assert key not in (tmp_path / "started.json").read_text()
    assert key not in (tmp_path / "log").read_text()


async def test_it_is_ready_when_a_real_request_is_answered(tmp_path: Path) -> None:
    """Not when its list of models or its health page is."""
    vllm = fake_vllm(tmp_path, "warms up")
    async with opened(vllm):
        reply = (await vllm.ask(vllm.body(Request(text="Hi")))).result

    assert isinstance(reply, Reply)


DOWN: dict[str, tuple[str, str]] = {
    "no vllm": ("vLLM is not installed for", "name its python in serve.python"),
    "memory": ("it ran out of memory: the model does not fit (torch.OutOfMemoryError", "smaller"),
    "no fit": ("does not fit beside a context of 2048 tokens (ValueError: To", "lower context_to"),
    "port": ("is in use (OSError: [Errno 98]", "so that a free one is taken"),
    "odd": ("it ended with exit status 1 (ValueError: the moon is full)", "see its log"),
    "killed": ("it was killed, by the system if memory ran out", "memory for the model"),
    "embeds": ("it answers 404", "see serve.args"),
}  # fmt: skip


@pytest.mark.parametrize("behave", DOWN)
async def test_one_that_does_not_start_says_why_and_what_to_do(behave: str, tmp_path: Path) -> None:
    found, fix = DOWN[behave]

    with pytest.raises(ProviderDown) as caught:
        await fake_vllm(tmp_path, behave).open()

    assert found in caught.value.found
    assert fix in caught.value.fix
    assert "\n" not in str(caught.value)
    assert str(tmp_path / "log") in caught.value.fix
    assert running(engines(tmp_path)) == []


@pytest.mark.parametrize(("behave", "said"), [("lies", "503"), ("silent", "it does not listen")])
async def test_one_that_never_gets_ready_is_given_up(
    behave: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ProviderDown) as caught:
        await fake_vllm(tmp_path, behave, start_s=2).open()

    assert "it did not get ready" in caught.value.found
    assert f"{said}" in caught.value.found
    assert "after 2 s" in caught.value.found
    assert "serve.start_s" in caught.value.fix
    assert running(engines(tmp_path)) == []


async def test_a_python_that_is_not_there_is_named(tmp_path: Path) -> None:
    vllm = fake_vllm(tmp_path, python=str(tmp_path / "nowhere" / "python"))

    with pytest.raises(ProviderDown, match=r"nowhere/python cannot be started .* serve.python"):
        await vllm.open()


async def test_a_port_that_is_taken_is_seen_before_anything_is_loaded(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(ProviderDown, match=rf"the port {port} is in use; leave out serve.port"):
            await fake_vllm(tmp_path, port=port).open()

    assert not (tmp_path / "started.json").exists()


async def test_one_that_dies_while_it_is_asked_says_why(tmp_path: Path) -> None:
    """The trouble is a refused connection, which stops the model; what is held stays."""
    vllm = fake_vllm(tmp_path, "dies")
    async with opened(vllm):
        body = vllm.body(Request(text="Hi"))
        first = (await vllm.ask(body)).result
        trouble = await _refused(vllm, body)

    assert isinstance(first, Trouble)
    assert "vLLM ended with exit status 3 (RuntimeError: CUDA error: an illegal" in trouble.message
    assert str(tmp_path / "log") in trouble.message


async def _refused(vllm: Vllm, body: bytes) -> Trouble:
    """What asking it comes to, once its end is in the log."""
    for _ in range(400):
        result = (await vllm.ask(body)).result
        assert isinstance(result, Trouble)
        if result.kind == REFUSED and "ended" in result.message:
            return result
        await asyncio.sleep(0.05)
    raise AssertionError("it did not end")


async def test_a_stop_while_it_loads_ends_it(tmp_path: Path) -> None:
    vllm = fake_vllm(tmp_path, "silent")
    opening = asyncio.create_task(vllm.open())
    await asyncio.to_thread(wait_until, lambda: bool(running(engines(tmp_path))))
    opening.cancel()
    await asyncio.wait({opening})
    await vllm.close()

    assert running(engines(tmp_path)) == []


_OPENS = """
import asyncio, sys
from pathlib import Path
from tests.probe.vllm_for_tests import fake_vllm

async def main():
    vllm = fake_vllm(Path(sys.argv[1]), "stubborn")
    await vllm.open()
    print("open", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def test_a_parent_that_is_killed_leaves_no_process_behind(tmp_path: Path) -> None:
    """`kill -9` gives it no time to end anything; the supervising child does."""
    with subprocess.Popen(
        [sys.executable, "-c", _OPENS, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "open\n"
        there = [*running(str(tmp_path)), *running(engines(tmp_path))]
        parent.kill()
    wait_until(lambda: not running(str(tmp_path)) and not running(engines(tmp_path)), within_s=30)

    assert len(there) >= 3  # the parent itself, the server and its engine


def test_what_is_served_may_not_be_said_twice(tmp_path: Path) -> None:
    for told, said in (
        ({"args": ["--dtype", "half"]}, "may not set --dtype; set serve.dtype"),
        ({"args": ["--max_model_len=9"]}, "set context_tokens"),
        ({"env": {"HF_TOKEN": "x"}}, "serve.env is recorded; export HF_TOKEN instead"),
    ):
        with pytest.raises(ValueError, match=said):
            fake_spec(tmp_path, **told)
