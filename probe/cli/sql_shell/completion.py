"""Completes names in a query: of the store where one is meant, and SQL's own words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from probe.cli.sql_shell.catalogue import Catalogue

_WORD: Final = re.compile(r'(?:(\w+)\.)?("?\w*)$')
_RELATION: Final = re.compile(r"\b(from|join|describe|summarize|into)\s+\"?\w*$", re.IGNORECASE)
_ALIAS: Final = r"\b{relation}\"?(?:\s*\([^()]*\))?\s+(?:as\s+)?{alias}\b"
_ENOUGH: Final = 2
"""Letters after which DuckDB's own functions and words are offered too."""


class SqlCompleter(Completer):
    """Completes what is before the cursor."""

    def __init__(
        self, catalogue: Catalogue, commands: Iterable[str], formats: Iterable[str]
    ) -> None:
        r"""Take the names over.

        Args:
            catalogue: Of the store; may be exchanged.
            commands: The shell's own, with their backslash or dot.
            formats: What `\f` takes.
        """
        self.catalogue = catalogue
        self._commands, self._formats = list(commands), list(formats)

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        """What the word before the cursor may become, the likeliest kind first."""
        del complete_event
        before = document.text_before_cursor
        if before.startswith(("\\", ".")):
            yield from self._of_commands(before)
            return
        found = _WORD.search(before)
        if found is None:
            return
        owner, word = found[1], found[2]
        seen: set[str] = set()
        for name, kind in self._candidates(document.text, before, owner, word):
            plain = word.lstrip('"')
            shown = self._spelled(name, kind, quoted=plain != word)
            if name.lower().startswith(plain.lower()) and shown not in seen:
                seen.add(shown)
                yield Completion(shown, start_position=-len(word), display_meta=kind)

    def _spelled(self, name: str, kind: str, *, quoted: bool) -> str:
        """A name as a query takes it; SQL's own words have no kind and need no quotes."""
        is_plain = re.fullmatch(r"[a-z_]\w*", name) and name not in self.catalogue.reserved
        return name if not quoted and (is_plain or not kind) else f'"{name}"'

    def _candidates(
        self, text: str, before: str, owner: str | None, word: str
    ) -> Iterator[tuple[str, str]]:
        names = self.catalogue
        if owner is not None:
            yield from ((column, "column") for column in self._columns_of(owner, text))
            return
        relations = [(name, str(kind)) for name, kind, _ in names.relations.rows]
        macros = [(name, "macro") for name in names.macro_names()]
        if _RELATION.search(before):
            yield from [*((str(name), kind) for name, kind in relations), *macros]
            return
        named = [name for name in names.of if re.search(rf"\b{re.escape(name)}\b", text)]
        columns = [column for name in named or list(names.of) for column in names.of[name]]
        yield from ((column, "column") for column in dict.fromkeys(columns))
        yield from [*((str(name), kind) for name, kind in relations), *macros]
        if len(word) >= _ENOUGH:
            yield from ((each, "") for each in names.words)

    def _columns_of(self, owner: str, text: str) -> tuple[str, ...]:
        """Columns of a relation, or of the one that a query gives this other name."""
        if owner in self.catalogue.of:
            return self.catalogue.of[owner]
        for name, columns in self.catalogue.of.items():
            alias = _ALIAS.format(relation=re.escape(name), alias=re.escape(owner))
            if re.search(alias, text, re.IGNORECASE):
                return columns
        return ()

    def _of_commands(self, before: str) -> Iterator[Completion]:
        command, space, rest = before.partition(" ")
        if not space:
            offered, word = self._commands, command
        elif command in {"\\d", ".schema"}:
            offered, word = [*self.catalogue.names(), *self.catalogue.macro_names()], rest
        elif command in {"\\f", ".mode"}:
            offered, word = self._formats, rest
        else:
            return
        for each in offered:
            if each.startswith(word):
                yield Completion(each, start_position=-len(word))
