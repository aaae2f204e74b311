"""The figures of the memory study, from the scores of its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from analysis.panels import Panel
from analysis.studies.memory.kinds import LITTLE_KNOWN, WELL_KNOWN
from analysis.studies.memory.told_apart import AUC, BLIND, BLIND_WORDS
from analysis.studies.scores import Score
from analysis.studies.study import Figure

LIKELIER: Final = "Log-probability outside names, own names less others (nats a token)"
AREA: Final = "AUC x 100: chance that a well-known passage scores above a little-known one"
_KINDS: Final = {WELL_KNOWN: "Well-known passages", LITTLE_KNOWN: "Little-known passages"}
_SCORES: Final = "AUC"
_BLIND: Final = "Text alone (blind)"


def by_work(scores: Sequence[Score], labels: Mapping[str, str], title: str) -> Figure | None:
    """How much likelier passages are under their own names: a row a work, a panel a model."""
    panels = [
        Panel(
            heading=model,
            places=_rows(own, labels),
            series=tuple(_KINDS.values()),
            cells={
                (_KINDS[each.column], labels.get(each.row, each.row)): each
                for each in own
                if each.column in _KINDS
            },
        )
        for model, own in _by_group(scores).items()
    ]
    if not _has_values(panels):
        return None
    return Figure(
        kind="dots",
        name="likelihood",
        title=title,
        axis=LIKELIER,
        panels=tuple(panels),
        decimals=2,
    )


def areas(scores: Sequence[Score], labels: Mapping[str, str], title: str) -> Figure | None:
    """AUC of each score, a panel a model; what the text alone tells is a line with its interval."""
    panels = []
    for model, own in _by_group([each for each in scores if each.column == AUC]).items():
        told = [each for each in own if each.row not in BLIND]
        blind = next((each for each in own if each.row == BLIND_WORDS), None)
        places = _rows(told, labels)
        line = dict.fromkeys(places, blind) if blind and blind.value is not None else {}
        panels.append(
            Panel(
                heading=model,
                places=places,
                series=(_SCORES,),
                cells={(_SCORES, labels.get(each.row, each.row)): each for each in told},
                line={place: each for place, each in line.items() if each},
                line_label=_BLIND if line else "",
            )
        )
    if not _has_values(panels):
        return None
    return Figure(
        kind="dots",
        name="membership",
        title=title,
        axis=AREA,
        panels=tuple(panels),
        nothing=50.0,
    )


def _by_group(scores: Sequence[Score]) -> dict[str, list[Score]]:
    found: dict[str, list[Score]] = {}
    for each in scores:
        found.setdefault(each.group, []).append(each)
    return found


def _rows(scores: Sequence[Score], labels: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(labels.get(each.row, each.row) for each in scores))


def _has_values(panels: Sequence[Panel]) -> bool:
    return any(cell.value is not None for panel in panels for cell in panel.cells.values())
