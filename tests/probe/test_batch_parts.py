"""What batches are made of: keys of the experiment file, prices, lines that go out and come in."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from probe.errors import ProviderDown, SpecError
from probe.model_spec import ModelSpec, Price
from probe.plan import Model
from probe.prices import price_of
from probe.providers import Reply
from probe.providers.anthropic_batches import AnthropicBatches
from probe.providers.anthropic_batches import read_line as read_message_line
from probe.providers.anthropic_messages import Anthropic
from probe.providers.anthropic_replies import read_error, read_message
from probe.providers.batches import TakesBatches
from probe.providers.openai_batches import OpenAIBatches, batch_line, read_line
from probe.providers.sdk import lines_of, load_sdk
from probe.retry import Trouble, Verdict, verdict
from probe.spec import read_spec
from probe.usage import Usage
from tests.probe.batched_for_tests import batch_experiment, batched, store_in
from tests.probe.batches_for_tests import KEY, FakeBatches, message
from tests.probe.experiments_for_tests import CELLS, probe, write_experiment
from tests.probe.fake_endpoint import started
from tests.probe.runs import conduct, count


def spec(provider: str = "openai", more: Mapping[str, object] | None = None) -> ModelSpec:
    own = {"base_url": "http://h/v1", "api_key_env": "K", "params": {"max_tokens": 9}}
    return ModelSpec.model_validate(
        {"name": "m", "provider": provider, "model": "served", **own, **(more or {})}
    )


PRICE = Price(input_usd_per_m=10, output_usd_per_m=20, cached_input_usd_per_m=5)


@pytest.mark.parametrize(("more", "left"), [({}, 0.5), ({"batch_discount": 0.25}, 0.75)])
def test_a_batch_costs_what_the_discount_leaves(more: dict[str, object], left: float) -> None:
    live = spec(more={"price": PRICE})
    batch = spec(more={"price": PRICE, "mode": "batch", **more})
    own = price_of(batch)

    assert price_of(live) == PRICE
    assert own is not None
    assert own.input_usd_per_m == left * 10
    assert own.output_usd_per_m == left * 20
    assert own.cached_input_usd_per_m == left * 5
    assert Usage(batch).most_usd(b"12") == pytest.approx(left * Usage(live).most_usd(b"12"))


def test_plan_shows_half_the_price_and_a_day(tmp_path: Path) -> None:
    shown = {}
    for mode in ("live", "batch"):
        path = batch_experiment(tmp_path, "http://h/v1", mode=mode)
        done = probe("plan", path, "--store", tmp_path / "none", "--format", "json")
        shown[mode] = json.loads(done.stdout)[0]

    high = {mode: float(row["usd"].split(" to ")[1].split(",")[0]) for mode, row in shown.items()}
    assert high["batch"] == pytest.approx(high["live"] / 2, abs=0.011)
    assert shown["batch"]["usd"].endswith(", in batches")
    assert shown["batch"]["time"] == "within a day"


@pytest.mark.parametrize(
    ("provider", "extra", "said"),
    [
        ("local", 'mode = "batch"', "mode batch goes with provider openai or anthropic"),
        ("openai", 'mode = "batch"\nsentinels = 2', "sentinels are asked one at a time"),
        ("openai", 'mode = "later"', "models[0].mode"),
        ("anthropic", "", "provider anthropic needs max_tokens"),
        ("anthropic", "params = { max_tokens = 5 }", "provider anthropic needs api_key_env"),
        ("anthropic", "params = { max_tokens = 5, n = 2 }", "neither structured nor n"),
    ],
)
def test_a_file_that_cannot_be_asked_so_says_why(
    tmp_path: Path, provider: str, extra: str, said: str
) -> None:
    path = write_experiment(tmp_path, "http://h/v1", extra=extra)
    text = path.read_text(encoding="utf-8").replace('"openai"', f'"{provider}"')
    if provider == "local":
        text = text.replace('base_url = "http://h/v1"', "")
    path.write_text(text, encoding="utf-8")

    with pytest.raises(SpecError) as error:
        read_spec(path)

    assert said in str(error.value)


def test_the_mode_is_no_part_of_the_keys() -> None:
    live, batch = (
        Model(spec=spec(more={"mode": mode}), endpoint="http://h/v1") for mode in ("live", "batch")
    )

    assert live.identity() == batch.identity()


def test_a_body_stands_in_its_line_as_it_is() -> None:
    body = '{"model":"m","messages":[{"role":"user","content":"é\\n"}]}'.encode()

    line = batch_line(spec(), "k1", body)
    other = AnthropicBatches(spec("anthropic")).line("k1", body)

    assert body in line
    assert json.loads(line)["url"] == "/v1/chat/completions"
    assert json.loads(line)["custom_id"] == json.loads(other)["custom_id"] == "k1"
    assert body in other


@pytest.mark.parametrize(
    ("line", "kind", "what"),
    [
        ({"error": {"code": "batch_expired", "message": "late"}}, "batch expired", Verdict.AGAIN),
        ({"error": {"code": "other", "message": "odd"}}, "batch other", Verdict.AGAIN),
        ({"response": None, "error": None}, "batch no body", Verdict.AGAIN),
        (
            {"response": {"status_code": 400, "body": None}, "error": {"message": "too long"}},
            "http 400",
            Verdict.GIVE_UP,
        ),
        (
            {"response": {"status_code": 404}, "error": {"error": {"message": "no model"}}},
            "http 404",
            Verdict.STOP,
        ),
        (
            {"response": {"status_code": 400, "body": {"error": {"message": "bad"}}}},
            "http 400",
            Verdict.GIVE_UP,
        ),
        ({"response": {"status_code": 429, "body": {}}}, "http 429", Verdict.WAIT),
        ({"response": {"status_code": 0, "body": {}}}, "http 500", Verdict.AGAIN),
        ({"response": {"status_code": 200, "body": {}}}, "malformed body", Verdict.AGAIN),
    ],
)
def test_a_line_without_a_reply_is_classified_as_live_ones_are(
    line: dict[str, object], kind: str, what: Verdict
) -> None:
    found = read_line(json.dumps({"id": "r1", "custom_id": "k", **line}).encode())

    assert found is not None
    trouble = found.answered.result
    assert isinstance(trouble, Trouble)
    assert (trouble.kind, verdict(trouble), found.answered.request_id) == (kind, what, "r1")


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"3", b'{"custom_id":4}', b"\xff"])
def test_what_is_no_line_is_none(raw: bytes) -> None:
    assert read_line(raw) is None
    assert read_message_line(raw) is None


@pytest.mark.parametrize(
    ("result", "kind", "what"),
    [
        ({"type": "expired"}, "batch expired", Verdict.AGAIN),
        ({"type": "canceled"}, "batch cancelled", Verdict.AGAIN),
        ({"type": "errored", "error": {"error": {"type": "api_error"}}}, "http 500", Verdict.AGAIN),
        (
            {"type": "errored", "error": {"error": {"type": "invalid_request_error"}}},
            "http 400",
            Verdict.GIVE_UP,
        ),
        (
            {"type": "errored", "error": {"error": {"type": "billing_error"}}},
            "http 402",
            Verdict.STOP,
        ),
        ({"type": "succeeded", "message": {}}, "malformed body", Verdict.AGAIN),
    ],
)
def test_a_result_without_a_message_is_classified_as_live_ones_are(
    result: dict[str, object], kind: str, what: Verdict
) -> None:
    found = read_message_line(json.dumps({"custom_id": "k", "result": result}).encode())

    assert found is not None
    trouble = found.answered.result
    assert isinstance(trouble, Trouble)
    assert (trouble.kind, verdict(trouble)) == (kind, what)


@pytest.mark.parametrize(
    ("stop", "outcome"),
    [
        ("end_turn", "ok"),
        ("stop_sequence", "ok"),
        ("max_tokens", "truncated"),
        ("model_context_window_exceeded", "truncated"),
        ("refusal", "refused"),
        (None, "ok"),
    ],
)
def test_a_message_is_read_with_its_thought_and_all_its_tokens(
    stop: str | None, outcome: str
) -> None:
    reply = read_message(json.dumps({**message("p"), "stop_reason": stop}))

    assert isinstance(reply, Reply)
    assert (reply.outcome, reply.finish_reason, reply.reasoning) == (outcome, stop, "well")
    assert (reply.prompt_tokens, reply.cached_tokens) == (100, 40)
    assert (reply.reply_tokens, reply.reasoning_tokens) == (40, 10)


def test_what_its_filter_stops_is_a_reply() -> None:
    said = "Output blocked by content filtering policy"
    raw = json.dumps({"error": {"type": "invalid_request_error", "message": said}})

    reply = read_error(raw, 400)

    assert isinstance(reply, Reply)
    assert (reply.outcome, reply.text, reply.status) == ("filtered", None, 400)


async def test_lines_end_at_line_feeds_alone() -> None:
    """Other readers end them at U+2028 too, which stands unescaped in replies."""
    text = "a\u2028b\r\n\n{}\nlast".encode()

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(text), 3):
            yield text[at : at + 3]

    assert [line async for line in lines_of(pieces())] == ["a\u2028b\r".encode(), b"{}", b"last"]


def test_an_sdk_that_is_missing_is_named_with_what_brings_it() -> None:
    with pytest.raises(ProviderDown, match=r"pip install 'gistprobe\[no_such_sdk\]'"):
        load_sdk("no_such_sdk", "m")


def test_both_providers_take_batches() -> None:
    assert isinstance(OpenAIBatches(spec(), "http://h/v1"), TakesBatches)
    assert isinstance(AnthropicBatches(spec("anthropic")), TakesBatches)
    assert not isinstance(Anthropic(spec("anthropic")), TakesBatches)


async def test_the_messages_api_is_asked_live_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through its SDK; a reply that was bought live is not bought again in a batch."""
    monkeypatch.setenv("BATCH_KEY", KEY)
    fake, store = FakeBatches(), store_in(tmp_path)
    async with started(fake) as url:
        path = batch_experiment(tmp_path, url, "anthropic", mode="live")
        live = await conduct(path, store, make_provider=batched)
        batch_experiment(tmp_path, url, "anthropic")
        batch = await conduct(path, store, make_provider=batched)

    assert (live.how, live.asked) == ("done", CELLS)
    assert (batch.asked, batch.held, fake.batches) == (0, CELLS, [])
    assert count(store, "SELECT count(*) FROM attempts WHERE request_id = 'req_live'") == CELLS
