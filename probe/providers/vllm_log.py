"""Why a vLLM did not start, in one line with what to do about it, from what it printed. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

ENDED: Final = "gistprobe: vLLM ended"
"""How the line begins that is added to its log when it ends."""
_SHOWN: Final = 240
_BEFORE: Final = 100
_PREFIX: Final = re.compile(
    r"^(\([\w ]+pid=\d+\) *)*((ERROR|WARNING|INFO) [\d-]+ [\d:]+ (\[[\w./]+:\d+\]) *)?"
)
_WRONG: Final = re.compile(r"error|exception|no module named|not supported", re.IGNORECASE)
_HOLLOW: Final = ("root cause", "Traceback (most recent", "During handling", "raise ", "logger.")
"""Lines that name an error and do not say it."""
_HARMLESS: Final = re.compile(r"\b(WARNING|INFO|DEBUG) [\d-]+ ")
_DTYPE: Final = re.compile(r"\bdtype=torch\.(\w+)")


@dataclass(frozen=True, slots=True)
class Why:
    """What went wrong, and what to do."""

    found: str
    fix: str


@dataclass(frozen=True, slots=True)
class _Known:
    pattern: re.Pattern[str]
    found: str
    fix: str


def _known(pattern: str, found: str, fix: str) -> _Known:
    return _Known(re.compile(pattern, re.IGNORECASE), found, fix)


_CAUSES: Final = (
    _known(
        r"No module named '?vllm",
        "vLLM is not installed for {python}",
        "install it in an environment of its own (pip install vllm) and name its python in"
        " serve.python",
    ),
    _known(
        r"address already in use|EADDRINUSE|error while attempting to bind",
        "the port {port} is in use",
        "leave out serve.port, so that a free one is taken, or stop what listens there",
    ),
    _known(
        r"greater than the derived max_model_len",
        "the model bears no context of {context} tokens",
        "lower context_tokens to what it bears",
    ),
    _known(
        r"larger than the available KV cache memory|No available memory for the cache blocks"
        r"|max seq len .* KV cache",
        "the model does not fit beside a context of {context} tokens",
        "lower context_tokens, raise serve.gpu_memory_utilization (on a CPU"
        " VLLM_CPU_KVCACHE_SPACE in serve.env), or spread it with serve.tensor_parallel",
    ),
    _known(
        r"is less than desired (GPU|CPU) memory utilization",
        "other processes hold the memory it wants",
        "end them, or lower serve.gpu_memory_utilization",
    ),
    _known(
        r"out of memory|OutOfMemory|cannot allocate memory|not enough memory|MemoryError",
        "it ran out of memory: the model does not fit",
        "take a smaller or quantised model, lower context_tokens, or spread it over more GPUs with"
        " serve.tensor_parallel",
    ),
    _known(
        r"unrecognized arguments|error: argument|invalid choice",
        "it does not take one of its arguments",
        "check serve.args against `vllm serve --help=all` of that version",
    ),
    _known(
        r"not a valid model identifier|Invalid repository ID|RepositoryNotFound|gated repo"
        r"|couldn't connect to|LocalEntryNotFound|Repo id must be",
        "it cannot find or fetch the model {model}",
        "check `model` and serve.revision, export HF_TOKEN for a gated one, or name a folder that"
        " holds it",
    ),
    _known(
        r"No CUDA GPUs are available|Failed to infer device type|NVML|no NVIDIA",
        "it finds no GPU",
        "see what nvidia-smi and `probe doctor` say; without a GPU install vLLM's CPU build",
    ),
    _known(
        r"architectures? .* not supported|does not recognize this architecture",
        "this version cannot serve the model's architecture",
        "update vLLM, or take another model",
    ),
)


def why(lines: Sequence[str], code: int | None, **facts: object) -> Why:
    """Why it did not start.

    Args:
        lines: What it printed.
        code: Its exit status, negative for a signal; None where it runs and does not get ready.
        facts: Of the settings, for the words of the causes: python, port, context, model.
    """
    said = telling(lines)
    for cause in _CAUSES:
        line = next((line for line in reversed(lines) if cause.pattern.search(line)), None)
        if line is not None:
            said = _around(_bare(line), cause.pattern)
            return Why(f"{cause.found.format(**facts)} ({said})", cause.fix)
    if code == -9:
        fix = "see whether the machine has memory for the model; then run again"
        return Why(f"it was killed, by the system if memory ran out ({said})", fix)
    if code is not None:
        return Why(f"it ended with exit status {code} ({said})", "see its log")
    return Why(
        f"it did not get ready ({said})", "see its log; raise serve.start_s if it needs time"
    )


def telling(lines: Sequence[str]) -> str:
    """The last line that says what is wrong, or else the last one, shortened."""
    whole = [bare for line in lines if (bare := _bare(line)) and not bare.startswith(ENDED)]
    wrong = [
        _bare(line)
        for line in lines
        if _WRONG.search(line)
        and not _HARMLESS.search(line)
        and not any(hollow in line for hollow in (*_HOLLOW, ENDED))
    ]
    return (wrong or whole or ["it said nothing"])[-1][:_SHOWN]


def served_dtype(lines: Sequence[str]) -> str | None:
    """The data type it chose for the weights, where it says so."""
    found = (_DTYPE.search(line) for line in lines)
    return next((match[1] for match in found if match), None)


def _bare(line: str) -> str:
    """A line without the marks of the process and the time before it."""
    return " ".join(_PREFIX.sub("", line.strip()).split())


def _around(line: str, pattern: re.Pattern[str]) -> str:
    """What a line says around a pattern, where it says more than fits."""
    match = pattern.search(line)
    start = max(0, match.start() - _BEFORE) if match and len(line) > _SHOWN else 0
    return f"{'… ' * bool(start)}{line[start : start + _SHOWN].strip()}"
