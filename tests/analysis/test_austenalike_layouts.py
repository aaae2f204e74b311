"""The published files as a clone of the authors' repository has them: read alike, refused alike.

Paths and form are those of the repository: text with a number a cell, no header, LF at the ends of
lines. Vectors are written from the Parquet files of the other layout, each number with the digits
that tell it from every other, as the authors' are.
"""

from __future__ import annotations

import gzip
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow.parquet as pq
import pytest

from analysis.studies import Asked, Inputs, bring_in
from analysis.studies.austenalike import STUDY
from analysis.studies.austenalike.sources import sources
from analysis.studies.study import Study
from store.corpus import Part
from store.errors import BadFile
from store.read import DATABASE, open_read
from tests.analysis.published_for_tests import (
    PUBLISHED,
    Tables,
    brought_in,
    contents,
    edited,
    write_published,
)

WHERE: Final = {
    "austen-novels.tsv": "austen-novels.tsv",
    "character_map.tsv": "character_map.tsv",
    "characters.tsv": "characters.tsv",
    "benchmarks/austen-roles.tsv": "role_benchmark/austen-roles.tsv",
    "benchmarks/austen-social.tsv": "social_benchmark/austen-social.tsv",
    "benchmarks/austen-pairs.tsv": "expert_benchmark/austen-pairs.tsv",
    "benchmarks/expert-benchmark.csv.gz": "expert_benchmark/expert-benchmark.csv",
    "gpt4/plain_results_t02.tsv": "gpt4-baseline/plain_results_t02.tsv",
    "gpt4/reasoning_results_t02.tsv": "gpt4-baseline/reasoning_results_t02.tsv",
    "gpt4/top10_results_t02.tsv": "gpt4-baseline/top10_results_t02.tsv",
}
VECTORS: Final = "embeddings/computed_embeddings"
EMMA: Final = f"{VECTORS}/booknlp/emma_modifiers.tsv"
PRIDE: Final = f"{VECTORS}/fanfic/pride_quotes.tsv"
SENSE: Final = "sense_quotes.tsv"
ROLES: Final = "role_benchmark/austen-roles.tsv"
MATRIX: Final = "expert_benchmark/expert-benchmark.csv"
POINTER: Final = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 12345\n"
)

Break = Callable[[Path], object]


def as_clone(published: Path, folder: Path) -> Path:
    """Arrange a published folder as the repository does; return the new one."""
    for here, there in WHERE.items():
        data = (published / here).read_bytes()
        (folder / there).parent.mkdir(parents=True, exist_ok=True)
        (folder / there).write_bytes(gzip.decompress(data) if here.endswith(".gz") else data)
    for path in (published / "embeddings").glob("*.parquet"):
        system, kind = path.stem.split("_")
        (folder / VECTORS / system).mkdir(parents=True, exist_ok=True)
        lines: dict[str, list[str]] = {}
        for row in pq.read_table(path).to_pylist():
            cells = [row["novel"], row["character"], *map(repr, row["embedding"])]
            lines.setdefault(row["novel"], []).append("\t".join(cells) + "\n")
        for novel, own in lines.items():
            to = folder / VECTORS / system / f"{novel}_{kind}.tsv"
            to.write_text("".join(own), encoding="utf-8", newline="")
    return folder


def parts(folder: Path) -> list[Part]:
    return [source.read() for source in sources(folder)]


def assert_equal(these: list[Part], those: list[Part]) -> None:
    """Parts are the same but for where they were read."""
    assert len(these) == len(those) == 14
    for a, b in zip(these, those, strict=True):
        assert Path(a.path).exists()
        assert Path(b.path).exists()
        assert replace(a, path="", vectors=None) == replace(b, path="", vectors=None)
        if a.vectors is None or b.vectors is None:
            assert a.vectors is b.vectors
            continue
        assert a.vectors.matrix.dtype == b.vectors.matrix.dtype == np.float32
        assert a.vectors.matrix.tobytes() == b.vectors.matrix.tobytes()
        names = (a.vectors.works, a.vectors.characters)
        assert names == (b.vectors.works, b.vectors.characters)
        assert (a.vectors.pipeline, a.vectors.kind) == (b.vectors.pipeline, b.vectors.kind)


