"""The study as `probe table` asks for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Final

from analysis.errors import BadRequest, NotHeld
from analysis.explain.cosines import corpus_of
from analysis.similarity.own_notes import own_notes
from analysis.similarity.relations import Relations, load
from analysis.similarity.rows import Member
from analysis.studies.similarity.benchmarks import File, read_cast, read_groups, read_pairs
from analysis.studies.similarity.explained import Explainer
from analysis.studies.similarity.tables import Table, group_tables, pair_tables
from analysis.studies.study import Asked, Inputs, PartSource, StudyTable
from store.corpus import Part
from store.corpus_rows import CastRow, GroupRow, PairRow, import_id
from store.read import Connection, Source, ask

_READER: Final = 1
"""Goes up when a file is read otherwise than before, so that it is read again."""
_OWN: Final = ""
"""The part that the user's own files are."""
_CAST: Final = "SELECT character FROM characters WHERE corpus = $corpus"
_WORKS: Final = "SELECT work FROM characters GROUP BY work ORDER BY min(ordinal)"
_PAIRED: Final = """
    SELECT DISTINCT unnest([a, b]) FROM character_pairs WHERE part = $part AND "count" > 0"""
_PARTS: Final = "SELECT DISTINCT part FROM character_pairs ORDER BY part"
_ATTRIBUTES: Final = "SELECT DISTINCT attribute FROM character_groups ORDER BY attribute"
_LABELS: Final = {
    "pearson": "Pearson",
    "pearson_all_pairs": "Pearson, all pairs",
    "jaccard": "Jaccard",
    "top10": "Top in Top 10",
}
_NOTES: Final = (
    "Rates and mean cosines are over members that have a vector, each once; with other works alone,"
    " over those that have someone to be compared with.",
    "Correlations are over the pairs that are named, each once; 'all pairs' also holds the others,"
    " as 0. A pair counts for the works of both.",
)
_OWN_NOTE: Final = (
    "Your own models' rows are over the characters with an answer. The most common answer counts,"
    " of those equally common the first, and never the character itself; with other works alone,"
    " answers from there. Under pairs, who names one is held against those whom experts name most."
)

Rows = Sequence[CastRow | GroupRow | PairRow]


@dataclass(frozen=True, slots=True)
class Similarity:
    """How alike characters of a corpus are, against benchmarks in files of the user's."""

    name: str = "similarity"
    modes: tuple[str, ...] = ("clean",)
    needs: str = "name a file with --groups or --pairs"

    def corpus(self, inputs: Inputs) -> str:
        """The one that the user names."""
        if inputs.data is not None:
            raise BadRequest(f"{self.name} takes --groups and --pairs, not --data")
        if not inputs.corpus:
            raise BadRequest(f"{self.name} needs --corpus, the name features were read under")
        return inputs.corpus

    def sources(self, inputs: Inputs, store: Source | None) -> list[PartSource]:
        """The benchmarks in the user's files."""
        corpus = self.corpus(inputs)
        cast = None if inputs.characters is None else File(inputs.characters)
        known = partial(_known, cast, store, corpus)
        found: list[PartSource] = []
        if cast is not None:
            found.append(_source(corpus, "characters", cast, partial(read_cast, cast)))
        if inputs.groups is not None:
            groups = File(inputs.groups)
            read = partial(_checked, read_groups, groups, known)
            found.append(_source(corpus, "groups", groups, read))
        if inputs.pairs is not None:
            pairs = File(inputs.pairs)
            read = partial(_checked, read_pairs, pairs, known)
            found.append(_source(corpus, "pairs", pairs, read))
        return found

    def table(self, store: Source, asked: Asked) -> StudyTable:
        """Its tables, for every attribute of groups and one benchmark of pairs."""
        return self.explained(store, asked)[0]

    def explained(self, store: Source, asked: Asked) -> tuple[StudyTable, Explainer]:
        """Its tables, with what explains each of their cells.

        Raises:
            BadRequest: As for its tables.
            NotHeld: Likewise.
            NoVectors: Likewise.
        """
        corpus = self.corpus(asked.inputs)
        if asked.mode not in self.modes:
            raise BadRequest(f"{self.name} has the mode {self.modes[0]} alone")
        if not ask(store, _CAST, {"corpus": corpus}).rows:
            raise _no_characters(store, corpus)
        relations = load(store, corpus, tuple(asked.vectors))
        notes = [f"{each.name} is left out: {each.reason}." for each in relations.left_out]
        with closing(relations.connection):
            tables, more = _tables(relations, asked.seed)
            explainer = _explainer(relations, asked.seed)
        # In two words a name can be put on two lines, as its cells are.
        systems = {cell.row for table in tables for cell in table.cells}
        used = dict.fromkeys(each.encoder for each in relations.representations)
        made = StudyTable(
            study=self.name,
            mode=asked.mode,
            vectors=tuple(used),
            cells=tuple(cell for table in tables for cell in table.cells),
            layouts=tuple(table.layout for table in tables),
            labels=_LABELS
            | {name: name.replace("_", " ") for name in systems}
            | relations.own.label_of(),
            notes=(*notes, *more, *_NOTES),
        )
        return made, explainer


