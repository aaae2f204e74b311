"""Reads the benchmarks of groups: narrative roles and social attributes.

Source: AustenAlike, section 3; appendix A for the bins of age and income.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.studies.austenalike.data import Data, novel, refuse_missing, refuse_twice
from analysis.studies.austenalike.layouts import ROLE_FILE, SOCIAL_FILE
from analysis.studies.austenalike.names import ROLES
from store.corpus_rows import GroupRow
from store.files import Line, check_width, shown

_COLUMNS: Final = "name novel startIncome endIncome gender age estAge rank maritalStatus".split(" ")
_VERBATIM: Final = {
    "gender": (4, ("F", "M")),
    "rank": (
        7,
        ("peer", "gentry", "gentle", "new gentle", "clergy", "soldier", "profession"),
    ),
    "maritalStatus": (8, ("S", "C", "M", "W")),
}
"""Attribute -> its column, and the groups there are."""
_BINNED: Final = {
    "age": ((5, 6), (17, 20, 24, 27, 30, 40, 50, 60)),
    "income": ((2, 3), (50, 250, 500, 1000, 3000, 15000)),
}
"""Attribute -> the columns of which the first that is filled in counts, and the bins' upper edges,
in years and in pounds a year."""


def read_roles(data: Data, import_id: str) -> list[GroupRow]:
    """Memberships of narrative roles, in file order; some characters have two roles.

    Raises:
        BadFile: The file cannot be read, or a line is not of its form.
    """
    rows: list[GroupRow] = []
    seen: dict[str, None] = {}
    for line in data.lines(ROLE_FILE):
        check_width(line, 3)
        character, role = data.benchmark_character(line, 0), line.cells[2]
        _same_novel(data, line, character)
        if role not in ROLES:
            raise line.error(f"the role is {shown(role)}", f"write one of {', '.join(ROLES)}")
        refuse_twice(line, f"{character}, {role}", seen)
        seen[f"{character}, {role}"] = None
        rows.append(_row(import_id, len(rows), "role", role, character))
    return rows


def read_social(data: Data, import_id: str) -> list[GroupRow]:
    """Memberships of the groups of five social attributes, in file order within each.

    Raises:
        BadFile: The file cannot be read, or a line is not of its form.
    """
    lines = data.table(SOCIAL_FILE, _COLUMNS)
    seen: dict[str, Mapping[str, str]] = {}
    for line in lines:
        character = data.benchmark_character(line, 0)
        refuse_twice(line, character, seen)
        _same_novel(data, line, character)
        seen[character] = _groups(line)
    refuse_missing(data.path(SOCIAL_FILE), seen, data.asked)
    rows: list[GroupRow] = []
    for attribute in (*_VERBATIM, *_BINNED):
        for character, own in seen.items():
            if attribute in own:
                rows.append(_row(import_id, len(rows), attribute, own[attribute], character))
    return rows


def _groups(line: Line) -> dict[str, str]:
    """Attribute -> group, of one character; income may be unknown."""
    groups: dict[str, str] = {}
    for attribute, (at, known) in _VERBATIM.items():
        if line.cells[at] not in known:
            found = f"{attribute} is {shown(line.cells[at])}"
            raise line.error(found, f"write one of {', '.join(known)}")
        groups[attribute] = line.cells[at]
    for attribute, (columns, edges) in _BINNED.items():
        filled = [line.cells[at].strip() for at in columns if line.cells[at].strip()]
        if filled:
            groups[attribute] = _bin(line, attribute, filled[0], edges)
    if "age" not in groups:
        raise line.error("neither age nor estAge is filled in", "write one of the two")
    return groups


def _bin(line: Line, attribute: str, cell: str, edges: tuple[int, ...]) -> str:
    """The upper edge of the bin that a number falls in."""
    try:
        number = float(cell)
    except ValueError:
        raise line.error(f"{attribute} is {shown(cell)}", "write a number") from None
    for edge in edges:
        if 0 <= number <= edge:
            return str(edge)
    raise line.error(f"{attribute} is {shown(cell)}", f"write a number from 0 to {edges[-1]}")


def _same_novel(data: Data, line: Line, character: str) -> None:
    """Refuse a novel other than the character's own, where that is known."""
    code = novel(line, 1)
    own = data.cast.get(character, code)
    if code != own:
        raise line.error(f"{character!r} is put into {code}", f"its novel is {own}")


def _row(import_id: str, ordinal: int, attribute: str, group: str, character: str) -> GroupRow:
    return GroupRow(
        import_id=import_id,
        ordinal=ordinal,
        attribute=attribute,
        group=group,
        character=character,
    )
