"""The code that reads and marks a task's replies, found from its source, as one digest.

From `parse`, `mark` and `measure` of a task's class, and from the two functions of
`analysis.scoring` that every reply goes through, the names that each definition uses are followed
to their own definitions, through all modules of the project. How a task asks is not among them.
Comments, docstrings, annotations and layout do not count: a digest is the same in every version of
Python.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
READING: Final = ("parse", "mark", "measure")
SHARED: Final = (("analysis.scoring", "read"), ("analysis.scoring", "_joined"))
_LEFT_OUT: Final = frozenset(
    {"annotation", "returns", "ctx", "kind", "type_comment", "type_params", "type_ignores"}
)


@dataclass(frozen=True, slots=True)
class Module:
    """What a module's source defines and imports at its top."""

    defined: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)


@cache
def module(name: str) -> Module | None:
    """A module of the project; None for any other."""
    path = ROOT / Path(*name.split("."))
    file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
    if not file.is_file():
        return None
    found = Module()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found.imported[alias.asname or alias.name] = (node.module, alias.name)
        for name_ in _names_given(node):
            found.defined.setdefault(name_, []).append(node)
    return found


def _names_given(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))


def dumped(node: object) -> str:
    """A definition without what does not act, alike in every version of Python."""
    if isinstance(node, list):
        return f"[{','.join(map(dumped, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    parts = []
    for name, value in ast.iter_fields(node):
        own = _without_docstring(value) if name == "body" and isinstance(value, list) else value
        if name not in _LEFT_OUT and own not in (None, []):
            parts.append(f"{name}={dumped(own)}")
    return f"{type(node).__name__}({','.join(parts)})"


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    return [
        node
        for node in body
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]


def code_of(module_name: str, class_name: str) -> dict[str, str]:
    """What reads and marks the replies of the task of that class: place -> definition."""
    return _Followed(module_name, class_name).found


def digest_of(module_name: str, class_name: str) -> str:
    """The same as a short digest."""
    found = sorted(code_of(module_name, class_name).items())
    return hashlib.sha256("\n".join(f"{at} {code}" for at, code in found).encode()).hexdigest()[:12]


class _Followed:
    """Follows what a task's reading uses."""

    def __init__(self, module_name: str, class_name: str) -> None:
        self.found: dict[str, str] = {}
        self._line = list(_ancestry(module_name, class_name))
        for name in READING:
            self._member(name)
        for place in SHARED:
            self._top(*place)

    def _member(self, name: str) -> None:
        """A method or value of the task's class, where its classes define it first."""
        for module_name, cls in self._line:
            own = [node for node in cls.body if name in _names_given(node)]
            if own:
                self._add(f"{module_name}.{cls.name}.{name}", module_name, own)
                return

    def _top(self, module_name: str, name: str) -> None:
        """Something a module defines at its top, or imports from another of the project."""
        own = module(module_name)
        if own is None:
            return
        if name in own.defined and not any(map(_is_protocol, own.defined[name])):
            self._add(f"{module_name}.{name}", module_name, own.defined[name])
        elif name in own.imported:
            source, original = own.imported[name]
            self._top(source, original)

    def _add(self, place: str, module_name: str, nodes: list[ast.stmt]) -> None:
        if place in self.found:
            return
        self.found[place] = ";".join(map(dumped, nodes))
        # Also what only annotations name: a parameter's methods are found by its class.
        for node in (each for top in nodes for each in ast.walk(top)):
            if isinstance(node, ast.Name):
                self._top(module_name, node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                self._attribute(module_name, node.value.id, node.attr)

    def _attribute(self, module_name: str, owner: str, name: str) -> None:
        if owner == "self":
            self._member(name)
        own = module(module_name)
        if own is not None and owner in own.imported:
            self._top(".".join(own.imported[owner]), name)


def _ancestry(module_name: str, class_name: str) -> Iterator[tuple[str, ast.ClassDef]]:
    """A class and those it is made from, the nearest first, with their modules."""
    own = module(module_name)
    if own is None:
        return
    if class_name in own.imported:
        yield from _ancestry(*own.imported[class_name])
    for node in own.defined.get(class_name, ()):
        if isinstance(node, ast.ClassDef):
            yield module_name, node
            for base in node.bases:
                if isinstance(base, ast.Name):
                    yield from _ancestry(module_name, base.id)


def _is_protocol(node: ast.stmt) -> bool:
    """Whether it is a class that only says what others have."""
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in bases)
