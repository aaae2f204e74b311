"""Sentence encoder: any sentence-transformers model of the usual kind.

It gives the vectors that sentence-transformers gives, in less time: texts of like length share a
batch, and on the CPU a BERT runs without padding and multiplies by oneDNN (`bert`, `packed`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from torch import Tensor
from torch.nn import functional
from transformers import PreTrainedTokenizerFast

from embedder.encoders.base import Identity, Settings
from embedder.encoders.bert import packed_bert
from embedder.encoders.hub import Local
from embedder.encoders.loading import Loaded, load, quicken, window
from embedder.encoders.padded import Ids, pad, pool
from embedder.encoders.placement import Placement, place
from embedder.encoders.recipe import Recipe, read_recipe
from embedder.encoders.sentences import Parts, SentenceEncoder, Tokenized
from embedder.errors import BadSetting, ModelUnusable

FORM: Final = 1


def sentence_encoder(name: str, local: Local, settings: Settings) -> SentenceEncoder:
    """Load a sentence-transformers model.

    Args:
        name: The encoder's, as the user gives it.
        local: The model's folder.
        settings: How to work; `pooling` is the model's own and cannot be chosen.

    Raises:
        ModelUnusable: The folder holds no model that can be used.
        BadSetting: The model cannot be used in this way.
    """
    recipe = read_recipe(local.folder, local.model)
    prompt = _prompt(recipe, local.model, settings)
    placement = place(settings.device, settings.dtype)
    budget_tokens = placement.budget_tokens(settings.batch_tokens)
    loaded = load(recipe.transformer, local.model, placement)
    seen = window(loaded, own=recipe.max_tokens, asked=settings.max_tokens)
    identity = Identity(
        encoder=name,
        unit="sentence",
        model=local.model,
        revision=local.revision,
        pooling=recipe.pooling_name,
        dtype=placement.dtype_name,
        max_tokens=seen,
        instruction=prompt or None,
        dim=loaded.model.config.hidden_size,
        form=FORM,
    )
    words = _Words(tokenizer=loaded.tokenizer, prompt=prompt, lower=recipe.lower, window=seen)
    return SentenceEncoder(
        identity,
        Parts(
            tokenize=words.tokenized,
            forward=_forward(loaded, recipe, placement),
            placement=placement,
            budget_tokens=budget_tokens,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """How texts become token ids."""

    tokenizer: PreTrainedTokenizerFast
    prompt: str
    lower: bool
    window: int

    def tokenized(self, texts: Sequence[str]) -> Tokenized:
        """Token ids of texts, cut as sentence-transformers cuts them."""
        if not texts:
            return Tokenized(ids=[], counts=[])
        texts = [self.prompt + text for text in texts]
        if self.lower:
            texts = [text.lower() for text in texts]
        ids: list[Ids] = self.tokenizer(texts, return_attention_mask=False, verbose=False)[
            "input_ids"
        ]
        counts = [len(each) for each in ids]
        for row, count in enumerate(counts):
            if count > self.window:
                ids[row] = self.tokenizer(
                    texts[row], truncation=True, max_length=self.window, verbose=False
                )["input_ids"]
        return Tokenized(ids=ids, counts=counts)


def _forward(
    loaded: Loaded, recipe: Recipe, placement: Placement
) -> Callable[[Sequence[Ids]], Tensor]:
    """The quickest exact way from token ids to vectors."""
    model, pad_id = loaded.model, loaded.tokenizer.pad_token_id or 0
    packed = packed_bert(model) if placement.exact_on_cpu else None
    if packed is None:
        quicken(model, placement)

    def pooled(ids: Sequence[Ids]) -> Tensor:
        if packed is not None:
            return packed.pooled(ids, recipe.pooling)
        padded, mask = pad(ids, pad_id=pad_id, device=placement.device)
        hidden = model(input_ids=padded, attention_mask=mask).last_hidden_state
        return pool(hidden, mask, recipe.pooling)

    def forward(ids: Sequence[Ids]) -> Tensor:
        return functional.normalize(pooled(ids)) if recipe.normalised else pooled(ids)

    return forward


def _prompt(recipe: Recipe, model: str, settings: Settings) -> str:
    if settings.pooling is not None:
        fix = "leave it out: a sentence model has its own"
        raise BadSetting("pooling", f"{settings.pooling!r}", fix)
    prompt = recipe.prompt if settings.instruction is None else settings.instruction
    if prompt and not recipe.pools_prompt:
        raise ModelUnusable(
            model,
            "it leaves its instruction out of the pooling, which is not supported",
            "choose another model, or set the instruction to the empty text",
        )
    return prompt
