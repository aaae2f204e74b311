"""A fake `python` with a fake vLLM: started as the real one is, it behaves as the test says."""

from __future__ import annotations

import sys
from pathlib import Path

from probe.model_spec import ModelSpec
from probe.providers.vllm import Vllm, Weights

_FAKE = '''#!{python}
"""Takes vLLM's arguments, keeps what it was given, and behaves as FAKE_VLLM says."""
import json, os, signal, subprocess, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

words = sys.argv[1:]
told = dict(zip(words[2:], words[3:]))
here = os.path.dirname(os.path.abspath(__file__))
behave = os.environ.get("FAKE_VLLM", "serve")
key = os.environ["VLLM_API_KEY"]
with open(here + "/started.json", "w") as file:
    json.dump({{"words": words, "quiet": os.environ.get("VLLM_NO_USAGE_STATS")}}, file)

SAYS = {{
    "no vllm": "{{}}: Error while finding module specification for "
    "'vllm.entrypoints.openai.api_server' (ModuleNotFoundError: No module named 'vllm')",
    "memory": "(EngineCore pid=7) ERROR 11-30 11:20:00 [core.py:11] torch.OutOfMemoryError: CUDA"
    " out of memory. Tried to allocate 2.00 GiB.\\nRuntimeError: Engine core initialization failed."
    " See root cause above.",
    "no fit": "(EngineCore pid=7) ERROR 11-30 11:20:00 [core.py:11] ValueError: To serve at least"
    " one request with the models's max seq len (8192), (14.00 GiB KV cache is needed, which is"
    " larger than the available KV cache memory (3.00 GiB).",
    "port": "OSError: [Errno 98] Address already in use",
    "odd": "INFO 11-30 11:20:00 [x.py:1] no error yet\\nValueError: the moon is full",
}}
if behave in SAYS:
    print(SAYS[behave], file=sys.stderr)
    sys.exit(1)
if behave == "killed":
    os.kill(os.getpid(), signal.SIGKILL)

# As vLLM's engine does, in a process of its own; this one has also left the group.
deaf = "signal.signal(signal.SIGTERM, signal.SIG_IGN);" if behave == "stubborn" else ""
engine = subprocess.Popen(
    [sys.executable, "-c", "import signal, time;" + deaf + "time.sleep(600)",
     "fake-engine-" + os.path.basename(here)],
    start_new_session=True,
)
asked = 0


class Server(BaseHTTPRequestHandler):
    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        if self.path == "/version":
            return self.answer(200, {{"version": "0.0.fake"}})
        if self.path != "/v1/models" or self.headers.get("Authorization") != "Bearer " + key:
            return self.answer(200 if self.path == "/health" else 401, {{}})
        self.answer(200, {{"data": [{{"id": told["--served-model-name"]}}]}})

    def do_POST(self):
        global asked
        asked += 1
        asks = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if behave == "lies" or (behave == "warms up" and asked < 3):
            return self.answer(503, {{"error": {{"message": "the engine is not up"}}}})
        if behave == "embeds":
            return self.answer(404, {{"error": {{"message": "no completions here"}}}})
        if behave == "dies" and asked > 1:
            print("(EngineCore pid=7) ERROR 11-30 11:20:00 [a.py:1] RuntimeError: CUDA error: an"
                  " illegal memory access", file=sys.stderr, flush=True)
            os._exit(3)
        choice = {{"text": " and", "finish_reason": "length"}}
        if "messages" in asks:
            choice = {{"message": {{"role": "assistant", "content": "hello"}}}}
        self.answer(200, {{"model": asks["model"], "choices": [choice]}})

    def log_message(self, *_):
        pass


print("INFO 11-30 11:20:00 [x.py:1] config: dtype=torch.bfloat16, max_seq_len=9", file=sys.stderr,
      flush=True)
if behave == "silent":
    time.sleep(600)
ThreadingHTTPServer(("127.0.0.1", int(told["--port"])), Server).serve_forever()
'''


def fake_python(folder: Path) -> Path:
    """An executable that stands for the python of vLLM's environment."""
    path = folder / "python"
    path.write_text(_FAKE.format(python=sys.executable), encoding="utf-8")
    path.chmod(0o755)
    return path


def fake_spec(folder: Path, behave: str = "serve", **serve: object) -> ModelSpec:
    """A model that the fake serves."""
    told: dict[str, object] = {"python": str(fake_python(folder)), "start_s": 20}
    told["env"] = {"FAKE_VLLM": behave}
    return ModelSpec.model_validate(
        {"name": "m", "provider": "vllm", "model": "org/m", "serve": told | serve}
    )


def fake_vllm(folder: Path, behave: str = "serve", **serve: object) -> Vllm:
    """The provider for it, ready to be opened; its log is `folder / "log"`."""
    weights = Weights(path="org/m", unpack=False, cache=folder / "cache")
    return Vllm(fake_spec(folder, behave, **serve), weights, folder / "log")


def engines(folder: Path) -> str:
    """What the command line of the fake's engine holds."""
    return f"fake-engine-{folder.name}"
