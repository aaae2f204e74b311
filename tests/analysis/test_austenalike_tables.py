"""The study's tables on a small invented folder: what they hold, and what they are made from."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import analysis.studies.austenalike as package
from analysis.cells import Cell
from analysis.errors import BadRequest, NotHeld, NoVectors
from analysis.similarity import load
from analysis.studies import Asked, Inputs, StudyTable, bring_in
from analysis.studies.austenalike import STUDY
from analysis.studies.austenalike.clean import clean_cells
from analysis.studies.austenalike.paper import printed_in_paper, with_paper
from analysis.studies.austenalike.published import published_cells
from analysis.studies.austenalike.rows import own_query
from analysis.studies.study import Study
from store.database import Database
from store.read import Reader, open_read
from tests.analysis.published_for_tests import brought_in, vectors, write_published, write_vectors
from tests.store.served_for_tests import owning

MODES = ("published", "clean")


@pytest.fixture
def study() -> Study:
    return STUDY


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_published(tmp_path_factory.mktemp("published") / "data")


@pytest.fixture(scope="module")
def store(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return brought_in(tmp_path_factory.mktemp("store") / "store", folder)


@pytest.fixture
def reader(store: Path) -> Reader:
    return open_read(store)


def asked(mode: str, *encoders: str) -> Asked:
    return Asked(inputs=Inputs(), mode=mode, vectors=encoders)


def by_place(table: StudyTable) -> dict[tuple[str, str, str], Cell]:
    return {(cell.table, cell.row, cell.column): cell for cell in table.cells}


def values(table: StudyTable) -> Mapping[tuple[str, str, str], float | None]:
    return {place: cell.value for place, cell in by_place(table).items()}


@pytest.mark.parametrize("mode", MODES)
def test_every_cell_the_paper_prints_has_one_of_ours(
    mode: str, study: Study, reader: Reader
) -> None:
    """In both modes, and none twice; only the published mode counts section 6.1.2's misses.

    Groups that nobody is in have no size: the small folder has no characters of some.
    """
    table = study.table(reader, asked(mode))
    cells = by_place(table)

    without = {"5"} if mode == "published" else {"5", "Section 6.1.2"}
    printed = {place for place in printed_in_paper() if place[0] not in without}
    assert len(cells) == len(table.cells)
    assert printed <= set(cells)
    bars = [place for place in cells if place[0] in {"Figure 2", "Figure 3"}]
    assert len(bars) == 5 * 2 * (7 + 5)
    assert {cell.table for cell in table.cells} == {layout.table for layout in table.layouts}


@pytest.mark.parametrize("mode", MODES)
def test_one_vector_moves_the_cells_it_is_in_and_no_other(
    mode: str, folder: Path, tmp_path: Path, study: Study
) -> None:
    """Numbers come from the vectors: those of another representation, GPT-4's and sizes stay."""
    own = shutil.copytree(folder, tmp_path / "data")
    before = values(study.table(bring_in(tmp_path / "s", study, Inputs(data=own)), asked(mode)))
    matrix = vectors("booknlp_events", 0)
    matrix[4] = -matrix[4]
    write_vectors(own, "booknlp_events", matrix)

    after = values(study.table(bring_in(tmp_path / "s", study, Inputs(data=own)), asked(mode)))

    moved = {place for place in before if before[place] != after[place]}
    tables = {table for table, _, _ in moved}
    assert {"8", "9", "Figure 2", "Figure 3"} <= tables
    assert tables & {"2", "3", "6", "7"}
    # The published pairs need all representations; which they are does not change here.
    assert {row for table, row, _ in moved if table != "Section 6.1.2"} == {"booknlp_events"}


