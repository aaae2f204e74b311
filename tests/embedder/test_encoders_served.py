"""The encoder that asks a server, against a real HTTP server that has faults."""

from __future__ import annotations

import email.utils
import json
import re
import threading
import time
from collections.abc import Generator

import numpy as np
import pytest

from embedder.encoders import Encoded, Settings, Skipped, Target, make
from embedder.encoders.endpoint import Patience
from embedder.encoders.served import ServedEncoder
from embedder.errors import BadSetting, CannotEncode, EndpointError
from tests.embedder.embeddings_for_tests import (
    DIM,
    Answer,
    Served,
    embeddings_server,
    vector_of,
)

QUICK = Patience(attempts=4, first_wait_s=0.001, timeout_s=10)
KEY = "sk-very-secret-0123456789"
TEXTS = [f"sentence number {n} {'and on ' * (n % 7)}" for n in range(40)]
TARGETS = [Target(target_id=str(n), text=text) for n, text in enumerate(TEXTS)]


def encoder_of(served: Served, settings: Settings | None = None) -> ServedEncoder:
    name = f"served:{served.url}#org/model"
    return ServedEncoder(name, served.url, "org/model", settings or Settings(), patience=QUICK)


def encoded(encoder: ServedEncoder, targets: list[Target]) -> dict[str, Encoded]:
    return {each.target_id: each for batch in encoder.encode(targets) for each in batch}


def test_each_text_gets_the_vector_of_its_index() -> None:
    """Whatever order the server puts them in, over several requests."""
    with embeddings_server() as served:
        encoder = encoder_of(served, Settings(batch_tokens=600))
        found = encoded(encoder, TARGETS)

    assert found.keys() == {target.target_id for target in TARGETS}
    for target in TARGETS:
        np.testing.assert_allclose(found[target.target_id].vector, vector_of(target.text))
    assert len(served.bodies) > 5
    assert encoder.identity.dim == DIM


def test_what_is_sent_is_what_openai_documents() -> None:
    """Model, texts and the form of the numbers, to the path under the URL."""
    with embeddings_server() as served:
        encoded(encoder_of(served, Settings(instruction="Say: ")), TARGETS[:2])

    assert [set(body) for body in served.bodies] == [
        {"path", "model", "input", "encoding_format"}
    ] * 2
    assert {body["path"] for body in served.bodies} == {"/v1/embeddings"}
    assert {body["model"] for body in served.bodies} == {"org/model"}
    assert {body["encoding_format"] for body in served.bodies} == {"float"}
    assert served.bodies[1]["input"] == [f"Say: {TEXTS[0]}", f"Say: {TEXTS[1]}"]


def test_a_request_has_no_more_texts_than_servers_take() -> None:
    """However short they are."""
    targets = [Target(target_id=str(n), text=str(n)) for n in range(600)]
    with embeddings_server() as served:
        found = encoded(encoder_of(served), targets)

    assert len(found) == 600
    assert max(len(body["input"]) for body in served.bodies) == 256


def test_equal_texts_are_sent_once() -> None:
    with embeddings_server() as served:
        twice = [*TARGETS[:3], Target(target_id="again", text=TEXTS[0])]
        found = encoded(encoder_of(served), twice)

    sent = [text for body in served.bodies[1:] for text in body["input"]]
    assert sorted(sent) == sorted(TEXTS[:3])
    np.testing.assert_array_equal(found["again"].vector, found["0"].vector)


def test_several_requests_are_open_at_once() -> None:
    """Eight: each waits at the server until all have come."""
    with embeddings_server(gate=threading.Barrier(8)) as served:
        targets = [Target(target_id=str(n), text=f"{n} {'x' * 90}") for n in range(8)]
        found = encoded(encoder_of(served, Settings(batch_tokens=90)), targets)

    assert len(found) == 8
    assert served.most_open == 8


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 408])
def test_a_failure_that_passes_is_asked_again(status: int) -> None:
    def fault(number: int, _texts: list[str]) -> Answer | None:
        return Answer(status, {"error": {"message": "busy"}}) if number in {0, 2, 3} else None

    with embeddings_server(fault) as served:
        found = encoded(encoder_of(served), TARGETS[:1])

    assert len(found) == 1
    assert len(served.bodies) == 5


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_waited_for(form: str) -> None:
    """Seconds or a date, in place of the encoder's own wait."""
    asked_at: list[float] = []

    def fault(number: int, _texts: list[str]) -> Answer | None:
        asked_at.append(time.time())
        date = email.utils.formatdate(time.time() + 2, usegmt=True)
        after = "1" if form == "seconds" else date
        return Answer(429, {}, {"Retry-After": after}) if number == 0 else None

    with embeddings_server(fault) as served:
        encoder_of(served)

    # A date has whole seconds, so two from now may be little over one.
    assert asked_at[1] - asked_at[0] >= 0.9


