"""Rate limits and waits as servers state them in headers; none of them may stop a run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from probe.limits import Kind, Observed, duration_s, read_limits, retry_after_s

NOW = datetime(1999, 12, 31, 23, 59, 30, tzinfo=UTC)
"""The server's clock; ours says something else."""
DATE = format_datetime(NOW, usegmt=True)


def openai(kind: str, limit: object, remaining: object, reset: object) -> dict[str, str]:
    return {
        f"x-ratelimit-limit-{kind}": str(limit),
        f"x-ratelimit-remaining-{kind}": str(remaining),
        f"x-ratelimit-reset-{kind}": str(reset),
    }


def anthropic(kind: str, limit: object, remaining: object, reset: datetime) -> dict[str, str]:
    return {
        f"anthropic-ratelimit-{kind}-limit": str(limit),
        f"anthropic-ratelimit-{kind}-remaining": str(remaining),
        f"anthropic-ratelimit-{kind}-reset": reset.isoformat().replace("+00:00", "Z"),
        "Date": DATE,
    }


def test_openais_headers_are_limits_a_minute() -> None:
    headers = openai("requests", 5000, 4999, "12ms") | openai("tokens", 160000, 159976, "8ms")

    assert read_limits(headers) == (
        Observed("requests", 5000, 4999),
        Observed("tokens", 160000, 159976),
    )


def test_anthropics_headers_are_limits_of_each_kind() -> None:
    soon = NOW + timedelta(seconds=1)
    kinds: dict[str, tuple[Kind, int]] = {
        "requests": ("requests", 50),
        "tokens": ("tokens", 90000),
        "input-tokens": ("input_tokens", 80000),
        "output-tokens": ("output_tokens", 10000),
    }
    headers = {"Date": DATE}
    for name, (_, limit) in kinds.items():
        headers |= anthropic(name, limit, limit - 10, soon)

    assert read_limits(headers) == tuple(
        Observed(kind, limit, limit - 10) for kind, limit in kinds.values()
    )


def test_a_limit_a_day_under_the_same_name_is_told_by_how_long_it_takes_to_fill_up() -> None:
    """Such a host says: 14,400 requests, thirty used, full again in three minutes."""
    day = openai("requests", 14400, 14370, "3m0s")
    minute = openai("tokens", 6000, 5000, "10s")

    requests, tokens = read_limits(day | minute)

    assert requests.per_min == pytest.approx(10)
    assert requests.remaining == 14370
    assert tokens.per_min == 6000


@pytest.mark.parametrize(
    ("remaining", "reset"), [(999, "59s"), (999, "1s"), (1, "58.5s"), (0, "60")]
)
def test_a_host_that_counts_by_the_clocks_minute_is_not_taken_for_one_that_counts_a_day(
    remaining: int, reset: str
) -> None:
    """All is given back at the minute's end there, however little of it was used."""
    assert read_limits(openai("requests", 1000, remaining, reset)) == (
        Observed("requests", 1000, remaining),
    )


def test_a_limit_by_the_day_of_the_calendar_never_stops_the_pace_altogether() -> None:
    """One request used since midnight says little of how long the limit is for."""
    (requests,) = read_limits(openai("requests", 1440, 1439, "12h"))

    assert requests.per_min == pytest.approx(1)


def test_a_limit_a_day_with_a_reset_at_a_time_is_told_too() -> None:
    """By the server's own clock: full again in six hours."""
    (requests,) = read_limits(anthropic("requests", 1000, 750, NOW + timedelta(hours=6)))

    assert requests.per_min == pytest.approx(1000 / (24 * 60))


def test_without_the_servers_own_time_a_reset_at_a_time_says_nothing() -> None:
    headers = anthropic("requests", 1000, 750, NOW + timedelta(hours=6))
    del headers["Date"]

    assert read_limits(headers) == (Observed("requests", 1000, 750),)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        openai("requests", "many", 1, "1s"),
        openai("requests", "nan", 1, "1s"),
        openai("requests", "inf", 1, "1s"),
        openai("requests", 0, 0, "1s"),
        openai("requests", -5, 0, "1s"),
        openai("requests", "", 0, "1s"),
        {"x-ratelimit-remaining-requests": "5"},
    ],
)
def test_what_is_no_limit_is_none(headers: dict[str, str]) -> None:
    assert read_limits(headers) == ()


@pytest.mark.parametrize("reset", ["soon", "", "T", "1999-12-31T25:00:00Z", "-5", "5 apples"])
def test_a_strange_reset_leaves_the_limit(reset: str) -> None:
    headers = openai("requests", 100, 50, reset) | {"Date": DATE}

    assert read_limits(headers) == (Observed("requests", 100, 50),)


@pytest.mark.parametrize("remaining", ["few", "", "-1", "nan"])
def test_a_strange_remainder_leaves_the_limit(remaining: str) -> None:
    assert read_limits(openai("requests", 100, remaining, "1s")) == (
        Observed("requests", 100, None),
    )


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("1.5", 1.5),
        ("120ms", 0.12),
        ("1m3.5s", 63.5),
        ("6h0m12s", 21612.0),
        ("1d", 86400.0),
        ("500us", 5e-4),
        ("500µs", 5e-4),
        ("0s", 0.0),
        ("", None),
        ("soon", None),
        ("1m and 3s", None),
        ("-3s", None),
        ("nan", None),
    ],
)
def test_spans_of_time(text: str, seconds: float | None) -> None:
    assert duration_s(text) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"retry-after-ms": "soon", "Retry-After": "9"}, 9.0),
        ({"Retry-After": "Sat, 01 Jan 2000 00:00:00 GMT", "Date": DATE}, 30.0),
        ({"Retry-After": "Wed, 21 Oct 1998 07:28:00 GMT", "Date": DATE}, 0.0),
        ({"Retry-After": "Sat, 01 Jan 2000 00:00:00 GMT"}, None),
        ({"Retry-After": "Sat, 01 Jan 2000 00:00:00 GMT", "Date": "today"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
    ],
)
def test_the_wait_a_server_asks_for(headers: dict[str, str], expected: float | None) -> None:
    """Dates are taken by the server's own clock: that ours is decades off does not matter."""
    assert retry_after_s(headers) == expected


values = st.one_of(
    st.text(max_size=30),
    st.floats().map(str),
    st.integers().map(str),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.datetimes(timezones=st.timezones()).map(format_datetime),
    st.from_regex(r"[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{1,6} \d\d:\d\d:\d\d [+-]?\d{0,9}"),
)


@given(limit=values, remaining=values, reset=values, date=values, wait=values)
@example(
    limit="5", remaining="1", reset="0001-01-01T00:00:00", date="0", wait="0001-01-01T00:00:00"
)
@example(
    limit="5", remaining="1", reset="9999-12-31T23:59:59-23:59", date=DATE, wait="Fri, 1 Jan 0001"
)
def test_no_header_raises(limit: str, remaining: str, reset: str, date: str, wait: str) -> None:
    headers = openai("requests", limit, remaining, reset) | {"Date": date, "Retry-After": wait}

    for seen in read_limits(headers):
        assert 0 < seen.per_min < 1e16
        assert seen.remaining is None or seen.remaining >= 0
    waited = retry_after_s(headers)
    assert waited is None or waited >= 0
