"""How a study's numbers are printed: digits, grids of texts, and LaTeX."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.cells import Cell, as_printed
from analysis.statistics import Interval
from analysis.studies import Layout, StudyTable
from analysis.studies.grids import grids
from analysis.studies.latex import escaped, latex
from analysis.studies.study import Form


@pytest.mark.parametrize(
    ("value", "digits_first", "printed"),
    [
        (0.125, None, "0.13"),
        (0.295, None, "0.30"),
        (34 / 108, None, "0.31"),
        (34 / 108, 3, "0.32"),
        (0.264666, None, "0.26"),
        (0.0, 3, "0.00"),
        (-0.001, None, "0.00"),
        (-0.065, None, "-0.07"),
        (1.0, 3, "1.00"),
        (0.00449, 3, "0.00"),
        (1e-9, 3, "0.00"),
        (123.456, None, "123.46"),
    ],
)
def test_digits_are_rounded_half_up(value: float, digits_first: int | None, printed: str) -> None:
    assert as_printed(value, digits_first=digits_first) == printed


@given(st.floats(-1, 1), st.sampled_from([None, 3]))
def test_what_is_printed_is_near(value: float, digits_first: int | None) -> None:
    """Within a half of the last digit, or a little more where it is rounded twice."""
    assert abs(float(as_printed(value, digits_first=digits_first)) - value) <= 0.00551


def cell(row: str, column: str, value: float | None, **more: object) -> Cell:
    given_more = {"n": 7, "interval": Interval(0.1, 0.9), **more}
    return Cell(table="2", row=row, column=column, value=value, **given_more)  # type: ignore[arg-type]


def study_table(form: Form, *cells: Cell) -> StudyTable:
    return StudyTable(
        study="s",
        mode="clean",
        vectors=("made",),
        cells=cells,
        layouts=(Layout(table="2", title="Table 2. Rates", caption="Rates", form=form),),
        labels={"a_b": "A & B", "king": "King"},
        notes=(),
    )


def test_a_grid_has_rows_columns_counts_and_what_agrees() -> None:
    (grid,) = grids(
        study_table(
            "rate",
            cell("a_b", "king", 34 / 108, paper="0.32"),
            cell("a_b", "fool", 0.4, paper="0.50", n=9),
            cell("c", "king", None, n=0, interval=None, undefined="nobody"),
            cell("c", "fool", 0.25, paper=None),
        )
    )

    assert grid.columns == ("King", "fool")
    assert grid.counts == ("0–7", "7–9")
    assert [row.label for row in grid.rows] == ["A & B", "c"]
    first, second = grid.rows[0].cells
    assert first is not None
    assert second is not None
    assert (first.value, first.paper, first.same, first.interval) == (
        "0.32",
        "0.32",
        True,
        "[0.10, 0.90]",
    )
    assert (second.value, second.same) == ("0.40", False)
    assert (grid.same, grid.printed) == (1, 2)
    assert grid.undefined == ("nobody (1)",)
    assert grid.rows[1].cells[0] is not None
    assert grid.rows[1].cells[0].value == "–"


def test_numbers_are_compared_and_not_their_texts() -> None:
    """0.4 and 0.40 are the same number; 0 and 0.00 too."""
    (grid,) = grids(
        study_table("rate", cell("a", "x", 0.4, paper="0.4"), cell("a", "y", 0.0, paper="0"))
    )

    assert grid.same == 2


def test_bars_stand_with_representations_as_columns() -> None:
    """Three decimals: two would print most cosines as 0.00."""
    (grid,) = grids(
        study_table("cosine", cell("a_b", "king.in", 0.0114), cell("a_b", "king.out", -0.0002))
    )

    assert grid.columns == ("A & B",)
    assert [row.label for row in grid.rows] == ["King in", "King out"]
    assert [row.cells[0].value for row in grid.rows if row.cells[0]] == ["0.011", "0.000"]


def test_counts_and_fractions_stand_in_a_line_each() -> None:
    (sizes,) = grids(study_table("count", cell("king", "size", 7.0, paper="8", interval=None)))
    (misses,) = grids(study_table("fraction", cell("king", "fool", 19 / 69, n=69, paper="10/69")))

    assert [row.label for row in sizes.rows] == ["King"]
    assert sizes.rows[0].cells[0] is not None
    assert sizes.rows[0].cells[0].value == "7"
    assert not sizes.has_intervals
    assert [row.label for row in misses.rows] == ["King: fool"]
    assert misses.rows[0].cells[0] is not None
    assert misses.rows[0].cells[0].value == "19/69"
    assert not misses.rows[0].cells[0].same


def test_latex_has_every_number_and_escapes_what_means_something() -> None:
    made = latex(
        grids(
            study_table(
                "rate",
                cell("a_b", "king", 0.125, paper="0.12"),
                cell("a_b", "50%_", None, interval=None, undefined="x"),
            )
        )
    )

    assert r" & King & 50\%\_ \\" in made
    assert r"A \& B & $0.13$ ($0.12$) & -- \\" in made
    assert r" & {\scriptsize [0.10, 0.90]} &  \\" in made
    assert r"\caption{Rates. In parentheses" in made
    assert made.count(r"\begin{tabular}{lrr}") == made.count(r"\end{tabular}") == 1


def test_every_character_with_a_meaning_in_latex_is_escaped() -> None:
    assert escaped(r"\ & % $ # _ { } ~ ^") == (
        r"\textbackslash{} \& \% \$ \# \_ \{ \} \textasciitilde{} \textasciicircum{}"
    )
