"""FanfictionNLP's output of one work, read into quotes and assertions.

Each document names its own clusters; those of one character are put together over the documents, in
the order of their numbers. A cluster of any size counts whose name the alias map has: so come out
the rows of published feature files, which hold the documents in no order.

The texts of the files are what counts. Positions are compared with them and reported: in the
pipeline's own output the positions of some documents' assertions point elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from embedder.features.aliases import Aliases, AliasMap
from embedder.features.base import (
    Check,
    Cluster,
    Coverage,
    Extracted,
    Feature,
    Kind,
    Reading,
    Report,
    WhyUnmapped,
    characters,
    empty_texts,
    kept,
)
from embedder.features.fanfictionnlp_files import (
    ByName,
    Document,
    Passage,
    read_documents,
)
from embedder.features.mapping import Losses, Tally, by_character, check_kinds
from store.files import shown

KINDS: tuple[Kind, ...] = ("quote", "assertion")
NO_ALIAS: WhyUnmapped = "no alias"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One work's documents, and what its clusters' names map to."""

    code: str
    source: Path
    documents: tuple[Document, ...]
    coverage: Coverage
    aliases: Aliases


def read_fanfictionnlp(
    path: Path, *, work: str, aliases: AliasMap, kinds: Sequence[Kind] = KINDS
) -> Reading:
    """The features of one work that FanfictionNLP has read.

    Args:
        path: A folder or a `.zip` that holds the folders `char_coref`, `assertion_extraction` and
            `quote_attribution`, at any depth.
        work: The work's code in the alias map.
        aliases: Which names mean which character.
        kinds: What to read, in this order.

    Raises:
        BadFile: The files are not there or not of the format.
        UnknownWork: The alias map has no such work.
    """
    check_kinds(path, kinds, KINDS, "FanfictionNLP")
    known = aliases.of(work)
    documents, coverage = read_documents(path)
    read = Work(code=work, source=path, documents=documents, coverage=coverage, aliases=known)
    extracted = tuple(
        Extracted(
            pipeline="fanfictionnlp", kind=kind, work=work, features=tuple(features_of(read, kind))
        )
        for kind in dict.fromkeys(kinds)
    )
    return Reading(extracted=extracted, report=report_of(read, extracted))


def of_kind(document: Document, kind: Kind) -> ByName:
    """The document's passages of one kind, by cluster name."""
    return document.quotes if kind == "quote" else document.assertions


def features_of(read: Work, kind: Kind) -> Iterator[Feature]:
    """The features of one kind, by character."""
    clusters = [
        (read.aliases.character(lead), passages)
        for document in read.documents
        for lead, passages in of_kind(document, kind).items()
    ]
    for name, places in by_character(character for character, _ in clusters):
        for place in places:
            for passage in clusters[place][1]:
                yield Feature(character=name, text=passage.text)


def report_of(read: Work, extracted: tuple[Extracted, ...]) -> Report:
    """What a user must know of the reading."""
    kinds = tuple(each.kind for each in extracted)
    losses = Losses()
    for kind in kinds:
        for document in read.documents:
            for lead, passages in of_kind(document, kind).items():
                if read.aliases.character(lead) is None:
                    losses.add(kind, NO_ALIAS, len(passages))
    return Report(
        pipeline="fanfictionnlp",
        work=read.code,
        source=str(read.source),
        overridden=read.aliases.overridden,
        documents=len(read.documents),
        kept=kept(extracted),
        characters=characters(extracted),
        clusters=tuple(
            cluster for document in read.documents for cluster in clusters_of(read, document, kinds)
        ),
        dropped=losses.dropped(),
        checks=checks_of(read.documents),
        coverage=read.coverage,
        empty_texts=empty_texts(extracted),
    )


def clusters_of(read: Work, document: Document, kinds: tuple[Kind, ...]) -> Iterator[Cluster]:
    """Every cluster of a document; where two have one name, one cluster with all their mentions."""
    mentions: Counter[str] = Counter()
    if document.coref is not None:
        for cluster in document.coref.clusters:
            mentions[cluster.name] += len(cluster.mentions)
    features: Counter[str] = Counter()
    for kind in kinds:
        for lead, passages in of_kind(document, kind).items():
            features[lead] += len(passages)
    for lead in dict.fromkeys([*mentions, *features]):
        name = read.aliases.character(lead)
        yield Cluster(
            where=document.name,
            name=lead,
            mentions=mentions[lead],
            features=features[lead],
            character=name,
            why=NO_ALIAS if name is None else None,
        )


def checks_of(documents: tuple[Document, ...]) -> tuple[Check, ...]:
    """Whether the texts stand at their positions in the documents."""
    mentions = Tally("positions of mentions")
    quotes = Tally("positions of quotes")
    assertions = Tally("positions of assertions")
    for document in documents:
        if document.coref is None:
            continue
        tokens = document.coref.document.split(" ")
        for cluster in document.coref.clusters:
            compare(mentions, document.name, tokens, cluster.mentions)
        for tally, named in ((quotes, document.quotes), (assertions, document.assertions)):
            for passages in named.values():
                compare(tally, document.name, tokens, passages)
    return mentions.check(), quotes.check(), assertions.check()


def compare(
    tally: Tally, document: str, tokens: Sequence[str], passages: Sequence[Passage]
) -> None:
    """Count which passages stand where they say.

    An end past the document counts as its end: where a document ends inside a quote, the pipeline
    lets the quote run one token too far.
    """
    for passage in passages:
        start, end = passage.position
        found = " ".join(tokens[start:end])
        example = (
            f"{document}, tokens {start} to {end}: {shown(passage.text)}, there {shown(found)}"
        )
        tally.add(agrees=found == passage.text, example=example)
