"""NV-Embed's parts on a small model of random weights, against a computation written out here.

The published weights are not tested: no test fetches 16 GB.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import erf, softmax

pytest.importorskip("torch", reason="needs the `embed` extra")
pytest.importorskip("transformers", reason="needs the `embed` extra")

from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from embedder.encoders import Encoded, Encoder, Settings, Target
from embedder.encoders.hub import locate
from embedder.encoders.nv_embed import nv_embed_encoder
from embedder.errors import BadSetting, ModelUnusable
from tests.embedder.models_for_tests import SENTENCES, make_nv_embed

Floats = npt.NDArray[np.float64]
Weights = Mapping[str, Floats]

EPS_RMS, EPS_LAYER, THETA = 1e-5, 1e-5, 10_000.0
HEADS, KEY_HEADS, CROSS_HEADS = 4, 2, 2
BLOCK = "latent_attention_model.cross_attend_blocks"


def weights_of(folder: Path) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for file in sorted(folder.glob("*.safetensors")):
        found |= {name: each.astype(np.float64) for name, each in load_file(file).items()}
    return found


def rms_norm(x: Floats, weight: Floats) -> Floats:
    root = np.sqrt((x**2).mean(axis=-1, keepdims=True) + EPS_RMS)
    scaled: Floats = x / root * weight
    return scaled


def layer_norm(x: Floats, w: Weights, name: str) -> Floats:
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPS_LAYER)
    scaled: Floats = centred / spread * w[f"{name}.weight"] + w[f"{name}.bias"]
    return scaled


def rotated(x: Floats) -> Floats:
    """Rotary positions: the two halves of a head turn together. Shape (length, head)."""
    length, head = x.shape
    half = head // 2
    angle = np.arange(length)[:, None] / THETA ** (np.arange(half) * 2 / head)
    a, b = x[:, :half], x[:, half:]
    turned = [a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)]
    return np.concatenate(turned, axis=1)


def mistral(ids: list[int], w: Weights) -> Floats:
    """Mistral with attention in both directions over one text; shape (length, dim)."""
    x = w["embedding_model.embed_tokens.weight"][ids]
    layer = 0
    while f"embedding_model.layers.{layer}.input_layernorm.weight" in w:
        p = f"embedding_model.layers.{layer}."
        h = rms_norm(x, w[p + "input_layernorm.weight"])
        q, k, v = (h @ w[f"{p}self_attn.{n}_proj.weight"].T for n in "qkv")
        size = q.shape[1] // HEADS
        heads = []
        for head in range(HEADS):
            shared = head * KEY_HEADS // HEADS
            qs = rotated(q[:, head * size : (head + 1) * size])
            ks = rotated(k[:, shared * size : (shared + 1) * size])
            vs = v[:, shared * size : (shared + 1) * size]
            heads.append(softmax(qs @ ks.T / np.sqrt(size), axis=1) @ vs)
        x = x + np.concatenate(heads, axis=1) @ w[p + "self_attn.o_proj.weight"].T
        h = rms_norm(x, w[p + "post_attention_layernorm.weight"])
        gate = h @ w[p + "mlp.gate_proj.weight"].T
        up = h @ w[p + "mlp.up_proj.weight"].T
        x = x + (gate / (1 + np.exp(-gate)) * up) @ w[p + "mlp.down_proj.weight"].T
        layer += 1
    return rms_norm(x, w["embedding_model.norm.weight"])


def latent(x: Floats, w: Weights) -> Floats:
    """Each token asks the latents, then goes through the gated layer; shape (length, dim)."""
    asked = layer_norm(x, w, f"{BLOCK}.0.norm")
    known = layer_norm(w["latent_attention_model.latents"], w, f"{BLOCK}.0.norm_context")
    q = asked @ w[f"{BLOCK}.0.fn.to_q.weight"].T
    k, v = np.split(known @ w[f"{BLOCK}.0.fn.to_kv.weight"].T, 2, axis=1)
    size = q.shape[1] // CROSS_HEADS
    heads = []
    for head in range(CROSS_HEADS):
        part = slice(head * size, (head + 1) * size)
        heads.append(softmax(q[:, part] @ k[:, part].T / np.sqrt(size), axis=1) @ v[:, part])
    x = x + np.concatenate(heads, axis=1) @ w[f"{BLOCK}.0.fn.to_out.weight"].T
    h = layer_norm(x, w, f"{BLOCK}.1.norm")
    h = h @ w[f"{BLOCK}.1.fn.net.0.weight"].T + w[f"{BLOCK}.1.fn.net.0.bias"]
    content, gate = np.split(h, 2, axis=1)
    gated = content * gate * (1 + erf(gate / np.sqrt(2))) / 2
    out: Floats = gated @ w[f"{BLOCK}.1.fn.net.2.weight"].T + w[f"{BLOCK}.1.fn.net.2.bias"] + x
    return out


def expected(folder: Path, text: str, instruction: str = "", window: int = 4_096) -> Floats:
    """A text's vector, of length 1, for begin token, instruction, text and end token.

    The mean leaves as many first tokens out as the instruction has without the begin token.
    """
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    ids = tokenizer.encode(f"{instruction}{text}</s>").ids[:window]
    left_out = len(tokenizer.encode(instruction, add_special_tokens=False).ids)
    w = weights_of(folder)
    mean = latent(mistral(ids, w), w)[left_out:].mean(axis=0)
    unit: Floats = mean / np.linalg.norm(mean)
    return unit


def encoded(encoder: Encoder, texts: list[str]) -> dict[str, Encoded]:
    targets = [Target(target_id=text, text=text) for text in texts]
    return {each.target_id: each for batch in encoder.encode(targets) for each in batch}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_nv_embed(tmp_path_factory.mktemp("nv_embed"))


def encoder_of(folder: Path, settings: Settings | None = None) -> Encoder:
    chosen = settings or Settings(device="cpu")
    return nv_embed_encoder("nv-embed-v1", locate(folder, model="small"), chosen)


TEXTS = [*SENTENCES, "walked", " ".join(SENTENCES), ""]


def test_vectors_are_those_of_the_published_description(folder: Path) -> None:
    """Both-ways Mistral, latent attention, mean, length 1: for texts of any length in one batch."""
    found = encoded(encoder_of(folder), TEXTS)

    for text in TEXTS:
        np.testing.assert_allclose(found[text].vector, expected(folder, text), atol=2e-5)
    assert all(each.left_out == 0 for each in found.values())


def test_texts_have_vectors_of_their_own(folder: Path) -> None:
    """Else the agreement would say little."""
    found = encoded(encoder_of(folder), TEXTS)

    cosines = [found[a].vector @ found[b].vector for a in TEXTS for b in TEXTS if a < b]
    assert max(cosines) < 0.999


def test_attention_goes_both_ways(folder: Path) -> None:
    """The computation it agrees with is not the one where a token sees only what is before it."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    ids = tokenizer.encode("she walked</s>").ids
    w = weights_of(folder)

    assert not np.allclose(mistral(ids, w)[0], mistral(ids[:1], w)[0], atol=1e-2)


