"""Bringing in the published folder: whole, once, and with one line of what is wrong."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from analysis.errors import BadRequest, NotHeld
from analysis.studies import Asked, Inputs, bring_in
from analysis.studies.austenalike import STUDY
from analysis.studies.study import Study
from store.errors import BadFile
from store.read import ask, open_read
from tests.analysis.broken_for_tests import BROKEN, MATRIX, PAIRS, ROLES
from tests.analysis.published_for_tests import (
    contents,
    edited,
    vectors,
    write_published,
)


@pytest.fixture
def study() -> Study:
    return STUDY


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_published(tmp_path / "data")


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_one_line_and_makes_no_store(
    case: str, folder: Path, tmp_path: Path, study: Study
) -> None:
    """It says the file, the place, what was found and what to do."""
    breaking, message = BROKEN[case]
    breaking(folder)

    with pytest.raises(BadFile, match=re.escape(message)) as caught:
        bring_in(tmp_path / "store", study, Inputs(data=folder))

    assert "\n" not in str(caught.value)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("case", ["NaN", "a count that is no number", "bad gzip"])
def test_a_broken_file_leaves_a_store_as_it_was(
    case: str, folder: Path, tmp_path: Path, study: Study
) -> None:
    """Also where another file has good news: none of it comes in."""
    store = tmp_path / "store"
    bring_in(store, study, Inputs(data=folder)).close()
    before = contents(store)
    edited(folder / ROLES, lambda text: text.replace("rival", "wooer", 1))
    BROKEN[case][0](folder)

    with pytest.raises(BadFile):
        bring_in(store, study, Inputs(data=folder))

    assert contents(store) == before
    assert sum(len(rows) for rows in before.values()) > 300


def test_a_second_call_reads_nothing_anew(folder: Path, tmp_path: Path, study: Study) -> None:
    """And does not write: the file is the same, byte for byte."""
    store = tmp_path / "store"
    bring_in(store, study, Inputs(data=folder)).close()
    before = (store / "probe.duckdb").read_bytes()

    bring_in(store, study, Inputs(data=folder)).close()
    bring_in(store, study, Inputs()).close()

    assert (store / "probe.duckdb").read_bytes() == before


def test_a_changed_file_alone_is_brought_in(folder: Path, tmp_path: Path, study: Study) -> None:
    """The views show the new one, and the rest is not stored twice."""
    store = tmp_path / "store"
    bring_in(store, study, Inputs(data=folder)).close()
    edited(folder / ROLES, lambda text: text.replace("rival", "wooer", 1))

    reader = bring_in(store, study, Inputs(data=folder))

    again = "SELECT relation, part FROM imports GROUP BY ALL HAVING count(*) > 1"
    assert ask(reader, again).rows == [("groups", "roles")]
    shown = "SELECT count(*) FROM character_groups WHERE part = 'roles' AND \"group\" = 'rival'"
    assert ask(reader, shown).rows == [(2,)]


def test_what_is_held_is_the_files(folder: Path, tmp_path: Path, study: Study) -> None:
    """Groups in bins, counts in three forms, answers as they stand, vectors as floats."""
    reader = bring_in(tmp_path / "store", study, Inputs(data=folder))

    def rows(query: str) -> list[tuple[object, ...]]:
        return ask(reader, query).rows

    first = "character = 'Ann Able' AND part = 'social'"
    assert rows(f'SELECT attribute, "group" FROM character_groups WHERE {first} ORDER BY ALL') == [
        ("age", "17"),
        ("gender", "F"),
        ("income", "50"),
        ("maritalStatus", "S"),
        ("rank", "peer"),
    ]
    counts = 'SELECT part, count(*), sum("count") FROM character_pairs GROUP BY ALL ORDER BY ALL'
    (_, mapped, a), (_, merged, b), (_, raw, c) = rows(counts)
    assert (raw, mapped) == (144, 132)  # the diagonal is nobody's pair
    assert a == c
    listed = (folder / PAIRS).read_text().split("\n")
    assert b == len(listed)
    pair = "part = 'merged' AND a = 'Ann Able' AND b = 'Hal Hart'"
    assert rows(f'SELECT "count" FROM character_pairs WHERE {pair}') == [(3,)]
    assert int(str(merged)) < len(listed)
    answers = "SELECT system, count(*), max(sample), max(rank) FROM character_choices GROUP BY ALL"
    assert sorted(rows(answers)) == [
        ("gpt4_plain", 60, 4, 1),
        ("gpt4_reasoning", 60, 4, 1),
        ("gpt4_top10", 144, 0, 12),
    ]
    assert rows("SELECT work FROM characters WHERE character = 'Eve East'") == [("N",)]
    held = rows("SELECT vector FROM imported_vectors WHERE kind = 'modifier' ORDER BY character")
    assert np.array_equal(
        np.array([vector for (vector,) in held], np.float32), vectors("booknlp_modifiers", 1)
    )


def test_two_names_of_one_character_are_two_lines_of_which_the_later_counts(
    folder: Path, tmp_path: Path, study: Study
) -> None:
    """As in the published lists: the pair keeps its first place in the file."""

    def alias(text: str) -> str:
        head, *lines = text.split("\r\n")
        extra = [line.replace("Ann Able", "Mr. Ann Able") for line in lines if "Ann Able" in line]
        names = {cell for line in lines for cell in line.split(",")[::2][:2]}
        extra += [f"Mr. Ann Able,E,{name},E,9" for name in sorted(names)]
        extra += [f"{name},E,Mr. Ann Able,E,8" for name in sorted(names)]
        extra += ["Mr. Ann Able,E,Mr. Ann Able,E,0"]
        seen: dict[str, str] = {}
        for line in [*lines, *extra]:
            cells = line.split(",")
            seen[f"{cells[0]},{cells[2]}"] = line
        return "\r\n".join([head, *seen.values()])

    edited(folder / MATRIX, alias)
    reader = bring_in(tmp_path / "store", study, Inputs(data=folder))

    query = """
        SELECT a, b, "count" FROM character_pairs WHERE part = 'mapped'
        AND a IN ('Ann Able', 'Cid Cole') AND b IN ('Ann Able', 'Cid Cole') ORDER BY ordinal"""
    assert ask(reader, query).rows == [("Ann Able", "Cid Cole", 9), ("Cid Cole", "Ann Able", 8)]


def test_there_must_be_something_to_work_on(folder: Path, tmp_path: Path, study: Study) -> None:
    """No store, an empty folder, a store without a part: each says what to name."""
    with pytest.raises(NotHeld, match="no part of the corpus 'austenalike'; name the folder"):
        bring_in(tmp_path / "none", study, Inputs())
    with pytest.raises(BadFile, match=r"nowhere: no such folder; name the one that holds"):
        bring_in(tmp_path / "none", study, Inputs(data=tmp_path / "nowhere"))
    assert not (tmp_path / "none").exists()
    with pytest.raises(BadRequest, match="has its own benchmarks"):
        bring_in(tmp_path / "none", study, Inputs(data=folder, groups=folder / ROLES))
    with pytest.raises(BadRequest, match="leave out --corpus"):
        bring_in(tmp_path / "none", study, Inputs(corpus="plays"))

    store = tmp_path / "store"
    bring_in(store, study, Inputs(data=folder)).close()
    with pytest.raises(BadRequest, match="has the modes published and clean"):
        study.table(open_read(store), Asked(inputs=Inputs(), mode="other"))


def test_a_file_with_a_byte_order_mark_is_read(folder: Path, tmp_path: Path, study: Study) -> None:
    path = folder / "characters.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())

    bring_in(tmp_path / "store", study, Inputs(data=folder)).close()


def test_the_matrix_may_be_packed_anew(folder: Path, tmp_path: Path, study: Study) -> None:
    """Its content counts: packed otherwise it is what the store holds already."""
    store = tmp_path / "store"
    bring_in(store, study, Inputs(data=folder)).close()
    before = (store / "probe.duckdb").read_bytes()
    path = folder / MATRIX
    packed = path.read_bytes()
    path.write_bytes(gzip.compress(gzip.decompress(packed), compresslevel=1, mtime=1))
    assert path.read_bytes() != packed

    reader = bring_in(store, study, Inputs(data=folder))

    assert ask(reader, "SELECT count(*) FROM character_pairs WHERE part = 'raw'").rows == [(144,)]
    reader.close()
    assert (store / "probe.duckdb").read_bytes() == before
