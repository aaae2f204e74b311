"""Builds the `.tokens` file that the published native output lacks, from what the rest knows.

The published files give the sentence of each event and modifier, `.book` gives the word's token id.
A word that its sentence holds once therefore tells where the sentence begins; so do, for words that
stand there twice, the other texts' words: only one place agrees with all of them. Between the
sentences found so, tokens are filled in from the other files' texts, or with "?".
"""

from __future__ import annotations

import gzip
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.embedder.features_for_tests import tokens_table

SPANS = {"entities": (1, 2, 5), "supersense": (0, 1, 3), "quotes": (0, 1, 6)}


@dataclass
class Sentences:
    """Sentences of a novel by the id of their first token.

    Attributes:
        words: Token id to word, from the native files' texts.
        placed: First token's id to the sentence's tokens.
    """

    words: dict[int, str]
    placed: dict[int, list[str]] = field(default_factory=dict)

    def place(self, start: int, tokens: list[str]) -> None:
        """Put a sentence in its place; one that lies there already must be the same."""
        assert self.placed.setdefault(start, tokens) == tokens, (start, tokens)

    def fits(self, start: int, tokens: list[str]) -> bool:
        """Whether a sentence agrees with all that is known of its tokens and overlaps no other."""
        if self.placed.get(start, tokens) != tokens:
            return False
        starts = sorted(self.placed)
        index = bisect_right(starts, start)
        free = index == len(starts) or start + len(tokens) <= starts[index]
        if index and starts[index - 1] != start:
            before = starts[index - 1]
            free = free and before + len(self.placed[before]) <= start
        return free and all(
            self.words.get(token, word) == word for token, word in enumerate(tokens, start)
        )

    def ordered(self) -> Iterator[str]:
        """All sentences in order, what lies between two of them as one more."""
        following = 0
        for start in sorted(self.placed):
            assert start >= following, "two sentences overlap"
            if start > following:
                yield self.between(range(following, start))
            yield " ".join(self.placed[start])
            following = start + len(self.placed[start])
        if max(self.words) >= following:
            yield self.between(range(following, max(self.words) + 1))

    def between(self, tokens: range) -> str:
        return " ".join(self.words.get(token, "?") for token in tokens)


def native_words(folder: Path) -> dict[int, str]:
    """The word of every token that a native file says, by token id."""
    words: dict[int, str] = {}
    for ending, (start, end, text) in SPANS.items():
        (path,) = folder.glob(f"*.{ending}.gz")
        for line in gzip.decompress(path.read_bytes()).decode().split("\n")[1:-1]:
            cells = line.split("\t")
            ids = range(int(cells[start]), int(cells[end]) + 1)
            words.update(zip(ids, cells[text].split(" "), strict=True))
    (path,) = folder.glob("*.book.gz")
    for character in json.loads(gzip.decompress(path.read_bytes()))["characters"]:
        for name in ("agent", "patient", "mod", "poss"):
            words.update({word["i"]: word["w"] for word in character[name]})
    return words


def rebuilt_tokens(folder: Path, known: Iterable[tuple[int, str, str]]) -> str:
    """`.tokens` of a novel.

    Args:
        folder: BookNLP's native files, packed.
        known: Token id, word and published context of each event and modifier.
    """
    sentences = Sentences(words=native_words(folder))
    unsure = []
    for token, word, context in known:
        tokens = context.removesuffix(" ").split(" ")
        if tokens.count(word) == 1:
            sentences.place(token - tokens.index(word), tokens)
        else:
            unsure.append((token, word, tokens))
    for token, word, tokens in unsure:
        starts = [token - index for index, each in enumerate(tokens) if each == word]
        fitting = [start for start in starts if sentences.fits(start, tokens)]
        assert len(fitting) == 1, (token, word, tokens)
        sentences.place(fitting[0], tokens)
    return tokens_table(list(sentences.ordered()))
