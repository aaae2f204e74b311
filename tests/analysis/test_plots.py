"""Figures are read back from the drawn artists and from the files; every number is ours."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from analysis.cells import Cell
from analysis.errors import MissingExtra, NotWritten
from analysis.plots import Chart, group_bars, save
from tests.analysis.bars_for_tests import GROUPS, NUMBERS, ROWS, cells

pytest.importorskip("matplotlib", reason="needs the `report` extra: pip install -e '.[report]'")

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle


def drawn(given: Sequence[Cell] | None = None, title: str = "Crew: likeness & rank") -> Chart:
    return group_bars(
        cells() if given is None else given,
        title=title,
        row_labels=ROWS,
        column_labels=GROUPS,
        y_label="Mean cosine similarity",
    )


def bars(axes: Axes) -> list[Rectangle]:
    """From left to right."""
    found: list[Rectangle] = list(axes.patches)  # type: ignore[arg-type]  # all are bars
    return sorted(found, key=lambda bar: bar.get_x())


def whiskers(axes: Axes) -> list[tuple[float, float, float]]:
    """Place, low and high of each, from left to right."""
    lines = [
        segment
        for each in axes.collections
        for segment in each.get_segments()  # type: ignore[attr-defined]  # a LineCollection
    ]
    return sorted((low[0], low[1], high[1]) for low, high in lines)


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def notes(chart: Chart) -> list[str]:
    return [text.get_text() for text in chart.figure.texts]


def test_a_bar_is_as_high_as_its_cell() -> None:
    """Panels and groups stand in the order of their labels, in-group left of out-group."""
    deeds, words = drawn().figure.axes

    assert [axes.get_title(loc="left") for axes in (deeds, words)] == list(ROWS.values())[:2]
    assert [bar.get_height() for bar in bars(deeds)] == [0.5, -0.125, 0.25, 0.0]
    assert [bar.get_height() for bar in bars(words)] == [-0.2, -0.00001, 0.1]
    assert all(bar.get_y() == 0 for bar in (*bars(deeds), *bars(words)))


def test_the_bars_of_a_pair_meet_over_its_label() -> None:
    _, words = drawn().figure.axes
    ticks = dict(zip(words.get_xticks(), words.get_xticklabels(), strict=True))

    edges = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars(words)]

    assert [text.get_text() for text in ticks.values()] == [GROUPS["skipper"], GROUPS["cook"]]
    skipper, cook = (float(tick) for tick in ticks)
    assert edges[0][0] == pytest.approx(skipper)
    assert (edges[1][1], edges[2][0]) == pytest.approx((cook, cook))


def test_whiskers_are_the_intervals_and_stand_on_their_bars() -> None:
    """Also where an interval does not hold the value; a bar without one has none."""
    for axes, row in zip(drawn().figure.axes, ("deeds", "words"), strict=True):
        intervals = {
            value: interval
            for (its_row, *_), (value, _, interval) in NUMBERS.items()
            if its_row == row and value is not None
        }
        expected = [
            pytest.approx((bar.get_x() + bar.get_width() / 2, interval.low, interval.high))
            for bar in bars(axes)
            if (interval := intervals[bar.get_height()])
        ]

        assert whiskers(axes) == expected


def test_an_undefined_cell_is_named_so_and_has_no_bar() -> None:
    """The mark stands where the bar would, left of its neighbour."""
    deeds, words = drawn().figure.axes

    marks = [text for text in words.texts if text.get_text() == "undefined"]

    assert "undefined" not in texts(deeds)
    assert len(marks) == 1
    out = bars(words)[0]
    assert marks[0].get_position() != (0, 0)
    assert marks[0].xy[0] == pytest.approx(out.get_x() - out.get_width() / 2)  # type: ignore[attr-defined]  # an Annotation


def test_panels_share_one_y_axis_that_shows_everything_and_zero() -> None:
    figure = drawn().figure
    limits = {axes.get_ylim() for axes in figure.axes}

    assert len(limits) == 1
    low, high = limits.pop()
    assert low < -0.3
    assert high > 0.75
    for axes in figure.axes:
        assert [0, 0] in [np.asarray(line.get_ydata()).tolist() for line in axes.lines]
    below = drawn([replace(each, value=-1.0, interval=None) for each in cells()]).figure.axes[0]
    assert below.get_ylim()[1] > 0


def test_what_the_bars_measure_is_written_beside_the_middle_of_the_panels() -> None:
    figure = drawn().figure
    (label,) = [text for text in figure.texts if text.get_text() == "Mean cosine similarity"]
    first, last = (axes.get_position() for axes in figure.axes)

    assert label.get_rotation() == 90
    assert label.get_position()[1] == pytest.approx((first.y1 + last.y0) / 2)
    assert label.get_position()[0] < first.x0


def test_counts_stand_under_each_panel_where_panels_differ() -> None:
    """One number where both bars of a pair rest on as many, else in-group / out-group."""
    chart = drawn()

    assert [texts(axes)[-2:] for axes in chart.figure.axes] == [
        ["n = 7", "n = 4"],
        ["n = 1 / 6", "n = 4"],
    ]
    assert "n: cases, in-group / out-group" in notes(chart)


def test_counts_stand_once_where_all_panels_have_the_same() -> None:
    chart = drawn([replace(each, n=3, value=0.1) for each in cells()])

    assert [texts(axes) for axes in chart.figure.axes] == [[], ["n = 3", "n = 3"]]
    assert "n: cases behind each bar" in notes(chart)


def test_counts_that_do_not_fit_are_left_to_the_description() -> None:
    """And nothing explains an n that is not there."""
    names = {f"g{number}": f"G{number}" for number in range(14)}
    given = [
        Cell(table="9", row="r", column=f"{name}.{side}", value=0.1, n=n)
        for name in names
        for side, n in (("in", 1234567), ("out", 7654321))
    ]

    chart = group_bars(given, title="", row_labels={"r": "R"}, column_labels=names, y_label="y")

    assert texts(chart.figure.axes[0]) == []
    assert not any("n:" in note for note in notes(chart))
    assert chart.description.count("n = 7654321") == 14


def test_labels_that_do_not_fit_are_slanted() -> None:
    names = {f"g{number}": f"A long label of group {number}" for number in range(7)}
    given = [
        Cell(table="9", row="r", column=f"{name}.{side}", value=0.1, n=1)
        for name in names
        for side in ("in", "out")
    ]
    slanted = group_bars(given, title="", row_labels={"r": "R"}, column_labels=names, y_label="y")

    assert {label.get_rotation() for label in slanted.figure.axes[0].get_xticklabels()} == {30}
    assert {label.get_rotation() for label in drawn().figure.axes[1].get_xticklabels()} == {0}


def test_the_legend_is_drawn_once_and_knows_whiskers_only_where_there_are_any() -> None:
    plain = drawn([replace(each, interval=None) for each in cells()])

    for chart, expected in (
        (drawn(), ["In-group", "Out-group", "95 % interval"]),
        (plain, ["In-group", "Out-group"]),
    ):
        (legend,) = chart.figure.legends
        assert [text.get_text() for text in legend.get_texts()] == expected
        assert not any(axes.get_legend() for axes in chart.figure.axes)


def luminance(colour: tuple[float, ...]) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_two_sides_can_be_told_apart_without_colour() -> None:
    """A contrast of 3 to 1 is what WCAG asks of graphics; the hatch needs no grey at all."""
    inside, outside = bars(drawn().figure.axes[0])[:2]

    light = luminance(outside.get_facecolor())  # type: ignore[arg-type]  # four floats
    dark = luminance(inside.get_facecolor())  # type: ignore[arg-type]

    assert (light + 0.05) / (dark + 0.05) >= 3
    assert not inside.get_hatch()
    assert outside.get_hatch()


def test_an_svg_keeps_its_text_and_says_what_it_shows(tmp_path: Path) -> None:
    """Title and description come first and are named by the root, where screen readers look."""
    chart = drawn()

    _, path = save(chart, tmp_path, "figure-9")

    assert path == tmp_path / "figure-9.svg"
    root = ET.parse(path).getroot()  # noqa: S314 - our own file
    space = "{http://www.w3.org/2000/svg}"
    title, description = list(root)[:2]
    assert (root.get("role"), title.tag, description.tag) == (
        "img",
        f"{space}title",
        f"{space}desc",
    )
    assert (title.text, description.text) == (chart.title, chart.description)
    assert root.get("aria-labelledby") == title.get("id")
    assert root.get("aria-describedby") == description.get("id")
    shown = [text.text for text in root.iter(f"{space}text")]
    once = [chart.title, "Mean cosine similarity", "What they do", "What they say", "Skipper"]
    once += [GROUPS["cook"], "undefined", "In-group", "Out-group", "95 % interval", "n = 1 / 6"]
    assert [shown.count(each) for each in once] == [1] * len(once)


def chunks(png: bytes) -> list[tuple[str, bytes]]:
    """Type and data of each chunk (PNG specification, section 5)."""
    found, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        found.append((png[at + 4 : at + 8].decode(), png[at + 8 : at + 8 + length]))
        at += 12 + length
    return found


def test_a_png_has_200_dots_an_inch_and_is_7_inches_wide(tmp_path: Path) -> None:
    """Its text chunks hold title and description, and name no software."""
    chart = drawn()

    path, _ = save(chart, tmp_path, "figure-9")

    found = chunks(path.read_bytes())
    data = dict(found)
    assert struct.unpack(">I", data["IHDR"][:4]) == (1400,)
    assert struct.unpack(">IIB", data["pHYs"]) == (7874, 7874, 1)  # a metre
    said = dict(part.split(b"\0", 1) for kind, part in found if kind == "tEXt")
    assert said == {b"Title": chart.title.encode(), b"Description": chart.description.encode()}


DRAW = """
import sys
sys.path[:0] = [{root!r}]
from pathlib import Path
import analysis.plots
assert "matplotlib" not in sys.modules
from tests.analysis.test_plots import drawn
analysis.plots.save(drawn(), Path({folder!r}), "figure-9")
print("matplotlib.pyplot" in sys.modules)
"""


def test_the_same_cells_give_the_same_bytes_whatever_the_settings(tmp_path: Path) -> None:
    """In another process, with other hashes, a matplotlibrc of the user's own and no display.

    pyplot is never loaded, and matplotlib not before something is drawn.
    """
    settings = tmp_path / "matplotlibrc"
    settings.write_text("font.size: 20\nsvg.fonttype: path\naxes.facecolor: red\nbackend: TkAgg\n")
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    environment |= {"MATPLOTLIBRC": str(settings), "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    code = DRAW.format(root=str(Path(__file__).parents[2]), folder=str(tmp_path / "other"))

    here = save(drawn(), tmp_path / "here", "figure-9")
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )

    assert done.stdout == "False\n"
    for path in here:
        assert (tmp_path / "other" / path.name).read_bytes() == path.read_bytes()


def test_a_chart_can_be_saved_again(tmp_path: Path) -> None:
    """Over what is there, to the same bytes; nothing else is left in the folder.

    Saving moves no panel, in either format: where it does, the bytes change from time to time.
    """
    chart = drawn()
    places = [axes.get_position().bounds for axes in chart.figure.axes]
    folder = tmp_path / "made" / "on the way"
    first = [path.read_bytes() for path in save(chart, folder, "figure-9")]
    (folder / "figure-9.png").write_bytes(b"older")

    again = save(chart, folder, "figure-9")

    assert [path.read_bytes() for path in again] == first
    assert sorted(folder.iterdir()) == sorted(again)
    assert [axes.get_position().bounds for axes in chart.figure.axes] == places


def test_drawing_leaves_the_settings_of_matplotlib_alone(tmp_path: Path) -> None:
    import matplotlib as mpl  # noqa: PLC0415 - the module is skipped without it

    with mpl.rc_context({"font.size": 31, "svg.hashsalt": None}):
        before = dict(mpl.rcParams)
        save(drawn(), tmp_path, "figure-9")

        assert dict(mpl.rcParams) == before


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python does for a package that is not there."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(MissingExtra, match=r"^matplotlib is not installed, and figures") as caught:
        drawn()

    assert "pip install 'gistprobe[report]'" in str(caught.value)


def test_a_folder_that_takes_no_file_is_named(tmp_path: Path) -> None:
    """A file stands in its place."""
    blocked = tmp_path / "file"
    blocked.write_text("mine")

    with pytest.raises(NotWritten, match=r"figure figure-9 cannot be written to .*File exists"):
        save(drawn(), blocked, "figure-9")

    assert blocked.read_text() == "mine"


def test_nothing_is_left_of_files_that_could_not_be_written(tmp_path: Path) -> None:
    """The folder of the second file's name is missing; the first does not take its place."""
    with pytest.raises(NotWritten, match="figure missing/figure-9 cannot be written"):
        save(drawn(), tmp_path, "missing/figure-9")

    assert list(tmp_path.iterdir()) == []
