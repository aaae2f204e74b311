"""`probe simulate --replies planted` as a client and a user meet it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from click.testing import CliRunner

from probe.cli import cli
from probe.cli.planted_options import PLANTED
from probe.providers.base import Reply
from probe.providers.replies import read_reply
from probe.simulate import Settings, serving
from probe.simulate.gold import Asked
from probe.simulate.memory import Memory
from probe.simulate.planted import GARBLED, REFUSAL
from tests.probe.experiments_for_tests import probe
from tests.probe.planted_for_tests import everything_of, maker_of, write_planted
from tests.probe.simulated import Client, chat, simulated


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_planted(tmp_path_factory.mktemp("planted"), works=6, scenes=1)


@pytest.fixture(scope="module")
def everything(experiment: Path) -> list[Asked]:
    return everything_of(experiment)


async def replies(
    everything: list[Asked], order: list[int], memory: Memory, seed: int = 0
) -> dict[tuple[int, str], Any]:
    """The choices that two subjects are given, asked in some order."""
    maker = maker_of(everything, memory, seed)
    found = {}
    async with serving(Settings(replies="planted"), maker) as url, aiohttp.ClientSession() as own:
        client = Client(own, url)
        for at in order:
            for subject in ("subject-001", "subject-002"):
                body = {**chat(everything[at].condition.prompt.text, n=3), "model": subject}
                _, _, answered = await client.post(body)
                found[at, subject] = answered["choices"]
    return found


async def test_replies_do_not_depend_on_the_order_of_requests(everything: list[Asked]) -> None:
    memory = Memory(skill=0.5, refuse=0.2, garble=0.2)
    order = list(range(len(everything)))
    first = await replies(everything, order, memory)
    random.Random(5).shuffle(order)
    again = await replies(everything, order, memory)
    otherwise = await replies(everything, order, memory, seed=1)

    assert first == again
    assert first != otherwise
    assert [first[at, "subject-001"] for at in order] != [first[at, "subject-002"] for at in order]


async def test_a_refusal_stands_where_hosts_put_it_and_is_read_as_one(
    everything: list[Asked],
) -> None:
    found = await replies(everything, [0], Memory(refuse=1, garble=0))
    message = found[0, "subject-001"][0]["message"]
    read = read_reply(json.dumps({"choices": found[0, "subject-001"]}))

    assert message == {"role": "assistant", "content": None, "refusal": REFUSAL}
    assert isinstance(read, Reply)
    assert read.outcome == "refused"


async def test_an_unknown_prompt_is_refused_with_what_to_do(everything: list[Asked]) -> None:
    maker = maker_of(everything, Memory())
    async with serving(Settings(replies="planted"), maker) as url, aiohttp.ClientSession() as own:
        status, _, body = await Client(own, url).post(chat("Who was it?"))

    assert status == 400
    assert body["error"]["code"] == "unknown_prompt"
    assert "start the endpoint with the experiment file" in body["error"]["message"]


def test_the_command_plays_an_experiment_that_is_run_against_it(
    experiment: Path, tmp_path: Path
) -> None:
    """Garbled replies only: none is read, and none is lost."""
    flags = ["--replies", "planted", "--experiment", experiment, "--garble", 1, "--refuse", 0]
    with simulated(*flags) as url:
        text = experiment.read_text(encoding="utf-8").replace("http://127.0.0.1:9/v1", url)
        path = experiment.with_name("run.toml")
        path.write_text(text, encoding="utf-8")
        done = probe("run", path, "--store", tmp_path / "store")
    texts = probe(
        "sql", "SELECT DISTINCT text FROM replies", "--store", tmp_path / "store", "--format", "csv"
    )

    assert done.returncode == 0, done.stderr
    assert texts.stdout.splitlines() == ["text", f'"{GARBLED}"']


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--known", "0.5"], "--known goes with --replies planted, not option"),
        (["--replies", "echo", "--items", "5"], "--items goes with --replies planted, not echo"),
        (["--replies", "planted"], "--replies planted needs --experiment"),
        (["--replies", "memory"], "--replies is 'memory', it must be one of"),
        (["--replies", "planted", "--experiment", "EXPERIMENT", "--skill", "2"], "--skill is 2.0"),
        (["--replies", "planted", "--experiment", "nowhere.toml"], "no such file"),
    ],
)
def test_wrong_flags_are_told_and_nothing_is_served(
    experiment: Path, flags: list[str], said: str
) -> None:
    words = [str(experiment) if word == "EXPERIMENT" else word for word in flags]
    done = CliRunner().invoke(cli, ["simulate", *words])

    assert done.exit_code == 2
    assert said in done.output


def test_the_options_say_the_defaults_that_hold() -> None:
    assert {flag.replace("-", "_"): default for flag, (default, _) in PLANTED.items()} == {
        name: getattr(Memory(), name) for name in Memory.__slots__
    }