def test_a_server_that_asks_for_too_long_is_not_asked_again() -> None:
    """The user is told when to come back."""
    with (
        embeddings_server(lambda _n, _t: Answer(429, {}, {"Retry-After": "7200"})) as served,
        pytest.raises(EndpointError, match=r"it answers 429.*; run again in 7,200 s, as it asks"),
    ):
        encoder_of(served)

    assert len(served.bodies) == 1


def test_a_server_that_stays_down_is_an_error_that_names_it() -> None:
    with (
        embeddings_server(lambda _n, _t: Answer(503, "no capacity")) as served,
        pytest.raises(EndpointError) as error,
    ):
        encoder_of(served)

    assert str(error.value) == (
        f"endpoint {served.url}: it answers 503 (no capacity), and so 4 times; "
        "see whether it is up and not overloaded, then run again: what is done is kept"
    )
    assert len(served.bodies) == 4


def test_a_server_that_is_not_there_is_an_error_that_names_it() -> None:
    with embeddings_server() as served:
        pass

    with pytest.raises(EndpointError, match=re.escape(f"endpoint {served.url}: it cannot be reac")):
        encoder_of(served)


def _row(index: object, embedding: object) -> dict[str, object]:
    return {"index": index, "embedding": embedding}


VECTOR = [0.5] * DIM


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(
            {"data": [_row(0, VECTOR)]}, "it was asked for 2 vectors and gave 1", id="a short list"
        ),
        pytest.param(
            {"data": [_row(0, VECTOR), _row(0, VECTOR)]}, "each index from 0 to 1 once", id="twice"
        ),
        pytest.param(
            {"data": [_row(0, VECTOR), _row(2, VECTOR)]}, "each index from 0 to 1 once", id="index"
        ),
        pytest.param(
            {"data": [VECTOR, VECTOR]}, "each index from 0 to 1 once", id="rows without index"
        ),
        pytest.param(
            {"data": [_row(0, VECTOR), _row(1, [0.5, float("nan"), *VECTOR[2:]])]},
            "vector 1 of 2 has numbers that are not finite",
            id="not a number",
        ),
        pytest.param(
            {"data": [_row(0, VECTOR), _row(1, [None, *VECTOR[1:]])]},
            "vector 1 of 2 has numbers that are not finite",
            id="null",
        ),
        pytest.param(
            {"data": [_row(0, VECTOR), _row(1, VECTOR[1:])]}, "numbers of one length", id="ragged"
        ),
        pytest.param(
            {"data": [_row(0, VECTOR[1:]), _row(1, VECTOR[1:])]},
            f"its vectors had {DIM} numbers and now have {DIM - 1}",
            id="another dimension",
        ),
        pytest.param(
            {"data": [_row(0, "AAAA"), _row(1, "AAAA")]}, "not lists of numbers", id="base64"
        ),
        pytest.param({"data": [_row(0, []), _row(1, [])]}, "not lists of numbers", id="empty"),
        pytest.param({"vectors": []}, "its answer has no list `data`", id="no data"),
        pytest.param("<html>hello</html>", "no JSON but '<html>hello</html>'", id="no JSON"),
    ],
)
def test_an_answer_that_is_not_as_it_should_be_is_an_error(body: object, message: str) -> None:
    """It says which server, what was found and what to do."""
    with embeddings_server(lambda number, _texts: Answer(200, body) if number else None) as served:
        encoder = encoder_of(served)
        with pytest.raises(EndpointError, match=re.escape(message)) as error:
            encoded(encoder, TARGETS[:2])
        assert len(served.bodies) == 2

    assert str(error.value).startswith(f"endpoint {served.url}: ")
    assert "; " in str(error.value)


