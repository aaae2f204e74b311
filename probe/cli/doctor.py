"""`probe doctor`: what is installed, cached and missing, here and at a server or another python."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal

import click

from probe.cli import store_option
from store.address import Place


@dataclass(frozen=True, slots=True)
class _Finding:
    state: Literal["ok", "missing", "optional"]
    what: str
    found: str


_PACKAGES: Final = (
    ("xllamacpp", "local", "the embedded model server"),
    ("torch", "embed", "vectors of features, log-probabilities on this machine"),
    ("transformers", "transformers", "log-probabilities on this machine"),
    ("gguf", "transformers", "GGUF files for transformers and vLLM"),
    ("accelerate", "transformers", "the same"),
    ("sentence_transformers", "test", "the tests' own check of sentence vectors"),
    ("matplotlib", "report", "figures"),
    ("openai", "openai", "batches of OpenAI-compatible endpoints"),
    ("ray", "ray", "placing workers on a cluster"),
    ("anthropic", "anthropic", "Anthropic's models"),
)
"""Packages that a run can do without: name, the extra that brings it, purpose."""
_LISTING_S: Final = 10.0
_PYTHON_S: Final = 60.0
_VLLM: Final = """
import importlib.metadata as m, importlib.util, json
found = importlib.util.find_spec("vllm") is not None
names = m.packages_distributions().get("vllm", []) if found else []
print(json.dumps([f"{name} {m.version(name)}" for name in dict.fromkeys(names)] or found))
"""
_OWN: Final = "python -m venv vllm-env && vllm-env/bin/pip install vllm"


@click.command("doctor")
@store_option
@click.option(
    "--python",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The python of another environment, to see whether vLLM is there.",
)
@click.option("--url", help="A server's API, such as http://127.0.0.1:8000/v1, to list its models.")
@click.option("--api-key-env", help="The environment variable that holds that server's key.")
def command(store: Place, python: Path | None, url: str | None, api_key_env: str | None) -> None:
    """Say what is installed, what is cached and what is missing, with the line that mends it.

    Exits with 1 where something that every run needs, or that you named, is missing.
    """
    findings = [*_python(), *_extras(), _vllm(python), _gpu(), *_assets(), _store(store)]
    if url is not None:
        findings.append(_server(url, os.environ.get(api_key_env or "", "")))
    for finding in findings:
        click.echo(f"{finding.state:<9} {finding.what:<22} {finding.found}")
    if any(finding.state == "missing" for finding in findings):
        click.get_current_context().exit(1)


def _python() -> Iterator[_Finding]:
    from probe.pace import free_cores  # noqa: PLC0415 - keeps `probe --help` fast

    yield _Finding("ok", "gistprobe", metadata.version("gistprobe"))
    yield _Finding("ok", "python", f"{platform.python_version()} on {platform.platform()}")
    yield _Finding("ok", "cores", f"{free_cores()} free")
    pip = importlib.util.find_spec("pip") is not None
    missing = f"assets are fetched with pip; {sys.executable} -m ensurepip"
    yield _Finding("ok" if pip else "optional", "pip", "there" if pip else missing)


def _extras() -> Iterator[_Finding]:
    for package, extra, purpose in _PACKAGES:
        if importlib.util.find_spec(package) is None:
            yield _Finding("optional", package, f"for {purpose}: pip install 'gistprobe[{extra}]'")
            continue
        build = f" ({_torch_build()})" if package == "torch" else ""
        yield _Finding("ok", package, f"{metadata.version(package)}{build}, {purpose}")


def _torch_build() -> str:
    """What torch was built for, read off its files: to import it takes seconds."""
    spec = importlib.util.find_spec("torch")
    file = Path(spec.origin).parent / "version.py" if spec is not None and spec.origin else None
    text = file.read_text(encoding="utf-8") if file is not None and file.is_file() else ""
    for kind in ("cuda", "hip"):
        told = re.search(rf"^{kind}\b.*= '([\d.]+)", text, re.MULTILINE)
        if told:
            return f"for {kind.upper()} {told[1]}"
    return "for the CPU" if text else "build not told"


def _vllm(python: Path | None) -> _Finding:
    """Whether vLLM is there, for this python or another: it may well stand beside the rest."""
    asked = [str(python or sys.executable), "-c", _VLLM]
    where = f"at {python}" if python is not None else "here"
    state: Literal["missing", "optional"] = "optional" if python is None else "missing"
    try:
        done = subprocess.run(  # noqa: S603 - the user's own choice of a python
            asked, capture_output=True, text=True, check=True, timeout=_PYTHON_S
        )
        found = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return _Finding(state, "vllm", f"{python or sys.executable} cannot be run ({error})")
    if not found:
        fix = f"not {where}; for models on a GPU: {_OWN}, then serve.python names it"
        return _Finding(state, "vllm", fix)
    named = ", ".join(found) if isinstance(found, list) else "of no known version"
    return _Finding("ok", "vllm", f"{named}, {where}")


def _server(url: str, key: str) -> _Finding:
    """What a server lists."""
    try:
        models = _listed(url, key)
    except (OSError, ValueError) as error:
        found = f"{url} lists no models ({error}); start it, or check the address and the key"
        return _Finding("missing", "server", found)
    return _Finding("ok", "server", f"{url} serves {', '.join(models) or 'nothing'}")


def _listed(url: str, key: str) -> list[str]:
    """The ids of a server's models.

    Raises:
        OSError: It does not answer, or refuses.
        ValueError: What it answers is no list of models, or the address is none.
    """
    import urllib.request  # noqa: PLC0415 - keeps `probe --help` fast

    if not url.startswith(("http://", "https://")):
        raise ValueError("no address like http://host:8000/v1")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    request = urllib.request.Request(f"{url.rstrip('/')}/models", headers=headers)  # noqa: S310
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=_LISTING_S) as answer:
        told: Any = json.loads(answer.read())
    models = told.get("data") if isinstance(told, dict) else None
    if not isinstance(models, list):
        raise ValueError("no list of models")
    return [str(model["id"]) for model in models if isinstance(model, dict) and "id" in model]


def _gpu() -> _Finding:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return _Finding("optional", "gpu", "none seen (no nvidia-smi)")
    query = [tool, "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    done = subprocess.run(query, capture_output=True, text=True, check=False)  # noqa: S603
    seen = done.returncode == 0
    gpus = "; ".join(done.stdout.split("\n")).strip("; ")
    return _Finding("ok" if seen else "optional", "gpu", gpus or "none seen")


def _assets() -> Iterator[_Finding]:
    from store.assets import cache_folder, is_cached  # noqa: PLC0415 - keeps `probe --help` fast
    from store.catalogue import ASSETS  # noqa: PLC0415

    yield _Finding("ok", "cache", str(cache_folder()))
    for asset in ASSETS.values():
        cached = is_cached(asset)
        size = f"{asset.size / 1e6:.0f} MB"
        found = f"cached, {size}" if cached else f"fetched when used, {size}"
        yield _Finding("ok" if cached else "optional", asset.name, found)


def _store(path: Place) -> _Finding:
    from store.errors import NoStore, StoreError  # noqa: PLC0415 - keeps `probe --help` fast
    from store.read import ask, open_read  # noqa: PLC0415

    try:
        row = ask(open_read(path), "SELECT count(*) FROM replies").rows[0]
    except NoStore:
        return _Finding("optional", "store", f"none at {path}")
    except StoreError as error:
        return _Finding("missing", "store", str(error))
    return _Finding("ok", "store", f"{path}, {row[0]} replies")
