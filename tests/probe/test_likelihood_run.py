"""Likelihoods and continuations through a whole run: planned, asked, journalled, measured, resumed.

The provider is a stand-in in this process, whose likelihoods are known by hand: tokens are words
with the space before them, and a token of n letters has log-probability -n / 8.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import pytest

from analysis.scoring import score_replies
from probe.plan import Model
from probe.providers import Answered, Provider, Reply, Request, Served
from prompts.likelihood import Likelihood
from prompts.tasks.base import Asks
from store.database import Database
from tests.probe.fake_endpoint import FakeEndpoint, started
from tests.probe.runs import conduct, query

PASSAGES = (
    {"id": "a", "work": "Mill", "text": "Anna walked to the mill at dawn and nobody saw her go."},
    {
        "id": "b",
        "work": "Mill",
        "text": "The water was high, said Anna, and the wheel had stopped.",
    },
)
CAST = [{"name": "Anna", "gender": "female"}]


def letters(token: str) -> int:
    return len(token.strip())


@dataclass(slots=True)
class Likely:
    """Answers in the process; says how often it was asked what."""

    unavailable: dict[Asks, str] = field(default_factory=dict)
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    opened_for: set[Asks] = field(default_factory=set)

    async def open(self, asks: Collection[Asks] = ()) -> Served:
        self.opened_for = set(asks)
        return Served(facts={"build": "hand"}, unavailable=self.unavailable)

    def body(self, request: Request) -> bytes:
        sent = {"prompt": request.text, "sample": request.sample, "most": request.reply_tokens}
        return orjson.dumps(sent)

    async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
        text = str(orjson.loads(body)["prompt"])
        self.asked[asks, text] += 1
        likely = asks == "likelihood"
        return Answered(
            Reply(
                outcome="ok",
                text=None if likely else "and went home again",
                finish_reason="length",
                served_model="hand",
                fingerprint=None,
                prompt_tokens=len(text.split()),
                reply_tokens=0,
                raw="{}",
                likelihood=by_hand(text) if likely else None,
            )
        )

    async def close(self) -> None:
        pass


def by_hand(text: str) -> Likelihood:
    tokens = list(re.finditer(r"\s*\S+", text))
    logprobs = [-letters(found.group()) / 8 for found in tokens]
    return Likelihood(
        offsets=tuple(found.start() for found in tokens),
        logprobs=(None, *logprobs[1:]),
        token_ids=tuple(range(len(tokens))),
        ranks=(None, *(letters(found.group()) for found in tokens[1:])),
    )


def write(
    folder: Path,
    *,
    task: str = "passage_likelihood",
    samples: int = 1,
    passages: Sequence[Mapping[str, str]] = PASSAGES,
) -> Path:
    lines = (json.dumps({**passage, "cast": CAST}) for passage in passages)
    (folder / "passages.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = folder / "likely.toml"
    path.write_text(
        f"""
name = "likely"
seed = 3

[[models]]
name = "hand"
provider = "openai"
model = "hand"
base_url = "http://127.0.0.1:9/v1"
params = {{ temperature = 0.7, max_tokens = 5 }}

[[tasks]]
name = "{task}"
dataset = "passages"
path = "passages.jsonl"