def _tables(relations: Relations, seed: int) -> tuple[list[Table], list[str]]:
    """All tables that the corpus's benchmarks allow, and what is to be said of the others."""
    connection, notes = relations.connection, list[str]()
    works = [str(row[0]) for row in ask(connection, _WORKS).rows]
    groups = int(str(ask(connection, "SELECT count(*) FROM character_groups").rows[0][0]))
    parts = _first(connection, _PARTS)
    if not groups and not parts:
        raise NotHeld(relations.corpus, "groups or pairs", STUDY.needs)
    tables = group_tables(relations, works, seed) if groups else []
    paired: set[str] = set()
    if (part := _benchmark(parts)) is not None:
        tables += pair_tables(relations, part, works, seed)
        paired = {str(row[0]) for row in ask(connection, _PAIRED, {"part": part}).rows}
    elif parts:
        notes.append(f"Pairs are left out: there are several ({', '.join(parts)}); name a --pairs.")
    if len(works) == 1:
        notes.append(f"All characters are of one work, {works[0]}: there are no other works.")
    if missing := _without_vectors(relations):
        notes.append(missing)
    if relations.own.systems:
        notes.append(_OWN_NOTE)
    return tables, notes + own_notes(relations, _column, paired)


def _explainer(relations: Relations, seed: int) -> Explainer:
    attributes = _first(relations.connection, _ATTRIBUTES)
    part = _benchmark(_first(relations.connection, _PARTS))
    return Explainer(corpus_of(relations), attributes, part or _OWN, seed)


def _benchmark(parts: Sequence[str]) -> str | None:
    """Which pairs are taken: the user's own, or else the only ones."""
    if _OWN in parts:
        return _OWN
    return parts[0] if len(parts) == 1 else None


def _first(connection: Connection, text: str) -> list[str]:
    """The first column of a query."""
    return [str(row[0]) for row in ask(connection, text).rows]


def _column(member: Member) -> str:
    return f"{member.attribute} {member.group}"


def _without_vectors(relations: Relations) -> str | None:
    """Whom the benchmark of groups names without any vector to compare."""
    query = """
        SELECT DISTINCT character FROM character_groups
        WHERE character NOT IN (SELECT character FROM similarity) ORDER BY character"""
    names = [str(row[0]) for row in ask(relations.connection, query).rows]
    if not names:
        return None
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"Members without a vector of any kind: {', '.join(names[:3])}{more}."


def _known(cast: File | None, store: Source | None, corpus: str) -> list[str]:
    """Who is a character of the corpus: by the user's file, or else by the store."""
    if cast is not None:
        return [row.character for row in read_cast(cast, "")]
    names = [str(row[0]) for row in ask(store, _CAST, {"corpus": corpus}).rows] if store else []
    if not names:
        raise _no_characters(store, corpus)
    return names


def _no_characters(store: Source | None, corpus: str) -> NotHeld:
    query = "SELECT DISTINCT corpus FROM current_imports ORDER BY corpus"
    held = [str(row[0]) for row in ask(store, query).rows] if store else []
    others = f" (it has corpora {', '.join(held)})" if held and corpus not in held else ""
    fix = f"name a file with --characters{others}"
    return NotHeld(corpus, "characters", fix)


def _checked(
    read: Callable[[File, Collection[str], str], Rows],
    file: File,
    known: Callable[[], Collection[str]],
    own: str,
) -> Rows:
    return read(file, frozenset(known()), own)


def _source(corpus: str, relation: str, file: File, read: Callable[[str], Rows]) -> PartSource:
    own = import_id(corpus, relation, _OWN, [_READER, file.digest])

    def part() -> Part:
        return Part(
            import_id=own,
            corpus=corpus,
            relation=relation,
            part=_OWN,
            path=str(file.path),
            rows=read(own),
            report={"sha256": file.digest},
        )

    return PartSource(import_id=own, read=part)


STUDY: Final = Similarity()