def test_a_text_the_server_refuses_is_told_and_the_others_go_on() -> None:
    """The batch is cut until the one it will not take stands alone."""

    def fault(_number: int, texts: list[str]) -> Answer | None:
        if any("number 3 " in text for text in texts):
            return Answer(400, {"error": {"message": "maximum context length is 4 tokens"}})
        return None

    skipped: list[Skipped] = []
    with embeddings_server(fault) as served:
        encoder = encoder_of(served)
        batches = list(encoder.encode(TARGETS[:8], skipped.append))
        assert list(encoder.encode(TARGETS[3:4], skipped.append)) == []
        with pytest.raises(CannotEncode, match=r"target 3: it answers 400 .*maximum context"):
            encoded(encoder, TARGETS[:8])

    assert {each.target_id for batch in batches for each in batch} == set("0124567")
    assert [each.target_id for each in skipped] == ["3", "3"]
    assert "maximum context length is 4 tokens" in skipped[0].reason


@pytest.mark.parametrize(
    ("status", "fix"),
    [
        (401, "name the environment variable of a valid key"),
        (403, "name the environment variable of a key that may use the model"),
        (404, "check the path, which mostly ends in /v1, and the model's name"),
        (301, "check the address"),
    ],
)
def test_a_failure_that_stays_is_not_asked_again(status: int, fix: str) -> None:
    with (
        embeddings_server(lambda _n, _t: Answer(status, {"error": "no"})) as served,
        pytest.raises(EndpointError, match=rf"it answers {status} \(no\); {fix}"),
    ):
        encoder_of(served)

    assert len(served.bodies) == 1


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in the header, and in no error, though the server repeats it."""
    monkeypatch.setenv("MY_KEY", KEY)
    settings = Settings(api_key_env="MY_KEY")
    with (
        embeddings_server(
            lambda number, _texts: Answer(401, {"error": f"bad key {KEY}"}) if number else None
        ) as served,
    ):
        encoder = encoder_of(served, settings)
        with pytest.raises(EndpointError, match=r"bad key \[key\]") as error:
            encoded(encoder, TARGETS[:1])

    assert {headers["Authorization"] for headers in served.headers} == {f"Bearer {KEY}"}
    assert KEY not in str(error.value)
    assert KEY not in repr(error.value.args)
    assert KEY not in json.dumps(repr(encoder.identity))


def test_a_key_that_is_not_set_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)

    with pytest.raises(BadSetting, match="the environment variable MY_KEY is not set"):
        make("served:http://127.0.0.1:9/v1#m", settings=Settings(api_key_env="MY_KEY"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("served:http://127.0.0.1:9/v1", "names no model; write served:URL#MODEL"),
        ("served:127.0.0.1:9/v1#m", "give one such as http://127.0.0.1:8000/v1"),
        ("served:http://me:secret@127.0.0.1:9/v1#m", "url: it holds a password; name the variable"),
    ],
)
def test_an_address_that_is_none_is_told(name: str, message: str) -> None:
    with pytest.raises(BadSetting, match=re.escape(message)):
        make(name)


@pytest.mark.parametrize(
    "settings", [Settings(dtype="float16"), Settings(max_tokens=9), Settings(device="cpu")]
)
def test_what_is_the_servers_to_choose_is_refused(settings: Settings) -> None:
    with pytest.raises(BadSetting, match="leave it out: the server has its own"):
        make("served:http://127.0.0.1:9/v1#m", settings=settings)


def test_a_run_that_is_given_up_asks_no_more() -> None:
    """Closing the generator ends the waiting for another attempt, here of 500 s."""
    release = threading.Event()

    def fault(number: int, _texts: list[str]) -> Answer | None:
        if number >= 2:
            release.set()
            return Answer(503, "later", {"Retry-After": "500"})
        return None

    with embeddings_server(fault) as served:
        encoder = encoder_of(served, Settings(batch_tokens=30))
        batches = encoder.encode(TARGETS[:6])
        assert isinstance(batches, Generator)
        first = next(batches)
        assert release.wait(timeout=20)
        batches.close()

    assert len(first) == 1


def test_the_identity_says_who_served_it() -> None:
    with embeddings_server() as served:
        identity = encoder_of(served).identity

    assert identity.unit == "sentence"
    assert (identity.model, identity.revision) == ("org/model", served.url)
    assert (identity.dtype, identity.pooling) == ("the server's", "the server's")
    assert identity.max_tokens is None
