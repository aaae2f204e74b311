"""Explains the columns of Table 4 that hold two lists of ten against each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from analysis.cells import Cell
from analysis.explain.cosines import Corpus, cut, means, number_in, of_means, told
from analysis.explain.explanation import Explanation, Numbers, Record, Records
from analysis.explain.queries import literal
from analysis.similarity.measures import Case, Place, mean_cell
from analysis.sql import query
from analysis.studies.austenalike import explained_words as words
from analysis.studies.austenalike.experts import MERGED
from analysis.studies.austenalike.names import CORPUS, TEN
from analysis.studies.austenalike.rows import ROWS, Lists, own_query

_REPRESENTATIONS: Final = {row: name for name, row in ROWS.items()}


class ListsExplainer:
    """What explains Table 4's Jaccard and top ten."""

    def __init__(self, corpus: Corpus, seed: int, *, published: bool) -> None:
        """Take what the tables are of, and whether they are worked out as published."""
        self._corpus, self._seed, self._published = corpus, seed, published

    def __call__(self, cell: Cell) -> Explanation:
        """Where a cell comes from."""
        name = _REPRESENTATIONS.get(cell.row)
        made = self._by_cosine(cell, name) if name else self._asked(cell)
        definition = words.lists(
            cell, of_means(self._seed), published=self._published, asked=name is None
        )
        return replace(made, definition=definition)

    def _by_cosine(self, cell: Cell, name: str) -> Explanation:
        wanted: dict[str, object] = {"corpus": CORPUS}
        value: Callable[[Record], float | None]
        text = own_query("expert_lists")
        if cell.column == "jaccard":
            value = _by_rank if self._published else _as_sets
        elif self._published:
            value = _top_in_ten
        else:
            text, value = query("similarity/top_ten"), number_in("top_share")
            wanted["part"] = MERGED
        return Explanation(
            definition=words.NOTHING,
            query=cut(self._corpus.cosines_of(text, name), wanted),
            recompute=means(value, self._seed),
            behind=partial(self._corpus.of_cosines, name),
        )

    def _asked(self, cell: Cell) -> Explanation:
        own = self._corpus.systems(cell.row)
        ten = cell.row == TEN or any(each.is_ten for each in own)
        text = self._corpus.choices_of(own_query("asked_lists"), cell.row)
        answered = "choice IS NOT NULL"
        recompute = means(self._value(cell, ten=ten), self._seed)
        if ten and self._published:
            # Whose agreement the published program counted a second time has none of its own.
            answered = f"({answered} OR {self._repeats(cell.row)})"
            recompute = self._repeated
        wanted = {"corpus": CORPUS, "system": cell.row}
        return Explanation(
            definition=words.NOTHING,
            query=cut(text, wanted, answered, order="ordinal"),
            recompute=recompute,
            behind=partial(self._corpus.of_choices, cell.row),
        )

    def _value(self, cell: Cell, *, ten: bool) -> Callable[[Record], float | None]:
        if ten:
            return _as_sets if cell.column == "jaccard" else _top_in_ten
        return partial(_in_ten, "choice_place" if self._published else "other_choice_place")

    def _repeats(self, system: str) -> str:
        """That the agreement of the one before counts once more for a character.

        So it was for those that experts know and GPT-4 was not asked about; a model of the user's
        is treated alike if it was asked about everyone that GPT-4 was, but for whom it was asked
        about itself.
        """
        known = (
            f"(SELECT character FROM main.character_choices WHERE corpus = {literal(CORPUS)}"
            f" AND system = {literal(TEN)})"
        )
        without = f"character NOT IN {known}"
        for own in self._corpus.systems(system):
            names = ", ".join(map(literal, sorted(own.asked)))
            mine = f"SELECT unnest([{names}])"
            whole = (
                "NOT EXISTS (SELECT 1 FROM character_pairs WHERE"
                f" corpus = {literal(CORPUS)} AND part = 'mapped' AND a IN {known}"
                f" AND a NOT IN ({mine}))"
            )
            some = (
                "EXISTS (SELECT 1 FROM character_pairs WHERE"
                f" corpus = {literal(CORPUS)} AND part = 'mapped' AND a IN {known})"
            )
            return f"{without} AND character NOT IN ({mine}) AND {some} AND {whole}"
        return without

    def _repeated(self, rows: Records) -> Numbers:
        ranked: list[Case] = []
        for row in rows:
            before = ranked[-1].value if ranked else 0.0
            own = _by_rank(row) if row["choice"] is not None else before
            ranked.append(Case(str(row["character"]), own))
        return told(mean_cell(Place("", "", ""), ranked, self._seed))


def _lists(row: Record) -> Lists:
    return Lists(
        system="",
        character=str(row["character"]),
        same_ranks=int(str(row["same_ranks"])),
        common=int(str(row["common"])),
        listed=int(str(row["listed"])),
        top_in_ten=bool(row["top_in_ten"]),
    )


def _by_rank(row: Record) -> float:
    return _lists(row).by_rank


def _as_sets(row: Record) -> float:
    return _lists(row).as_sets


def _top_in_ten(row: Record) -> float:
    return float(_lists(row).top_in_ten)


def _in_ten(column: str, row: Record) -> float:
    place = row[column]
    return float(place is not None and int(str(place)) <= 10)
