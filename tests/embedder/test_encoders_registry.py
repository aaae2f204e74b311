"""Encoders by name."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from embedder.encoders import KNOWN, Settings, make
from embedder.errors import BadSetting, MissingPackages, ModelUnusable, NoSuchEncoder

HEAVY = {"torch", "transformers", "sentence_transformers", "tokenizers", "huggingface_hub"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("all-minilm-l6", "no encoder 'all-minilm-l6'; did you mean 'all-minilm-l6-v2'? it may be"),
        ("bert", "no encoder 'bert'; it may be all-minilm-l6-v2, t5-11b, "),
        ("sentence:", "no encoder 'sentence:'; "),
        ("served:", "no encoder 'served:'; "),
    ],
)
def test_a_name_that_is_none_is_told_with_the_nearest(name: str, message: str) -> None:
    with pytest.raises(NoSuchEncoder, match=re.escape(message)) as error:
        make(name)

    assert all(known in str(error.value) for known in KNOWN)


def test_a_key_for_an_encoder_that_asks_no_server_is_refused() -> None:
    """It would be sent nowhere, and the user thinks it is."""
    with pytest.raises(BadSetting, match="api key: this encoder asks no server; leave it out"):
        make("all-minilm-l6-v2", settings=Settings(api_key_env="MY_KEY"))


def test_importing_encoders_loads_none_of_what_runs_them() -> None:
    """So the command that lists them answers at once."""
    code = "import sys, embedder.encoders; print(*sorted(sys.modules))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert HEAVY & set(done.stdout.split()) == set()


@pytest.mark.parametrize("name", ["all-minilm-l6-v2", "t5-11b", "nv-embed-v1", "word:some/model"])
def test_without_the_packages_the_extra_to_install_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """As on an installation without the extra: the import finds nothing."""
    for module in [each for each in sys.modules if each.split(".")[0] == "huggingface_hub"]:
        monkeypatch.delitem(sys.modules, module)
    for module in [each for each in sys.modules if each.startswith("embedder.encoders.hub")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [_Without(), *sys.meta_path])

    with pytest.raises(
        MissingPackages,
        match=re.escape(
            f"encoder {name}: the package 'huggingface_hub' is not installed; install what "
            "encoders need with pip install 'gistprobe[embed]'"
        ),
    ):
        make(name)


class _Without:
    """An importer that has none of the heavy packages."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Refuse them as Python does when nothing is found."""
        del path, target
        if name.split(".", maxsplit=1)[0] in HEAVY:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="needs the `embed` extra")
    from tests.embedder.models_for_tests import make_bert  # noqa: PLC0415 - needs torch

    return make_bert(tmp_path_factory.mktemp("models") / "bert")


def test_a_folder_in_place_of_the_hub_keeps_the_models_name(folder: Path) -> None:
    """Where a model lies does not change its vectors, so it is not in the identity."""
    one = make("all-minilm-l6-v2", folder=folder).identity
    copy = Path(shutil.copytree(folder, folder.parent / "elsewhere"))
    other = make("all-minilm-l6-v2", folder=copy).identity

    assert one.model == "sentence-transformers/all-MiniLM-L6-v2"
    assert one == other


def test_other_weights_are_another_identity(folder: Path) -> None:
    """A digest over the files stands for them."""
    from safetensors.torch import load_file, save_file  # noqa: PLC0415

    other = Path(shutil.copytree(folder, folder.parent / "other" / "bert"))
    weights = load_file(other / "model.safetensors")
    weights["embeddings.word_embeddings.weight"][7] += 1
    save_file(weights, other / "model.safetensors", metadata={"format": "pt"})

    a, b = (make(f"sentence:{each}").identity for each in (folder, other))

    assert a.revision != b.revision
    assert a.model == b.model == "bert"


def test_a_sentence_model_may_encode_words_as_well(folder: Path) -> None:
    """Any encoder's folder does."""
    assert make(f"word:{folder}").identity.unit == "word"
    assert make(f"sentence:{folder}").identity.unit == "sentence"


def test_a_folder_given_twice_is_refused(folder: Path) -> None:
    with pytest.raises(BadSetting, match=r"folder: .*; give it as sentence:"):
        make("sentence:org/model", folder=folder)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub", reason="needs the `embed` extra")

    for name, where in ((f"sentence:{tmp_path}/none", None), ("t5-11b", tmp_path / "none")):
        with pytest.raises(ModelUnusable, match="there is no such folder; check the path"):
            make(name, folder=where)


def test_a_name_on_the_hub_is_found_in_its_cache(folder: Path, tmp_path: Path) -> None:
    """Its commit is the revision; a name that is not there is an error of one line.

    The cache is laid out as the hub's client does it, and the network is off.
    """
    commit = "0123456789abcdef0123456789abcdef01234567"
    cached = tmp_path / "models--org--small"
    shutil.copytree(folder, cached / "snapshots" / commit)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(commit)
    code = (
        "from embedder.encoders import make\n"
        "from embedder.errors import EncoderError\n"
        "identity = make('sentence:org/small').identity\n"
        "print(identity.model, identity.revision)\n"
        "try: make('sentence:org/absent')\n"
        "except EncoderError as error: print(error)\n"
        "try: make('sentence:not a name')\n"
        "except EncoderError as error: print(error)\n"
    )
    environment = {"HF_HUB_CACHE": str(tmp_path), "HF_HUB_OFFLINE": "1", "PATH": "/usr/bin:/bin"}

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=Path(__file__).parents[2],
    )

    found, absent, no_name = done.stdout.splitlines()
    assert found == f"org/small {commit}"
    assert absent.startswith("model org/absent: ")
    assert "check the name and the network" in absent
    assert no_name.startswith("model not a name: ")
