"""The arrows between the rooms, and the house rules a reader relies on, read off the source."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("analysis", "embedder", "probe", "prompts", "store")
MAY_IMPORT = {
    "analysis": {"store", "prompts"},
    "embedder": {"store"},
    "probe": {"prompts", "store"},
    "prompts": set(),
    "store": set(),
}
ONLY_IN = {
    "duckdb": ("store/",),
    "torch": ("embedder/encoders/", "probe/providers/"),
    "openai": ("probe/providers/",),
    "anthropic": ("probe/providers/",),
    "xllamacpp": ("probe/providers/",),
    "matplotlib": ("analysis/plots/",),
    "sklearn": ("analysis/membership/",),
}


def modules(*rooms: str) -> Iterator[Path]:
    for room in rooms:
        yield from sorted((ROOT / room).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """Every module a file imports, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@pytest.mark.parametrize("room", ROOMS)
def test_imports_between_rooms_follow_the_arrows(room: str) -> None:
    """Only the command's files may import every room."""
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(room)
        for name in imported(path)
        if (other := name.split(".")[0]) in ROOMS
        and other not in {room, *MAY_IMPORT[room]}
        and not path.is_relative_to(ROOT / "probe" / "cli")
    ]

    assert wrong == []


def test_analysis_takes_only_the_tasks_from_prompts() -> None:
    """The scores need the answer parsers, and nothing else of how prompts are made."""
    taken = {
        name
        for path in modules("analysis")
        for name in imported(path)
        if name.split(".")[0] == "prompts"
    }

    assert taken <= {"prompts.tasks"}


@pytest.mark.parametrize("package", sorted(ONLY_IN))
def test_a_heavy_package_is_imported_in_its_place_only(package: str) -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in modules(*ROOMS)
        if any(name.split(".")[0] == package for name in imported(path))
        and not str(path.relative_to(ROOT)).startswith(ONLY_IN[package])
    ]

    assert wrong == []


def test_only_the_orchestrator_is_async() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in modules(*(room for room in ROOMS if room != "probe"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.AsyncFunctionDef)
    ]

    assert wrong == []


def test_no_module_is_over_400_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in modules(*ROOMS, "tests")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }

    assert long == {}


PACKAGES = ["analysis", "embedder", "probe", "probe.providers", "prompts", "store"]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_exports_exactly_what_it_imports(package: str) -> None:
    """`__init__` holds a docstring, imports and `__all__`; the two say the same (ruff sorts it)."""
    module = importlib.import_module(package)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    names = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    assert set(module.__all__) == names
    assert all(hasattr(module, name) for name in names)


def test_help_loads_nothing_heavy() -> None:
    """What keeps `probe --help` fast: it imports none of the packages that take long."""
    code = (
        "import sys\n"
        "from probe.cli import cli\n"
        "try: cli(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'duckdb', 'pyarrow', 'numpy', 'aiohttp', 'pydantic', 'rich', 'tenacity'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stderr.strip() == "[]"
    assert "Start or resume an experiment." in done.stdout