def test_an_instructions_tokens_are_seen_and_not_averaged(folder: Path) -> None:
    """But for its last, as in the published code, which counts from the begin token."""
    instruction = "the captain cried: "
    settings = Settings(device="cpu", instruction=instruction)
    encoder = encoder_of(folder, settings)

    found = encoded(encoder, TEXTS)

    for text in TEXTS:
        want = expected(folder, text, instruction)
        np.testing.assert_allclose(found[text].vector, want, atol=2e-5)
    plain = encoded(encoder_of(folder), TEXTS)
    assert not np.allclose(found["walked"].vector, plain["walked"].vector, atol=1e-2)
    assert encoder.identity.instruction == instruction


def test_a_model_that_averages_its_instruction_does(tmp_path: Path) -> None:
    """Its config says so."""
    folder = make_nv_embed(tmp_path, masks_instruction=False)
    settings = Settings(device="cpu", instruction="the captain cried: ")

    found = encoded(encoder_of(folder, settings), ["walked"])["walked"]

    np.testing.assert_allclose(
        found.vector, expected(folder, "the captain cried: walked"), atol=2e-5
    )


def test_a_long_text_is_cut_and_the_cut_is_told(folder: Path) -> None:
    """As the published code cuts, the end token with the rest."""
    text = " ".join(SENTENCES)
    settings = Settings(device="cpu", max_tokens=32)

    found = encoded(encoder_of(folder, settings), [text])[text]

    np.testing.assert_allclose(found.vector, expected(folder, text, window=32), atol=2e-5)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert found.tokens == len(tokenizer.encode(f"{text}</s>").ids)
    assert found.left_out == found.tokens - 32


def test_the_config_says_whether_vectors_have_length_one(folder: Path, tmp_path: Path) -> None:
    other = shutil.copytree(folder, tmp_path / "other")
    config = json.loads((other / "config.json").read_text())
    config["latent_attention_config"]["output_normalize"] = False
    (other / "config.json").write_text(json.dumps(config))

    encoder = encoder_of(other)
    found = encoded(encoder, ["walked"])["walked"].vector

    assert abs(np.linalg.norm(found) - 1) > 0.1
    np.testing.assert_allclose(found / np.linalg.norm(found), expected(folder, "walked"), atol=2e-5)
    assert encoder.identity.pooling == "latent attention, mean"
    assert encoder_of(folder).identity.pooling == "latent attention, mean, normalised"


@pytest.mark.parametrize(
    "name",
    [
        "embedding_model.layers.1.mlp.up_proj.weight",
        "latent_attention_model.latents",
        f"{BLOCK}.1.fn.net.2.bias",
    ],
)
def test_a_weight_that_is_missing_is_named(folder: Path, tmp_path: Path, name: str) -> None:
    """No layer is left at random numbers in silence."""
    broken = shutil.copytree(folder, tmp_path / "broken")
    for file in broken.glob("*.safetensors"):
        weights = load_file(file)
        if weights.pop(name, None) is not None:
            save_file(weights, file)

    with pytest.raises(ModelUnusable, match=re.escape(name.split(".", 1)[1])) as error:
        encoder_of(broken)

    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("config.json", "its config.json cannot be loaded"),
        ("tokenizer.json", "its tokenizer cannot be loaded"),
        ("model-00001-of-00002.safetensors", "its weights cannot be loaded"),
    ],
)
def test_a_file_that_is_missing_is_told(
    folder: Path, tmp_path: Path, file: str, message: str
) -> None:
    broken = shutil.copytree(folder, tmp_path / "broken")
    (broken / file).unlink()

    with pytest.raises(ModelUnusable, match=f"model small: {message}"):
        encoder_of(broken)


def test_another_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')

    with pytest.raises(ModelUnusable, match="has no text_config; give an NV-Embed model"):
        encoder_of(tmp_path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (Settings(pooling="mean"), "pooling: 'mean'; leave it out"),
        (Settings(max_tokens=4), "max tokens: 4; choose 8 or more"),
    ],
)
def test_what_cannot_be_is_said(folder: Path, settings: Settings, message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        encoder_of(folder, settings)