@pytest.fixture
def study() -> Study:
    return STUDY


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_published(tmp_path_factory.mktemp("published") / "data")


@pytest.fixture(scope="module")
def pristine(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return as_clone(published, tmp_path_factory.mktemp("cloned") / "data")


@pytest.fixture
def clone(pristine: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(pristine, tmp_path / "clone"))


@pytest.fixture(scope="module")
def shared_clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if not PUBLISHED.is_dir():
        pytest.skip("the published files are not beside the project")
    folder = as_clone(PUBLISHED, tmp_path_factory.mktemp("shared") / "AustenAlike")
    yield folder
    shutil.rmtree(folder)


def test_every_published_part_is_the_same_from_a_clone(shared_clone: Path) -> None:
    """All fourteen: rows, vectors bit for bit, digests and identity."""
    packed = parts(PUBLISHED)

    assert_equal(packed, parts(shared_clone))
    assert sum(part.size for part in packed) > 20_000


def test_files_written_from_parquet_are_those_of_the_repository(shared_clone: Path) -> None:
    """Their sizes are those of the repository's files, so the form that is read is theirs."""
    sizes = {
        "booknlp/emma_events": 594_732,
        "booknlp/northanger_modifiers": 218_184,
        "booknlp/sense_quotes": 1_508_186,
        "fanfic/emma_assertions": 1_511_344,
        "fanfic/mansfield_quotes": 1_508_587,
    }

    found = {name: (shared_clone / VECTORS / f"{name}.tsv").stat().st_size for name in sizes}

    assert found == sizes


def test_the_published_tables_are_the_same_from_a_clone(
    shared_clone: Path, published_tables: Tables, tmp_path: Path, study: Study
) -> None:
    """Every cell, and then the other layout brings nothing: the database stays byte for byte."""
    asked = Asked(inputs=Inputs(), mode="published")
    bring_in(tmp_path / "a", study, Inputs(data=shared_clone)).close()
    before = (tmp_path / "a" / DATABASE).read_bytes()

    from_clone = study.table(open_read(tmp_path / "a"), asked)
    from_packed = published_tables("published")

    assert len(from_clone.cells) > 300
    assert from_clone.cells == from_packed.cells
    assert (from_clone.layouts, from_clone.notes) == (from_packed.layouts, from_packed.notes)
    bring_in(tmp_path / "a", study, Inputs(data=PUBLISHED)).close()
    assert (tmp_path / "a" / DATABASE).read_bytes() == before


def test_either_layout_after_the_other_brings_nothing(
    published: Path, clone: Path, tmp_path: Path, study: Study
) -> None:
    """Whichever comes first: the store's file is the same, byte for byte."""
    for first, then in ((published, clone), (clone, published)):
        store = tmp_path / f"after-{first.name}"
        bring_in(store, study, Inputs(data=first)).close()
        before = (store / DATABASE).read_bytes()

        bring_in(store, study, Inputs(data=then)).close()

        assert (store / DATABASE).read_bytes() == before


def test_ends_of_lines_and_marks_of_order_are_no_content(pristine: Path, clone: Path) -> None:
    """Git may check text files out with CRLF or with LF; editors put a byte order mark first."""
    for at, path in enumerate(sorted(clone.rglob("*.[tc]sv"))):
        data = path.read_bytes().replace(b"\r\n", b"\n")
        data = data if at % 2 else data.replace(b"\n", b"\r\n")
        path.write_bytes(data if at % 3 else b"\xef\xbb\xbf" + data)

    assert_equal(parts(clone), parts(pristine))


@pytest.mark.parametrize(
    ("file", "old", "new", "changed"),
    [
        (EMMA, "\t0.", "\t0.9", {"booknlp_modifiers"}),
        (ROLES, "rival", "wooer", {"roles"}),
        (MATRIX, "Ann Able,E,Dora Dale,MP,0", "Ann Able,E,Dora Dale,MP,7", {"raw", "mapped"}),
    ],
)
def test_a_changed_file_changes_its_own_parts_alone(
    file: str, old: str, new: str, changed: set[str], clone: Path
) -> None:
    before = {source.import_id: source.read().part for source in sources(clone)}
    assert old in (clone / file).read_text()
    edited(clone / file, lambda text: text.replace(old, new, 1))

    after = {source.import_id: source.read().part for source in sources(clone)}

    assert {part for own, part in after.items() if own not in before} == changed


def test_what_else_a_clone_holds_is_let_be(pristine: Path, clone: Path) -> None:
    """The repository has files of all novels together, results and programs beside these."""
    for extra in ("booknlp/all_modifiers.tsv", "booknlp/.DS_Store"):
        (clone / VECTORS / extra).write_text("nothing of ours")
    (clone / "role_benchmark" / "results").mkdir()

    assert_equal(parts(clone), parts(pristine))


def cell(name: str, line: int, at: int, new: str) -> Break:
    """Replaces one cell of a line; counted from 1 and from 0."""

    def change(text: str) -> str:
        lines = text.split("\n")
        cells = lines[line - 1].split("\t")
        cells[at] = new
        lines[line - 1] = "\t".join(cells)
        return "\n".join(lines)

    return lambda folder: edited(folder / name, change)


def text(name: str, change: Callable[[str], str]) -> Break:
    return lambda folder: edited(folder / name, change)


def written(name: str, content: str) -> Break:
    return lambda folder: (folder / name).write_text(content)


BROKEN: Final[dict[str, tuple[Break, str]]] = {
    "a file of vectors is missing": (
        lambda folder: (folder / PRIDE).unlink(),
        f"{PRIDE}: no such file; check the path",
    ),
    "a folder is missing": (
        lambda folder: shutil.rmtree(folder / "gpt4-baseline"),
        "gpt4-baseline/plain_results_t02.tsv: no such file; check the path",
    ),
    "vectors that are a Git LFS pointer": (
        written(EMMA, POINTER),
        f"{EMMA}: a Git LFS pointer instead of the file; fetch it with `git lfs pull`",
    ),
    "a table that is a Git LFS pointer": (
        written(ROLES, POINTER),
        f"{ROLES}: a Git LFS pointer instead of the file; fetch it with `git lfs pull`",
    ),
    "an empty file": (written(EMMA, ""), f"{EMMA}: the file is empty; copy the file again"),
    "an empty line": (
        text(EMMA, lambda content: content.replace("\n", "\n\n", 1)),
        f"{EMMA}, line 2: the line is empty; take it out",
    ),
    "a header": (
        text(EMMA, lambda content: "\t".join(["novel", *map(str, range(1025))]) + "\n" + content),
        f"{EMMA}, line 1: the novel is 'novel'; it must be one of emma, mansfield,",
    ),
    "one column only": (
        text(EMMA, lambda content: content.replace("\n", "\nemma\n", 1)),
        f"{EMMA}, line 2: a vector of 0 numbers; each must have 1024",
    ),
    "a column too few": (
        text(EMMA, lambda content: content.rstrip("\n").rsplit("\t", 1)[0] + "\n"),
        f"{EMMA}, line 2: a vector of 1023 numbers; each must have 1024",
    ),
    "a column too many": (
        text(EMMA, lambda content: content.replace("\n", "\t0.5\n", 1)),
        f"{EMMA}, line 1: a vector of 1025 numbers; each must have 1024",
    ),
    "a file cut within a line": (
        lambda folder: (folder / PRIDE).write_bytes((folder / PRIDE).read_bytes()[:100_000]),
        f"{PRIDE}, line 2: a vector of",
    ),
    "brackets": (
        cell(EMMA, 2, 2, "[0.25"),
        f"{EMMA}, line 2: a number is '[0.25'; copy the file again",
    ),
    "no number in a cell": (
        cell(EMMA, 1, 700, ""),
        f"{EMMA}, line 1: a number is empty; copy the file again",
    ),
    "NaN": (cell(EMMA, 2, 9, "nan"), f"{EMMA}, line 2: a number is NaN or infinite;"),
    "infinity": (cell(PRIDE, 1, 4097, "-inf"), f"{PRIDE}, line 1: a number is NaN or infinite;"),
    "a number beyond 32 bits": (
        cell(PRIDE, 2, 2, "1e39"),
        f"{PRIDE}, line 2: a number is NaN or infinite;",
    ),
    "a vector twice in a file": (
        cell(PRIDE, 2, 1, "Ida Inn"),
        f"{PRIDE}, line 2: 'Ida Inn' has a vector in line 1 already; keep one of the two",
    ),
    "a vector twice in two files": (
        lambda folder: shutil.copyfile(folder / PRIDE, (folder / PRIDE).with_name(SENSE)),
        f"{SENSE}, line 1: 'Ida Inn' has a vector in line 1 of pride_quotes.tsv already;",
    ),
    "a vector of nobody": (
        cell(EMMA, 2, 1, "Bob Barker"),
        f"{EMMA}, line 2: the character is 'Bob Barker'; its names must be those of",
    ),
    "a vector of no novel": (
        cell(EMMA, 2, 0, "sanditon"),
        f"{EMMA}, line 2: the novel is 'sanditon'; it must be one of emma,",
    ),
    "a vector in another novel": (
        cell(EMMA, 2, 0, "sense"),
        f"{EMMA}, line 2: 'Bob Baker' is put into 'sense'; its novel is 'emma'",
    ),
    "an unknown role": (
        text(ROLES, lambda content: content.replace("hero", "villain", 1)),
        f"{ROLES}, line 1: the role is 'villain'; write one of hero,",
    ),
    "a matrix with a gap": (
        text(MATRIX, lambda content: content.rsplit("\r\n", 1)[0]),
        f"{MATRIX}: no line of 'Lou Lane' and 'Lou Lane'; copy the file again",
    ),
    "a matrix with other columns": (
        text(MATRIX, lambda content: content.replace("Novel1", "Novel2", 1)),
        f"{MATRIX}, line 1: columns 'Character Novel Character2 Novel2 Count'; it must be",
    ),
}


@pytest.fixture(scope="module")
def held(pristine: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with all that the clone holds."""
    return brought_in(tmp_path_factory.mktemp("held") / "store", pristine)


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_of_a_clone_is_one_line_and_nothing_comes_in(
    case: str, clone: Path, tmp_path: Path, held: Path, study: Study
) -> None:
    """It says the file, the line, what was found and what to do; no store, or it as it was.

    Good news in another file does not come in either.
    """
    breaking, message = BROKEN[case]
    before = (held / DATABASE).read_bytes()
    edited(clone / "social_benchmark/austen-social.tsv", lambda t: t.replace("\tM\t", "\tF\t", 1))
    breaking(clone)

    for store in (tmp_path / "store", held):
        with pytest.raises(BadFile, match=re.escape(message)) as caught:
            bring_in(store, study, Inputs(data=clone))
        assert "\n" not in str(caught.value)

    assert not (tmp_path / "store").exists()
    assert (held / DATABASE).read_bytes() == before
    assert sum(len(rows) for rows in contents(held).values()) > 300


def test_a_pointer_is_told_in_the_other_layout_too(published: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(published, tmp_path / "data"))
    for name in ("embeddings/fanfic_quotes.parquet", "benchmarks/expert-benchmark.csv.gz"):
        (folder / name).write_text(POINTER)
        with pytest.raises(BadFile, match=re.escape(f"{name}: a Git LFS pointer instead")):
            sources(folder)


def test_a_folder_in_neither_layout_is_told_what_was_looked_for(clone: Path) -> None:
    """Also where it is a folder of the clone, or holds only what both layouts have."""
    marks = ("role_benchmark", "social_benchmark", "expert_benchmark", "gpt4-baseline")
    wanted = (
        "neither layout: no folder benchmarks or gpt4, and none of role_benchmark,"
        " social_benchmark, expert_benchmark, gpt4-baseline; name the one that holds benchmarks,"
        " gpt4 and embeddings, or a clone of the repository Wellesley-EASEL-lab/AustenAlike"
    )
    for mark in marks:
        with pytest.raises(BadFile, match=re.escape(wanted)):
            sources(clone / mark)
        shutil.rmtree(clone / mark)

    with pytest.raises(BadFile, match=re.escape(f"{clone}: {wanted}")):
        sources(clone)


def test_a_folder_in_both_layouts_is_not_guessed_at(published: Path, clone: Path) -> None:
    shutil.copytree(published / "gpt4", clone / "gpt4")

    with pytest.raises(BadFile, match="both layouts: the folders gpt4 and role_benchmark; move"):
        sources(clone)
