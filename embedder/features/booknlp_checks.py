"""Holds BookNLP's files against each other: do they say the same words of the same tokens?

With `.tokens`, every text is compared with the words of its tokens. Without it, texts are compared
where two files speak of one token, and each text's number of words with its number of tokens. What
disagrees is counted and reported. Only a `.book` that is not of the run of the `.tokens` beside it
is an error, as no word of it could be put into its sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from embedder.features.base import Check
from embedder.features.booknlp_files import (
    BookCharacter,
    BookFiles,
    BookWord,
    Quote,
    Span,
    Tokens,
    read_entities,
    read_supersense,
)
from embedder.features.mapping import Tally
from store.errors import BadFile

ONE_RUN = "put the .tokens and the .book of one run of BookNLP side by side"


@dataclass(slots=True)
class Known:
    """The words of the document's tokens, as far as the files read so far say them.

    Attributes:
        tokens: All of them, where `.tokens` is there.
        words: Token id to word, from the spans compared so far, where it is not.
    """

    tokens: Tokens | None
    words: dict[int, str] = field(default_factory=dict)

    def word(self, token: int) -> str | None:
        """The token's word, or None where no file has said it yet."""
        return self.words.get(token) if self.tokens is None else self.tokens.words[token]

    def compare(self, tally: Tally, span: Span) -> None:
        """Count whether the span's text agrees with what is known, and learn from it.

        Raises:
            BadFile: It reaches past the document's last token.
        """
        if self.tokens is not None and span.end >= len(self.tokens.words):
            raise span.line.error(past_end(span.end, self.tokens), ONE_RUN)
        words = span.text.split(" ")
        count = span.end - span.start + 1
        stated = [self.word(token) for token in range(span.start, span.end + 1)]
        if count == 1 == len(words) and stated == [None]:
            self.words[span.start] = words[0]
            return
        agrees = len(words) == count and all(
            known in (None, word) for known, word in zip(stated, words, strict=True)
        )
        place = f"{span.line.path.name}, line {span.line.number}"
        tally.add(agrees=agrees, example=f"{place}: {span.text!r}, tokens {expected(stated)}")
        if agrees and self.tokens is None:
            self.words.update(zip(range(span.start, span.end + 1), words, strict=True))


def expected(stated: Iterable[str | None]) -> str:
    """The words that are known of a span's tokens, for an example."""
    return repr(" ".join("?" if word is None else word for word in stated))


def past_end(token: int, tokens: Tokens) -> str:
    """What is wrong with a token id that the document does not have."""
    return f"token {token}, but {tokens.path.name} ends at token {len(tokens.words) - 1}"


def check_files(
    files: BookFiles,
    characters: tuple[BookCharacter, ...],
    quotes: tuple[Quote, ...],
    tokens: Tokens | None,
) -> tuple[Check, ...]:
    """All comparisons that the files there allow.

    Raises:
        BadFile: A file is not of its format, a token id is past the document's end, or
            `.book` has another word than `.tokens` at a token.
    """
    known = Known(tokens=tokens)
    tallies = []
    if files.entities is not None:
        entities, mentions = Tally(".entities' texts"), Counter[int]()
        for cluster, category, span in read_entities(files.entities):
            known.compare(entities, span)
            if category == "PER":
                mentions[cluster] += 1
        tallies += [entities, mention_counts(characters, mentions)]
    if files.supersense is not None:
        supersense = Tally(".supersense's texts")
        for span in read_supersense(files.supersense):
            known.compare(supersense, span)
        tallies.append(supersense)
    if files.quotes is not None:
        tallies += compare_quotes(known, quotes)
    tallies.append(compare_book(known, files.book, characters))
    return tuple(tally.check() for tally in tallies)


def mention_counts(characters: Iterable[BookCharacter], mentions: Counter[int]) -> Tally:
    """Whether `.entities` has as many mentions of each cluster as `.book` says."""
    tally = Tally(".book's mention counts against .entities")
    for character in characters:
        found = mentions[character.id]
        tally.add(
            agrees=found == character.count,
            example=f"id {character.id}: {character.count} in .book, {found} in .entities",
        )
    return tally


def compare_quotes(known: Known, quotes: Iterable[Quote]) -> list[Tally]:
    """The texts of quotes and of their speakers' mentions."""
    texts, mentions = Tally(".quotes' texts"), Tally(".quotes' mention phrases")
    for quote in quotes:
        known.compare(texts, quote.span)
        if quote.mention is not None:
            known.compare(mentions, quote.mention)
    return [texts, mentions]


def compare_book(known: Known, path: Path, characters: tuple[BookCharacter, ...]) -> Tally:
    """The words of `.book` at their token ids.

    Raises:
        BadFile: `.tokens` is there and has no such token or another word at it.
    """
    tally = Tally(".book's words")
    for place, word in words_of(characters):
        if known.tokens is not None and word.i >= len(known.tokens.words):
            raise BadFile(path, f"{place}.i", past_end(word.i, known.tokens), ONE_RUN)
        stated = known.word(word.i)
        if known.tokens is not None and stated != word.w:
            found = f"{word.w!r} at token {word.i}, which is {stated!r} in {known.tokens.path.name}"
            raise BadFile(path, place, found, ONE_RUN)
        if stated is None:
            known.words[word.i] = word.w
            continue
        tally.add(agrees=stated == word.w, example=f"{place}: {word.w!r}, token {stated!r}")
    return tally


def words_of(characters: Iterable[BookCharacter]) -> Iterator[tuple[str, BookWord]]:
    """Every word that may become a feature, with its place in `.book`."""
    for number, character in enumerate(characters):
        lists = (("agent", character.agent), ("patient", character.patient), ("mod", character.mod))
        for name, words in lists:
            for index, word in enumerate(words):
                yield f"characters[{number}].{name}[{index}]", word
