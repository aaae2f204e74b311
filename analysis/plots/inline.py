"""A chart as an SVG element that can stand in a page beside others, under a strict policy.

What matplotlib writes is a document of its own: its ids are the same from figure to figure, its
looks are in `style` attributes, which a page's Content-Security-Policy may refuse, and a style
sheet in it would apply to the whole page. Here ids get a prefix, looks become attributes, and
nothing is left that runs or points outside.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import Final
from xml.etree import ElementTree

from analysis.errors import BadFigure
from analysis.plots.chart import Chart, style

_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK: Final = "{http://www.w3.org/1999/xlink}href"
_URL: Final = re.compile(r"url\(#([^)]*)\)")
_FONT: Final = re.compile(r"^(?P<words>.*?)(?P<size>[\d.]+)px\s+(?P<family>.+)$")
_DROPPED: Final = frozenset({"metadata", "script", "style"})
_SHEET: Final = {"stroke-linejoin": "round", "stroke-linecap": "butt"}
"""What the style sheet of the document says of every element."""
_PATCH: Final = "patch_"
"""How matplotlib's names of such shapes start."""
_PICTURE: Final = "data:image/png;base64,"
"""The one thing beside its own ids that a figure may point to: the key to its colours."""


def inline_svg(chart: Chart, name: str) -> str:
    """A chart as an `svg` element without a ground, with its title and description for readers.

    Args:
        chart: What is drawn.
        name: Starts every id in it; no two figures of a page may have the same.

    Raises:
        BadFigure: The name is no identifier.
        MissingExtra: matplotlib is not installed.
    """
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise BadFigure(f"{name!r} cannot start the ids of an SVG")
    made = BytesIO()
    with style():
        chart.figure.savefig(made, format="svg", metadata={"Date": None, "Creator": None})
    root = ElementTree.fromstring(made.getvalue())  # noqa: S314 - matplotlib's own output
    _clean(root, name)
    width, height = root.attrib.pop("width"), root.attrib.pop("height")
    root.attrib.update(_SHEET, role="img", width=_pixels(width), height=_pixels(height))
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    for place, (tag, text) in enumerate((("title", chart.title), ("desc", chart.description))):
        said = ElementTree.Element(f"{{{_SVG}}}{tag}", {"id": f"{name}-{tag}"})
        said.text, said.tail = text, "\n"
        root.insert(place, said)
    return _written(root)


def _clean(element: ElementTree.Element, name: str) -> None:
    """Make an element and all within it fit to stand in a page."""
    for child in list(element):
        tag = child.tag.rpartition("}")[2]
        if tag in _DROPPED:
            element.remove(child)
            continue
        _clean(child, name)
        if _is_ground(child):
            element.remove(child)
    for key, value in parsed_style(element.attrib.pop("style", "")).items():
        element.set(key, value)
    element.attrib.pop("font-family", None)
    if target := element.attrib.pop(_XLINK, None):
        element.set("href", target)
    for key, value in element.items():
        element.set(key, _own(key, value, name))


def _own(key: str, value: str, name: str) -> str:
    """An attribute's value with ids that are this figure's alone."""
    if key == "id":
        return f"{name}-{value}"
    if key == "href" and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    if key == "href" and not value.startswith(_PICTURE):
        raise BadFigure(f"it points to {value[:40]!r}")
    return _URL.sub(rf"url(#{name}-\1)", value)


def _is_ground(element: ElementTree.Element) -> bool:
    """Whether it is what matplotlib paints white behind a figure or a panel, and nothing else."""
    inside = list(element)
    return (
        _PATCH in element.get("id", "")
        and len(inside) == 1
        and inside[0].get("fill") == "#ffffff"
        and not {"stroke", "opacity"} & set(inside[0].keys())
    )


def parsed_style(text: str) -> dict[str, str]:
    """The properties of a `style` attribute, each of which SVG takes as an attribute too."""
    found: dict[str, str] = {}
    for declaration in filter(str.strip, text.split(";")):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        if key == "font":
            found.update(_font(value))
        else:
            found[key] = value
    return found


def _font(value: str) -> dict[str, str]:
    """The parts of the shorthand, which is no attribute; the family is left to the page."""
    found = _FONT.match(value)
    if found is None:
        raise BadFigure(f"the font {value!r} is in no known form")
    words = found["words"].split()
    weight = next((word for word in words if word == "bold" or word.isdigit()), "")
    return {"font-size": found["size"]} | ({"font-weight": weight} if weight else {})


def _pixels(points: str) -> str:
    """A length in points as CSS pixels."""
    return f"{float(points.removesuffix('pt')) * 4 / 3:.0f}"


def _written(root: ElementTree.Element) -> str:
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return ElementTree.tostring(root, encoding="unicode")
