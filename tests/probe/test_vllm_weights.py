"""What a `vllm` model's name stands for, and that cells' keys change with it and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from probe.errors import SpecError
from probe.model_spec import ModelSpec
from probe.providers.vllm import Vllm, command
from probe.providers.vllm_weights import chat_template, find_weights, identity
from probe.resolve import find, provider_for
from probe.spec import read_spec
from tests.probe.experiments_for_tests import write_experiment
from tests.probe.runs import no_progress


def spec(model: str = "org/m", **serve: object) -> ModelSpec:
    return served(serve, model)


def served(serve: Mapping[str, object], model: str = "org/m") -> ModelSpec:
    return ModelSpec.model_validate(
        {"name": "m", "provider": "vllm", "model": model, "serve": serve}
    )


def folder(place: Path, weights: bytes = b"weights") -> Path:
    place.mkdir(exist_ok=True)
    (place / "config.json").write_text("{}")
    (place / "model.safetensors").write_bytes(weights)
    return place


def identity_of(model: ModelSpec, here: Path) -> str:
    return identity(model, find_weights(model, here / "x.toml"), here / "x.toml")


def test_an_asset_a_file_a_folder_and_an_id_of_the_hub_are_told_apart(tmp_path: Path) -> None:
    folder(tmp_path / "here")
    (tmp_path / "a.gguf").write_bytes(b"GGUF")

    kinds = {
        name: find_weights(spec(name), tmp_path / "x.toml").kind
        for name in ("smollm2-135m", "a.gguf", "here", "org/name", "gpt2")
    }

    assert kinds == {
        "smollm2-135m": "asset",
        "a.gguf": "gguf",
        "here": "folder",
        "org/name": "hub",
        "gpt2": "hub",
    }


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../gone/model", "there is no ../gone/model, and no id of the hub is like that"),
        ("empty", "holds no config.json, so no model"),
        ("a.txt", "is neither a folder nor a GGUF file"),
    ],
)
def test_what_is_no_model_is_named(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("a")

    with pytest.raises(SpecError, match=said):
        find_weights(spec(name), tmp_path / "x.toml")


def test_a_key_is_of_the_weights_and_not_of_their_place(tmp_path: Path) -> None:
    one, same = folder(tmp_path / "one"), folder(tmp_path / "same")
    other = folder(tmp_path / "other", b"weightz")
    ids = [identity_of(spec(str(path)), tmp_path) for path in (one, same, other)]

    assert ids[0] == ids[1]
    assert ids[0] != ids[2]


def test_weights_that_differ_in_their_middle_alone_are_told_apart(tmp_path: Path) -> None:
    """As two fine-tuned models do whose first and last layers were left as they were."""
    told = [b"start" + middle + b"end" for middle in (b"." * 9, b"....x....")]

    one, other = (identity_of(spec(str(folder(tmp_path / "m", each))), tmp_path) for each in told)

    assert one != other


CHANGES: dict[str, dict[str, object]] = {
    "revision": {"revision": "abc"},
    "dtype": {"dtype": "float16"},
    "template": {"chat_template": "{{ messages }}"},
    "quantisation": {"args": ["--quantization", "fp8"]},
    "quantisation, written otherwise": {"args": ["--max-num-seqs=4", "--quantization=awq"]},
}
KEEPS: dict[str, dict[str, object]] = {
    "more at once": {"args": ["--max-num-seqs", "64"]},
    "more GPUs": {"tensor_parallel": 4},
    "more memory": {"gpu_memory_utilization": 0.95},
    "another place": {"python": "/elsewhere/python", "port": 8000, "start_s": 5},
}


@pytest.mark.parametrize("case", CHANGES)
def test_what_changes_replies_changes_keys(case: str, tmp_path: Path) -> None:
    assert identity_of(served(CHANGES[case]), tmp_path) != identity_of(spec(), tmp_path)


@pytest.mark.parametrize("case", KEEPS)
def test_what_changes_only_how_fast_keeps_them(case: str, tmp_path: Path) -> None:
    assert identity_of(served(KEEPS[case]), tmp_path) == identity_of(spec(), tmp_path)


def test_a_template_is_a_file_beside_the_experiment_or_its_own_text(tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text("{{ messages }}")
    here = tmp_path / "x.toml"

    assert chat_template(spec(chat_template="t.jinja"), here) == (tmp_path / "t.jinja").resolve()
    assert chat_template(spec(chat_template="{{ a }}"), here) == "{{ a }}"
    assert identity_of(spec(chat_template="t.jinja"), tmp_path) == identity_of(
        spec(chat_template="{{ messages }}"), tmp_path
    )
    with pytest.raises(SpecError, match=r"no chat template gone\.jinja"):
        chat_template(spec(chat_template="gone.jinja"), here)


def test_the_generation_config_of_the_users_goes_before_ours() -> None:
    ours = command(spec(), "w", 1, None)
    theirs = command(spec(args=["--generation-config=auto"]), "w", 1, None)

    assert ours[-2:] == ["--generation-config", "vllm"]
    assert [word for word in theirs if "generation" in word] == ["--generation-config=auto"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('provider = "openai"\nbase_url = "http://h/v1"\nserve = { dtype = "half" }', "serve goes"),
        ('provider = "vllm"\nbase_url = "http://h/v1"\nserve = {}', "leave serve out"),
        ('provider = "vllm"\napi_key_env = "K"', "leave api_key_env out"),
        ('provider = "vllm"\nserve = { dtipe = "half" }', "dtipe"),
    ],
)
def test_what_does_not_go_together_is_refused(lines: str, said: str, tmp_path: Path) -> None:
    path = write_experiment(tmp_path, "unused")
    text = path.read_text().replace('base_url = "unused"\n', "")
    path.write_text(text.replace('provider = "openai"', lines))

    with pytest.raises(SpecError, match=said):
        read_spec(path)


def test_an_experiment_file_comes_to_a_provider_and_an_endpoint(tmp_path: Path) -> None:
    """Started here it is known by its weights, attached to by its address or its name."""
    weights = folder(tmp_path / "weights")
    started = f'provider = "vllm"\nmodel = "{weights.name}"\nserve = {{ dtype = "half" }}'
    attached = 'provider = "vllm"\nmodel = "m"\nbase_url = "http://127.0.0.1:8000/v1"'
    found = {}
    for lines in (started, attached):
        path = write_experiment(tmp_path, "unused")
        text = path.read_text().replace('base_url = "unused"\n', "").replace('model = "fake"\n', "")
        path.write_text(text.replace('provider = "openai"', lines))
        read = read_spec(path)
        plan = find(read, path, no_progress)
        provider = provider_for(read.models[0], path, tmp_path / "log", no_progress)

        assert isinstance(provider, Vllm)
        weights_path = provider._weights.path if provider._weights else None
        found[lines] = (plan.models[0].endpoint, weights_path)

    assert found[started][0].startswith("vllm:")
    assert found[started][1] == str(weights.resolve())
    assert found[attached] == ("http://127.0.0.1:8000/v1", None)
