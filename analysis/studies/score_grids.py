"""Tables of scores as texts: a level with its change, the change's interval and the paper's below.

An arrow says which way a change goes, in points: `32.0 ↓46.2` is 32.0 after 78.2. An interval of
which both ends go the same way has one arrow, `[↓40.1–52.0]`; else each end has its own. Tables
whose numbers may be below 0 have a comma between the ends, which no minus can be taken for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Final

from analysis.cells import as_printed
from analysis.statistics import Interval
from analysis.studies.scores import Score
from analysis.studies.shown import Grid, GridRow, Shown
from analysis.studies.study import Form, Layout, StudyTable

STAR: Final = "*"
DAGGER: Final = "†"
NOT_ASKED: Final = "–"
UNDEFINED: Final = "undef."
_Column = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    """How a form of table prints numbers.

    Attributes:
        decimals: Digits after the point (count).
        between: What parts an interval's ends.
        tells_why: Whether a level without an interval says why.
    """

    decimals: int = 1
    between: str = ", "
    tells_why: bool = True


SCORES: Final[Mapping[str, _Style]] = {
    "score": _Style(between="–", tells_why=False),
    "percent": _Style(),
    "nats": _Style(decimals=2),
}
"""The forms of tables of scores."""


def score_grid(table: StudyTable, layout: Layout) -> Grid:
    """One table of scores: groups of columns, in each the columns that the layout names."""
    own = [cell for cell in table.cells if isinstance(cell, Score) and cell.table == layout.table]
    groups = list(dict.fromkeys(cell.group for cell in own))
    names = layout.columns or tuple(dict.fromkeys(cell.column for cell in own))
    columns = [(group, name) for group in groups for name in names]
    reasons = _Reasons()
    rows = tuple(
        GridRow(
            label=table.labels.get(row, row),
            cells=tuple(_cells(columns, of_row, SCORES[layout.form], reasons)),
            count=_count(of_row, layout.counted),
        )
        for row in dict.fromkeys(cell.row for cell in own)
        if (of_row := [cell for cell in own if cell.row == row])
    )
    shown = [cell for row in rows for cell in row.cells if cell]
    return Grid(
        table=layout.table,
        title=layout.title,
        caption=layout.caption,
        columns=tuple(table.labels.get(name, name) for _, name in columns),
        counts=("",) * len(columns),
        rows=rows,
        has_intervals=any(each.interval for each in shown),
        same=0,
        printed=0,
        undefined=tuple(reasons.told()),
        legend=_legend(layout, own),
        groups=tuple(table.labels.get(group, group) for group, _ in columns),
    )


def _legend(layout: Layout, cells: Sequence[Score]) -> str:
    """What the layout says, and the marks that the table has."""
    said = [layout.legend] if layout.legend else []
    if any(cell.is_marked for cell in cells):
        said.append(f"{STAR}: Holm-adjusted p < 0.05.")
    if any(cell.lacks for cell in cells):
        said.append(f"{DAGGER}: more than 1 % of the replies are missing; see the last note.")
    if any(cell.paper and cell.value is not None for cell in cells):
        said.append("In parentheses: as the paper prints it.")
    return " ".join(said)


class _Reasons:
    """Letters for why numbers are undefined, in the order in which they are met."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def letter(self, reason: str) -> str:
        at = len(self._letters)
        fresh = ascii_lowercase[at] if at < len(ascii_lowercase) else str(at)
        return f"({self._letters.setdefault(reason, fresh)})"

    def told(self) -> Iterable[str]:
        return (f"({letter}) {reason}" for reason, letter in self._letters.items())


def _cells(
    columns: Sequence[_Column], cells: Sequence[Score], style: _Style, reasons: _Reasons
) -> Iterable[Shown]:
    placed = {(cell.group, cell.column, cell.kind): cell for cell in cells}
    for column in columns:
        level, change = (placed.get((*column, kind)) for kind in ("level", "change"))
        yield _shown(level, change, style, reasons)


def _count(cells: Sequence[Score], counted: Sequence[str]) -> str:
    """The cases of a row; of several models the range over them."""
    levels = [cell for cell in cells if cell.kind == "level"]
    each = [[cell.n for cell in levels if cell.column == name] for name in counted]
    return (
        " + ".join(map(_range, each)) if counted else _range([cell.n for cell in levels if cell.n])
    )


def _range(counts: Sequence[int]) -> str:
    if not counts:
        return ""
    low, high = min(counts), max(counts)
    return f"{low}" if low == high else f"{low}–{high}"


def _shown(level: Score | None, change: Score | None, style: _Style, reasons: _Reasons) -> Shown:
    if level is not None and level.value is None and level.paper and not level.undefined:
        papers = arrowed(float(change.paper)) if change and change.paper else ""
        return Shown(value=level.paper, paper=None, same=False, interval=None, change=papers)
    value = NOT_ASKED
    if level is not None and level.value is not None:
        value = as_printed(level.value, style.decimals)
        value += DAGGER * (level.lacks and change is None)
    elif level is not None and level.undefined:
        value = f"{UNDEFINED} {reasons.letter(level.undefined)}"
    own, interval = "", None
    if change is not None and change.value is not None:
        own = arrowed(change.value) + STAR * change.is_marked + DAGGER * change.lacks
    if change is not None and change.interval is not None:
        interval = f"[{arrowed_span(change.interval)}]"
    elif change is not None and change.undefined:
        interval = f"[{reasons.letter(change.undefined)}]"
    elif change is None and level is not None and level.interval is not None:
        ends = (level.interval.low, level.interval.high)
        interval = f"[{style.between.join(as_printed(end, style.decimals) for end in ends)}]"
    elif change is None and level is not None and level.value is not None and level.undefined:
        interval = f"[{reasons.letter(level.undefined)}]" if style.tells_why else None
    return Shown(
        value=value, paper=_paper(level, change), same=False, interval=interval, change=own
    )


def _paper(level: Score | None, change: Score | None) -> str | None:
    if level is None or level.paper is None:
        return None
    if change is None or change.paper is None:
        return level.paper
    return f"{level.paper} {arrowed(float(change.paper))}"


def score_text(score: Score, form: Form) -> str:
    """A score as a table of this form prints it, without marks; with a value."""
    if score.value is None:
        return NOT_ASKED
    if score.kind == "change":
        return arrowed(score.value)
    return as_printed(score.value, SCORES[form].decimals)


def arrowed(points: float) -> str:
    """A change with its arrow; what prints as 0.0 goes up, as in the paper."""
    text = as_printed(points, 1)
    return f"↓{text[1:]}" if text.startswith("-") else f"↑{text}"


def arrowed_span(interval: Interval) -> str:
    """An interval of changes, the end nearer to none first where both go the same way."""
    low, high = arrowed(interval.low), arrowed(interval.high)
    if low[0] != high[0]:
        return f"{low}–{high}"
    return f"{high}–{low[1:]}" if low[0] == "↓" else f"{low}–{high[1:]}"
