"""A chart can stand in a page: own ids, no style sheet, nothing that runs or points outside."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from analysis.cells import Cell
from analysis.errors import BadFigure
from analysis.panels import Panel
from analysis.plots import Chart, condition_bars, degradation, heat_map
from analysis.plots.inline import inline_svg, parsed_style
from analysis.statistics import Interval

HARM = "</svg><script>alert(1)</script>"


def chart(kind: str = "losses") -> Chart:
    places = ("guessing", HARM)
    cells = {
        ("m", place): Cell(
            table="t", row=place, column="m", value=40.0, n=9, interval=Interval(20.0, 60.0)
        )
        for place in places
    }
    panel = Panel(heading="", places=places, series=("m",), cells=cells)
    if kind == "losses":
        return degradation(panel, title=HARM, x_label="points")
    if kind == "bars":
        return condition_bars([panel], title=HARM, y_label="points")
    return heat_map([panel], title=HARM, key_label="percent")


@pytest.mark.parametrize("kind", ["losses", "bars", "heat map"])
def test_a_figure_has_its_own_ids_and_looks_without_a_sheet(kind: str) -> None:
    text = inline_svg(chart(kind), "figure-1")
    root = ElementTree.fromstring(text)  # noqa: S314 - our own drawing
    ids = [own for element in root.iter() if (own := element.get("id"))]
    tags = {element.tag for element in root.iter()}

    assert root.tag == "svg"
    assert not tags & {"script", "style", "metadata", "foreignObject"}
    assert "style=" not in text
    assert "font-family" not in text
    assert all(own.startswith("figure-1-") for own in ids)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', text)) <= set(ids)
    assert set(re.findall(r"https?://[^\"' ]+", text)) == set()


def test_it_is_named_for_those_who_cannot_see_it() -> None:
    drawn = chart()
    root = ElementTree.fromstring(inline_svg(drawn, "figure-1"))  # noqa: S314 - our own drawing
    named = {element.get("id"): element.text for element in root.iter()}

    assert root.get("role") == "img"
    assert [named[own] for own in str(root.get("aria-labelledby")).split()] == [
        HARM,
        drawn.description,
    ]


def test_the_ground_is_the_pages() -> None:
    """White shapes that hide nothing are left out; bars and marks are not."""
    text = inline_svg(chart("bars"), "figure-1")

    assert 'fill="#ffffff"' not in text
    assert 'fill="#1f5f99"' in text


def test_looks_are_taken_apart() -> None:
    assert parsed_style("fill: none; stroke: #ddd ;") == {"fill": "none", "stroke": "#ddd"}
    assert parsed_style("font: bold 8.5px 'X', sans-serif; text-anchor: middle") == {
        "font-size": "8.5",
        "font-weight": "bold",
        "text-anchor": "middle",
    }
    with pytest.raises(BadFigure, match="no known form"):
        parsed_style("font: large serif")


@pytest.mark.parametrize("name", ["", "1", 'a"b', "a b"])
def test_a_name_must_be_fit_for_an_id(name: str) -> None:
    with pytest.raises(BadFigure, match="cannot start the ids"):
        inline_svg(chart(), name)
