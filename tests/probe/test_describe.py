"""Characters are described once, by a run like any other, and described to further experiments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aiohttp import web

from prompts.datasets import dataset_named
from prompts.datasets.base import Selection
from prompts.descriptions import read_descriptions
from tests.probe.experiments_for_tests import probe, rows, write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, completion, serving
from tests.probe.plans_for_tests import cells_of

SCENE = "\r".join(
    (
        'No.,Scene,Answer\r\n1,"01x01 1',
        "['ross', 'monica']",
        " P0 : Hi Joey.",
        " P1 : Where is Ross?\",\"{'P0': 'ross', 'P1': 'monica'}\"\r\n",
    )
)


def scenes(folder: Path) -> Path:
    """A file of one annotated scene, of our own."""
    path = folder / "friends.raw"
    path.write_bytes(SCENE.encode())
    return path


def test_labels_to_guess_give_way_to_names_and_those_are_described(tmp_path: Path) -> None:
    selection = Selection(task="character_description")
    (item,) = dataset_named("tvshowguess").items(scenes(tmp_path), selection)

    assert item.text == "Ross: Hi Joey.\nMonica: Where is Ross?"
    assert item.gold == {"Ross": "", "Monica": ""}
    assert (item.options, item.question, item.task) == ((), "", "character_description")


def describing(folder: Path, url: str) -> Path:
    """An experiment that asks for descriptions of two people in a scene."""
    scenes(folder)
    path = folder / "describe.toml"
    path.write_text(
        f"""
name = "who"
[[models]]
name = "fake"
provider = "openai"
model = "fake"
base_url = "{url}"
structured = true
[[tasks]]
name = "character_description"
dataset = "tvshowguess"
path = "friends.raw"
[conditions]
names = ["original"]
prompts = ["gist"]
""",
        encoding="utf-8",
    )
    return path


def test_what_a_model_says_goes_to_a_file_that_experiments_take(tmp_path: Path) -> None:
    """With the key of the reply it stands in; the request asked for it as JSON."""
    said = json.dumps({"Ross": "Ross is\nshy.", "Monica": "She likes order."})
    endpoint = FakeEndpoint(scripted=lambda _times, _prompt: completion(said))
    store, out = tmp_path / "store", tmp_path / "described.jsonl"
    with serving(endpoint) as url:
        ran = probe("run", describing(tmp_path, url), "--store", store)
        assert ran.returncode == 0, ran.stderr
    (heard,) = endpoint.heard
    wanted = heard.asks["response_format"]["json_schema"]["schema"]
    assert wanted["properties"] == {"Ross": {"type": "string"}, "Monica": {"type": "string"}}

    done = probe("describe", "who", "--store", store, "--out", out)

    assert done.returncode == 0, done.stderr
    assert done.stdout == f"2 characters of 1 works described in {out}\n"
    found = read_descriptions(out, "who").by_work
    assert found == {"Friends": {"Ross": "Ross is shy.", "Monica": "She likes order."}}
    (key,) = {json.loads(line)["key"] for line in out.read_text().splitlines()}
    assert rows(store, "SELECT key FROM replies") == [{"key": key}]


def test_a_store_without_descriptions_says_what_to_run(tmp_path: Path) -> None:
    def no_description(_times: int, _prompt: str) -> web.Response:
        return completion("I would rather not.")

    store = tmp_path / "store"
    with serving(FakeEndpoint(scripted=no_description)) as url:
        probe("run", describing(tmp_path, url), "--store", store)
    done = probe("describe", "who", "--store", store, "--out", tmp_path / "out.jsonl")
    unknown = probe("describe", "whom", "--store", store, "--out", tmp_path / "out.jsonl")

    assert done.returncode == 2
    assert "holds no description; give it the task character_description" in done.stderr
    assert unknown.returncode == 2
    assert "no experiment is called 'whom'; the store has who" in unknown.stderr
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("structured", [False, True])
def test_only_a_model_that_takes_schemas_has_them_in_its_keys(
    tmp_path: Path, *, structured: bool
) -> None:
    """What is sent changes the reply, so it is part of the key; a task without a schema is not."""
    extra = "structured = true" if structured else ""
    plain = {cell.cell_id: cell for cell in cells_of(write_experiment(tmp_path, "http://h/v1"))}
    asked = {
        cell.cell_id: cell
        for cell in cells_of(write_experiment(tmp_path, "http://h/v1", extra=extra))
    }

    for own, cell in asked.items():
        has_schema = cell.condition.prompt.schema is not None
        assert (cell.key != plain[own].key) is (structured and has_schema)
