"""A published folder in the study's form, of invented characters: small, whole and valid."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.studies import Asked, Inputs, StudyTable, bring_in
from analysis.studies.austenalike import STUDY
from store.read import DATABASE, open_read

SHARED: Final = Path(__file__).parents[2].parent / "shared"
PUBLISHED: Final = SHARED / "data" / "austenalike"
NOVELS: Final = {
    "E": "emma",
    "MP": "mansfield",
    "N": "northanger",
    "P": "persuasion",
    "P&P": "pride",
    "S&S": "sense",
}
CAST: Final = {
    "Ann Able": "E",
    "Bob Baker": "E",
    "Cid Cole": "MP",
    "Dora Dale": "MP",
    "Eve East": "N",
    "Finn Ford": "N",
    "Gus Gale": "P",
    "Hal Hart": "P",
    "Ida Inn": "P&P",
    "Jim Joy": "P&P",
    "Kay King": "S&S",
    "Lou Lane": "S&S",
}
NAMES: Final = list(CAST)
ROLES: Final = ("hero", "heroine", "deceiver", "rival", "wooer", "parent", "sibling")
DIMS: Final = {
    "booknlp_events": 2048,
    "booknlp_modifiers": 1024,
    "booknlp_quotes": 4096,
    "fanfic_assertions": 4096,
    "fanfic_quotes": 4096,
}
RANKS: Final = ("peer", "gentry", "gentle", "new gentle")


def brought_in(store: Path, folder: Path) -> Path:
    """A store with the study's files brought in; return it."""
    bring_in(store, STUDY, Inputs(data=folder)).close()
    return store


def table_of(store: Path, mode: str = "clean") -> StudyTable:
    """The study's tables."""
    reader = open_read(store)
    found = STUDY.table(reader, Asked(inputs=Inputs(), mode=mode))
    reader.close()
    return found


class Tables:
    """The study's tables of a store that stays as it is, each mode's made when first asked for."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._made: dict[str, StudyTable] = {}

    def __call__(self, mode: str) -> StudyTable:
        """Those of a mode."""
        if mode not in self._made:
            self._made[mode] = table_of(self._store, mode)
        return self._made[mode]


def long_code(code: str) -> str:
    return "NA" if code == "N" else code


def write_published(folder: Path) -> Path:
    """Write every file the study reads; return the folder."""
    for inner in ("benchmarks", "gpt4", "embeddings"):
        (folder / inner).mkdir(parents=True)
    write_lines(folder / "characters.tsv", [[name] for name in NAMES])
    write_lines(folder / "austen-novels.tsv", [[name, code] for name, code in CAST.items()])
    aliases = [[long_code(code), name, name] for name, code in CAST.items()]
    aliases += [[long_code(CAST[name]), f"Mr. {name}", name] for name in NAMES[:3]]
    write_lines(folder / "character_map.tsv", aliases)
    write_benchmarks(folder / "benchmarks")
    write_answers(folder / "gpt4")
    for seed, row in enumerate(DIMS):
        write_vectors(folder, row, vectors(row, seed))
    return folder


def write_lines(path: Path, rows: Sequence[Sequence[object]], separator: str = "\t") -> None:
    text = "\r\n".join(separator.join(map(str, row)) for row in rows)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def write_benchmarks(folder: Path) -> None:
    roles = [[n, long_code(CAST[n]), ROLES[at % 7]] for at, n in enumerate(NAMES)]
    write_lines(folder / "austen-roles.tsv", [*roles, [NAMES[0], "E", "rival"]])
    header = "name novel startIncome endIncome gender age estAge rank maritalStatus".split()
    social = [
        [
            n,
            long_code(CAST[n]),
            "" if at % 3 else 100 * at + 40,
            "",
            "FM"[at % 2],
            "" if at % 2 else 17 + at,
            30,
            RANKS[at % 4],
            "SCMW"[at % 4],
        ]
        for at, n in enumerate(NAMES)
    ]
    write_lines(folder / "austen-social.tsv", [header, *social])
    pairs = [[a, b, 1, "Someone", ""] for a in NAMES[:6] for b in NAMES[6:] if len(a) != len(b)]
    pairs += [[f"Mr. {NAMES[0]}", NAMES[7], 2, "Another", ""]] * 3
    write_lines(folder / "austen-pairs.tsv", pairs)
    matrix = [
        [a, CAST[a], b, CAST[b], 0 if a == b else (NAMES.index(a) * NAMES.index(b)) % 5]
        for a in NAMES
        for b in NAMES
    ]
    columns = ["Character", "Novel", "Character2", "Novel1", "Count"]
    write_lines(folder / "expert-benchmark.csv.gz", [columns, *matrix], separator=",")


def write_answers(folder: Path) -> None:
    for at, name in enumerate(("plain", "reasoning", "top10")):
        runs = 12 if name == "top10" else 5
        rows = []
        for place, who in enumerate(NAMES):
            answers = [NAMES[(place + at + 1 + run // 3) % 12] for run in range(runs)]
            most = max(answers, key=answers.count)
            rows.append([who, most, *answers])
        header = ["Character", "MostCommon", *(f"C{run + 1}" for run in range(runs))]
        write_lines(folder / f"{name}_results_t02.tsv", [header, *rows])


def vectors(row: str, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(len(NAMES), DIMS[row])).astype(np.float32)


def write_vectors(
    folder: Path,
    row: str,
    matrix: Sequence[Sequence[float]] | np.ndarray[tuple[int, int], np.dtype[np.float32]],
    names: Sequence[str] = NAMES,
    novels: Sequence[str] | None = None,
) -> None:
    table = pa.table(
        {
            "novel": pa.array(novels or [NOVELS[CAST[name]] for name in names]),
            "character": pa.array(names),
            "embedding": pa.array([list(each) for each in matrix], pa.list_(pa.float32())),
        }
    )
    pq.write_table(table, folder / "embeddings" / f"{row}.parquet")


def edited(path: Path, change: Callable[[str], str]) -> None:
    """Change a file's text, packed or not."""
    data = path.read_bytes()
    packed = path.suffix == ".gz"
    text = change((gzip.decompress(data) if packed else data).decode())
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())


def contents(store: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table of a store; empty where there is no database."""
    if not (store / DATABASE).exists():
        return {}
    reader = open_read(store)
    tables = reader.answer("SELECT table_name FROM duckdb_tables() ORDER BY ALL").rows
    found = {
        str(name): reader.answer(f'SELECT * FROM "{name}" ORDER BY ALL').rows for (name,) in tables
    }
    reader.close()
    return found