[conditions]
names = ["original", "cross_culture"]
prompts = ["baseline", "verbatim", "gist"]
samples = {samples}
""",
        encoding="utf-8",
    )
    return path


async def run(folder: Path, provider: Likely, **how: object) -> Path:
    experiment = write(folder, **how)  # type: ignore[arg-type]

    def make(_: Model, __: Path) -> Provider:
        return provider

    ended = await conduct(experiment, folder / "store", make_provider=make)
    assert ended.trouble is None
    return folder / "store"


async def test_a_likelihood_is_asked_once_however_many_prompts_and_samples(tmp_path: Path) -> None:
    """A bare passage has one prompt, and its samples share one likelihood, stored by token."""
    provider = Likely()
    store = await run(tmp_path, provider, samples=3)

    assert provider.opened_for == {"likelihood"}
    assert len(provider.asked) == 4
    assert set(provider.asked.values()) == {1}
    assert all(asks == "likelihood" for asks, _ in provider.asked)
    cells = "SELECT count(*), count(DISTINCT key), list(DISTINCT prompt) FROM results"
    assert query(store, cells) == [(12, 4, ["baseline"])]
    assert (
        query(store, "SELECT count(*), count(*) FILTER (outcome = 'ok') FROM results")[0][1] == 12
    )
    held = query(
        store,
        "SELECT offsets, logprobs, ranks, means FROM likelihoods JOIN replies USING (key, run_id)",
    )
    assert len(held) == 4
    for offsets, logprobs, ranks, means in held:
        assert isinstance(offsets, list)
        assert isinstance(logprobs, list)
        assert logprobs[0] is None
        assert ranks is not None
        assert means is None
        assert len(offsets) == len(logprobs)


async def test_only_tokens_outside_the_names_are_measured(tmp_path: Path) -> None:
    """By hand: the words of the first passage less its name; the name is replaced, not they."""
    store = await run(tmp_path, Likely())
    score(store)

    words = "walked to the mill at dawn and nobody saw her go.".split()
    expected = -sum(map(len, words)) / 8 / len(words)
    value = """SELECT names, num / den, den FROM measures
               WHERE item_id = 'a' AND metric = 'logprob' ORDER BY names"""
    found = query(store, value)
    assert [row[0] for row in found] == ["cross_culture", "original"]
    for _, mean, tokens in found:
        assert mean == pytest.approx(expected)
        assert tokens == len(words)
    named = query(
        store, "SELECT names, token FROM tokens WHERE in_name AND item_id = 'b' ORDER BY names"
    )
    assert named[1] == ("original", " Anna,")
    assert named[0][1] != " Anna,"
    tokens = query(store, "SELECT string_agg(token, '' ORDER BY place) FROM tokens GROUP BY key")
    assert {text for (text,) in tokens} == {
        text for (text,) in query(store, "SELECT prompt_text FROM results")
    }


async def test_a_contrast_of_likelihoods_is_paired_and_has_its_interval_in_nats(
    tmp_path: Path,
) -> None:
    store = await run(tmp_path, Likely())
    score(store)

    headline = "SELECT names, metric, value FROM headlines ORDER BY names"
    assert [(names, metric) for names, metric, _ in query(store, headline)] == [
        ("cross_culture", "logprob"),
        ("original", "logprob"),
    ]


async def test_a_run_that_was_ended_asks_for_no_likelihood_again(tmp_path: Path) -> None:
    """Also where only the journal holds them: the database is gone, and made anew from it."""
    store = await run(tmp_path, Likely())
    before = query(store, "SELECT key, offsets, logprobs, token_ids FROM likelihoods ORDER BY key")
    (store / "probe.duckdb").unlink()
    again = Likely()
    await run(tmp_path, again)

    assert not again.asked
    after = query(store, "SELECT key, offsets, logprobs, token_ids FROM likelihoods ORDER BY key")
    assert after == before
    assert len(after) == 4


async def test_what_an_endpoint_cannot_do_is_put_down_as_unavailable(tmp_path: Path) -> None:
    """No request is sent, nothing failed, the next run asks no more; the reason is kept."""
    provider = Likely(unavailable={"likelihood": "it gives no log-probabilities"})
    store = await run(tmp_path, provider)

    assert not provider.asked
    outcomes = "SELECT outcome, error, count(*) FROM results GROUP BY ALL"
    assert query(store, outcomes) == [("unavailable", "it gives no log-probabilities", 4)]
    assert query(store, "SELECT replies, failed, pending FROM progress") == [(0, 0, 0)]
    served = "SELECT model, facts ->> 'build', unavailable ->> 'likelihood' FROM served"
    assert query(store, served) == [("hand", "hand", "it gives no log-probabilities")]
    assert query(store, "SELECT how, failed FROM run_ends") == [("done", 0)]
    able = Likely()
    await run(tmp_path, able)
    assert not able.asked


async def test_a_real_endpoint_without_log_probabilities_ends_no_run(tmp_path: Path) -> None:
    """It answers chats and nothing else: its likelihoods are unavailable, and nothing broke."""
    experiment = write(tmp_path)
    async with started(FakeEndpoint()) as url:
        text = experiment.read_text(encoding="utf-8").replace("http://127.0.0.1:9/v1", url)
        experiment.write_text(text, encoding="utf-8")
        ended = await conduct(experiment, tmp_path / "store")

    assert (ended.how, ended.asked, ended.failed) == ("done", 0, 0)
    outcomes = "SELECT outcome, count(*) FROM results GROUP BY ALL"
    assert query(tmp_path / "store", outcomes) == [("unavailable", 4)]


async def test_a_continuation_is_asked_of_the_bare_passage(tmp_path: Path) -> None:
    """The task's reply length stands in each request; every sample is a request of its own."""
    provider = Likely()
    text = "Anna counted " + " ".join(f"stone{number}" for number in range(120))
    store = await run(
        tmp_path,
        provider,
        task="prefix_continuation",
        samples=2,
        passages=({"id": "a", "work": "Mill", "text": text},),
    )

    assert {asks for asks, _ in provider.asked} == {"continuation"}
    assert sorted(provider.asked.values()) == [2, 2]
    assert text.startswith(next(prompt for _, prompt in provider.asked if "Anna" in prompt))
    score(store)
    exact = "SELECT DISTINCT num FROM measures WHERE metric = 'exact'"
    assert query(store, exact) == [(0.0,)]


def score(store: Path) -> None:
    with Database(store) as database:
        database.call_for_all(score_replies)
