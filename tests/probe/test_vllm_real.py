"""vLLM itself: started, asked, killed, resumed, ended, and its numbers held against transformers'.

Runs where `VLLM_TESTS=1`, with the vLLM of the python that `VLLM_PYTHON` names (else this one's).
On a machine without a GPU that is vLLM's CPU build. It starts vLLM four times, a minute or so each.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import numpy as np
import psutil
import pytest

from embedder.encoders import Settings, Target, make
from probe.model_spec import ModelSpec
from probe.providers.base import Provider, Reply, Request, Served
from probe.resolve import provider_for
from store.assets import fetch
from store.catalogue import MINILM
from tests.probe.experiments_for_tests import probe, rows, write_experiment
from tests.probe.runs import no_progress, start_run, wait_until

PYTHON = os.environ.get("VLLM_PYTHON", sys.executable)
pytestmark = [
    pytest.mark.vllm,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        os.environ.get("VLLM_TESTS") != "1",
        reason="set VLLM_TESTS=1, and VLLM_PYTHON to the python of vLLM's environment",
    ),
]
ENVIRONMENT = {
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
    "VLLM_CPU_KVCACHE_SPACE": "1",
}
"""What the CPU build needs on a small machine; on a GPU it means nothing."""
START_S = 900
OPENINGS = [
    "It is a truth universally acknowledged, that a single man in possession of a good fortune",
    "Call me Ishmael. Some years ago, never mind how long precisely, having little or no money",
    "“Hello” — naïve 🎭🎭 café 中文字, said Émma.",
    "To be, or not to be, that is the question: whether ’tis nobler in the mind to suffer",
    "x",
]
TEXTS = [f"{text} The day was numbered {n}." for n in range(4) for text in OPENINGS]


def spec() -> ModelSpec:
    """The smoke-test model, in the type it is unpacked to."""
    return ModelSpec.model_validate(
        {
            "name": "smol",
            "provider": "vllm",
            "model": "smollm2-135m",
            "serve": {
                "python": PYTHON,
                "dtype": "float32",
                "args": ["--enforce-eager", "--max-num-seqs=16"],
                "env": ENVIRONMENT,
                "start_s": START_S,
            },
        }
    )


def started_by(pid: int) -> list[psutil.Process]:
    """The supervising child of a process, vLLM, and all that vLLM started."""
    return psutil.Process(pid).children(recursive=True)


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that still run; a number that was given to another process since does not count."""
    left = []
    for each in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            if each.is_running() and each.status() != psutil.STATUS_ZOMBIE:
                left.append(each)
    return left


@asynccontextmanager
async def opened(provider: Provider) -> AsyncIterator[Served]:
    try:
        yield await provider.open(("reply", "continuation", "likelihood"))
    finally:
        await provider.close()


