"""The provider `transformers` through its interface, with its child process for real."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pydantic import ValidationError

from probe.errors import ProviderDown, SpecError
from probe.model_spec import ModelSpec
from probe.plan import Plan
from probe.providers.base import Provider, Reply, Request, Served
from probe.providers.transformers_local import Transformers, read_scored
from probe.resolve import find, provider_for
from probe.retry import Trouble, Verdict, verdict
from probe.spec import read_spec
from prompts.tasks.base import Asks
from store.catalogue import SMOLLM2
from tests.probe.experiments_for_tests import write_experiment
from tests.probe.runs import no_progress, running, wait_until
from tests.probe.scoring_for_tests import needs_packages, smollm2, unpacked

needs_packages()

import torch  # noqa: E402 - only where it is installed

from probe.providers.scoring.engine import Engine, Settings  # noqa: E402
from probe.providers.scoring.errors import NotAModel  # noqa: E402
from tests.probe.tiny_model_for_tests import tiny_folder  # noqa: E402

pytestmark = [pytest.mark.transformers, pytest.mark.timeout(600)]
TEMPLATE = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
ALL: tuple[Asks, ...] = ("reply", "continuation", "likelihood")


def model(name: str = "tiny", **more: Any) -> ModelSpec:  # noqa: ANN401
    return ModelSpec.model_validate(
        {"name": name, "provider": "transformers", "model": name, **more}
    )


@asynccontextmanager
async def served(
    spec: ModelSpec, path: Path, log: Path
) -> AsyncIterator[tuple[Transformers, Served]]:
    provider = Transformers(spec, path, log, unpacked())
    try:
        yield provider, await provider.open(ALL)
    finally:
        await provider.close()


async def asked(provider: Provider, request: Request) -> Reply | Trouble:
    return (await provider.ask(provider.body(request), request.asks)).result


async def test_the_smoke_test_model_scores_continues_and_answers(tmp_path: Path) -> None:
    """One GGUF file, opened and asked as a run does; the likelihood is of the text as sent."""
    text = "It was the best of times — “it was” 😀"
    async with served(model("smollm2-135m"), smollm2(), tmp_path / "log") as (provider, told):
        scored = await asked(provider, Request(text=text, asks="likelihood"))
        went_on = await asked(
            provider,
            Request(text="One, two, three, four,", asks="continuation", reply_tokens=4),
        )
        answer = await asked(provider, Request(text="Say hello."))
        long = await asked(provider, Request(text="word " * 3000, asks="likelihood"))

    assert told.unavailable == {}
    assert told.facts["dtype"] == "float32"
    assert isinstance(scored, Reply)
    assert scored.text is None
    assert scored.likelihood is not None
    assert "gistprobe" not in scored.raw
    assert "logprobs" not in scored.raw
    found = scored.likelihood
    lists = (found.logprobs, found.token_ids, found.ranks, found.means, found.variances)
    assert {len(each) for each in lists} == {len(found)} == {scored.prompt_tokens}
    assert {each[0] for each in (found.logprobs, found.ranks, found.means)} == {None}
    assert all(value is not None and value < 0 for value in found.logprobs[1:])
    assert found.places(text)[-1][1] == len(text)
    assert isinstance(went_on, Reply)
    assert (went_on.text, went_on.reply_tokens, went_on.outcome) == (
        " five, six,",
        4,
        "truncated",
    )
    assert isinstance(answer, Reply)
    assert answer.text
    assert isinstance(long, Trouble)
    assert "maximum context length is 2048 tokens" in long.message
    assert verdict(long) is Verdict.GIVE_UP


async def test_what_a_model_cannot_do_is_said_when_it_opens(tmp_path: Path) -> None:
    """Without a chat template there is no chat; asked by completions there is."""
    folder = tiny_folder(tmp_path / "m")
    async with served(model(), folder, tmp_path / "log") as (_, by_chat):
        pass
    async with served(
        model(api="completions", params={"max_tokens": 4}), folder, tmp_path / "log"
    ) as (provider, plain):
        answer = await asked(provider, Request(text="to be or"))

    assert list(by_chat.unavailable) == ["reply"]
    assert "chat template" in by_chat.unavailable["reply"]
    assert plain.unavailable == {}
    assert isinstance(answer, Reply)


async def test_requests_that_it_cannot_answer_are_refused_with_the_reason(tmp_path: Path) -> None:
    """By the address that the child gives, as a client of OpenAI's API would ask."""
    path = tiny_folder(tmp_path / "m", template=TEMPLATE)
    async with served(model(), path, tmp_path / "log") as (provider, _):
        assert provider._completions is not None
        url, key = provider._completions._url, provider._completions._key
        plain = {"model": "tiny", "prompt": "to be"}

        async def said(body: Mapping[str, object], given: str | None = key) -> tuple[int, str]:
            headers = {"Authorization": f"Bearer {given}"}
            async with (
                aiohttp.ClientSession(headers=headers) as session,
                session.post(url, json=body) as answer,
            ):
                return answer.status, await answer.text()

        fine = await said({**plain, "echo": True, "max_tokens": 0, "logprobs": 0})
        refused = [
            await said(plain, "wrong"),
            await said({**plain, "model": "other"}),
            await said({**plain, "best_of": 2}),
            await said({**plain, "echo": True, "max_tokens": 4}),
            await said({**plain, "prompt": ""}),
            await said({**plain, "max_tokens": 63}),
            await said({**plain, "temperature": -1}),
        ]

    assert fine[0] == 200
    assert '"tokens":["to"," be"]' in fine[1]
    assert '"text_offset":[0,2]' in fine[1]
    assert [status for status, _ in refused] == [401, 404, 400, 400, 400, 400, 400]
    for (_, text), word in zip(
        refused,
        ("Unauthorized", "other", "best_of", "echo", "no token", "63 > 64 - 2", "temperature"),
        strict=True,
    ):
        assert word in text


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        pytest.param("no file", "there is nothing", id="nothing"),
        pytest.param("text", "does not begin as a GGUF file does", id="a text"),
        pytest.param("cut off", "its weights cannot be loaded", id="a GGUF file cut off"),
        pytest.param("empty folder", "no config.json, so no model", id="a folder without a model"),
        pytest.param("no weights", "no *.safetensors", id="a folder without weights"),
        pytest.param("bad weights", "its weights cannot be loaded", id="damaged weights"),
        pytest.param("few tokens", "more tokens than the model", id="another's tokenizer"),
    ],
)
def test_what_is_no_model_is_named_with_what_was_found(
    tmp_path: Path, broken: str, said: str
) -> None:
    """By what the child is made of; that a run is told what it says, the next test shows."""
    path = tmp_path / "thing"
    if broken == "text":
        path.write_text("no weights")
    elif broken == "cut off":
        path.write_bytes(smollm2().read_bytes()[:5_000_000])
    elif broken == "few tokens":
        tiny_folder(path, vocabulary=4)
    elif broken != "no file":
        tiny_folder(path)
    if broken == "empty folder":
        (path / "config.json").unlink()
    if broken == "no weights":
        (path / "model.safetensors").unlink()
    if broken == "bad weights":
        (path / "model.safetensors").write_bytes(b"\x10" * 400)
    settings = Settings(
        path=str(path),
        cache=str(tmp_path / "cache"),
        alias="tiny",
        key="k",
        threads=torch.get_num_threads(),
        context_tokens=2048,
    )

    with pytest.raises(NotAModel) as raised:
        Engine(settings)

    assert raised.value.path == path
    assert said in raised.value.found
    assert raised.value.fix
    assert not list((tmp_path / "cache").glob("*/making-*"))


