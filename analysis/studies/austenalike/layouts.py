"""Where a folder keeps the published files: the two layouts there are, and which a folder has.

A clone of the authors' repository keeps each table with the programs that read it, and vectors as
text, a file a novel. The other layout has them sorted by what they are, packed: the matrix of
pairs with gzip, vectors as one Parquet file a representation. What is read is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from analysis.studies.austenalike.names import NOVELS, SINGLE, TEN, VECTORS
from store.errors import BadFile

CAST: Final = "austen-novels.tsv"
ALIASES: Final = "character_map.tsv"
ASKED: Final = "characters.tsv"
ROLE_FILE: Final = "austen-roles.tsv"
SOCIAL_FILE: Final = "austen-social.tsv"
MATRIX_FILE: Final = "expert-benchmark.csv"
LIST_FILE: Final = "austen-pairs.tsv"
GPT4_FILES: Final = {
    SINGLE[0]: "plain_results_t02.tsv",
    SINGLE[1]: "reasoning_results_t02.tsv",
    TEN: "top10_results_t02.tsv",
}
_ROOT: Final = {name: name for name in (CAST, ALIASES, ASKED)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the files are, below the folder.

    Attributes:
        marks: Folders that no other layout has; one of them tells it.
        tables: Name of a table -> its path.
        vectors: Row of the tables -> its vectors' paths: one Parquet file, or a TSV a novel, whose
            lines follow one another in the order of the paths.
    """

    marks: tuple[str, ...]
    tables: Mapping[str, str]
    vectors: Mapping[str, tuple[str, ...]]


def _in_clone(row: str) -> tuple[str, ...]:
    system, kind = row.split("_")
    folder = f"embeddings/computed_embeddings/{system}"
    return tuple(f"{folder}/{novel}_{kind}.tsv" for novel in NOVELS.values())


SORTED: Final = Layout(
    marks=("benchmarks", "gpt4"),
    tables=MappingProxyType(
        _ROOT
        | {name: f"benchmarks/{name}" for name in (ROLE_FILE, SOCIAL_FILE, LIST_FILE)}
        | {MATRIX_FILE: f"benchmarks/{MATRIX_FILE}.gz"}
        | {name: f"gpt4/{name}" for name in GPT4_FILES.values()}
    ),
    vectors=MappingProxyType({each.row: (f"embeddings/{each.row}.parquet",) for each in VECTORS}),
)
CLONE: Final = Layout(
    marks=("role_benchmark", "social_benchmark", "expert_benchmark", "gpt4-baseline"),
    tables=MappingProxyType(
        _ROOT
        | {ROLE_FILE: f"role_benchmark/{ROLE_FILE}"}
        | {SOCIAL_FILE: f"social_benchmark/{SOCIAL_FILE}"}
        | {name: f"expert_benchmark/{name}" for name in (MATRIX_FILE, LIST_FILE)}
        | {name: f"gpt4-baseline/{name}" for name in GPT4_FILES.values()}
    ),
    vectors=MappingProxyType({each.row: _in_clone(each.row) for each in VECTORS}),
)
_FIX: Final = (
    "name the one that holds benchmarks, gpt4 and embeddings, or a clone of the repository"
    " Wellesley-EASEL-lab/AustenAlike"
)


def find_layout(folder: Path) -> Layout:
    """The layout that a folder has, by the folders in it.

    Raises:
        BadFile: There is no such folder, or it has neither layout, or both.
    """
    if not folder.is_dir():
        raise BadFile(folder, "", "no such folder", _FIX)
    found = [
        layout
        for layout in (SORTED, CLONE)
        if any((folder / mark).is_dir() for mark in layout.marks)
    ]
    if not found:
        wanted = f"{' or '.join(SORTED.marks)}, and none of {', '.join(CLONE.marks)}"
        raise BadFile(folder, "", f"neither layout: no folder {wanted}", _FIX)
    if len(found) > 1:
        both = " and ".join(
            next(mark for mark in layout.marks if (folder / mark).is_dir()) for layout in found
        )
        raise BadFile(folder, "", f"both layouts: the folders {both}", "move one of them elsewhere")
    return found[0]
