"""The parts of the corpus that the published folder holds, and what stands for their content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from analysis.studies.austenalike import experts
from analysis.studies.austenalike.data import Data
from analysis.studies.austenalike.gpt4 import read_choices
from analysis.studies.austenalike.groups import read_roles, read_social
from analysis.studies.austenalike.layouts import (
    ALIASES,
    ASKED,
    CAST,
    GPT4_FILES,
    LIST_FILE,
    MATRIX_FILE,
    ROLE_FILE,
    SOCIAL_FILE,
)
from analysis.studies.austenalike.names import CORPUS, VECTORS, Vectors
from analysis.studies.austenalike.vectors import checked_vectors, read_stack, vectors_path
from analysis.studies.study import PartSource
from store.corpus import Part
from store.corpus_rows import CastRow, ChoiceRow, GroupRow, PairRow, import_id

_READER: Final = 2
"""Goes up when a file is read otherwise than before, so that it is read again."""

_VECTORS: Final = "character_vectors"

Rows = Sequence[CastRow | GroupRow | PairRow | ChoiceRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """How a part that has rows is read.

    Attributes:
        files: The table it is read from, and then those it is checked against.
        rows: From the import's id to its rows.
    """

    relation: str
    part: str
    files: tuple[str, ...]
    rows: Callable[[str], Rows]


def sources(folder: Path) -> list[PartSource]:
    """Every part that the folder holds, in either layout.

    A part's identity is what its files say, not how they are packed or arranged. So vectors are
    parsed here; all else is hashed, and parsed when a part is read.

    Raises:
        BadFile: The folder has neither layout, or a file is missing or cannot be read.
    """
    data = Data(folder)
    return [_table_source(data, kept) for kept in _tables(data)] + [
        _vectors_source(data, published) for published in VECTORS
    ]


def _table_source(data: Data, kept: _Kept) -> PartSource:
    digests = {name: data.digest(name) for name in kept.files}
    own = import_id(CORPUS, kept.relation, kept.part, [_READER, digests])

    def read() -> Part:
        return Part(
            import_id=own,
            corpus=CORPUS,
            relation=kept.relation,
            part=kept.part,
            path=str(data.path(kept.files[0])),
            rows=kept.rows(own),
            report={"files": digests},
        )

    return PartSource(import_id=own, read=read)


def _vectors_source(data: Data, published: Vectors) -> PartSource:
    stack = read_stack(data, published)
    digests = {published.row: stack.digest(), **{n: data.digest(n) for n in (CAST, ALIASES)}}
    own = import_id(CORPUS, _VECTORS, published.row, [_READER, digests])

    def read() -> Part:
        return Part(
            import_id=own,
            corpus=CORPUS,
            relation=_VECTORS,
            part=published.row,
            path=str(vectors_path(data, published)),
            vectors=checked_vectors(data, published, stack),
            report={"files": digests},
        )

    return PartSource(import_id=own, read=read)


def _tables(data: Data) -> list[_Kept]:
    pairs = {
        experts.RAW: (MATRIX_FILE, experts.read_raw),
        experts.MAPPED: (MATRIX_FILE, experts.read_mapped),
        experts.MERGED: (LIST_FILE, experts.read_merged),
    }
    return [
        _Kept(relation="characters", part="", files=(CAST,), rows=partial(_cast, data)),
        _Kept(
            relation="groups",
            part="roles",
            files=(ROLE_FILE, CAST, ASKED),
            rows=partial(read_roles, data),
        ),
        _Kept(
            relation="groups",
            part="social",
            files=(SOCIAL_FILE, CAST, ASKED),
            rows=partial(read_social, data),
        ),
        *(
            _Kept(relation="pairs", part=part, files=(file, ALIASES), rows=partial(read, data))
            for part, (file, read) in pairs.items()
        ),
        *(
            _Kept(
                relation="choices",
                part=system,
                files=(file, ASKED),
                rows=partial(read_choices, data, system=system),
            )
            for system, file in GPT4_FILES.items()
        ),
    ]


def _cast(data: Data, import_id: str) -> Rows:
    return [
        CastRow(import_id=import_id, ordinal=at, character=character, work=work)
        for at, (character, work) in enumerate(data.cast.items())
    ]
