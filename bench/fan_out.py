"""A run of 10,000 cells against a bare aiohttp-and-JSONL script and the openai SDK.

    python bench/fan_out.py

512 requests in flight, 50 ms latency, prompts of about 300 words, everything stored in DuckDB.
Medians of three runs of each, in turns. CPU is the client process's, start to end: for `probe run`
that includes planning, scoring and the table at the end.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from rig import ASKING, experiment, measure, median, probe, report, simulated, sql

ITEMS = 900
IN_FLIGHT = 512
SDK_REQUESTS = 2_000
TIMES = 3
_BARE = """
import asyncio, json, sys, time, aiohttp
prompts = [json.loads(line) for line in open(sys.argv[2])]
async def main():
    todo, began = iter(prompts), time.time()
    out = open(sys.argv[3], "w")
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async def worker():
            for prompt in todo:
                body = {"model": "simulated", "messages": [{"role": "user", "content": prompt}],
                        "temperature": 0.0, "max_tokens": 48}
                async with session.post(sys.argv[1] + "/chat/completions", json=body) as answer:
                    reply = await answer.json()
                out.write(json.dumps({"prompt": prompt, "reply": reply}) + "\\n")
        async with asyncio.TaskGroup() as tasks:
            for _ in range(int(sys.argv[4])):
                tasks.create_task(worker())
    print(time.time() - began)
asyncio.run(main())
"""
_SDK = """
import asyncio, json, sys, time, openai
prompts = [json.loads(line) for line in open(sys.argv[2])]
async def main():
    out, began = open(sys.argv[3], "w"), time.time()
    client = openai.AsyncOpenAI(base_url=sys.argv[1], api_key="none")
    open_now = asyncio.Semaphore(int(sys.argv[4]))
    async def ask(prompt):
        async with open_now:
            reply = await client.chat.completions.create(
                model="simulated", messages=[{"role": "user", "content": prompt}],
                temperature=0.0, max_tokens=48)
            out.write(json.dumps({"prompt": prompt, "reply": reply.model_dump()}) + "\\n")
    async with asyncio.TaskGroup() as tasks:
        for prompt in prompts:
            tasks.create_task(ask(prompt))
    print(time.time() - began)
asyncio.run(main())
"""


def ours(folder: Path, url: str) -> dict[str, float]:
    """`probe run` on a new store."""
    store = folder / f"store{len(list(folder.glob('store*')))}"
    file = experiment(folder, url, items=ITEMS, model=f"max_in_flight = {IN_FLIGHT}")
    done = measure(probe("run", file, "--store", store), log=folder / "ours")
    if done.returncode:
        raise SystemExit(done.stderr)
    found = sql(store, ASKING)[0]
    held = sql(store, "SELECT count(*) AS n FROM replies")[0]["n"]
    if held != found["requests"]:
        raise SystemExit(f"{found['requests']} requests but {held} replies")
    return {
        "requests": held,
        "cpu_s_per_1000": 1000 * done.cpu_s / held,
        "requests_per_s": held / (found["last_ended"] - found["first_sent"]),
        "peak_mb": done.peak_mb,
    }


def script(folder: Path, url: str, code: str, prompts: list[str]) -> dict[str, float]:
    """A script that reads prompts from a file and writes replies to one."""
    file, given = folder / "script.py", folder / "prompts.jsonl"
    file.write_text(code)
    given.write_text("".join(json.dumps(prompt) + "\n" for prompt in prompts))
    command = ["python", file, url, given, folder / "replies.jsonl", str(IN_FLIGHT)]
    done = measure(command, log=folder / "script")
    if done.returncode:
        raise SystemExit(done.stderr)
    return {
        "cpu_s_per_1000": 1000 * done.cpu_s / len(prompts),
        "requests_per_s": len(prompts) / float(done.stdout),
    }


def main() -> None:
    """Measure and report."""
    with tempfile.TemporaryDirectory() as name, simulated("--latency", "0.05") as url:
        folder = Path(name)
        ours(folder, url)  # fetches what is missing, warms the disk
        texts = sql(
            folder / "store0", "SELECT DISTINCT prompt_text AS t FROM results WHERE is_first"
        )
        prompts = [row["t"] for row in texts]
        found: dict[str, Any] = {
            "probe run": median(lambda: ours(folder, url), TIMES),
            "aiohttp and JSONL": median(lambda: script(folder, url, _BARE, prompts), TIMES),
            "openai SDK": median(lambda: script(folder, url, _SDK, prompts[:SDK_REQUESTS]), TIMES),
        }
    own = found["probe run"]["requests_per_s"]
    found["throughput over aiohttp and JSONL"] = own / found["aiohttp and JSONL"]["requests_per_s"]
    found["throughput over openai SDK"] = own / found["openai SDK"]["requests_per_s"]
    found["words of a prompt"] = sum(len(prompt.split()) for prompt in prompts) / len(prompts)
    report("fan_out", found)


if __name__ == "__main__":
    main()
