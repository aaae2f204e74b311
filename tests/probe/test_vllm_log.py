"""What vLLM prints comes to one line that says what is wrong, and one that says what to do."""

from __future__ import annotations

import pytest

from probe.providers.vllm_log import ENDED, served_dtype, telling, why

FACTS = {"python": "/v/bin/python", "port": "8001", "context": "8192", "model": "org/m"}

CAUSES: dict[str, tuple[str, str, str]] = {
    "a context the model was not made for": (
        "pydantic_core.ValidationError: 1 validation error for ModelConfig: Value error,"
        " User-specified max_model_len (8192) is greater than the derived max_model_len"
        " (max_position_embeddings=2048 or model_max_length=None in model's config.json).",
        "the model bears no context of 8192 tokens",
        "lower context_tokens",
    ),
    "no room for the cache": (
        "ValueError: No available memory for the cache blocks. Try increasing"
        " `gpu_memory_utilization` when initializing the engine.",
        "the model does not fit",
        "serve.gpu_memory_utilization",
    ),
    "others on the GPU": (
        "ValueError: Free memory on device cuda:0 (3.1/79.1 GiB) on startup is less than desired"
        " GPU memory utilization (0.9, 71.2 GiB).",
        "other processes hold the memory",
        "lower serve.gpu_memory_utilization",
    ),
    "an argument it does not know": (
        "api_server.py: error: unrecognized arguments: --max-num-seq=3",
        "it does not take one of its arguments",
        "check serve.args",
    ),
    "a model that is not there": (
        "OSError: org/m is not a local folder and is not a valid model identifier listed on the"
        " hub",
        "it cannot find or fetch the model org/m",
        "export HF_TOKEN",
    ),
    "no GPU": (
        "RuntimeError: Failed to infer device type, please set the environment variable",
        "it finds no GPU",
        "CPU build",
    ),
    "an architecture it does not know": (
        "ValueError: Model architectures ['OddForCausalLM'] are not supported for now.",
        "this version cannot serve the model's architecture",
        "update vLLM",
    ),
    "memory of the machine": (
        "RuntimeError: [enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: not enough memory:"
        " you tried to allocate 99 bytes.",
        "it ran out of memory",
        "take a smaller",
    ),
}


@pytest.mark.parametrize("case", CAUSES)
def test_a_known_cause_is_named_with_its_line_and_one_thing_to_do(case: str) -> None:
    line, found, fix = CAUSES[case]
    marked = f"(EngineCore pid=77) ERROR 11-30 11:20:00 [core.py:1100] {line}"
    after = ["RuntimeError: Engine core initialization failed. See root cause above.", ""]

    said = why(["INFO 11-30 11:20:00 [a.py:1] starting", marked, *after], 1, **FACTS)

    assert said.found.startswith(found)
    assert line[:60] in said.found or line[-60:] in said.found
    assert "pid=" not in said.found
    assert fix in said.fix


def test_of_a_long_line_the_part_that_says_it_is_shown() -> None:
    """As vLLM's own are, with links and settings after what went wrong."""
    line = "ValueError: " + "a " * 200 + "CUDA out of memory. Tried " + "b " * 400

    said = why([line], 1, **FACTS)

    assert "… a a" in said.found
    assert "CUDA out of memory. Tried b b" in said.found
    assert len(said.found) < 320


def test_an_unknown_cause_is_told_in_its_own_words() -> None:
    lines = ["Traceback (most recent call last):", "  raise Odd", "Odd.Error: the moon is full", ""]

    assert why(lines, 2, **FACTS).found == (
        "it ended with exit status 2 (Odd.Error: the moon is full)"
    )


def test_a_warning_that_speaks_of_an_error_is_not_taken_for_one() -> None:
    lines = [
        "(APIServer pid=1) WARNING 11-30 11:35:00 [u.py:2] Found ulimit of 1 and failed with error",
        "(APIServer pid=1) INFO 11-30 11:35:01 [u.py:2] loading",
    ]

    assert telling(lines) == "loading"


def test_silence_is_told() -> None:
    assert telling([]) == "it said nothing"
    assert telling(["", f"{ENDED} with exit status 0"]) == "it said nothing"


def test_the_type_of_the_weights_is_read_where_it_is_told() -> None:
    line = "INFO 11-30 11:20:00 [core.py:1] config: model='m', dtype=torch.bfloat16, max_seq_len=9"

    assert served_dtype(["INFO starting", line]) == "bfloat16"
    assert served_dtype(["INFO starting"]) is None
