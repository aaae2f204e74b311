"""Brings parts of a corpus into a store: all of them or none, and none that is there already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from store.corpus_rows import CastRow, ChoiceRow, FeatureRow, GroupRow, ImportRow, PairRow
from store.insert import insert
from store.keys import canonical
from store.read import Connection, Source, ask
from store.vectors import CharacterVectors, insert_character_vectors

__all__ = ["CharacterVectors", "Part", "held_parts", "import_parts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a corpus, read and checked, ready to be brought in.

    Attributes:
        import_id: From `store.corpus_rows.import_id`; the rows carry it.
        relation: features, characters, groups, pairs, choices or character_vectors.
        part: Which part of the relation; empty for the whole.
        path: Where it was read, for people.
        rows: Of one of the tables; empty for character vectors.
        vectors: Character vectors, where the part holds those.
        report: What the reader found and mended, for people.
    """

    import_id: str
    corpus: str
    relation: str
    part: str
    path: str
    rows: Sequence[FeatureRow | CastRow | GroupRow | PairRow | ChoiceRow] = ()
    vectors: CharacterVectors | None = None
    report: Mapping[str, object] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Rows it brings (count)."""
        return len(self.rows) + (len(self.vectors.characters) if self.vectors else 0)


def held_parts(source: Source, corpus: str) -> set[str]:
    """The import_ids that a corpus's views show now."""
    query = "SELECT import_id FROM current_imports WHERE corpus = $corpus"
    return {str(row[0]) for row in ask(source, query, {"corpus": corpus}).rows}


def import_parts(connection: Connection, parts: Sequence[Part]) -> list[Part]:
    """Bring parts in, in one transaction; return those that were not the current ones already.

    Called on the writer's thread (`Database.call`). A part whose content came in before is made
    current again without a second copy.
    """
    brought: list[Part] = []
    connection.execute("BEGIN")
    for part in parts:
        if part.import_id in held_parts(connection, part.corpus):
            continue
        brought.append(part)
        known = connection.execute(
            "SELECT count(*) FROM imports WHERE import_id = ?", [part.import_id]
        ).fetchone()
        if not known or not known[0]:
            insert(connection, part.rows)
            if part.vectors is not None:
                insert_character_vectors(connection, part.import_id, part.vectors)
        insert(connection, [_import_row(part)])
    connection.execute("COMMIT")
    return brought


def _import_row(part: Part) -> ImportRow:
    return ImportRow(
        import_id=part.import_id,
        corpus=part.corpus,
        relation=part.relation,
        part=part.part,
        path=part.path,
        rows=part.size,
        report=canonical(part.report),
        imported_at=datetime.now(UTC),
    )