async def test_what_the_child_finds_wrong_is_told_and_it_ends(tmp_path: Path) -> None:
    """In its words, with what to do; what it began to unpack is gone."""
    path = tmp_path / "thing"
    path.write_bytes(smollm2().read_bytes()[:5_000_000])
    before = set(running("probe.providers.scoring"))

    with pytest.raises(ProviderDown, match=r"model tiny: .*thing: its weights cannot be loaded"):
        async with served(model(), path, tmp_path / "log"):
            pass

    assert set(running("probe.providers.scoring")) <= before
    assert not list(unpacked().glob("*/making-*"))


def test_killed_the_parent_leaves_no_child(tmp_path: Path) -> None:
    """`kill -9` on who opened it: the child ends, though it sits in a session of its own."""
    folder = tiny_folder(tmp_path / "m")
    code = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from probe.model_spec import ModelSpec\n"
        "from probe.providers.transformers_local import Transformers\n"
        "spec = {'name': 'tiny', 'provider': 'transformers', 'model': 'tiny'}\n"
        "async def main():\n"
        "    path = Path(sys.argv[1])\n"
        "    await Transformers(ModelSpec(**spec), path, path / 'log', path).open()\n"
        "    print('open', flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    before = set(running("probe.providers.scoring"))
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as parent:
        assert parent.stdout is not None
        said = parent.stdout.readline()
        children = set(running("-m probe.providers.scoring")) - before
        os.kill(parent.pid, signal.SIGKILL)
    wait_until(lambda: not (children & set(running("-m probe.providers.scoring"))))

    assert said == "open\n"
    assert len(children) == 1