def test_no_value_is_taken_from_the_paper(study: Study, reader: Reader) -> None:
    """What computes knows no printed number; one that is put beside a value leaves it alone."""
    relations = load(reader, "austenalike", ["published"])
    for make in (published_cells, clean_cells):
        cells = make(relations, 0)
        assert all(cell.paper is None for cell in cells)
        nonsense = dict.fromkeys(printed_in_paper(), "0.77")
        shown = with_paper(cells, nonsense)
        assert [replace(cell, paper=None) for cell in shown] == list(cells)
        assert {cell.paper for cell in shown} == {None, "0.77"}
    assert study.table(reader, asked("published")).cells == with_paper(
        published_cells(relations, 0), printed_in_paper()
    )


def test_only_the_study_s_last_step_reads_the_paper_s_numbers() -> None:
    """No other module of the package imports them."""
    root = Path(str(package.__file__)).parent
    importing = {
        path.stem
        for path in root.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).endswith("austenalike.paper")
    }
    opening = {path.stem for path in root.glob("*.py") if "paper.toml" in path.read_text()}

    assert importing == {"study"}
    assert opening == {"paper"}


@pytest.mark.parametrize("name", ["bars", "expert_pairs", "expert_lists", "asked_lists"])
def test_the_study_s_queries_answer_alike_on_the_store_and_in_memory(
    name: str, reader: Reader
) -> None:
    """So that a number of a table can be traced by hand with `probe sql`."""
    relations = load(reader, "austenalike", ["published"])

    here = relations.connection.execute(own_query(name)).fetchall()

    assert reader.answer(own_query(name)).rows == here
    assert here


def test_a_store_that_a_run_has_open_is_read(folder: Path, tmp_path: Path, study: Study) -> None:
    """With --data too, as long as all of it is held: the same cells as from the file."""
    store = tmp_path / "store"
    with closing(bring_in(store, study, Inputs(data=folder))) as closed:
        expected = study.table(closed, asked("clean")).cells
    with owning(store) as owner:
        assert owner.said
        served = bring_in(store, study, Inputs(data=folder))
        found = study.table(served, asked("clean")).cells

    assert found == expected


def test_a_representation_without_vectors_is_left_out_and_said(
    folder: Path, tmp_path: Path, study: Study
) -> None:
    store = tmp_path / "store"
    bring_in(store, study, Inputs(data=folder)).close()
    with Database(store) as database:
        database.call(
            lambda owner: owner.execute("DELETE FROM imports WHERE part = 'fanfic_quotes'")
        )
    table = study.table(open_read(store), asked("published"))

    assert "fanfic_quotes" not in {cell.row for cell in table.cells}
    assert (
        "fanfic_quotes is left out: the store has neither its features nor vectors." in table.notes
    )
    assert {cell.row for cell in table.cells if cell.table == "8"} == {
        "fanfic_assertions",
        "booknlp_events",
        "booknlp_modifiers",
        "booknlp_quotes",
    }


def test_an_encoder_that_made_nothing_is_refused(study: Study, reader: Reader) -> None:
    with pytest.raises(NoVectors, match="no vectors by minilm, only by published; make vectors"):
        study.table(reader, asked("clean", "minilm"))
    with pytest.raises(BadRequest, match="has the modes published and clean"):
        study.table(reader, asked("other"))


def test_a_store_without_a_part_says_which(folder: Path, tmp_path: Path, study: Study) -> None:
    store = tmp_path / "store"
    bring_in(store, study, Inputs(data=folder)).close()
    with Database(store) as database:
        database.call(lambda owner: owner.execute("DELETE FROM imports WHERE part = 'roles'"))

    with pytest.raises(NotHeld, match=r"no groups \(roles\) of the corpus 'austenalike'; name the"):
        study.table(open_read(store), asked("clean"))


def test_the_same_seed_gives_the_same_intervals(study: Study, reader: Reader) -> None:
    first = study.table(reader, Asked(inputs=Inputs(), mode="clean", seed=3)).cells
    again = study.table(reader, Asked(inputs=Inputs(), mode="clean", seed=3)).cells
    other = study.table(reader, Asked(inputs=Inputs(), mode="clean", seed=4)).cells

    assert first == again
    assert [cell.value for cell in first] == [cell.value for cell in other]
    assert [cell.interval for cell in first] != [cell.interval for cell in other]
