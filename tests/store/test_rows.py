"""Rows that their tables can hold, and those that they cannot."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.rows import COLUMNS, Event, Floats, Ints, mistyped
from tests.store.events_for_tests import events
from tests.store.rows_for_tests import attempt_row, failure_row, reply_row, run_end_row

values = (
    st.none()
    | st.booleans()
    | st.integers(-(2**65), 2**65)
    | st.sampled_from([2**63 - 1, 2**63, -(2**63) + 1, -(2**63), 0, 1])
    | st.floats()
    | st.text(max_size=3)
    | st.binary(max_size=3)
    | st.just(datetime(2026, 1, 1, tzinfo=UTC))
    | st.lists(st.text(max_size=1), max_size=1)
    | st.tuples(st.none() | st.integers(-(2**33), 2**33) | st.booleans() | st.floats())
)


def unsound(row: Event) -> set[str]:
    """The columns whose values their table cannot hold, one by one and without a memory."""
    found = set[str]()
    for name, (kind, optional) in COLUMNS[type(row)].items():
        value = getattr(row, name)
        allowed: dict[type, tuple[type, ...]] = {
            float: (float, int),
            Ints: (tuple,),
            Floats: (tuple,),
        }
        fits = isinstance(value, allowed.get(kind, (kind,)))
        if kind == Ints and fits:
            fits = all(each is None or (type(each) is int and abs(each) < 2**31) for each in value)
        if kind == Floats and fits:
            fits = all(
                each is None or (type(each) is float and abs(each) <= 3.4e38) for each in value
            )
        if kind is not bool and isinstance(value, bool):
            fits = False
        if kind is int and fits:
            fits = -(2**63) < value < 2**63
        if kind is float and fits:
            infinite = float("inf")
            fits = -infinite < value < infinite
        if not fits and not (value is None and optional):
            found.add(name)
    return found


@given(st.data(), events)
def test_what_a_table_cannot_hold_is_found_and_its_column_named(
    data: st.DataObject, row: Event
) -> None:
    """Whatever was seen before: a sound row of the kind, or one of the same types."""
    names = [field.name for field in fields(row)]
    changes: dict[str, Any] = data.draw(st.dictionaries(st.sampled_from(names), values, max_size=3))
    changed = replace(row, **changes)

    assert mistyped(row) is None
    for each in (changed, row, changed):
        wrong, expected = mistyped(each), unsound(each)
        assert wrong is None if not expected else wrong and wrong.split(" ")[0] in expected


@pytest.mark.parametrize(
    ("sound", "wrong", "said"),
    [
        (reply_row(), {"prompt_tokens": 2**63}, "prompt_tokens is 9223372036854775808, not int"),
        (reply_row(), {"attempts": True}, "attempts is True, not int"),
        (reply_row(), {"text": b"Emma"}, "text is b'Emma', not str"),
        (reply_row(), {"raw": None}, "raw is None, not str"),
        (reply_row(), {"received_at": "now"}, "received_at is 'now', not datetime"),
        (attempt_row(), {"usd": "1"}, "usd is '1', not float"),
        (attempt_row(), {"latency_s": False}, "latency_s is False, not float"),
        (attempt_row(), {"latency_s": math.nan}, "latency_s is nan, not finite"),
        (attempt_row(usd=1.0), {"usd": -math.inf}, "usd is -inf, not finite"),
        (failure_row(), {"permanent": 1}, "permanent is 1, not bool"),
        (run_end_row(), {"asked": -(2**63)}, "asked is -9223372036854775808, not int"),
    ],
)
def test_a_wrong_value_is_named_after_a_sound_row_too(
    sound: Event, wrong: dict[str, Any], said: str
) -> None:
    assert mistyped(sound) is None
    assert mistyped(replace(sound, **wrong)) == said
    assert mistyped(sound) is None


def test_whole_seconds_and_dollars_are_sound() -> None:
    """A column of floats takes an integer; its other rows are not thereby allowed more."""
    whole: dict[str, Any] = {"latency_s": 1, "usd": 2}

    assert mistyped(replace(attempt_row(), **whole)) is None
    assert (
        mistyped(replace(attempt_row(), **(whole | {"attempt": 1.5}))) == "attempt is 1.5, not int"
    )


def test_a_long_value_is_cut_in_the_message() -> None:
    wrong: dict[str, Any] = {"text": ["x" * 1_000]}

    assert len(mistyped(replace(reply_row(), **wrong)) or "") < 120