def experiment(folder: Path, named: str) -> Path:
    """The small experiment, asked of a model that transformers computes."""
    path = write_experiment(folder, "unused")
    path.write_text(
        path.read_text()
        .replace('provider = "openai"', 'provider = "transformers"')
        .replace('model = "fake"', f'model = "{named}"')
        .replace('base_url = "unused"', "")
    )
    return path


def planned(path: Path) -> Plan:
    return find(read_spec(path), path, no_progress)


def test_an_experiment_names_an_asset_or_a_folder(tmp_path: Path) -> None:
    """The weights stand for the model in keys: the asset's digest, or one of the folder's files."""
    tiny_folder(tmp_path / "m")
    by_folder = experiment(tmp_path, "m")
    [one] = planned(by_folder).models
    shutil.copytree(tmp_path / "m", tmp_path / "copy")
    (tmp_path / "copy" / "README.md").write_text("notes")
    [copied] = planned(experiment(tmp_path, "copy")).models
    (tmp_path / "copy" / "tokenizer_config.json").write_text("{}")
    [changed] = planned(experiment(tmp_path, "copy")).models
    [asset] = planned(experiment(tmp_path, "smollm2-135m")).models

    assert one.endpoint == copied.endpoint != changed.endpoint
    assert asset.endpoint == f"transformers:{SMOLLM2.sha256}"
    made = provider_for(one.spec, by_folder, tmp_path / "log", no_progress)
    assert isinstance(made, Transformers)


def test_a_folder_without_a_model_is_found_out_by_the_plan(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()

    with pytest.raises(SpecError, match=r"holds no config\.json, so no model"):
        planned(experiment(tmp_path, "m"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"base_url": "http://host/v1"}, "leave base_url out"),
        ({"structured": True}, "neither structured nor n"),
        ({"params": {"n": 2}}, "neither structured nor n"),
    ],
)
def test_settings_that_it_does_not_take(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        model(**wrong)


def test_an_echo_without_its_lists_is_a_trouble_and_no_likelihood() -> None:
    reply = Reply(
        outcome="ok",
        text="to be",
        finish_reason="stop",
        served_model="tiny",
        fingerprint=None,
        prompt_tokens=2,
        reply_tokens=0,
        raw='{"choices": [{"text": "to be"}]}',
    )

    assert isinstance(read_scored(reply), Trouble)
