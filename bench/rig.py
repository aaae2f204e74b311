"""What the benchmarks share: experiments, the simulated endpoint, runs measured from outside.

Everything listens on this machine's loopback address. CPU seconds are a process's own, by the
kernel's count; throughput is taken from what the store recorded.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

RESULTS = Path(__file__).parent / "results"
PYTHON = sys.executable


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One process, from outside.

    Attributes:
        cpu_s: User and system time (seconds).
        peak_mb: Largest resident set (megabytes).
        memory_mb: The resident set over time, as (seconds since start, megabytes).
    """

    began: float
    wall_s: float
    cpu_s: float
    peak_mb: float
    memory_mb: list[tuple[float, float]]
    returncode: int
    stdout: str
    stderr: str


def measure(command: Sequence[str | Path], *, log: Path) -> Measured:
    """Run a command to its end and measure it."""
    out, err = log.with_suffix(".out"), log.with_suffix(".err")
    began = time.time()
    with out.open("w") as stdout, err.open("w") as stderr:
        process = subprocess.Popen([str(word) for word in command], stdout=stdout, stderr=stderr)
        memory: list[tuple[float, float]] = []
        watching = threading.Thread(target=_watch, args=(process.pid, began, memory), daemon=True)
        watching.start()
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Measured(
        began=began,
        wall_s=time.time() - began,
        cpu_s=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss / 1024,
        memory_mb=memory,
        returncode=process.returncode,
        stdout=out.read_text(),
        stderr=err.read_text(),
    )


def _watch(pid: int, began: float, memory: list[tuple[float, float]]) -> None:
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        while True:
            memory.append((time.time() - began, process.memory_info().rss / 1e6))
            time.sleep(0.25)


def probe(*words: str | Path) -> list[str]:
    """The command as a user would give it."""
    return [PYTHON, "-m", "probe", *map(str, words)]


@contextlib.contextmanager
def simulated(*flags: str | float | Path) -> Iterator[str]:
    """A simulated endpoint in a process of its own; its base URL."""
    command = [*probe("simulate", "--until-stdin-closes"), *map(str, flags)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdout is None or process.stdin is None:
            raise RuntimeError("started without pipes")
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait()


def experiment(
    folder: Path, url: str, *, items: int, samples: int = 1, model: str = "", names: str = ""
) -> Path:
    """An experiment over the plays: source identification, excerpts of about 300 words.

    Args:
        folder: Where its file goes.
        url: Of the endpoint.
        items: Excerpts (count), each asked under twelve conditions.
        samples: Of each cell.
        model: Further lines of the model's table.
        names: The name strategies, as TOML; all four by default.
    """
    path = folder / "bench.toml"
    strategies = names or '["original", "masked", "same_culture", "cross_culture"]'
    path.write_text(
        f"""
name = "bench"
seed = 1

[[models]]
name = "simulated"
provider = "openai"
model = "simulated"
base_url = "{url}"
params = {{ temperature = 0.0, max_tokens = 48 }}
{model}

[[tasks]]
name = "source_identification"
dataset = "shakespeare"
excerpt_words = 300
choices = "options"
limit = {items}

[conditions]
names = {strategies}
prompts = ["baseline", "verbatim", "gist"]
samples = {samples}
""",
        encoding="utf-8",
    )
    return path


def sql(store: Path, query: str) -> list[dict[str, Any]]:
    """What a query on a store returns."""
    done = subprocess.run(
        probe("sql", query, "--store", store, "--format", "json"),
        capture_output=True,
        text=True,
        check=True,
    )
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


ASKING = """
    SELECT count(*) AS requests,
           count(*) FILTER (status = 429) AS refused,
           epoch(min(started_at)) AS first_sent,
           epoch(max(started_at + to_microseconds((latency_s * 1e6)::BIGINT))) AS last_ended
    FROM attempts WHERE run_id = (SELECT max(run_id) FROM runs)"""
"""How many requests the last run made, and from when to when."""


def stats(url: str) -> dict[str, Any]:
    """The simulated endpoint's own counts."""
    import urllib.request  # noqa: PLC0415 - used here alone

    with urllib.request.urlopen(f"{url}/stats") as answer:  # noqa: S310 - loopback
        counts: dict[str, Any] = json.load(answer)
    return counts


def median(run: Callable[[], dict[str, float]], times: int) -> dict[str, float]:
    """Medians of a measurement's numbers over several runs."""
    runs = [run() for _ in range(times)]
    return {name: statistics.median(each[name] for each in runs) for name in runs[0]}


def report(name: str, found: dict[str, Any]) -> None:
    """Print a result and keep it in `bench/results/`."""
    told = {
        "command": f"python bench/{name}.py",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": f"{os.cpu_count()} shared cores, Python {platform.python_version()}",
        **_rounded(found),
    }
    text = json.dumps(told, indent=2)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")


def _rounded(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return round(value, 3) if isinstance(value, float) else value
