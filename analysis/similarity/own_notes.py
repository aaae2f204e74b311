"""What must be known of the user's own models to read their rows: whom they answered about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from analysis.similarity.own import OwnSystem
from analysis.similarity.relations import Relations
from analysis.similarity.rows import Member, members
from store.read import ask

_MOST_NAMED: Final = 3
_ITSELF: Final = """
    SELECT system, count(*) FROM character_choices WHERE chosen = character GROUP BY system"""
_MISSING: Final = (
    "A character without an answer that could be read is missing, neither hit nor miss, and n is"
    " lower by it. With n of m answered, a rate r would lie between r*n/m and (r*n + m - n)/m."
)


def own_notes(
    relations: Relations, column_of: Callable[[Member], str], paired: Collection[str]
) -> list[str]:
    """A sentence or more on each model, and on why others are left out.

    Args:
        relations: What the tables are worked out from.
        column_of: The column of the rates that a membership counts in.
        paired: Whom the benchmark of pairs knows.
    """
    own = relations.own
    if not own.systems:
        return list(own.left_out)
    groups = members(relations.connection)
    itself = {str(name): int(str(count)) for name, count in ask(relations.connection, _ITSELF).rows}
    notes = []
    for system in own.systems:
        parts = [_asked(system), _missing(system, groups, column_of, paired)]
        if not system.is_ten and (count := itself.get(system.name, 0)):
            parts.append(f"{count} of its answers name{'s' * (count == 1)} the character itself.")
        notes.append(" ".join(part for part in parts if part))
    if any(system.unanswered for system in own.systems):
        notes.append(_MISSING)
    return [*notes, *own.left_out]


def _asked(system: OwnSystem) -> str:
    asked = system.asked.values()
    questions, replies, answers = (
        sum(of.questions for of in asked),
        sum(of.replies for of in asked),
        sum(of.answers for of in asked),
    )
    return (
        f"{system.name}: asked about {len(system.asked)} of the {len(system.offered)} characters"
        f" of its list, {questions} questions, {replies} replies, {answers} answers read."
    )


def _missing(
    system: OwnSystem,
    groups: Sequence[Member],
    column_of: Callable[[Member], str],
    paired: Collection[str],
) -> str:
    """Whom it has no answer about, and in which columns they are missing."""
    missing = system.unanswered
    if not missing:
        return ""
    more = len(missing) - _MOST_NAMED
    named = ", ".join(missing[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    columns: dict[str, list[str]] = {}
    if not system.is_ten:
        for member in groups:
            if member.character in system.asked:
                columns.setdefault(column_of(member), []).append(member.character)
    if own := [name for name in system.asked if name in paired]:
        columns["experts' pairs"] = own
    answered = {
        column: sum(name not in missing for name in names) for column, names in columns.items()
    }
    counts = [
        f"{column} {answered[column]} of {len(names)}"
        for column, names in columns.items()
        if answered[column] < len(names)
    ]
    where = f" With an answer: {', '.join(counts)}." if counts else ""
    return f"No answer about {len(missing)}: {named}.{where}"
