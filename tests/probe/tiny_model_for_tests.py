"""A causal language model of random weights, small enough to be made in a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

_UNKNOWN, _END = "<none>", "<end>"
_WORDS = (_UNKNOWN, _END, "to", "Ġbe", "Ġor", "Ġnot")


def tiny_folder(folder: Path, *, vocabulary: int = 6, template: str | None = None) -> Path:
    """A GPT-2 of two small layers and seeded weights, saved with a tokenizer of six tokens."""
    torch.manual_seed(7)
    config = GPT2Config(
        vocab_size=vocabulary,
        n_positions=64,
        n_embd=8,
        n_layer=2,
        n_head=2,
        initializer_range=0.8,
        bos_token_id=1,
        eos_token_id=1,
    )
    model: Any = GPT2LMHeadModel(config)
    model.save_pretrained(folder)
    known = {word: at for at, word in enumerate(_WORDS)}
    tokenizer = Tokenizer(models.WordLevel(known, unk_token=_UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    make: Any = PreTrainedTokenizerFast
    fast = make(tokenizer_object=tokenizer, unk_token=_UNKNOWN, eos_token=_END)
    fast.chat_template = template
    fast.save_pretrained(folder)
    return folder
