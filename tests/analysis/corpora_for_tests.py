"""Small corpora of invented characters: parts, and a store whose features have vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from store.corpus import CharacterVectors, Part, import_parts
from store.corpus_rows import (
    CastRow,
    ChoiceRow,
    FeatureRow,
    GroupRow,
    PairRow,
    import_id,
    target_id,
)
from store.database import Database
from store.vector_journal import EncoderMark, VectorBatch, VectorJournal

CORPUS: Final = "toys"
WORKS: Final = {"Ann": "A", "Bob": "A", "Cid": "A", "Dot": "B", "Eve": "B", "Fay": "B"}
NAMES: Final = list(WORKS)
MATRIX: Final = np.array(
    [[4, 1, 0], [3, 2, 0], [0, 5, 1], [4, 0, 1], [0, 4, 2], [1, 0, 6]], dtype=np.float32
)
GROUPS: Final = "attribute\tgroup\tcharacter\n" + "".join(
    f"role\t{'king' if name in {'Ann', 'Bob', 'Dot'} else 'fool'}\t{name}\n" for name in NAMES
)
PAIRS: Final = "a\tb\tcount\nAnn\tBob\t3\nAnn\tDot\t2\nCid\tEve\t4\nFay\tEve\t1\nBob\tDot\t1\n"
"""Six characters, of whom Ann, Bob and Dot are alike, and benchmarks of them as files."""

Rows = Sequence[FeatureRow | CastRow | GroupRow | PairRow | ChoiceRow]


def part(relation: str, name: str, rows: Rows, vectors: CharacterVectors | None = None) -> Part:
    own = _id(relation, name)
    return Part(
        import_id=own,
        corpus=CORPUS,
        relation=relation,
        part=name,
        path="made",
        rows=rows,
        vectors=vectors,
    )


def _id(relation: str, name: str = "") -> str:
    return import_id(CORPUS, relation, name, "1")


def cast(works: Mapping[str, str]) -> Part:
    """Characters and the work of each."""
    own = _id("characters")
    rows = [
        CastRow(import_id=own, ordinal=at, character=name, work=work)
        for at, (name, work) in enumerate(works.items())
    ]
    return part("characters", "", rows)


def groups(members: Iterable[tuple[str, str, str]]) -> Part:
    """Attribute, group and character of each membership."""
    own = _id("groups")
    rows = [
        GroupRow(import_id=own, ordinal=at, attribute=attribute, group=group, character=name)
        for at, (attribute, group, name) in enumerate(members)
    ]
    return part("groups", "", rows)


def pairs(counts: Iterable[tuple[str, str, int]], name: str = "") -> Part:
    """Two characters and how often they are called alike."""
    own = _id("pairs", name)
    rows = [
        PairRow(import_id=own, ordinal=at, a=a, b=b, count=count)
        for at, (a, b, count) in enumerate(counts)
    ]
    return part("pairs", name, rows)


def choices(system: str, answers: Iterable[tuple[str, int, int, str]]) -> Part:
    """Character, sample, rank and who was named."""
    own = _id("choices", system)
    rows = [
        ChoiceRow(
            import_id=own,
            ordinal=at,
            system=system,
            character=name,
            sample=sample,
            rank=rank,
            chosen=chosen,
        )
        for at, (name, sample, rank, chosen) in enumerate(answers)
    ]
    return part("choices", system, rows)


def vectors(
    names: Sequence[str],
    matrix: npt.NDArray[np.float32],
    kind: str = "quote",
    encoder: str = "made",
) -> Part:
    """A vector of each character."""
    made = CharacterVectors(
        pipeline="booknlp",
        kind=kind,
        encoder=encoder,
        works=["?" for _ in names],
        characters=list(names),
        matrix=matrix,
    )
    return part("character_vectors", f"{kind}/{encoder}", (), made)


def features(texts: Iterable[tuple[str, str]], kind: str = "quote") -> Part:
    """Character and text of each feature."""
    own = _id("features", kind)
    rows = [
        FeatureRow(
            import_id=own,
            ordinal=at,
            pipeline="booknlp",
            kind=kind,
            work="?",
            character=name,
            role=None,
            text=text,
            context=None,
            target_start=None,
            target_end=None,
            target_id=target_id(text),
        )
        for at, (name, text) in enumerate(texts)
    ]
    return part("features", kind, rows)


def embed(store: Path, encoder: str, texts: Sequence[str], revision: str = "1") -> None:
    """Make a vector of each text, as an encoder's worker leaves them in the journal."""
    mark = EncoderMark(name=encoder, identity={"dim": 3, "model": encoder, "revision": revision})
    rng = np.random.default_rng(len(encoder))
    journal = VectorJournal(store, mark)
    journal.append(
        VectorBatch(
            target_ids=[target_id(text) for text in texts],
            tokens=[1 for _ in texts],
            left_out=[0 for _ in texts],
            pieces=[1 for _ in texts],
            matrix=rng.normal(size=(len(texts), 3)).astype(np.float32),
        )
    )
    journal.close()


def hold(store: Path, *parts: Part) -> Path:
    """Bring parts, and whatever the journal has, into a store; return its folder."""
    with Database(store) as database:
        database.call(lambda connection: import_parts(connection, parts))
    return store
