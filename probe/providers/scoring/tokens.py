"""A text's tokens and where they stand in it."""

from __future__ import annotations

from dataclasses import dataclass

from transformers import PreTrainedTokenizerFast


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """A text as a model sees it.

    Attributes:
        ids: In the model's vocabulary.
        offsets: First code point of each token in the text. What a tokenizer leaves out, such as a
            space that it trims, belongs to the token behind.
    """

    ids: tuple[int, ...]
    offsets: tuple[int, ...]


def tokens_of(tokenizer: PreTrainedTokenizerFast, text: str) -> Tokens:
    """A text's tokens: with what the tokenizer itself sets before a text, and nothing behind it."""
    read = tokenizer(
        text,
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
        return_attention_mask=False,
        verbose=False,
    )
    ids, places = list(read["input_ids"]), list(read["offset_mapping"])
    special = list(read["special_tokens_mask"])
    while special and special[-1]:  # an end of text: what follows would begin anew
        for each in (ids, places, special):
            each.pop()
    return Tokens(ids=tuple(ids), offsets=tuple(_starts(places)))


def _starts(places: list[tuple[int, int]]) -> list[int]:
    """First code points, without gaps: each token begins where the one before it ended.

    Parts of one character have the same place, so the later ones begin before that end.
    """
    starts, end = list[int](), 0
    for first, last in places:
        starts.append(min(first, end))
        end = max(end, last)
    return starts
