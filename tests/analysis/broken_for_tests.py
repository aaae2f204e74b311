"""Ways in which a published folder can be broken, and what is said of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.analysis.published_for_tests import NAMES, edited, vectors, write_vectors

Break = Callable[[Path], object]


def in_line(name: str, line: int, old: str, new: str) -> Break:
    """Replaces what one line of a file says."""

    def change(text: str) -> str:
        lines = text.split("\n")
        assert old in lines[line - 1], lines[line - 1]
        lines[line - 1] = lines[line - 1].replace(old, new, 1)
        return "\n".join(lines)

    return lambda folder: edited(folder / name, change)


def cut(name: str, keep: int) -> Break:
    """Leaves the first bytes of a file."""
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:keep])


def without_last_line(name: str) -> Break:
    return lambda folder: edited(folder / name, lambda text: text.rsplit("\r\n", 1)[0])


def vector_file(change: Callable[[list[list[float]]], object]) -> Break:
    """Changes the vectors of one representation, as lists."""

    def act(folder: Path) -> None:
        lists: list[list[float]] = vectors("booknlp_modifiers", 1).tolist()
        change(lists)
        write_vectors(folder, "booknlp_modifiers", lists)

    return act


def widen(rows: list[list[float]]) -> None:
    for row in rows:
        row.append(0.0)


def renamed(row: int, name: str) -> Break:
    names = [name if at == row else each for at, each in enumerate(NAMES)]

    def act(folder: Path) -> None:
        table = pq.read_table(folder / "embeddings" / "fanfic_quotes.parquet")
        made = table.set_column(1, "character", pa.array(names))
        pq.write_table(made, folder / "embeddings" / "fanfic_quotes.parquet")

    return act


def moved(row: int, novel: str) -> Break:
    def act(folder: Path) -> None:
        path = folder / "embeddings" / "fanfic_quotes.parquet"
        table = pq.read_table(path)
        novels = table["novel"].to_pylist()
        novels[row] = novel
        pq.write_table(table.set_column(0, "novel", pa.array(novels)), path)

    return act


ROLES = "benchmarks/austen-roles.tsv"
SOCIAL = "benchmarks/austen-social.tsv"
MATRIX = "benchmarks/expert-benchmark.csv.gz"
PAIRS = "benchmarks/austen-pairs.tsv"
PLAIN = "gpt4/plain_results_t02.tsv"
TEN = "gpt4/top10_results_t02.tsv"
MODIFIERS = "embeddings/booknlp_modifiers.parquet"
QUOTES = "embeddings/fanfic_quotes.parquet"

BROKEN: dict[str, tuple[Break, str]] = {
    "a file is missing": (
        lambda folder: (folder / TEN).unlink(),
        f"{TEN}: no such file; check the path",
    ),
    "an unknown novel": (
        in_line("austen-novels.tsv", 3, "MP", "XY"),
        "austen-novels.tsv, line 3: the novel is 'XY'; write one of E, MP, N, P, P&P, S&S, NA",
    ),
    "a character twice": (
        in_line("austen-novels.tsv", 2, "Bob Baker", "Ann Able"),
        "austen-novels.tsv, line 2: 'Ann Able' stands here a second time;",
    ),
    "not UTF-8": (
        lambda folder: (folder / "character_map.tsv").write_bytes(b"E\tA\tB\nE\t\xff\tB\n"),
        "character_map.tsv, line 2: byte 0xff is not UTF-8; save the file as UTF-8",
    ),
    "an empty alias": (
        in_line("character_map.tsv", 1, "Ann Able", ""),
        "character_map.tsv, line 1: the alias is empty;",
    ),
    "a cell too few": (
        in_line(ROLES, 4, "\tMP", ""),
        f"{ROLES}, line 4: 2 cells where there must be 3;",
    ),
    "an unknown role": (
        in_line(ROLES, 1, "hero", "villain"),
        f"{ROLES}, line 1: the role is 'villain'; write one of hero, heroine",
    ),
    "a member of nowhere": (
        in_line(ROLES, 2, "Bob Baker", "Bob Barker"),
        f"{ROLES}, line 2: 'Bob Barker' is nobody in characters.tsv;",
    ),
    "a member of another novel": (
        in_line(ROLES, 2, "\tE\t", "\tS&S\t"),
        f"{ROLES}, line 2: 'Bob Baker' is put into S&S; its novel is E",
    ),
    "an age that is no number": (
        in_line(SOCIAL, 2, "17", "young"),
        f"{SOCIAL}, line 2: age is 'young'; write a number",
    ),
    "an income over the last bin": (
        in_line(SOCIAL, 2, "40", "40000"),
        f"{SOCIAL}, line 2: income is '40000'; write a number from 0 to 15000",
    ),
    "NaN as an age": (
        in_line(SOCIAL, 2, "17", "nan"),
        f"{SOCIAL}, line 2: age is 'nan'; write a number from 0 to 60",
    ),
    "an unknown gender": (
        in_line(SOCIAL, 3, "\tM\t", "\tX\t"),
        f"{SOCIAL}, line 3: gender is 'X'; write one of F, M",
    ),
    "other columns": (
        in_line(SOCIAL, 1, "estAge", "age2"),
        f"{SOCIAL}, line 1: columns",
    ),
    "a file cut between two lines": (
        without_last_line(SOCIAL),
        f"{SOCIAL}: no line of 'Lou Lane'; copy the file again: it is cut short",
    ),
    "bad gzip": (cut(MATRIX, 200), f"{MATRIX}: damaged gzip data ("),
    "no gzip at all": (
        lambda folder: (folder / MATRIX).write_bytes(b"Character,Novel"),
        f"{MATRIX}: damaged gzip data (",
    ),
    "a count that is no number": (
        in_line(MATRIX, 8, ",0", ",many"),
        f"{MATRIX}, line 8: Count is 'many'; write a whole number from 0",
    ),
    "a negative count": (
        in_line(MATRIX, 8, ",0", ",-1"),
        f"{MATRIX}, line 8: Count is '-1'; write a whole number from 0",
    ),
    "a matrix with a gap": (
        without_last_line(MATRIX),
        f"{MATRIX}: no line of 'Lou Lane' and 'Lou Lane'; copy the file again",
    ),
    "a comparison with nobody": (
        in_line(PAIRS, 1, "Ann Able", "Nobody"),
        f"{PAIRS}, line 1: 'Nobody' is nobody in character_map.tsv;",
    ),
    "a comparison without an author": (
        in_line(PAIRS, 2, "\tSomeone\t", ""),
        f"{PAIRS}, line 2: 3 cells:",
    ),
    "an answer too few": (
        in_line(PLAIN, 2, "\tCid Cole", ""),
        f"{PLAIN}, line 2: 4 answers; there must be 5, one a cell",
    ),
    "an answer outside the list": (
        in_line(TEN, 3, "\tFinn Ford", "\tFinn"),
        f"{TEN}, line 3: 'Finn' is nobody in characters.tsv;",
    ),
    "an answer that is not the most common": (
        in_line(PLAIN, 2, "Ann Able\tBob Baker", "Ann Able\tEve East"),
        f"{PLAIN}, line 2: MostCommon is 'Eve East', but the answers say 'Bob Baker';",
    ),
    "a character that was not asked about": (
        without_last_line(TEN),
        f"{TEN}: no line of 'Lou Lane';",
    ),
    "an empty line": (
        lambda folder: edited(folder / PLAIN, lambda text: text + "\r\n\r\n"),
        f"{PLAIN}, line 14: the line is empty; take it out",
    ),
    "an empty file": (
        lambda folder: (folder / ROLES).write_bytes(b""),
        f"{ROLES}: the file is empty;",
    ),
    "bad Parquet": (cut(MODIFIERS, 900), f"{MODIFIERS}: no Parquet file ("),
    "Parquet with other columns": (
        lambda folder: pq.write_table(pa.table({"a": [1]}), folder / MODIFIERS),
        f"{MODIFIERS}: columns a; they must be novel character embedding",
    ),
    "texts instead of vectors": (
        lambda folder: pq.write_table(
            pa.table({"novel": ["emma"], "character": ["Ann Able"], "embedding": ["0.1"]}),
            folder / MODIFIERS,
        ),
        f"{MODIFIERS}: embedding is string; it must be a list of floats",
    ),
    "another dimension": (
        vector_file(widen),
        f"{MODIFIERS}, row 1: a vector of 1025 numbers; each must have 1024",
    ),
    "dimensions that differ": (
        vector_file(lambda rows: rows[4].pop()),
        f"{MODIFIERS}, row 5: a vector of 1023 numbers; each must have 1024",
    ),
    "NaN": (
        vector_file(lambda rows: rows[2].__setitem__(7, float("nan"))),
        f"{MODIFIERS}, row 3: a number is NaN or infinite;",
    ),
    "infinity": (
        vector_file(lambda rows: rows[11].__setitem__(0, float("-inf"))),
        f"{MODIFIERS}, row 12: a number is NaN or infinite;",
    ),
    "a vector twice": (
        renamed(1, "Ann Able"),
        f"{QUOTES}, row 2: 'Ann Able' has a vector in row 1 already;",
    ),
    "a vector of nobody": (
        renamed(3, "Nobody"),
        f"{QUOTES}, row 4: the character is 'Nobody';",
    ),
    "a vector of no novel": (
        moved(3, "sanditon"),
        f"{QUOTES}, row 4: the novel is 'sanditon'; it must be one of emma,",
    ),
    "a vector in another novel": (
        moved(3, "sense"),
        f"{QUOTES}, row 4: 'Dora Dale' is put into 'sense'; its novel is 'mansfield'",
    ),
}
