"""Scores as texts: arrows, marks, letters for what is undefined, and the same in LaTeX."""

from __future__ import annotations

import pytest

from analysis.statistics import Interval
from analysis.studies.grids import grids
from analysis.studies.latex import latex
from analysis.studies.score_grids import arrowed, arrowed_span
from analysis.studies.scores import Kind, Score
from analysis.studies.shown import Grid
from analysis.studies.study import Layout, StudyTable


def score(row: str, column: str, value: float | None, **more: object) -> Score:
    kind: Kind = "change" if more.pop("change", False) else "level"
    fields: dict[str, object] = {"group": "m", "n": 10, **more}
    return Score(table="3", row=row, column=column, kind=kind, value=value, **fields)  # type: ignore[arg-type]  # what each test gives


def grid(*cells: Score) -> Grid:
    layout = Layout(
        table="3",
        title="Table 3. Tasks",
        caption="Tasks",
        form="score",
        legend="Percent.",
        columns=("Origin", "NR"),
    )
    made = StudyTable(
        study="memorization",
        mode="",
        vectors=(),
        cells=cells,
        layouts=(layout,),
        labels={"a": "Task & a"},
        notes=(),
        experiment="e",
    )
    (found,) = grids(made)
    return found


@pytest.mark.parametrize(
    ("points", "shown"),
    [(-46.2, "↓46.2"), (1.4, "↑1.4"), (0.0, "↑0.0"), (-0.04, "↑0.0"), (-0.05, "↓0.1")],
)
def test_a_change_has_an_arrow(points: float, shown: str) -> None:
    """As the paper prints them: none at all goes up."""
    assert arrowed(points) == shown


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (-52.0, -40.1, "↓40.1–52.0"),
        (1.0, 4.2, "↑1.0–4.2"),
        (-3.2, 1.1, "↓3.2–↑1.1"),
        (-3.2, 0.0, "↓3.2–↑0.0"),
    ],
)
def test_an_interval_has_one_arrow_where_both_ends_go_one_way(
    low: float, high: float, shown: str
) -> None:
    assert arrowed_span(Interval(low, high)) == shown


def test_a_cell_is_a_level_with_its_change_and_the_change_s_interval() -> None:
    """A star for p after Holm, a dagger for missing replies; the paper's beside."""
    found = grid(
        score("a", "Origin", 78.25, interval=Interval(70, 85), missing=0.02),
        score("a", "NR", 32.0, n=9, paper="32.0", missing=0.02),
        score(
            "a", "NR", -46.25, change=True, interval=Interval(-52, -40), p_holm=0.049,
            missing=0.011, paper="-46.2",
        ),
    )  # fmt: skip

    (row,) = found.rows
    origin, nr = row.cells
    assert (row.label, row.count) == ("Task & a", "9–10")
    assert origin is not None
    assert (origin.value, origin.change, origin.interval) == ("78.3†", "", "[70.0–85.0]")
    assert nr is not None
    assert (nr.value, nr.change, nr.interval) == ("32.0", "↓46.3*†", "[↓40.0–52.0]")
    assert nr.paper == "32.0 ↓46.2"
    assert found.groups == ("m", "m")
    assert "*: Holm-adjusted p < 0.05." in found.legend
    assert "†: more than 1 % of the replies are missing" in found.legend
    assert "In parentheses: as the paper prints it." in found.legend


def test_marks_need_to_be_earned() -> None:
    """P of 0.05 is no star and 1 % missing no dagger; and no legend explains what is not there."""
    found = grid(
        score("a", "NR", 32.0),
        score("a", "NR", -1.0, change=True, p_holm=0.05, missing=0.01),
    )

    cell = found.rows[0].cells[1]
    assert cell is not None
    assert cell.change == "↓1.0"
    assert found.legend == "Percent."


def test_what_is_undefined_has_a_letter_and_what_was_not_asked_a_dash() -> None:
    """Never 0; the same reason has the same letter."""
    found = grid(
        score("a", "NR", None, undefined="no reply"),
        score("b", "Origin", 50.0, undefined="fewer than 2 items"),
        score("b", "NR", 50.0),
        score("b", "NR", 0.0, change=True, undefined="no item differs"),
        score("c", "NR", None, undefined="no reply"),
    )

    shown = [[(each.value, each.change) for each in row.cells if each] for row in found.rows]
    assert shown == [
        [("–", ""), ("undef. (a)", "")],
        [("50.0", ""), ("50.0", "↑0.0")],
        [("–", ""), ("undef. (a)", "")],
    ]
    cell = found.rows[1].cells[1]
    assert cell is not None
    assert cell.interval == "[(b)]"
    assert found.undefined == ("(a) no reply", "(b) no item differs")


def test_the_paper_s_own_columns_show_what_it_prints() -> None:
    found = grid(
        score("a", "Origin", None, paper="78.2"),
        score("a", "NR", None, paper="32.0"),
        score("a", "NR", None, change=True, paper="-46.2"),
    )

    shown = [(each.value, each.change, each.paper) for each in found.rows[0].cells if each]
    assert shown == [("78.2", "", None), ("32.0", "↓46.2", None)]


def test_latex_has_headings_over_columns_and_lines_below_numbers() -> None:
    made = latex(
        [
            grid(
                score("a", "Origin", 78.2),
                score("a", "NR", 32.0, paper="32.0"),
                score("a", "NR", -46.2, change=True, interval=Interval(-52, -40), p_holm=0.01),
            )
        ]
    )

    assert r" &  & \multicolumn{2}{c}{m} \\" in made
    assert r"\cmidrule(lr){3-4}" in made
    assert r" & $n$ & Origin & NR \\" in made
    assert r"Task \& a & 10 & 78.2 & 32.0 $\downarrow$46.2* \\" in made
    assert r" &  &  & {\scriptsize [$\downarrow$40.0--52.0]} \\" in made
    assert r" &  &  & {\scriptsize (32.0)} \\" in made
    assert made.count("{") == made.count("}")
    assert "p $<$ 0.05" in made
