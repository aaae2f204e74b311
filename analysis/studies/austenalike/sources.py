"""The parts of the corpus that the published folder holds, and what stands for their content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from analysis.errors import BadFile
from analysis.studies.austenalike import experts
from analysis.studies.austenalike.data import ALIASES, ASKED, CAST, Data
from analysis.studies.austenalike.gpt4 import GPT4_FILES, read_choices
from analysis.studies.austenalike.groups import ROLE_FILE, SOCIAL_FILE, read_roles, read_social
from analysis.studies.austenalike.names import CORPUS, VECTORS
from analysis.studies.austenalike.vectors import read_vectors, vectors_file
from analysis.studies.study import PartSource
from store.corpus import CharacterVectors, Part
from store.corpus_rows import CastRow, ChoiceRow, GroupRow, PairRow, import_id

_READER: Final = 1
"""Goes up when a file is read otherwise than before, so that it is read again."""

Rows = Sequence[CastRow | GroupRow | PairRow | ChoiceRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """How a part is read.

    Attributes:
        files: The file it is read from, and then those it is checked against.
        rows: From the import's id to its rows, of a part that has rows.
        vectors: To its vectors, of a part that has vectors.
    """

    relation: str
    part: str
    files: tuple[str, ...]
    rows: Callable[[str], Rows] | None = None
    vectors: Callable[[], CharacterVectors] | None = None


def sources(folder: Path) -> list[PartSource]:
    """Every part that the folder holds; the files are hashed here and parsed when one is read.

    Raises:
        BadFile: One is missing or cannot be read.
    """
    if not folder.is_dir():
        fix = "name the one that holds benchmarks, gpt4 and embeddings"
        raise BadFile(folder, "", "no such folder", fix)
    data = Data(folder)
    return [_source(data, kept) for kept in _parts(data)]


def _source(data: Data, kept: _Kept) -> PartSource:
    content = [_READER, dict(data.files.digests(kept.files))]
    own = import_id(CORPUS, kept.relation, kept.part, content)

    def read() -> Part:
        return Part(
            import_id=own,
            corpus=CORPUS,
            relation=kept.relation,
            part=kept.part,
            path=str(data.files.path / kept.files[0]),
            rows=kept.rows(own) if kept.rows else (),
            vectors=kept.vectors() if kept.vectors else None,
            report={"files": dict(data.files.digests(kept.files))},
        )

    return PartSource(import_id=own, read=read)


def _parts(data: Data) -> list[_Kept]:
    pairs = {
        experts.RAW: (experts.MATRIX_FILE, experts.read_raw),
        experts.MAPPED: (experts.MATRIX_FILE, experts.read_mapped),
        experts.MERGED: (experts.LIST_FILE, experts.read_merged),
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
        *(
            _Kept(
                relation="character_vectors",
                part=published.row,
                files=(vectors_file(published), CAST, ALIASES),
                vectors=partial(read_vectors, data, published),
            )
            for published in VECTORS
        ),
    ]


def _cast(data: Data, import_id: str) -> Rows:
    return [
        CastRow(import_id=import_id, ordinal=at, character=character, work=work)
        for at, (character, work) in enumerate(data.cast.items())
    ]
