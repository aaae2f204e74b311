"""BookNLP's output of one work, read into events, modifiers and quotes.

Events are the verbs of `agent` and `patient`, modifiers the words of `mod`, both from `.book`;
quotes come from `.quotes` by their speaker's cluster. The context of a word is its sentence in
`.tokens`, and its offset there is exact, as the token id says which of two like words is meant.

A cluster counts as a character where it has more than five mentions and a proper or common name,
and the alias map has that name. This is what reproduces published feature files row by row; their
paper says only that clusters are merged and filtered by such a map (section 4.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from embedder.features.aliases import Aliases, AliasMap
from embedder.features.base import (
    Check,
    Cluster,
    Extracted,
    Feature,
    Kind,
    Reading,
    Report,
    Role,
    UnknownSpeaker,
    WhyUnmapped,
    characters,
    empty_texts,
    kept,
    repeated_targets,
    without_context,
)
from embedder.features.booknlp_checks import check_files
from embedder.features.booknlp_files import (
    BookCharacter,
    BookFiles,
    BookName,
    BookWord,
    Quote,
    Tokens,
    find_files,
    read_book,
    read_quotes,
    read_tokens,
)
from embedder.features.mapping import Losses, by_character, check_kinds
from store.errors import BadFile

KINDS: tuple[Kind, ...] = ("event", "modifier", "quote")
MOST_MENTIONS_IGNORED = 5
NO_SPEAKER = "no speaker was found"
UNKNOWN_SPEAKER = "the speaker's id is not in .book"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One work's files, read, and what its clusters map to.

    Attributes:
        names: Each cluster's character, or None.
        reasons: Why each maps to nobody, or None.
    """

    code: str
    aliases: Aliases
    files: BookFiles
    characters: tuple[BookCharacter, ...]
    quotes: tuple[Quote, ...]
    tokens: Tokens | None
    names: tuple[str | None, ...]
    reasons: tuple[WhyUnmapped | None, ...]


def read_booknlp(
    path: Path, *, work: str, aliases: AliasMap, kinds: Sequence[Kind] = KINDS
) -> Reading:
    """The features of one work that BookNLP has read.

    Args:
        path: A `.book` or `.book.gz` file, or a folder that holds just one; the other files are
            taken from beside it, by the same name, plain or `.gz`.
        work: The work's code in the alias map.
        aliases: Which names mean which character.
        kinds: What to read, in this order; `.quotes` is needed only for quotes.

    Raises:
        BadFile: A file is missing or not of its format, or they are not of one run.
        UnknownWork: The alias map has no such work.
    """
    check_kinds(path, kinds, KINDS, "BookNLP")
    known = aliases.of(work)
    files = find_files(path)
    if "quote" in kinds and files.quotes is None:
        raise BadFile(
            files.book, "", "no .quotes file beside it", "put it there, or do not ask for quotes"
        )
    characters = read_book(files.book)
    found = tuple(who(character, known) for character in characters)
    read = Work(
        code=work,
        aliases=known,
        files=files,
        characters=characters,
        quotes=() if files.quotes is None else tuple(read_quotes(files.quotes)),
        tokens=None if files.tokens is None else read_tokens(files.tokens),
        names=tuple(name for name, _ in found),
        reasons=tuple(why for _, why in found),
    )
    checks = check_files(files, characters, read.quotes, read.tokens)
    extracted = tuple(
        Extracted(pipeline="booknlp", kind=kind, work=work, features=tuple(features_of(read, kind)))
        for kind in dict.fromkeys(kinds)
    )
    return Reading(extracted=extracted, report=report_of(read, extracted, checks))


def who(character: BookCharacter, aliases: Aliases) -> tuple[str | None, WhyUnmapped | None]:
    """The character that a cluster stands for, or why it stands for none."""
    lead = lead_name(character)
    if lead is None:
        return None, "no proper or common name"
    if character.count <= MOST_MENTIONS_IGNORED:
        return None, "too few mentions"
    name = aliases.character(lead)
    return (name, None) if name is not None else (None, "no alias")


def lead_name(character: BookCharacter) -> str | None:
    """The most frequent proper name, else the most frequent common one; the first of equals."""
    for names in (character.mentions.proper, character.mentions.common):
        if names:
            return max(names, key=count_of).n
    return None


def count_of(name: BookName) -> int:
    """How often a name is used; `max` then keeps the first of equals."""
    return name.c


