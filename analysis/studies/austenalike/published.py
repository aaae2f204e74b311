"""The tables and figures as they were published, by what the authors' programs did.

Where that differs from what the paper says, `analysis.studies.austenalike.clean` does as it says.
Nothing here knows what the paper prints.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from analysis.cells import Cell
from analysis.similarity.measures import Case, Place, mean_cell
from analysis.similarity.own import Own
from analysis.similarity.relations import Relations
from analysis.similarity.rows import Nearest, PairRow, answered, nearest
from analysis.studies.austenalike.names import TEN
from analysis.studies.austenalike.rows import (
    ROWS,
    AskedLists,
    asked_lists,
    bars,
    expert_lists,
    expert_pairs,
    row_name,
)
from analysis.studies.austenalike.tables import (
    ALL,
    asked_systems,
    bar_cells,
    correlation_cells,
    difference_cells,
    rate_cells,
    size_cells,
)

_MISSES = (("hero", "deceiver"), ("deceiver", "hero"), ("rival", "heroine"), ("heroine", "rival"))


def published_cells(relations: Relations, seed: int) -> list[Cell]:
    """Every cell of Tables 1 to 9, of Figures 2 and 3 and of the counts in section 6.1.2."""
    connection, systems = relations.connection, asked_systems(relations.own)
    by_cosine = nearest(connection)
    asked = [_self_chosen(row) for row in answered(connection) if row.system in systems.single]
    rows = by_cosine + asked
    # A row of GPT-4's is the same in both tables: it was asked once, about all novels.
    excluded = [row for row in by_cosine if row.chosen_work != row.member.work] + asked
    pairs = expert_pairs(connection)
    figures = bars(connection)
    by_novel = correlation_cells("8", pairs, _of_first, seed)
    return [
        *size_cells(connection),
        *rate_cells("2", "roles", excluded, systems, seed),
        *rate_cells("3", "social", excluded, systems, seed),
        *_expert_cells(relations, by_novel, seed),
        *rate_cells("6", "roles", rows, systems, seed),
        *rate_cells("7", "social", rows, systems, seed),
        *by_novel,
        *correlation_cells("9", [p for p in pairs if p.a_work != p.b_work], _of_first, seed),
        *bar_cells("Figure 2", "roles", figures, seed),
        *difference_cells("Figure 2 difference", "roles", figures, seed),
        *bar_cells("Figure 3", "social", figures, seed),
        *difference_cells("Figure 3 difference", "social", figures, seed),
        *_miss_cells([row for row in rows if row.system not in relations.own.single], seed),
    ]


def _self_chosen(row: Nearest) -> Nearest:
    """An answer that names nobody but the character itself was taken for one in its group."""
    return row if row.hit is not None else replace(row, hit=True)


def _of_first(row: PairRow, novel: str) -> bool:
    return row.a_work == novel


def _expert_cells(relations: Relations, by_novel: Sequence[Cell], seed: int) -> list[Cell]:
    """Table 4."""
    cells = [replace(cell, table="4", column="pearson") for cell in by_novel if cell.column == ALL]
    own = expert_lists(relations.connection)
    for system in ROWS.values():
        lists = [each for each in own if row_name(each.system) == system]
        if lists:
            by_rank = [Case(each.character, each.by_rank) for each in lists]
            top = [Case(each.character, float(each.top_in_ten)) for each in lists]
            cells.append(mean_cell(Place("4", system, "jaccard"), by_rank, seed))
            cells.append(mean_cell(Place("4", system, "top10"), top, seed))
    return in_row_order(cells) + _asked_cells(relations, seed)


def in_row_order(cells: Iterable[Cell]) -> list[Cell]:
    """Cells with those of a representation together, in the order of the tables' rows."""
    places = {row: at for at, row in enumerate(ROWS.values())}
    return sorted(cells, key=lambda cell: places[cell.row])


def _asked_cells(relations: Relations, seed: int) -> list[Cell]:
    """The rows of whoever was asked: its choice on the experts' list, and agreement rank by rank.

    A character that chose itself counts as a miss, since the experts' list cannot hold it.
    """
    rows, systems = asked_lists(relations.connection), asked_systems(relations.own)
    cells = []
    for system in systems.single:
        cases = [
            Case(
                row.lists.character, float(row.choice_place is not None and row.choice_place <= 10)
            )
            for row in rows
            if row.lists.system == system and row.answered
        ]
        if cases:
            cells.append(mean_cell(Place("4", system, "top10"), cases, seed))
    for system, repeating in _repeating(rows, relations.own).items():
        ranked: list[Case] = []
        for row in rows:
            character = row.lists.character
            if row.lists.system != system or not (row.answered or character in repeating):
                continue
            repeated = ranked[-1].value if ranked else 0.0
            ranked.append(Case(character, row.lists.by_rank if row.answered else repeated))
        if ranked:
            cells.append(mean_cell(Place("4", system, "jaccard"), ranked, seed))
    return cells


def _repeating(rows: Sequence[AskedLists], own: Own) -> dict[str, set[str]]:
    """System -> the characters for whom the agreement of the one before counts once more.

    So it was for those that experts know and GPT-4 was not asked about. A model of the user's is
    treated alike if it was asked about everyone that GPT-4 was; those of the former that it was
    asked about itself count by their own answer, or not at all.
    """
    known = [row for row in rows if row.lists.system == TEN]
    found = {TEN: {row.lists.character for row in known if not row.answered}}
    asked = {row.lists.character for row in known if row.answered}
    for each in own.systems:
        if each.is_ten:
            whole = bool(asked) and asked <= each.asked.keys()
            found[each.name] = found[TEN] - each.asked.keys() if whole else set()
    return found


def _miss_cells(rows: Sequence[Nearest], seed: int) -> list[Cell]:
    """Section 6.1.2: which role the most similar characters of another role are of.

    Of all systems' misses among a role's members, how many are of the other role named there.
    """
    roles = {(row.member.character, row.member.group) for row in rows if row.member.part == "roles"}
    members = Counter(role for _, role in roles)
    cells = []
    for role, other in _MISSES:
        if not members[role]:
            continue
        cases = [
            Case(row.member.character, float((row.chosen, other) in roles))
            for row in rows
            if row.member.part == "roles" and row.member.group == role and not row.hit
        ]
        cells.append(mean_cell(Place("Section 6.1.2", role, other), cases, seed))
    return cells
