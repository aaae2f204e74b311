"""Figures 2 to 5, read back from the drawn artists; every number is ours."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from analysis.cells import Cell
from analysis.errors import BadFigure
from analysis.panels import Panel
from analysis.plots import Chart, condition_bars, degradation, heat_map, save
from analysis.plots.frame import wrapped
from analysis.statistics import Interval
from analysis.studies.memorization.figures import lost
from analysis.studies.scores import Score

pytest.importorskip("matplotlib", reason="needs the `report` extra: pip install -e '.[report]'")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle  # the module is skipped without it
from matplotlib.text import Text

MODELS = ("one", "two")
PROMPTS = ("Baseline", "Verbatim", "Gist")


def cell(value: float | None, reach: float | None = 5.0, paper: str | None = None) -> Cell:
    span = None if value is None or reach is None else Interval(value - reach, value + reach)
    why = "no reply" if value is None else None
    return Cell(
        table="t", row="r", column="c", value=value, n=9, interval=span, undefined=why, paper=paper
    )


PANEL = Panel(
    heading="On plays",
    places=MODELS,
    series=PROMPTS,
    cells={
        ("Baseline", "one"): cell(80.0),
        ("Verbatim", "one"): cell(81.25),
        ("Gist", "one"): cell(60.0),
        ("Baseline", "two"): cell(None),
        ("Gist", "two"): cell(30.0, None),
    },
)


def bars(chart: Chart, panel: int = 0) -> list[Rectangle]:
    found = [each for each in chart.figure.axes[panel].patches if isinstance(each, Rectangle)]
    return sorted(found, key=lambda bar: bar.get_x())


def texts(chart: Chart) -> list[str]:
    return [each.get_text() for each in all_texts(chart)]


def all_texts(chart: Chart) -> list[Text]:
    return [each for each in chart.figure.findobj(Text) if isinstance(each, Text)]


def bar_chart(*panels: Panel) -> Chart:
    return condition_bars(panels, title="Figure 2", y_label="Accuracy (%)")


def test_bars_are_as_high_as_their_cells_and_stand_by_model() -> None:
    """In the order of the prompts; a bar that is undefined or was not asked is none."""
    chart = bar_chart(PANEL)

    assert [bar.get_height() for bar in bars(chart)] == [80.0, 81.25, 60.0, 30.0]
    middles = [bar.get_x() + bar.get_width() / 2 for bar in bars(chart)]
    assert [round(middle) for middle in middles] == [0, 0, 0, 1]
    shown = texts(chart)
    assert shown.count("undefined") == 1
    assert shown.count("–") == 1
    assert {"80.0", "81.3", "60.0", "30.0", "On plays", "Accuracy (%)"} <= set(shown)
    assert {"Baseline", "Verbatim", "Gist", "95 % interval", "one", "two"} <= set(shown)


def test_prompts_differ_without_colour() -> None:
    """Relative luminance (WCAG 2.2) goes up from bar to bar, and the last is hatched."""

    def luminance(bar: Rectangle) -> float:
        parts = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in to_rgb(bar.get_facecolor())
        ]
        return float(np.dot(parts, (0.2126, 0.7152, 0.0722)))

    first, second, third = bars(bar_chart(PANEL))[:3]

    assert luminance(second) + 0.05 >= 1.8 * (luminance(first) + 0.05)
    assert luminance(third) + 0.05 >= 1.8 * (luminance(second) + 0.05)
    assert [bool(bar.get_hatch()) for bar in (first, second, third)] == [False, False, True]


def test_a_line_lies_over_the_bars_with_its_own_numbers() -> None:
    """Clear of the middle bar's whisker, and broken where there is no number."""
    line = {"one": cell(90.0), "two": cell(None)}
    chart = bar_chart(replace(PANEL, line=line, line_label="Memory"))

    (drawn,) = [each for each in chart.figure.axes[0].lines if each.get_marker() == "D"]
    xs, ys = np.asarray(drawn.get_xdata()), np.asarray(drawn.get_ydata())
    assert ys[0] == 90
    assert np.isnan(ys[1])
    assert xs[0] == pytest.approx(bars(chart)[1].get_x() + bars(chart)[1].get_width())
    assert {"Memory", "90.0"} <= set(texts(chart))
    assert "81.3" not in texts(chart)
    assert "one: Baseline 80.0 (75.0 to 85.0, n = 9)" in chart.description
    assert "Memory 90.0 (85.0 to 95.0, n = 9)" in chart.description


def test_all_panels_share_one_axis_that_begins_at_zero() -> None:
    other = replace(PANEL, heading="On novels", cells={("Gist", "one"): cell(10.0)})
    chart = bar_chart(PANEL, other, other)

    limits = {axes.get_ylim() for axes in chart.figure.axes}
    assert len(limits) == 1
    low, high = limits.pop()
    assert low == 0
    assert high > 86.25
    assert len(chart.figure.axes) == 3