def features_of(read: Work, kind: Kind) -> Iterator[Feature]:
    """The features of one kind, by character."""
    spoken = by_speaker(read.quotes)
    for name, places in by_character(read.names):
        clusters = tuple(read.characters[place] for place in places)
        if kind == "event":
            for cluster in clusters:
                yield from words_of(read.tokens, name, "agent", cluster.agent)
            for cluster in clusters:
                yield from words_of(read.tokens, name, "patient", cluster.patient)
        elif kind == "modifier":
            for cluster in clusters:
                yield from words_of(read.tokens, name, None, cluster.mod)
        else:
            for cluster in clusters:
                for quote in spoken.get(cluster.id, ()):
                    yield Feature(character=name, text=quote.span.text)


def words_of(
    tokens: Tokens | None, name: str, role: Role | None, words: Iterable[BookWord]
) -> Iterator[Feature]:
    """The features that a cluster's words are, each in its sentence where `.tokens` is there."""
    for word in words:
        if tokens is None:
            yield Feature(character=name, text=word.w, role=role)
            continue
        start = tokens.start[word.i]
        yield Feature(
            character=name,
            text=word.w,
            role=role,
            context=tokens.contexts[tokens.sentence[word.i]],
            target_start=start,
            target_end=start + len(word.w),
        )


def by_speaker(quotes: Iterable[Quote]) -> dict[int | None, list[Quote]]:
    """The quotes of each speaker's id, in order; those without one under None."""
    spoken: dict[int | None, list[Quote]] = {}
    for quote in quotes:
        spoken.setdefault(quote.speaker, []).append(quote)
    return spoken


def report_of(read: Work, extracted: tuple[Extracted, ...], checks: tuple[Check, ...]) -> Report:
    """What a user must know of the reading."""
    kinds = tuple(each.kind for each in extracted)
    optional = {
        ".tokens": read.files.tokens,
        ".entities": read.files.entities,
        ".supersense": read.files.supersense,
        ".quotes": read.files.quotes,
    }
    unknown = unknown_speakers(read) if "quote" in kinds else ()
    return Report(
        pipeline="booknlp",
        work=read.code,
        source=str(read.files.book),
        overridden=read.aliases.overridden,
        absent=tuple(ending for ending, path in optional.items() if path is None),
        documents=1,
        kept=kept(extracted),
        characters=characters(extracted),
        clusters=clusters_of(read, kinds),
        dropped=losses_of(read, kinds, unknown).dropped(),
        unknown_speakers=unknown,
        checks=checks,
        without_context=without_context(extracted),
        repeated_targets=repeated_targets(extracted),
        empty_texts=empty_texts(extracted),
    )


def clusters_of(read: Work, kinds: tuple[Kind, ...]) -> tuple[Cluster, ...]:
    """Every cluster of `.book`, in its order."""
    spoken = Counter(quote.speaker for quote in read.quotes)
    return tuple(
        Cluster(
            where=f"id {character.id}",
            name=lead_name(character),
            mentions=character.count,
            features=sum(carried(character, kind, spoken) for kind in kinds),
            character=name,
            why=why,
        )
        for character, name, why in zip(read.characters, read.names, read.reasons, strict=True)
    )


def carried(character: BookCharacter, kind: Kind, spoken: Counter[int | None]) -> int:
    """How many features of one kind a cluster has (count)."""
    if kind == "event":
        return len(character.agent) + len(character.patient)
    return len(character.mod) if kind == "modifier" else spoken[character.id]


def losses_of(read: Work, kinds: tuple[Kind, ...], unknown: tuple[UnknownSpeaker, ...]) -> Losses:
    """The features that went to nobody, and why."""
    losses = Losses()
    spoken = Counter(quote.speaker for quote in read.quotes)
    for kind in kinds:
        for character, why in zip(read.characters, read.reasons, strict=True):
            if why is not None:
                losses.add(kind, why, carried(character, kind, spoken))
    if "quote" in kinds:
        losses.add("quote", NO_SPEAKER, spoken[None])
        losses.add("quote", UNKNOWN_SPEAKER, sum(speaker.quotes for speaker in unknown))
    return losses


def unknown_speakers(read: Work) -> tuple[UnknownSpeaker, ...]:
    """The speakers of `.quotes` that `.book` does not have, most quotes first."""
    known = {character.id for character in read.characters}
    spoken = Counter(
        quote.speaker
        for quote in read.quotes
        if quote.speaker is not None and quote.speaker not in known
    )
    return tuple(UnknownSpeaker(id=id_, quotes=count) for id_, count in spoken.most_common())