async def test_log_probabilities_are_transformers_own_of_the_same_tokens(tmp_path: Path) -> None:
    """Within 1e-2 nat a token; and greedy continuations begin alike. No process is left."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    provider = provider_for(spec(), tmp_path / "x.toml", tmp_path / "log", no_progress)
    async with opened(provider) as served:
        bodies = [provider.body(Request(text=text, asks="likelihood")) for text in TEXTS]
        async with asyncio.TaskGroup() as tasks:
            asked = [tasks.create_task(provider.ask(body, "likelihood")) for body in bodies]
        results = [task.result().result for task in asked]
        request = Request(text=OPENINGS[0], asks="continuation", reply_tokens=12)
        told = (await provider.ask(provider.body(request), "continuation")).result
        there = started_by(os.getpid())

    assert served.unavailable == {}
    assert {"version", "dtype", "listed", "likelihood"} <= served.facts.keys()
    assert len(there) >= 2
    assert alive(there) == []
    folder = json.loads(json.dumps(served.facts["listed"]))["root"]
    torch.set_num_threads(1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    worst = 0.0
    for text, result in zip(TEXTS, results, strict=True):
        assert isinstance(result, Reply), result
        found = result.likelihood
        assert found is not None
        encoded = tokenizer(text, return_offsets_mapping=True)
        with torch.no_grad():
            logits = model(torch.tensor([encoded["input_ids"]])).logits[0]
        own = torch.log_softmax(logits.double(), dim=-1)
        ids = encoded["input_ids"]
        theirs = [float(own[at - 1, ids[at]]) for at in range(1, len(ids))]
        ours = [value for value in found.logprobs[1:] if value is not None]

        assert list(found.token_ids) == ids
        assert list(found.offsets) == [start for start, _ in encoded["offset_mapping"]]
        assert found.logprobs[0] is None
        assert len(ours) == len(theirs)
        worst = max([worst, *(abs(a - b) for a, b in zip(ours, theirs, strict=True))])
        for at in range(1, len(ids)):
            if own[at - 1].topk(2).values.diff().abs() > 1e-2:
                assert (found.ranks[at] == 1) == (int(own[at - 1].argmax()) == ids[at])
    print(f"largest difference: {worst:.2g} nat")  # noqa: T201 - shown by pytest -rP
    assert worst < 1e-2
    assert isinstance(told, Reply)
    prompt = tokenizer(OPENINGS[0], return_tensors="pt")
    greedy = model.generate(
        **prompt, max_new_tokens=12, do_sample=False, repetition_penalty=1.0, pad_token_id=0
    )
    assert told.text == tokenizer.decode(greedy[0, prompt["input_ids"].shape[1] :])


def experiment(folder: Path) -> Path:
    """Twenty items under one condition, asked one at a time so that there is time to kill it."""
    path = write_experiment(
        folder,
        "unused",
        a_work=7,
        tail='[conditions]\nnames = ["original"]\nprompts = ["baseline"]',
        extra="max_in_flight = 1\nparams = { max_tokens = 24, temperature = 0.0 }",
    )
    told = spec().serve_here
    environment = ", ".join(f'{name} = "{value}"' for name, value in told.env.items())
    served = (
        f'provider = "vllm"\nserve = {{ python = "{PYTHON}", dtype = "float32",'
        f" args = {json.dumps(told.args)}, env = {{ {environment} }}, start_s = {START_S} }}"
    )
    text = path.read_text().replace('base_url = "unused"\n', "")
    text = text.replace('provider = "openai"', served).replace('"fake"', '"smollm2-135m"', 2)
    path.write_text(text.replace('choices = "options"', 'choices = "options"\nlimit = 20'))
    return path


def test_a_run_that_is_killed_leaves_nothing_running_and_is_resumed(tmp_path: Path) -> None:
    """`kill -9` amid twenty cells: the same command asks for what is missing, once."""
    store, path = tmp_path / "store", experiment(tmp_path)

    def journalled() -> int:
        files = (store / "journal").glob("*.jsonl")
        return sum(file.read_text().count('"kind":"reply"') for file in files)

    with start_run(path, store) as run:
        wait_until(lambda: journalled() >= 5 or run.poll() is not None, within_s=START_S)
        there = started_by(run.pid)
        run.kill()
    wait_until(lambda: not alive(there))
    held = journalled()
    done = probe("run", path, "--store", store, within_s=START_S)

    assert len(there) >= 2
    assert 5 <= held < 20
    assert done.returncode == 0, done.stderr
    assert f"asked {20 - held}, already held {held}" in done.stderr
    assert rows(store, "SELECT count(*) AS n, count(DISTINCT key) AS k FROM replies") == [
        {"n": 20, "k": 20}
    ]


@contextmanager
def pooling_server(folder: Path, log: Path) -> Iterator[str]:
    """A vLLM that embeds, as a user starts one."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    words = f"-m vllm.entrypoints.openai.api_server --host 127.0.0.1 --port {port} --runner pooling"
    words += " --dtype float32 --enforce-eager --served-model-name minilm --model"
    with (
        log.open("wb") as said,
        subprocess.Popen(
            [PYTHON, *words.split(), str(folder)],
            env=os.environ | ENVIRONMENT,
            stdout=said,
            stderr=said,
        ) as server,
    ):
        try:
            until = time.monotonic() + START_S
            while server.poll() is None and time.monotonic() < until:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def test_a_pooling_runner_gives_the_vectors_of_the_same_model_run_here(tmp_path: Path) -> None:
    """By the encoder that asks a server, against the one that runs here."""
    pytest.importorskip("torch")
    folder = fetch(MINILM, lambda *_: None)
    targets = [Target(target_id=str(n), text=text) for n, text in enumerate(TEXTS)]

    def vectors(name: str, place: Path | None = None) -> dict[str, np.ndarray]:
        encoder = make(name, folder=place, settings=Settings())
        return {
            each.target_id: each.vector / np.linalg.norm(each.vector)
            for batch in encoder.encode(targets)
            for each in batch
        }

    with pooling_server(folder, tmp_path / "log") as url:
        served = vectors(f"served:{url}#minilm")
    own = vectors("all-minilm-l6-v2", folder)

    assert served.keys() == own.keys() == {target.target_id for target in targets}
    assert min(float(served[name] @ own[name]) for name in own) > 0.9999
