"""Reads what endpoints tell of how likely a prompt is. Pure.

Two shapes are known. vLLM's `prompt_logprobs`: for each token of the prompt an object by token id,
with log-probability, rank and text. The older completions' `echo` with `logprobs`: lists of tokens
and log-probabilities, the prompt's before those that were written.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import orjson

from probe.providers.base import Reply
from probe.providers.pieces import Misfit, lay
from probe.providers.replies import loads, one_line, read_reply
from probe.retry import MISFIT, Trouble
from prompts.likelihood import Likelihood

Shape: TypeAlias = Literal["prompt_logprobs", "echo"]
"""The kind of trouble where the tokens an endpoint tells are not those of the text it was sent."""
_LISTS: Final = ("logprobs", "prompt_logprobs", "prompt_token_ids", "token_ids")
_BROKEN: Final = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)
_ROUNDING: Final = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a request for a likelihood asked for.

    Attributes:
        top: Likeliest tokens in each place (count).
        written: Tokens that are written after the prompt, since some servers write at least one.
        opens: Whether a token stands before the text, where that was found out.
    """

    text: str
    top: int
    written: int = 1
    opens: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What an endpoint told of each token of a prompt, the first included."""

    pieces: list[str | None]
    logprobs: list[float | None]
    token_ids: list[int]
    ranks: list[int | None]
    tops: list[list[float]]


def read_likelihood(shape: Shape, raw: str, asked: Asked) -> Reply | Trouble:
    """A 200 body as a reply that holds the likelihood of the text, or why it does not."""
    reply = read_reply(raw)
    if isinstance(reply, Trouble):
        return reply
    try:
        parsed = loads(raw)
        choice = parsed["choices"][0]
        told = _told_by_id(choice) if shape == "prompt_logprobs" else _told_by_echo(parsed, asked)
        laid = lay(asked.text, told.pieces, opens=asked.opens)
        if isinstance(laid, Misfit):
            return _misfit(told.pieces, laid.at)
        likelihood = _likelihood(told, laid.offsets, laid.dropped, asked.top)
    except _BROKEN as error:
        said = f"no log-probabilities of the prompt ({type(error).__name__}: {error})"
        return Trouble(
            kind="malformed body", message=one_line(said), status=200, perhaps_billed=True
        )
    for name in _LISTS:
        choice.pop(name, None)
    return replace(
        reply,
        outcome="ok",
        text=None,
        raw=orjson.dumps(parsed).decode(),
        reasoning=None,
        likelihood=likelihood,
        more=(),
    )


def _told_by_id(choice: Any) -> _Told:  # noqa: ANN401 - JSON
    places = choice.get("prompt_logprobs")
    ids = choice.get("prompt_token_ids")
    if not isinstance(places, list) or not places:
        raise TypeError("prompt_logprobs is no list")
    if ids is not None and len(ids) != len(places):
        raise ValueError(f"{len(ids)} tokens but {len(places)} places")
    told = _Told(pieces=[], logprobs=[], token_ids=list(ids or ()), ranks=[], tops=[])
    for at, place in enumerate(places):
        if place is None:
            _unknown(told, at, None)
            continue
        own = str(ids[at]) if ids is not None else next(iter(place))
        entry = place[own]
        told.pieces.append(_text(entry["decoded_token"]))
        told.logprobs.append(_logprob(entry["logprob"]))
        rank = entry.get("rank")
        told.ranks.append(_count(rank) or None)
        told.tops.append([_logprob(each["logprob"]) for each in place.values()])
        if ids is None:
            told.token_ids.append(int(own))
    return told


def _unknown(told: _Told, at: int, piece: str | None) -> None:
    """A token of which no probability is told: only the first, since nothing stands before it."""
    if at:
        raise ValueError(f"token {at} has no log-probability")
    told.pieces.append(piece)
    told.logprobs.append(None)
    told.ranks.append(None)
    told.tops.append([])


def _told_by_echo(parsed: Any, asked: Asked) -> _Told:  # noqa: ANN401 - JSON
    lists = parsed["choices"][0]["logprobs"]
    tokens, logprobs = lists["tokens"], lists["token_logprobs"]
    if len(tokens) != len(logprobs):
        raise ValueError(f"{len(tokens)} tokens but {len(logprobs)} log-probabilities")
    least = len(tokens) - asked.written
    count = _count((parsed.get("usage") or {}).get("prompt_tokens"))
    if count is None or not least <= count <= len(tokens):
        count = least
    if count < 1:
        raise ValueError("it tells of none of its tokens")
    tops = lists.get("top_logprobs") or []
    told = _Told(pieces=[], logprobs=[], token_ids=[], ranks=[], tops=[])
    for at in range(count):
        piece = _text(tokens[at])
        if logprobs[at] is None:
            _unknown(told, at, piece)
            continue
        told.pieces.append(piece)
        told.logprobs.append(_logprob(logprobs[at]))
        told.tops.append(_values(tops[at] if at < len(tops) else None))
    return told


def _values(top: object) -> list[float]:
    return [_logprob(value) for value in top.values()] if isinstance(top, Mapping) else []


def _text(piece: object) -> str:
    if not isinstance(piece, str):
        raise TypeError("a token has no text")
    return piece


def _logprob(value: object) -> float:
    """A log-probability.

    Raises:
        TypeError: It is no number.
        ValueError: It is none that a probability can have.
    """
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError("a log-probability is no number")
    if not math.isfinite(value) or value > _ROUNDING:
        raise ValueError(f"a log-probability is {value}")
    return min(float(value), 0.0)


def _count(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None


def _likelihood(told: _Told, offsets: tuple[int, ...], dropped: int, top: int) -> Likelihood:
    moments = [_moments(tops, top) for tops in told.tops[dropped:]] if top >= 2 else []
    known = any(mean is not None for mean, _ in moments)
    # Without `prompt_token_ids` the first token's is not told.
    ids = tuple(told.token_ids[-len(offsets) :]) if offsets else ()
    return Likelihood(
        offsets=offsets,
        logprobs=tuple(told.logprobs[dropped:]),
        token_ids=ids if len(ids) == len(offsets) else (),
        ranks=tuple(told.ranks[dropped:]) if any(told.ranks) else (),
        means=tuple(mean for mean, _ in moments) if known else (),
        variances=tuple(variance for _, variance in moments) if known else (),
        exact=not known,
    )


def _moments(logprobs: Sequence[float], top: int) -> tuple[float | None, float | None]:
    """Mean and variance of the log-probability of a token drawn from the likeliest ones alone."""
    likeliest = sorted(logprobs, reverse=True)[:top]
    if len(likeliest) < 2:
        return None, None
    weights = [math.exp(value) for value in likeliest]
    total = math.fsum(weights)
    if total <= 0:
        return None, None
    shares = [weight / total for weight in weights]
    mean = math.fsum(share * value for share, value in zip(shares, likeliest, strict=True))
    spread = (share * (value - mean) ** 2 for share, value in zip(shares, likeliest, strict=True))
    return mean, math.fsum(spread)


def _misfit(pieces: Sequence[str | None], at: int) -> Trouble:
    if at < len(pieces):
        found = f"token {at + 1} of {len(pieces)}, {pieces[at]!r}, is not where it should be in it"
    else:
        found = f"text is left over after all {len(pieces)} tokens"
    said = f"the tokens told are not those of the text: {found}"
    return Trouble(kind=MISFIT, message=one_line(said), status=200, perhaps_billed=True)
