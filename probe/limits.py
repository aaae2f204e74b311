"""What a server says of its rate limits in its answers' headers. Pure.

Two families are read: `x-ratelimit-*` (OpenAI and most that follow it) and `anthropic-ratelimit-*`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Final, Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["requests", "tokens", "input_tokens", "output_tokens"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

_MINUTE_S: Final = 60.0
_NEAR_S: Final = 90.0
_LONGER_S: Final = 300.0
_LONGEST_S: Final = 86400.0
"""Some hosts count requests a day under the same name; a reset that is not near gives it away. One
that is near may as well be the end of the minute, or a second that was rounded up."""
_NAMES: Final[dict[Kind, tuple[tuple[str, str, str], ...]]] = {
    "requests": (
        (
            "x-ratelimit-limit-requests",
            "x-ratelimit-remaining-requests",
            "x-ratelimit-reset-requests",
        ),
        (
            "anthropic-ratelimit-requests-limit",
            "anthropic-ratelimit-requests-remaining",
            "anthropic-ratelimit-requests-reset",
        ),
    ),
    "tokens": (
        ("x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
        (
            "anthropic-ratelimit-tokens-limit",
            "anthropic-ratelimit-tokens-remaining",
            "anthropic-ratelimit-tokens-reset",
        ),
    ),
    "input_tokens": (
        (
            "anthropic-ratelimit-input-tokens-limit",
            "anthropic-ratelimit-input-tokens-remaining",
            "anthropic-ratelimit-input-tokens-reset",
        ),
    ),
    "output_tokens": (
        (
            "anthropic-ratelimit-output-tokens-limit",
            "anthropic-ratelimit-output-tokens-remaining",
            "anthropic-ratelimit-output-tokens-reset",
        ),
    ),
}
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|ns|d|h|m|s)")
_SECONDS: Final = {
    "d": 86400.0,
    "h": 3600.0,
    "m": 60.0,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "µs": 1e-6,
    "ns": 1e-9,
}


@dataclass(frozen=True, slots=True)
class Observed:
    """What one answer says of one limit.

    Attributes:
        per_min: The limit (units a minute).
        remaining: Units left when the server took the request, if it says so.
    """

    kind: Kind
    per_min: float
    remaining: float | None


def read_limits(headers: Mapping[str, str]) -> tuple[Observed, ...]:
    """The limits an answer's headers state; empty where they state none, or nothing sensible."""
    found = []
    for kind, families in _NAMES.items():
        for limit_name, remaining_name, reset_name in families:
            text = headers.get(limit_name)
            if text is None:
                continue
            limit, remaining = _number(text), _number(headers.get(remaining_name))
            if limit is None or limit <= 0:
                continue
            window_s = _window_s(limit, remaining, _reset_s(headers, reset_name))
            found.append(Observed(kind, limit * _MINUTE_S / window_s, remaining))
            break
    return tuple(found)


def _window_s(limit: float, remaining: float | None, reset_s: float | None) -> float:
    """The time a limit is for: a minute, unless filling up what is used takes far longer."""
    if remaining is None or reset_s is None or remaining >= limit or reset_s <= _NEAR_S:
        return _MINUTE_S
    window_s = limit * reset_s / (limit - remaining)
    return min(window_s, _LONGEST_S) if window_s > _LONGER_S else _MINUTE_S


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value < 1e15 else None


def _reset_s(headers: Mapping[str, str], name: str) -> float | None:
    text = headers.get(name)
    if text is None:
        return None
    if "T" in text:
        return _until(headers, text)
    return duration_s(text)


def duration_s(text: str) -> float | None:
    """A span of time such as `1m3.5s`, `120ms` or `7` (seconds); None where it is none."""
    if (plain := _number(text)) is not None:
        return plain
    parts = _DURATION.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text.strip():
        return None
    return float(sum(float(number) * _SECONDS[unit] for number, unit in parts))


def _until(headers: Mapping[str, str], text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
        return max(0.0, moment.timestamp() - _server_time(headers))
    except (ValueError, TypeError):
        return None


def _server_time(headers: Mapping[str, str]) -> float:
    """When the answer was made, by the server's own clock (Unix seconds).

    Ours may be wrong, or jump.

    Raises:
        ValueError, TypeError: It does not say.
    """
    return parsedate_to_datetime(headers.get("Date") or "").timestamp()


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The wait a server asks for (seconds): `retry-after-ms`, seconds, or an HTTP date."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("Retry-After")
    if text is None:
        return None
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - _server_time(headers))
    except (ValueError, TypeError):
        return None
