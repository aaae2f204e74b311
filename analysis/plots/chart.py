"""What a drawn figure is, how all of them look, and how they are written to files.

matplotlib takes some settings from a global table only, at drawing and again at saving: both run
with its shipped defaults and ours on top, so that a user's own settings change no byte, and both
must run in one thread at a time.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from analysis.errors import MissingExtra, NotWritten

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK: Final = "#1a1a1a"
FAINT: Final = "#555555"
PALE: Final = "#dddddd"

WIDTH_IN: Final = 7.0
LINE_IN: Final = 0.16
EDGE: Final = 0.01
LABEL_PT: Final = 7.5
NOTE_PT: Final = 6.5
TITLE_PT: Final = 8.5
PNG_DPI: Final = 200
_STYLE: Final[dict[str, object]] = {
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.6,
    "axes.spines.bottom": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": LABEL_PT,
    "hatch.linewidth": 0.5,
    "patch.linewidth": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "gistprobe",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.labelsize": LABEL_PT,
    "ytick.labelsize": NOTE_PT,
    "ytick.major.size": 2.5,
    "ytick.major.width": 0.6,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A drawn figure.

    Attributes:
        description: Every number of the figure in words, for those who cannot see it.
    """

    figure: Figure
    title: str
    description: str


def save(chart: Chart, folder: Path, name: str) -> list[Path]:
    """Write a chart as `name`.png (200 dpi) and `name`.svg; return both paths, in that order.

    The same chart gives the same bytes under the same matplotlib. Either both files are whole
    before the first takes its place, or those of before stay.

    Raises:
        NotWritten: The folder cannot be made or written to.
    """
    files = {f"{name}.png": _png(chart), f"{name}.svg": _svg(chart, name)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".drawing-") as made:
            for file, data in files.items():
                (Path(made) / file).write_bytes(data)
            return [(Path(made) / file).replace(folder / file) for file in files]
    except OSError as error:
        raise NotWritten(f"figure {name}", folder, error.strerror or str(error)) from error


@contextmanager
def style() -> Iterator[None]:
    """Draw or save within this: our settings, whatever the user's own are.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    try:
        from matplotlib import style as styles  # noqa: PLC0415 - see the package's docstring
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "matplotlib", "figures", "report") from error
    with styles.context(["default", _STYLE]):
        yield


def _png(chart: Chart) -> bytes:
    made = BytesIO()
    metadata = {"Title": chart.title, "Description": chart.description, "Software": None}
    with style():
        chart.figure.savefig(made, format="png", dpi=PNG_DPI, metadata=metadata)
    return made.getvalue()


def _svg(chart: Chart, name: str) -> bytes:
    """An SVG that says what it shows; matplotlib writes no description where readers look."""
    made = BytesIO()
    with style():
        chart.figure.savefig(made, format="svg", metadata={"Date": None, "Creator": None})
    said = (
        f' role="img" aria-labelledby={quoteattr(f"{name}-title")}'
        f" aria-describedby={quoteattr(f'{name}-desc')}>\n"
        f" <title id={quoteattr(f'{name}-title')}>{escape(chart.title)}</title>\n"
        f" <desc id={quoteattr(f'{name}-desc')}>{escape(chart.description)}</desc>"
    )
    tag = re.compile(r"(<svg\b[^>]*)>")
    text = made.getvalue().decode("utf-8")
    return tag.sub(lambda found: found.group(1) + said, text, count=1).encode("utf-8")
