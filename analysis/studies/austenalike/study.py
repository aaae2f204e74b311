"""The study as `probe table` asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from analysis.errors import BadRequest, NotHeld
from analysis.explain.cosines import corpus_of
from analysis.similarity.own_notes import own_notes
from analysis.similarity.relations import Relations, load
from analysis.similarity.rows import Member
from analysis.studies.austenalike.clean import clean_cells
from analysis.studies.austenalike.explained import Explainer
from analysis.studies.austenalike.names import CORPUS, PUBLISHED, VECTORS
from analysis.studies.austenalike.paper import printed_in_paper, with_paper
from analysis.studies.austenalike.published import published_cells
from analysis.studies.austenalike.rows import row_name
from analysis.studies.austenalike.sources import sources
from analysis.studies.austenalike.tables import column_of
from analysis.studies.study import Asked, Form, Inputs, Layout, PartSource, StudyTable
from store.read import Source, ask

CLEAN: Final = "clean"
_NEEDED: Final = """
    SELECT relation, part FROM current_imports WHERE corpus = $corpus
    AND relation IN ('characters', 'groups', 'pairs', 'choices')"""
_PARTS: Final = {
    ("characters", ""),
    ("groups", "roles"),
    ("groups", "social"),
    ("pairs", "raw"),
    ("pairs", "mapped"),
    ("pairs", "merged"),
    ("choices", "gpt4_plain"),
    ("choices", "gpt4_reasoning"),
    ("choices", "gpt4_top10"),
}
_LAYOUTS: Final[tuple[tuple[str, str, Form], ...]] = (
    ("1", "Narrative roles: characters in each", "count"),
    ("2", "Narrative roles: most similar character in the same role, same novel excluded", "rate"),
    ("3", "Social: most similar character in the same group, same novel excluded", "rate"),
    ("4", "Experts' pairs: agreement with cosine similarity", "correlation"),
    ("5", "Social: characters in each group", "count"),
    ("6", "Narrative roles: most similar character in the same role, same novel included", "rate"),
    ("7", "Social: most similar character in the same group, same novel included", "rate"),
    ("8", "Experts' pairs: correlation of cosine and count, by novel", "correlation"),
    ("9", "Experts' pairs: the same between different novels", "correlation"),
    ("Figure 2", "Narrative roles: mean cosine within the role and outside it", "cosine"),
    ("Figure 2 difference", "Narrative roles: within less outside", "cosine"),
    ("Figure 2 other novels", "Narrative roles: the same, same novel excluded", "cosine"),
    (
        "Figure 2 other novels difference",
        "Narrative roles: within less outside, same novel excluded",
        "cosine",
    ),
    ("Figure 3", "Social: mean cosine within the group and outside it", "cosine"),
    ("Figure 3 difference", "Social: within less outside", "cosine"),
    ("Figure 3 other novels", "Social: the same, same novel excluded", "cosine"),
    (
        "Figure 3 other novels difference",
        "Social: within less outside, same novel excluded",
        "cosine",
    ),
    (
        "Section 6.1.2",
        "Most similar characters of another role: of which role they are",
        "fraction",
    ),
)
_LABELS: Final = {
    "fanfic_assertions": "FanfictionNLP Assertions",
    "booknlp_events": "BookNLP Events",
    "booknlp_modifiers": "BookNLP Modifiers",
    "booknlp_quotes": "BookNLP Quotes",
    "fanfic_quotes": "FanfictionNLP Quotes",
    "gpt4_plain": "GPT-4",
    "gpt4_reasoning": "GPT-4 Reasoning",
    "gpt4_top10": "GPT-4 Top Ten List",
    "hero": "Hero",
    "heroine": "Heroine",
    "deceiver": "Deceiver",
    "rival": "Rival",
    "wooer": "Wooer",
    "parent": "Parent",
    "sibling": "Sibling",
    "age": "Age",
    "gender": "Gender",
    "income": "Income",
    "maritalStatus": "Marital Status",
    "rank": "Rank",
    "pearson": "Pearson",
    "pearson_all_pairs": "Pearson, all pairs",
    "jaccard": "Jaccard",
    "top10": "Top in Top 10",
    "E": "Emma",
    "N": "NA",
    "P": "Pers.",
}
_PUBLISHED_NOTES: Final = (
    "Rates: each member counts twice, once among all characters and once among those of other"
    " novels. With the same novel excluded, those of both kinds whose choice is from another novel"
    " count.",
    "Table 4's Jaccard compares the two lists of ten rank by rank. GPT-4's rows under 'Top in Top"
    " 10' ask whether its choice is on the experts' list, which a character itself never is.",
    "Correlations are over both orders of a pair, under the experts' own names, where the second"
    " has at most two words and both have every representation.",
    "Bars take the comparisons with and without the same novel together.",
)
_CLEAN_NOTES: Final = (
    "Rates: each member counts once. GPT-4 was asked once, about all novels: with the same novel"
    " excluded, its choices from other novels count. A choice of the character itself never does.",
    "Correlations are over each pair once, counted anew with a character's names taken together;"
    " a pair counts for the novels of both. 'All pairs' also holds those nobody names, as 0.",
    "Table 4's Jaccard compares the two published lists of ten as sets. 'Top in Top 10' shares a"
    " hit among those whom experts name equally often.",
    "The figures take all characters, as section 6.1.1 describes them; the same without characters"
    " of the same novel follows, where members without anyone to compare with are passed by.",
)
_OWN_NOTE: Final = (
    "Your own models' rows follow GPT-4's and are worked out as these are, over the characters with"
    " an answer."
)
_OWN_PUBLISHED_NOTE: Final = (
    " Table 4's Jaccard counts an agreement again where GPT-4's row does, if the model was asked"
    " about everyone that GPT-4 was. Section 6.1.2 leaves them out."
)
_PAIRED: Final = "SELECT DISTINCT a FROM character_pairs WHERE part = 'mapped'"


@dataclass(frozen=True, slots=True)
class AustenAlike:
    """The tables and figures of the similarity paper."""

    name: str = "austenalike"
    modes: tuple[str, ...] = (PUBLISHED, CLEAN)
    needs: str = "name the folder of its published files with --data"

    def corpus(self, inputs: Inputs) -> str:
        """The one corpus it is about."""
        if inputs.corpus not in {None, CORPUS}:
            raise BadRequest(f"{self.name} is about its own corpus; leave out --corpus")
        if inputs.groups or inputs.pairs or inputs.characters:
            raise BadRequest(
                f"{self.name} has its own benchmarks: name their folder with --data, or take the"
                " study 'similarity' for files of your own"
            )
        return CORPUS

    def sources(self, inputs: Inputs, store: Source | None) -> list[PartSource]:
        """The parts of the published folder."""
        del store
        return sources(inputs.data) if inputs.data is not None else []

    def table(self, store: Source, asked: Asked) -> StudyTable:
        """Tables 1 to 9 and the bars of Figures 2 and 3."""
        return self.explained(store, asked)[0]

    def explained(self, store: Source, asked: Asked) -> tuple[StudyTable, Explainer]:
        """Its tables, with what explains each of their cells.

        Raises:
            BadRequest: As for its tables.
            NotHeld: Likewise.
            NoVectors: Likewise.
        """
        if asked.mode not in self.modes:
            raise BadRequest(f"{self.name} has the modes {' and '.join(self.modes)}")
        _check_held(store)
        vectors = tuple(asked.vectors) or (PUBLISHED,)
        relations = load(store, CORPUS, vectors)
        make = published_cells if asked.mode == PUBLISHED else clean_cells
        with closing(relations.connection):
            cells = with_paper(make(relations, asked.seed), printed_in_paper())
            own = _notes_on_own(relations, asked.mode)
        shown = {cell.table for cell in cells}
        table = StudyTable(
            study=self.name,
            mode=asked.mode,
            vectors=vectors,
            cells=cells,
            layouts=tuple(
                _layout(table, title, form) for table, title, form in _LAYOUTS if table in shown
            ),
            labels=_LABELS | relations.own.label_of(),
            notes=(*_notes_on(relations), *_notes_of(asked.mode), *own),
        )
        return table, Explainer(corpus_of(relations), asked.mode, asked.seed)


def _layout(table: str, title: str, form: Form) -> Layout:
    if table.isdigit():
        return Layout(table=table, title=f"Table {table}. {title}", caption=title, form=form)
    return Layout(table=table, title=f"{table}. {title}", caption=f"{table}: {title}", form=form)


def _notes_of(mode: str) -> Sequence[str]:
    return _PUBLISHED_NOTES if mode == PUBLISHED else _CLEAN_NOTES


def _notes_on(relations: Relations) -> list[str]:
    """Which representations are missing, and why."""
    notes = [f"{row_name(each.name)} is left out: {each.reason}." for each in relations.left_out]
    known = {row_name(each.name) for each in relations.representations}
    known |= {row_name(each.name) for each in relations.left_out}
    return notes + [
        f"{each.row} is left out: the store has neither its features nor vectors."
        for each in VECTORS
        if each.row not in known
    ]


def _notes_on_own(relations: Relations, mode: str) -> list[str]:
    """What is to be said of the user's own models; nothing where the store has none."""
    paired = {str(row[0]) for row in ask(relations.connection, _PAIRED).rows}
    notes = own_notes(relations, _column, paired)
    if not relations.own.systems:
        return notes
    return [_OWN_NOTE + (_OWN_PUBLISHED_NOTE if mode == PUBLISHED else ""), *notes]


def _column(member: Member) -> str:
    column = column_of(member)
    return _LABELS.get(column, column)


def _check_held(store: Source) -> None:
    """Refuse a store that lacks a part of the benchmark."""
    held = {(str(row[0]), str(row[1])) for row in ask(store, _NEEDED, {"corpus": CORPUS}).rows}
    if missing := sorted(_PARTS - held):
        relation, part = missing[0]
        what = f"{relation} ({part})" if part else relation
        raise NotHeld(CORPUS, what, STUDY.needs)


STUDY: Final = AustenAlike()
