"""`probe doctor`: what is installed, cached and missing."""

from __future__ import annotations

import importlib.util
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

import click

from probe.cli import store_option


@dataclass(frozen=True, slots=True)
class _Finding:
    state: Literal["ok", "missing", "optional"]
    what: str
    found: str


@click.command("doctor")
@store_option
def command(store: Path) -> None:
    """Say what is installed, what is cached and what is missing, with the line that mends it.

    Exits with 1 where something that every run needs is missing.
    """
    findings = [*_python(), *_extras(), *_assets(), _store(store)]
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
    for package, extra, purpose in (
        ("xllamacpp", "local", "the embedded model server"),
        ("vllm", "gpu", "models on a GPU"),
        ("torch", "embed", "vectors of features"),
        ("sentence_transformers", "embed", "vectors of sentences"),
        ("matplotlib", "report", "figures"),
    ):
        if importlib.util.find_spec(package) is None:
            yield _Finding("optional", package, f"for {purpose}: pip install 'gistprobe[{extra}]'")
        else:
            yield _Finding("ok", package, f"{metadata.version(package)}, {purpose}")
    yield _gpu()


def _gpu() -> _Finding:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return _Finding("optional", "gpu", "none seen (no nvidia-smi)")
    query = [tool, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    done = subprocess.run(query, capture_output=True, text=True, check=False)  # noqa: S603
    seen = done.returncode == 0
    return _Finding("ok" if seen else "optional", "gpu", done.stdout.strip() or "none seen")


def _assets() -> Iterator[_Finding]:
    from store.assets import cache_folder, is_cached  # noqa: PLC0415 - keeps `probe --help` fast
    from store.catalogue import ASSETS  # noqa: PLC0415

    yield _Finding("ok", "cache", str(cache_folder()))
    for asset in ASSETS.values():
        cached = is_cached(asset)
        size = f"{asset.size / 1e6:.0f} MB"
        found = f"cached, {size}" if cached else f"fetched when used, {size}"
        yield _Finding("ok" if cached else "optional", asset.name, found)


def _store(path: Path) -> _Finding:
    from store.errors import NoStore, StoreError  # noqa: PLC0415 - keeps `probe --help` fast
    from store.read import ask, open_read  # noqa: PLC0415

    try:
        row = ask(open_read(path), "SELECT count(*) FROM replies").rows[0]
    except NoStore:
        return _Finding("optional", "store", f"none at {path}")
    except StoreError as error:
        return _Finding("missing", "store", str(error))
    return _Finding("ok", "store", f"{path}, {row[0]} replies")