def test_a_heat_map_prints_every_number_in_its_field() -> None:
    """From 0 to 100 in one hue; dark fields have white numbers."""
    panel = replace(PANEL, cells={**PANEL.cells, ("Baseline", "two"): cell(90.0)})
    chart = heat_map([panel], title="Figure 3", key_label="Accuracy (%)")

    mesh = chart.figure.axes[0].collections[0]
    numbers = {each.get_text(): each for each in chart.figure.axes[0].texts}
    assert mesh.get_clim() == (0, 100)
    values = np.ma.filled(mesh.get_array().astype(float), np.nan)  # type: ignore[union-attr]  # it has one
    assert values.tolist()[0] == [80.0, 90.0]
    assert np.isnan(values[1, 1])
    assert {"80.0", "75.0–85.0", "90.0", "60.0", "–", "30.0"} <= set(numbers)
    assert numbers["90.0"].get_color() == "white"
    assert numbers["30.0"].get_color() != "white"
    assert numbers["80.0"].get_position()[0] < numbers["90.0"].get_position()[0]


def losses(**more: object) -> Chart:
    panel = Panel(
        heading="",
        places=("Guess", "Find"),
        series=MODELS,
        cells={
            ("one", "Guess"): cell(46.25, 4.0, "46.7"),
            ("two", "Guess"): cell(-2.0, 3.0),
            ("one", "Find"): cell(None),
            **more,  # type: ignore[dict-item]  # further cells
        },
    )
    return degradation(panel, title="Figure 5", x_label="Points lost")


def test_losses_are_points_with_intervals_in_a_band_a_task() -> None:
    """The models of a task from top to bottom, each with a shape of its own."""
    axes = losses().figure.axes[0]

    points = {
        each.get_marker(): (float(np.asarray(each.get_xdata())[0]), np.asarray(each.get_ydata())[0])
        for each in axes.lines
        if each.get_marker() not in {"None", "|"}
    }
    spans = [
        tuple(np.asarray(each.get_xdata()).tolist())
        for each in axes.lines
        if each.get_marker() == "None" and len(np.asarray(each.get_xdata())) == 2
    ]
    assert {marker: x for marker, (x, _) in points.items()} == {"o": 46.25, "s": -2.0}
    assert points["o"][1] < points["s"][1] < 0.5
    assert (42.25, 50.25) in spans
    assert (-5.0, 1.0) in spans
    assert [text.get_text() for text in axes.texts] == ["46.3", "-2.0", "undefined", "not asked"]


def test_the_paper_s_number_is_a_stroke_in_its_row() -> None:
    chart = losses()

    strokes = [
        float(np.asarray(each.get_xdata())[0])
        for each in chart.figure.axes[0].lines
        if each.get_marker() == "|"
    ]
    assert strokes == [46.7]
    assert "the paper's" in texts(chart)


def test_a_loss_is_a_change_turned_round() -> None:
    """With its interval and the paper's number."""
    change = Score(
        table="Figure 5", row="r", column="c", group="m", kind="change", value=-46.5, n=3,
        interval=Interval(-50.0, -40.0), paper="-46.7",
    )  # fmt: skip

    found = lost(change)

    assert (found.value, found.interval, found.paper) == (46.5, Interval(40.0, 50.0), "46.7")


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ({}, "there are none"),
        ({("Gist", "three"): cell(1.0)}, "column 'three' has no label"),
        ({("Other", "one"): cell(1.0)}, "row 'Other', column 'one' has no label"),
        ({("Gist", "one"): cell(float("nan"))}, "a number is not finite"),
    ],
)
def test_cells_that_make_no_figure_are_refused(
    cells: dict[tuple[str, str], Cell], found: str
) -> None:
    with pytest.raises(BadFigure, match=found):
        bar_chart(replace(PANEL, cells=cells))


@pytest.mark.parametrize("count", [1, 6])
def test_long_names_stay_within_the_figure(count: int, tmp_path: Path) -> None:
    """No label of an axis meets its neighbour, and no text is cut at an edge."""
    models = tuple(f"organization-{at}/Some-Model-{at}-72B-Instruct-Turbo" for at in range(count))
    cells = {(prompt, model): cell(50.0) for prompt in PROMPTS for model in models}
    panel = Panel(heading="", places=models, series=PROMPTS, cells=cells)
    task = "Source identification on a set of excerpts"
    lost_cells = {(model, task): cell(5.0) for model in models}
    turned = Panel(heading="", places=(task,), series=models, cells=lost_cells)

    for chart in (
        bar_chart(panel),
        heat_map([panel], title="Figure 3", key_label="Accuracy (%)"),
        degradation(turned, title="Figure 5", x_label="Points lost"),
    ):
        renderer = FigureCanvasAgg(chart.figure).get_renderer()  # type: ignore[no-untyped-call]
        labels = [
            each.get_window_extent(renderer) for each in chart.figure.axes[0].get_xticklabels()
        ]
        if len(models) == len(labels):  # else they are numbers, of which some are not shown
            assert all(a.x1 <= b.x0 for a, b in pairwise(labels))
        width_in, height_in = chart.figure.get_size_inches()
        box = chart.figure.get_tightbbox(renderer)
        assert min(box.x0, box.y0) >= 0
        assert box.x1 <= width_in
        assert box.y1 <= height_in
        first = [path.read_bytes() for path in save(chart, tmp_path, "figure")]
        assert [path.read_bytes() for path in save(chart, tmp_path, "figure")] == first


def test_a_label_is_broken_where_a_name_can_be() -> None:
    assert wrapped("organization/Some-Model", 1.0) == "organization/\nSome-Model"
    assert wrapped("cross culture", 0.6) == "cross\nculture"
    assert wrapped("short", 1.0) == "short"
