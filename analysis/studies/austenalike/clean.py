"""The tables and figures as the paper describes them.

Departures from what was published: one comparison a character, among all characters or among those
of other novels; members without anyone to compare with are passed by; experts' counts are those of
the list of comparisons, the names of a character taken together, each pair once; the ten most
similar are compared as sets. Nothing here knows what the paper prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis.cells import Cell
from analysis.similarity.measures import Case, Place, correlation_cell, mean_cell
from analysis.similarity.relations import Relations
from analysis.similarity.rows import PairRow, answered, in_out, nearest, pairs, top_ten
from analysis.studies.austenalike.experts import MERGED
from analysis.studies.austenalike.published import in_row_order
from analysis.studies.austenalike.rows import (
    ROWS,
    AskedLists,
    asked_lists,
    expert_lists,
    row_name,
)
from analysis.studies.austenalike.tables import (
    ALL,
    Systems,
    asked_systems,
    bar_cells,
    correlation_cells,
    difference_cells,
    rate_cells,
    size_cells,
)


def clean_cells(relations: Relations, seed: int) -> list[Cell]:
    """Every cell of Tables 1 to 9 and of Figures 2 and 3, with the same novel and without it."""
    connection, systems = relations.connection, asked_systems(relations.own)
    by_cosine = nearest(connection)
    asked = [row for row in answered(connection) if row.system in systems.single]
    included = [row for row in by_cosine if row.works == "all"] + asked
    # Nobody was asked again without the same novel: answers from other novels are taken.
    excluded = [row for row in by_cosine if row.works == "other"] + [
        row for row in asked if row.chosen_work != row.member.work
    ]
    every = pairs(connection, MERGED)
    paired = [row for row in every if row.count > 0]
    cosines = in_out(connection)
    whole = [row for row in cosines if row.works == "all"]
    others = [row for row in cosines if row.works == "other"]
    by_novel = correlation_cells("8", paired, _of_either, seed)
    return [
        *size_cells(connection),
        *rate_cells("2", "roles", excluded, systems, seed),
        *rate_cells("3", "social", excluded, systems, seed),
        *_expert_cells(relations, by_novel, every, seed),
        *rate_cells("6", "roles", included, systems, seed),
        *rate_cells("7", "social", included, systems, seed),
        *by_novel,
        *correlation_cells("9", [p for p in paired if p.a_work != p.b_work], _of_either, seed),
        *bar_cells("Figure 2", "roles", whole, seed),
        *difference_cells("Figure 2 difference", "roles", whole, seed),
        *bar_cells("Figure 2 other novels", "roles", others, seed),
        *difference_cells("Figure 2 other novels difference", "roles", others, seed),
        *bar_cells("Figure 3", "social", whole, seed),
        *difference_cells("Figure 3 difference", "social", whole, seed),
        *bar_cells("Figure 3 other novels", "social", others, seed),
        *difference_cells("Figure 3 other novels difference", "social", others, seed),
    ]


def _of_either(row: PairRow, novel: str) -> bool:
    return novel in (row.a_work, row.b_work)


def _expert_cells(
    relations: Relations, by_novel: Sequence[Cell], every: Sequence[PairRow], seed: int
) -> list[Cell]:
    """Table 4, and beside it the correlation over all pairs, also those nobody names."""
    cells = [replace(cell, table="4", column="pearson") for cell in by_novel if cell.column == ALL]
    lists, tens = expert_lists(relations.connection), top_ten(relations.connection, MERGED)
    for system in ROWS.values():
        own = [each for each in lists if row_name(each.system) == system]
        ten = [each for each in tens if row_name(each.system) == system]
        all_pairs = [row for row in every if row_name(row.system) == system]
        if not all_pairs:
            continue
        as_sets = [Case(each.character, each.as_sets) for each in own]
        top = [Case(each.character, each.top_share) for each in ten]
        cells += [
            correlation_cell(Place("4", system, "pearson_all_pairs"), all_pairs, seed),
            mean_cell(Place("4", system, "jaccard"), as_sets, seed),
            mean_cell(Place("4", system, "top10"), top, seed),
        ]
    said = asked_lists(relations.connection)
    return in_row_order(cells) + _asked_cells(said, asked_systems(relations.own), seed)


def _asked_cells(rows: Sequence[AskedLists], systems: Systems, seed: int) -> list[Cell]:
    """The rows of whoever was asked, over the characters with an answer that experts know."""
    cells = []
    for system in systems.single:
        cases = [
            Case(row.lists.character, float((row.other_choice_place or 11) <= 10))
            for row in rows
            if row.lists.system == system and row.answered
        ]
        if cases:
            cells.append(mean_cell(Place("4", system, "top10"), cases, seed))
    for system in systems.ten:
        ten = [row.lists for row in rows if row.lists.system == system and row.answered]
        if ten:
            as_sets = [Case(each.character, each.as_sets) for each in ten]
            top = [Case(each.character, float(each.top_in_ten)) for each in ten]
            cells.append(mean_cell(Place("4", system, "jaccard"), as_sets, seed))
            cells.append(mean_cell(Place("4", system, "top10"), top, seed))
    return cells
