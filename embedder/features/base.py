"""What is read of a character, and what a user must know of the reading.

Pure values: nothing here opens a file. A reader turns a pipeline's output, or a file of features
that was published, into `Extracted` and a `Report`; what embeds the features takes them from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from embedder.features.aliases import Overridden

Pipeline = Literal["booknlp", "fanfictionnlp"]
Kind = Literal["event", "modifier", "quote", "assertion"]
Role = Literal["agent", "patient"]
WhyUnmapped = Literal["no alias", "too few mentions", "no proper or common name"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """One event, modifier, quote or assertion of a character.

    Attributes:
        character: The character's name, as the alias map writes it.
        text: The word, or the words of the quote or assertion; may be empty only for the latter
            two, as FanfictionNLP has quotes of no words.
        role: What the character is to an event; None for the other kinds.
        context: The sentence of an event or modifier, each token followed by one space (so with one
            at its end, as published); None where it is not known, and for quotes and assertions.
        target_start: Where `text` begins in `context` (characters, from 0).
        target_end: Where it ends, half-open: `context[target_start:target_end] == text`.
    """

    character: str
    text: str
    role: Role | None = None
    context: str | None = None
    target_start: int | None = None
    target_end: int | None = None

    def __post_init__(self) -> None:
        if self.context is None:
            if self.target_start is not None or self.target_end is not None:
                raise ValueError(f"{self.text!r} has offsets and no context")
        elif (
            self.target_start is None
            or self.target_end is None
            or self.target_start < 0
            or self.context[self.target_start : self.target_end] != self.text
        ):
            raise ValueError(
                f"{self.context!r} does not hold {self.text!r} "
                f"at {self.target_start}:{self.target_end}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """The features of one kind of one work.

    Attributes:
        work: The work's code in the alias map.
        features: By character, in the order of the character's first cluster; within a character in
            the order of the pipeline's files, for events all agents before all patients.
    """

    pipeline: Pipeline
    kind: Kind
    work: str
    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        for feature in self.features:
            if (feature.role is not None) != (self.kind == "event"):
                raise ValueError(f"role {feature.role} in {feature.text!r}, a {self.kind}")
            if feature.context is not None and self.kind in ("quote", "assertion"):
                raise ValueError(f"a context of {feature.text!r}, a {self.kind}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """One cluster of mentions that a pipeline made, and whom it stands for.

    Attributes:
        where: The document and, for BookNLP, the cluster's id.
        name: Its lead name; None where it has only pronouns.
        mentions: How often it is mentioned (count); 0 where FanfictionNLP gives features to a
            name that its coreference file lacks.
        features: Features of the asked kinds that it carries (count).
        character: The name it maps to; None where it maps to nobody.
        why: Why it maps to nobody; None where it maps to a character.
    """

    where: str
    name: str | None
    mentions: int
    features: int
    character: str | None
    why: WhyUnmapped | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KindCount:
    """How many features of one kind were kept (count)."""

    kind: Kind
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Features of one kind that belong to no character, for one reason (count)."""

    kind: Kind
    why: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownSpeaker:
    """A speaker id of `.quotes` that `.book` does not have.

    Attributes:
        id: The id.
        quotes: Quotes that it speaks (count).
    """

    id: int
    quotes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One statement of the files that could be held against another.

    Attributes:
        what: What was compared with what.
        checked: Comparisons made (count).
        wrong: Those that disagree (count).
        examples: The first few that disagree: place, what was found, what was expected.
    """

    what: str
    checked: int
    wrong: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Whether FanfictionNLP's documents are all there.

    Attributes:
        documents: Every document that has a file of any of the three kinds, in reading order.
        missing: "folder/document" for each file that a document lacks.
        gaps: Documents that the numbering says there should be, and of which there is no file.
        shared_names: "document: name" for each name that two clusters of one document have. The
            files of quotes and assertions know clusters by name, so the features of the two are
            not told apart.
        contained: "inner in outer" for each document whose whole text stands in another's too; its
            features count twice.
        ignored: Files in the three folders that are not of the format's names.
    """

    documents: tuple[str, ...]
    missing: tuple[str, ...]
    gaps: tuple[str, ...]
    shared_names: tuple[str, ...]
    contained: tuple[str, ...]
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a user must know of how the features of one work were read.

    Attributes:
        source: What was read: a folder, a zip or a file.
        overridden: Rows of the alias map that do not count for this work, as a later row says
            otherwise.
        absent: Files of the pipeline that are optional and not there, by their ending.
        documents: Documents read (count); 1 for BookNLP and for a published file.
        kept: Features by kind.
        characters: Characters that have any of them (count).
        clusters: Every cluster, in the order of the files; empty for a published file.
        dropped: Features that went to nobody, and why.
        unknown_speakers: Speakers of quotes that are not in `.book`, most quotes first.
        checks: Offsets and texts that could be held against each other.
        coverage: FanfictionNLP's documents; None for the others.
        without_context: Events and modifiers whose sentence is not known (count).
        repeated_targets: Events and modifiers whose word stands more than once in its sentence
            (count). Where a token id says which is meant, the offset is exact; a published file
            does not say, and the first is taken.
        empty_texts: Quotes and assertions without a single word (count).
    """

    pipeline: Pipeline
    work: str
    source: str
    overridden: tuple[Overridden, ...] = ()
    absent: tuple[str, ...] = ()
    documents: int
    kept: tuple[KindCount, ...]
    characters: int
    clusters: tuple[Cluster, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    unknown_speakers: tuple[UnknownSpeaker, ...] = ()
    checks: tuple[Check, ...] = ()
    coverage: Coverage | None = None
    without_context: int = 0
    repeated_targets: int = 0
    empty_texts: int = 0

    @property
    def mapped(self) -> tuple[Cluster, ...]:
        """The clusters that stand for a character."""
        return tuple(cluster for cluster in self.clusters if cluster.character is not None)

    @property
    def unmapped(self) -> tuple[Cluster, ...]:
        """The clusters that map to nobody."""
        return tuple(cluster for cluster in self.clusters if cluster.character is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The features of one work, one `Extracted` for each kind asked for, and the report."""

    extracted: tuple[Extracted, ...]
    report: Report

    def features(self, kind: Kind) -> tuple[Feature, ...]:
        """The features of one kind; KeyError where the kind was not asked for."""
        for extracted in self.extracted:
            if extracted.kind == kind:
                return extracted.features
        raise KeyError(kind)


def without_context(extracted: tuple[Extracted, ...]) -> int:
    """How many events and modifiers have no context (count)."""
    return sum(
        feature.context is None
        for each in extracted
        if each.kind in ("event", "modifier")
        for feature in each.features
    )


def repeated_targets(extracted: tuple[Extracted, ...]) -> int:
    """How many features' words stand more than once, as whole tokens, in their context (count)."""
    return sum(
        feature.context is not None and feature.context.split(" ").count(feature.text) > 1
        for each in extracted
        for feature in each.features
    )


def empty_texts(extracted: tuple[Extracted, ...]) -> int:
    """How many features hold no word at all (count)."""
    return sum(not feature.text.strip() for each in extracted for feature in each.features)


def kept(extracted: tuple[Extracted, ...]) -> tuple[KindCount, ...]:
    """How many features there are of each kind."""
    return tuple(KindCount(kind=each.kind, count=len(each.features)) for each in extracted)


def characters(extracted: tuple[Extracted, ...]) -> int:
    """How many characters have a feature of any kind (count)."""
    return len({feature.character for each in extracted for feature in each.features})
