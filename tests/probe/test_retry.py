"""What follows from a failed attempt."""

from __future__ import annotations

from statistics import mean

import pytest

from probe.retry import (
    MISFIT,
    MOST_WAIT_S,
    REFUSED,
    Trouble,
    Verdict,
    exhausted,
    fix_for,
    verdict,
    wait_s,
)


def trouble(status: int | None = None, message: str = "", **more: object) -> Trouble:
    usual: dict[str, object] = {"kind": "x", "message": message, "status": status}
    return Trouble(**(usual | more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        (None, "reset", Verdict.AGAIN),
        (200, "<html>", Verdict.AGAIN),
        (408, "", Verdict.AGAIN),
        (409, "", Verdict.AGAIN),
        (425, "too early", Verdict.AGAIN),
        (429, "slow down", Verdict.WAIT),
        (429, "Rate limit reached for requests per min", Verdict.WAIT),
        (500, "", Verdict.AGAIN),
        (502, "", Verdict.AGAIN),
        (503, "", Verdict.WAIT),
        (504, "", Verdict.AGAIN),
        (524, "", Verdict.AGAIN),
        (529, "overloaded", Verdict.WAIT),
        (400, "context length", Verdict.GIVE_UP),
        (413, "", Verdict.GIVE_UP),
        (422, "", Verdict.GIVE_UP),
        (401, "", Verdict.STOP),
        (402, "", Verdict.STOP),
        (403, "", Verdict.STOP),
        (404, "", Verdict.STOP),
        (400, "The model does not exist (model_not_found)", Verdict.STOP),
        (400, "API key not valid (invalid_api_key)", Verdict.STOP),
        (403, "(unsupported_country_region_territory)", Verdict.STOP),
    ],
)
def test_what_follows_from_a_trouble(status: int | None, message: str, expected: Verdict) -> None:
    assert verdict(trouble(status, message)) is expected


def test_tokens_that_do_not_add_up_are_not_asked_for_again() -> None:
    """They will not the next time either; a body that is cut is another matter."""
    assert verdict(trouble(200, "", kind=MISFIT)) is Verdict.GIVE_UP
    assert verdict(trouble(200, "", kind="malformed body")) is Verdict.AGAIN


@pytest.mark.parametrize("status", [400, 402, 403, 429, 503])
@pytest.mark.parametrize(
    "message",
    [
        "You exceeded your current quota, please check your plan (insufficient_quota)",
        "Your credit balance is too low to access the API",
        "Insufficient Balance",
        "Insufficient credits. Add more",
        "Billing hard limit has been reached (billing_hard_limit_reached)",
        "Your account is not active, please check your billing details (billing_not_active)",
        "Your prepayment credits are depleted.",
        "This request would exceed your account's monthly spending limit",
        "You have reached your specified API usage limits.",
    ],
)
def test_an_account_that_has_run_out_stops_the_model_under_whatever_status(
    status: int, message: str
) -> None:
    """Waiting would bring nothing, and giving cells up would lose them."""
    found = trouble(status, message)

    assert verdict(found) is Verdict.STOP
    assert "add credit" in fix_for(found, "SOME_KEY")


def test_a_reply_that_speaks_of_quota_is_not_taken_for_a_refusal() -> None:
    """The body of a 200 that was cut off may say anything."""
    assert verdict(trouble(200, '{"choices": [{"text": "insufficient funds')) is Verdict.AGAIN


def test_a_connection_that_stays_refused_stops_the_model_other_troubles_the_cell() -> None:
    assert exhausted(trouble(kind=REFUSED)) is Verdict.STOP
    assert exhausted(trouble(kind="timeout")) is Verdict.GIVE_UP
    assert exhausted(trouble(500)) is Verdict.GIVE_UP


@pytest.mark.parametrize(("asked", "waited"), [(0.0, 0.0), (7.5, 7.5), (86400.0, MOST_WAIT_S)])
def test_the_wait_a_server_asks_for_is_kept_but_for_the_longest(
    asked: float, waited: float
) -> None:
    assert wait_s(trouble(429, retry_after_s=asked), 3) == waited


def test_waits_grow_with_the_number_of_tries_up_to_a_longest() -> None:
    """On average they double; each is drawn anew, so that a crowd does not come back at once."""
    draws = {
        tries: [wait_s(trouble(500), tries) for _ in range(2000)] for tries in (1, 2, 4, 6, 40)
    }

    averages = [mean(waits) for waits in draws.values()]
    assert averages == sorted(averages)
    assert averages[2] / averages[1] == pytest.approx(4, rel=0.25)
    assert averages[-1] == pytest.approx(MOST_WAIT_S / 2, rel=0.1)
    for tries, waits in draws.items():
        assert 0 <= min(waits) < max(waits) <= min(MOST_WAIT_S, 0.5 * 2**tries)
        assert len(set(waits)) > 1000


def test_the_first_wait_is_asked_for_before_any_try_too() -> None:
    """A refusal for load uses up no try, and is waited for all the same."""
    assert 0 <= wait_s(trouble(429), 0) <= 1


@pytest.mark.parametrize(
    ("found", "fix"),
    [
        (trouble(401), r"check the key in $SOME_KEY"),
        (trouble(404), "check `model` and `base_url`"),
        (trouble(400, "model_not_found"), "check `model` and `base_url`"),
        (trouble(402), "add credit"),
        (trouble(kind=REFUSED), "start the server"),
    ],
)
def test_what_stops_a_model_comes_with_what_to_do(found: Trouble, fix: str) -> None:
    assert fix_for(found, "SOME_KEY").startswith(fix)


def test_where_no_key_is_named_that_is_what_to_do() -> None:
    assert "api_key_env (none is set)" in fix_for(trouble(401), None)
