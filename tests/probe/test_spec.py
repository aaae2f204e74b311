"""The experiment file: what it says, and what is said when it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from probe.errors import SpecError
from probe.model_spec import ModelSpec, Price
from probe.spec import (
    Conditions,
    Spec,
    TaskSpec,
    dataset_path,
    model_file,
    read_spec,
)
from tests.probe.experiments_for_tests import write_experiment

ROOT = Path(__file__).parents[2]


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    return write_experiment(tmp_path, "http://127.0.0.1:1/v1")


def test_the_outline_that_users_are_given_is_read(tmp_path: Path) -> None:
    """Every key of the documented outline is accepted with its type."""
    path = tmp_path / "outline.toml"
    path.write_text(
        """
name = "outline"
seed = 7
[[models]]
name = "small"
provider = "openai"
base_url = "http://127.0.0.1:8000/v1"
model = "org/model"
api_key_env = "SOME_KEY"
max_in_flight = 64
requests_per_min = 3000
tokens_per_min = 2_000_000
params = { temperature = 0.0, max_tokens = 128 }
price = { input_usd_per_m = 0.15, output_usd_per_m = 0.60 }
[[tasks]]
name = "source_identification"
dataset = "excerpts"
path = "excerpts.jsonl"
limit = 100
[conditions]
names = ["original", "masked", "same_culture", "cross_culture"]
prompts = ["baseline", "verbatim", "gist"]
samples = 5
"""
    )

    spec = read_spec(path)

    assert spec.models[0].tokens_per_min == 2_000_000
    assert spec.tasks[0].asked == "open"
    assert spec.conditions.samples == 5


@pytest.mark.parametrize(
    "path", sorted((ROOT / "experiments").glob("*.toml")), ids=lambda p: p.stem
)
def test_the_experiments_that_ship_are_right(path: Path) -> None:
    assert read_spec(path).name == path.stem


WRONG = {
    "unknown key": ("seed = 3", "sead = 3", r"unknown key sead; did you mean 'seed'\?"),
    "unknown key of a model": (
        'model = "fake"',
        'model = "fake"\nmax_inflight = 3',
        r"unknown key models\[0\].max_inflight; did you mean 'max_in_flight'\?",
    ),
    "unknown key of a price": (
        'model = "fake"',
        'model = "fake"\nprice = { input_usd = 1 }',
        r"unknown key models\[0\].price.input_usd; did you mean 'input_usd_per_m'\?",
    ),
    "unknown dataset": (
        "excerpts",
        "excerps",
        r"unknown dataset 'excerps'; did you mean 'excerpts'\?",
    ),
    "unknown task": ("source_identification", "sauce", "unknown task 'sauce'; known: "),
    "wrong task": ("source_identification", "character_guessing", "has no items for"),
    "wrong type": ("seed = 3", 'seed = "three"', "seed: .*valid integer.*found 'three'"),
    "wrong names": (
        '"original"',
        '"orignal"',
        "conditions.names: unknown name strategy 'orignal'; did you mean 'original'",
    ),
    "below range": (
        'model = "fake"',
        'model = "fake"\nmax_in_flight = 0',
        "greater than or equal to 1",
    ),
    "missing": ('name = "small"', "", "name is missing"),
    "no address": ("base_url", "# base_url", r"models\[0\]: provider openai needs base_url"),
    "no scheme": ("http://127.0.0.1:1/v1", "localhost:1/v1", "is no address; write it like http"),
    "a password": ("http://", "http://me:secret@", "holds a user or password"),
    "a negative seed": ("seed = 3", "seed = -1", "seed: .*greater than or equal to 0"),
    "a huge seed": ("seed = 3", "seed = 99999999999999999999", "seed: .*less than"),
    "not a number": ('model = "fake"', 'model = "fake"\nparams = { t = nan }', "JSON cannot"),
    "not TOML": ("[conditions]", "[conditions", "not TOML"),
    "a set field": (
        'model = "fake"',
        'model = "fake"\nparams = { stream = true }',
        "may not set stream",
    ),
    "a name twice": ('["baseline", "gist"]', '["gist", "gist"]', "lists something twice"),
    "a strange provider": ('"openai"', '"opnai"', r"models\[0\].provider: .*found 'opnai'"),
    "a port that is none": (
        "http://127.0.0.1:1/v1",
        "http://127.0.0.1:99999/v1",
        "is no address",
    ),
    "the prompt of the older API": (
        'model = "fake"',
        'model = "fake"\nparams = { prompt = "x" }',
        "may not set prompt",
    ),
    "a set field among the extras": (
        'model = "fake"',
        'model = "fake"\nextra_body = { messages = [] }',
        "may not set messages",
    ),
    "a parameter twice": (
        'model = "fake"',
        'model = "fake"\nparams = { top_k = 1 }\nextra_body = { top_k = 2 }',
        "params and extra_body both set top_k",
    ),
    "no whole samples": (
        'model = "fake"',
        'model = "fake"\nparams = { n = 1.5 }',
        r"n must be a whole number of at least 1, found 1\.5",
    ),
    "no samples": ('model = "fake"', 'model = "fake"\nparams = { n = 0 }', "at least 1, found 0"),
    "samples that are a truth": (
        'model = "fake"',
        'model = "fake"\nparams = { n = true }',
        "at least 1, found True",
    ),
    "samples that do not divide": (
        'model = "fake"',
        'model = "fake"\nextra_body = { n = 2 }',
        "model fake: n = 2 does not divide samples = 1",
    ),
    "a key among the headers": (
        'model = "fake"',
        'model = "fake"\nheaders = { X-Api-Key = "secret" }',
        "headers are recorded; give x-api-key in headers_env",
    ),
    "a header in two lines": (
        'model = "fake"',
        'model = "fake"\nheaders = { X-A = "a\\nb" }',
        r"models\[0\].headers.X-A: ",
    ),
    "a header's name": (
        'model = "fake"',
        'model = "fake"\nheaders = { "X A" = "a" }',
        r"models\[0\].headers.X A",
    ),
    "no patience": ('model = "fake"', 'model = "fake"\npatience_s = 0', "greater than 0"),
    "no attempts": ('model = "fake"', 'model = "fake"\nattempts = 0', "equal to 1"),
    "a strange api": ('model = "fake"', 'model = "fake"\napi = "chats"', "found 'chats'"),
    "a day that is none": (
        'model = "fake"',
        'model = "fake"\nprice = { input_usd_per_m = 1, output_usd_per_m = 1, as_of = "soon" }',
        r"models\[0\].price.as_of: ",
    ),
    "a strange culture": (
        "[conditions]",
        '[conditions]\ncross_culture = "chinees"',
        "mean 'chinese'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_with_its_place_in_one_line(experiment: Path, case: str) -> None:
    right, wrong, message = WRONG[case]
    text = experiment.read_text()
    assert right in text
    experiment.write_text(text.replace(right, wrong, 1))

    with pytest.raises(SpecError, match=message) as raised:
        read_spec(experiment)

    assert str(experiment) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_two_problems_are_both_named(experiment: Path) -> None:
    text = experiment.read_text().replace("seed = 3", 'seed = "x"').replace('model = "fake"', "")
    experiment.write_text(text)

    with pytest.raises(
        SpecError,
        match=r"seed: .*; .*models\[0\].model is missing|models\[0\].model is missing; .*seed",
    ):
        read_spec(experiment)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"nowhere.toml: no such file"):
        read_spec(tmp_path / "nowhere.toml")


def test_a_path_is_found_beside_the_experiment_file(experiment: Path) -> None:
    task = read_spec(experiment).tasks[0]

    assert dataset_path(task, experiment) == experiment.parent / "excerpts.jsonl"


def test_a_path_that_leads_nowhere_names_both_places(experiment: Path) -> None:
    task = TaskSpec(name="source_identification", dataset="excerpts", path="gone.jsonl")

    with pytest.raises(SpecError, match=r"no file or folder at .*gone.jsonl nor at gone.jsonl"):
        dataset_path(task, experiment)


def test_a_local_model_is_an_asset_or_a_file(experiment: Path, tmp_path: Path) -> None:
    weights = tmp_path / "own.gguf"
    weights.write_bytes(b"GGUF")

    def local(model: str) -> Path | None:
        return model_file(ModelSpec(name="m", provider="local", model=model), experiment)

    assert local("smollm2-135m") is None
    assert local("own.gguf") == weights
    with pytest.raises(SpecError, match=r"no file smollm2; did you mean 'smollm2-135m'\?"):
        local("smollm2")


def test_a_secret_that_is_refused_is_not_quoted(experiment: Path) -> None:
    text = experiment.read_text()
    experiment.write_text(
        text.replace('model = "fake"', 'model = "fake"\nheaders = { Cookie = "a-secret" }')
    )

    with pytest.raises(SpecError, match="give cookie in headers_env") as raised:
        read_spec(experiment)

    assert "a-secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"api": "completions"}, "takes api = 'chat' and no n"),
        ({"params": {"n": 2}}, "takes api = 'chat' and no n"),
        ({"base_url": "http://host/v1"}, "leave base_url out"),
    ],
)
def test_a_local_model_takes_what_its_server_can_do(
    change: dict[str, object], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        ModelSpec.model_validate({"name": "m", "provider": "local", "model": "m"} | change)


def test_all_that_is_sent_beside_the_prompt_is_of_both_tables() -> None:
    spec = ModelSpec(
        name="m",
        provider="openai",
        model="m",
        base_url="http://host/v1",
        params={"temperature": 0.5},
        extra_body={"n": 3, "top_k": 5},
    )

    assert spec.body_params == {"temperature": 0.5, "n": 3, "top_k": 5}
    assert spec.request_samples == 3


def test_every_field_of_the_file_is_described() -> None:
    """Reference pages are made from these."""
    for model in (ModelSpec, TaskSpec, Conditions, Price):
        assert [name for name, field in model.model_fields.items() if not field.description] == []
    files = {"wordings", "descriptions", "name_maps"}
    assert (
        set(Spec.model_fields) == {"name", "seed", "models", "tasks", "conditions", "ray"} | files
    )
