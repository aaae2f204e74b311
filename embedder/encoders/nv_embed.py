"""NV-Embed, the paper's encoder of quotes and assertions (section 4.2), without its remote code.

The published code runs with transformers 4.42 alone, so the model is built here on transformers'
own Mistral: attention in both directions, then the latent attention of `latent`, then a scaling to
length 1 where the model's config does not say otherwise. (The published vectors of the paper's
characters with a single quote have length 1.)

What is tested: the whole model against a computation of its own, written from the published
description, on a small one with random weights of the same parts and names; and the loading of a
folder laid out like the published one. What is not: the published weights, 16 GB that no test
fetches. They are taken by name, all of them and no others, so a difference of layout is an error
and not another vector.

Two habits of the published code are kept, since they change vectors: an instruction's tokens are
left out of the mean by counting them from the text's start, where the token that begins every text
stands, so the instruction's last token counts; and a text that is cut loses its end token.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional
from transformers import MistralConfig, MistralModel

from embedder.encoders.base import Identity, Settings
from embedder.encoders.hub import Local
from embedder.encoders.latent import NAMES, LatentAttention
from embedder.encoders.loading import settle, told, whole_json
from embedder.encoders.padded import Ids, pad
from embedder.encoders.placement import Placement, place
from embedder.encoders.sentences import Parts, SentenceEncoder, Tokenized
from embedder.errors import BadSetting, ModelUnusable

FORM: Final = 1
_WINDOW: Final = 4_096
_MODEL: Final = "embedding_model."
_LATENT: Final = "latent_attention_model."
_HEADS: Final = 8
_NOT_THE_MODELS: Final = {"model_type", "architectures", "torch_dtype", "dtype", "auto_map"}


def nv_embed_encoder(name: str, local: Local, settings: Settings) -> SentenceEncoder:
    """Load `nvidia/NV-Embed-v1`, or `-v2`, which is built alike.

    Args:
        name: The encoder's, as the user gives it.
        local: The model's folder.
        settings: How to work. Without an instruction there is none, as the paper has it; a window
            that is not chosen is 4,096 tokens.

    Raises:
        ModelUnusable: The folder holds no such model.
        BadSetting: It cannot be used in this way.
    """
    if settings.pooling is not None:
        fix = "leave it out: a sentence model has its own"
        raise BadSetting("pooling", f"{settings.pooling!r}", fix)
    placement = place(settings.device, settings.dtype)
    budget_tokens = placement.budget_tokens(settings.batch_tokens)
    config = _config(local)
    words = _words(local, settings, config)
    model = _load(local, config, placement)
    normalised = bool(config.latent.get("output_normalize", True))
    return SentenceEncoder(
        Identity(
            encoder=name,
            unit="sentence",
            model=local.model,
            revision=local.revision,
            pooling="latent attention, mean" + (", normalised" if normalised else ""),
            dtype=placement.dtype_name,
            max_tokens=words.window,
            instruction=words.instruction or None,
            dim=model.dim,
            form=FORM,
        ),
        Parts(
            tokenize=words.tokenized,
            forward=lambda ids: _vectors(model, ids, words, normalised=normalised),
            placement=placement,
            budget_tokens=budget_tokens,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Config:
    text: dict[str, Any]
    latent: dict[str, Any]
    masks_instruction: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """How texts become token ids; `left_out` first tokens do not count in the mean."""

    tokenizer: Tokenizer
    instruction: str
    end: str
    pad_id: int
    left_out: int
    window: int

    def tokenized(self, texts: Sequence[str]) -> Tokenized:
        """Token ids of texts, an instruction before and an end token after each."""
        whole = [f"{self.instruction}{text}{self.end}" for text in texts]
        ids = [found.ids for found in self.tokenizer.encode_batch(whole)]
        return Tokenized(ids=[each[: self.window] for each in ids], counts=[*map(len, ids)])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    mistral: MistralModel
    latent: LatentAttention
    device: torch.device
    dim: int

    def pooled(self, ids: Tensor, mask: Tensor, counted: Tensor) -> Tensor:
        """One vector a text, before it is scaled."""
        # Every token sees every other of its text, before and after it: shape (texts, 1, 1, width).
        both_ways = mask.bool()[:, None, None, :].expand(-1, 1, mask.shape[1], -1)
        hidden = self.mistral(
            input_ids=ids, attention_mask=both_ways, use_cache=False
        ).last_hidden_state
        return self.latent.pooled(hidden, counted)


def _vectors(model: _Model, ids: Sequence[Ids], words: _Words, *, normalised: bool) -> Tensor:
    padded, mask = pad(ids, pad_id=words.pad_id, device=model.device)
    counted = mask.clone()
    counted[:, : words.left_out] = 0
    vectors = model.pooled(padded, mask, counted)
    return functional.normalize(vectors) if normalised else vectors


def _config(local: Local) -> _Config:
    with told(local.model, "config.json"):
        found = json.loads((local.folder / "config.json").read_text(encoding="utf-8"))
    text = found.get("text_config")
    if not isinstance(text, dict):
        raise ModelUnusable(
            local.model, "its config.json has no text_config", "give an NV-Embed model"
        )
    return _Config(
        text={key: value for key, value in text.items() if key not in _NOT_THE_MODELS},
        latent=found.get("latent_attention_config") or {},
        masks_instruction=bool(found.get("is_mask_instruction", True)),
    )


def _words(local: Local, settings: Settings, config: _Config) -> _Words:
    window = _WINDOW if settings.max_tokens is None else settings.max_tokens
    with told(local.model, "tokenizer"):
        whole_json(local.folder / "tokenizer.json")
        tokenizer = Tokenizer.from_file(str(local.folder / "tokenizer.json"))
        kept = json.loads((local.folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        end = kept.get("eos_token", "</s>")
        end = end["content"] if isinstance(end, dict) else end
    # A tokenizer.json may keep a cut and a padding from its making.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    end_id = tokenizer.token_to_id(end)
    if end_id is None:
        raise ModelUnusable(local.model, f"its tokenizer has no token {end!r}", "fetch it anew")
    instruction = settings.instruction or ""
    left_out = 0
    if config.masks_instruction and instruction:
        left_out = len(tokenizer.encode(instruction, add_special_tokens=False).ids)
    if window < left_out + 8:
        raise BadSetting(
            "max tokens", f"{window:,}", f"choose {left_out + 8:,} or more, for the instruction"
        )
    return _Words(
        tokenizer=tokenizer,
        instruction=instruction,
        end=end,
        pad_id=end_id,
        left_out=left_out,
        window=window,
    )


def _load(local: Local, config: _Config, placement: Placement) -> _Model:
    with told(local.model, "weights"):
        shape = MistralConfig.from_dict({**config.text, "sliding_window": None})
        weights = dict(_weights(local.folder, placement))
        latent = _under(_LATENT, weights)
        if latent.keys() != NAMES:
            raise ModelUnusable(
                local.model,
                f"its latent attention lacks or adds {', '.join(sorted(latent.keys() ^ NAMES))}",
                "give an NV-Embed model",
            )
        with torch.device("meta"):
            mistral = MistralModel(shape)
        mistral.load_state_dict(_under(_MODEL, weights), strict=True, assign=True)
        # Not among the weights, and made on the meta device like all else.
        mistral.rotary_emb = type(mistral.rotary_emb)(config=shape)
        settle(mistral, placement)
    heads = int(config.latent.get("num_cross_heads", _HEADS))
    with torch.inference_mode():
        pooling = LatentAttention(latent, heads=heads)
    return _Model(mistral=mistral, latent=pooling, device=placement.device, dim=shape.hidden_size)


def _weights(folder: Path, placement: Placement) -> Iterator[tuple[str, Tensor]]:
    """All weights by name, each in its place and dtype as soon as it is read."""
    files = sorted(folder.glob("model*.safetensors"))
    if not files:
        raise FileNotFoundError(f"{folder} has no model*.safetensors")
    for file in files:
        for name, weight in load_file(file).items():
            yield name, weight.to(placement.device, placement.dtype)


def _under(prefix: str, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): weight
        for name, weight in weights.items()
        if name.startswith(prefix)
    }
