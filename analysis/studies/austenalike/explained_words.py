"""What each number of the study's tables and figures is, in words."""

from __future__ import annotations

from typing import Final

from analysis.cells import Cell
from analysis.explain.explanation import Definition

NOTHING: Final = Definition(what="", formula="", unit="", source="")
_PAPER: Final = "AustenAlike (the similarity paper), {}"
_SHARE: Final = "share in [0, 1]"
_AS: Final = {True: "As the authors' programs did it", False: "As the paper describes it"}


def size(cell: Cell, attribute: str, group: str) -> Definition:
    """Tables 1 and 5."""
    return Definition(
        what=f"Characters whom the benchmark's file puts into {attribute} {group}.",
        formula="count(*)",
        unit="count",
        source=_PAPER.format(f"section 3 and Table {cell.table}"),
    )


def rate(cell: Cell, part: str, interval: str, *, published: bool, away: bool) -> Definition:
    """Tables 2, 3, 6 and 7."""
    group = f"the role {cell.column}" if part == "roles" else f"the same group of {cell.column}"
    if published:
        how = (
            "each member counts twice, once among all characters and once among those of other"
            " novels; an answer that names the character itself alone counts as a hit"
        )
        how += ", and only choices from another novel count" if away else ""
    else:
        how = "each member counts once, " + (
            "among characters of other novels" if away else "among all characters"
        )
    return Definition(
        what=f"How often the most similar character of a member, by {cell.row}, is of {group} too."
        f" {_AS[published]}: {how}.",
        formula="sum(hit) / count(hit) over the rows",
        unit=_SHARE,
        source=_PAPER.format(f"section 5.1 and Table {cell.table}"),
        interval=interval,
    )


def correlation(cell: Cell, novel: str, interval: str, *, published: bool) -> Definition:
    """Tables 8 and 9, and of Table 4 the correlations."""
    pairs = "all pairs, those that nobody names as 0" if cell.column == "pearson_all_pairs" else ""
    pairs = pairs or "the pairs that experts name"
    if novel:
        pairs += f" of which {'the first' if published else 'one'} is of the novel {novel}"
    if cell.table == "9":
        pairs += ", the two of different novels"
    how = (
        "both orders of a pair, under the names of the published matrix, where the second has at"
        " most two words and both have every representation"
        if published
        else "each pair once, a character's names taken together"
    )
    return Definition(
        what=f"Pearson's correlation of cosine ({cell.row}) and how often experts call two alike,"
        f" over {pairs}. {_AS[published]}: {how}.",
        formula="corr(cosine, count) over the rows",
        unit="correlation in [-1, 1]",
        source=_PAPER.format(f"section 5.2 and Table {cell.table}"),
        interval=interval,
    )


def lists(cell: Cell, interval: str, *, published: bool, asked: bool) -> Definition:
    """Of Table 4 the lists of ten."""
    whose = "the ten it names most often" if asked else "the ten most similar by cosine"
    if cell.column == "jaccard":
        what = f"How well {whose} ({cell.row}) agree with the ten whom experts pair with it most"
        how = "rank by rank, as two sequences of labels" if published else "as sets"
        formula = (
            "same_ranks / (20 - same_ranks)" if published else "common / (10 + listed - common)"
        )
        if published and asked:
            how += "; a character that was not asked about repeats the agreement of the one before"
    else:
        what = (
            f"Whether what {cell.row} chooses is among the ten whom experts pair with it most"
            if asked
            else f"Whether whom experts pair with it most is among {whose} ({cell.row})"
        )
        how = "a choice of the character itself is a miss" if published else "ties share a hit"
        formula = "of the column that says so (top_in_ten, top_share or the choice's place <= 10)"
    return Definition(
        what=f"{what}, mean over characters. {_AS[published]}: {how}.",
        formula=f"the mean over the rows, a character each: {formula}",
        unit=_SHARE,
        source=_PAPER.format("section 5.2 and Table 4"),
        interval=interval,
    )


def bar(cell: Cell, place: tuple[str, str, str], interval: str, *, published: bool) -> Definition:
    """Figures 2 and 3, and what is in them less what is out."""
    part, column, side = place
    group = f"of the role {column}" if part == "roles" else f"of the same group of {column}"
    told = {
        "in": f"Members' mean cosine to the others {group}",
        "out": f"Members' mean cosine to everyone but those {group}",
        "": f"Members' mean cosine to the others {group}, less that to everyone else",
    }[side]
    how = (
        "the comparisons with and without the same novel together; an empty group repeats the mean"
        " of the row before"
        if published
        else "each member once; members without anyone to compare with are passed by"
    )
    return Definition(
        what=f"{told} ({cell.row}). {_AS[published]}: {how}.",
        formula=f"the mean of {f'mean_{side}' if side else 'mean_in - mean_out'} over the rows",
        unit="cosine in [-1, 1]",
        source=_PAPER.format(f"section 6.1.1 and {' '.join(cell.table.split()[:2])}"),
        interval=interval,
    )


def miss(cell: Cell, interval: str) -> Definition:
    """The counts of section 6.1.2."""
    return Definition(
        what=f"Of all systems' most similar characters of members of the role {cell.row} that are"
        f" of another role, how many are of the role {cell.column}; printed as a fraction.",
        formula="sum(of_other) / count(*) over the rows",
        unit=_SHARE,
        source=_PAPER.format("section 6.1.2"),
        interval=interval,
    )
