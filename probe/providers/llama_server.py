"""The child process: llama.cpp's own server, for as long as the parent lives.

Started as `python -m probe.providers.llama_server`, with its settings as one JSON line on standard
input. Prints one line with its address, then serves until standard input ends, which it does when
the parent closes it or dies, however it dies.
"""

from __future__ import annotations

import json
import os
import sys
import threading


def main() -> None:
    """Serve one GGUF file on a free loopback port."""
    settings = json.loads(sys.stdin.readline())
    # From here on, so that it also ends when the parent dies while the model loads.
    parent = threading.Thread(target=_end_with_parent, daemon=True)
    parent.start()
    import xllamacpp  # noqa: PLC0415 - only this process needs it, and a failure to load is reported

    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.model_alias = {settings["alias"]}
    params.api_keys = [settings["key"]]
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["slots"] * settings["context_tokens"]
    params.port = 0
    # The same request must get the same reply, whatever was asked before and on however many
    # threads: a shared prefix and flash attention both change the order of sums.
    params.cache_prompt = False
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = settings["threads"]
        cpu.poll = 0  # polling threads starve each other 30-fold where cores are shared
    server = xllamacpp.Server(params)
    sys.stdout.write(json.dumps({"url": server.listening_address}) + "\n")
    sys.stdout.flush()
    parent.join()


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)  # the server's threads do not end by themselves


if __name__ == "__main__":
    main()
