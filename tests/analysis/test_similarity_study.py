"""The study for any corpus: plain files of benchmarks, and tables of whatever they allow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis.cells import Cell
from analysis.errors import BadRequest, NotHeld
from analysis.studies import (
    Asked,
    ExperimentStudy,
    Inputs,
    bring_in,
    find_study,
    study_names,
)
from analysis.studies.study import Study, StudyTable
from store.errors import BadFile
from store.read import ask, open_read
from tests.analysis import corpora_for_tests as toys
from tests.analysis.corpora_for_tests import GROUPS, MATRIX, NAMES, PAIRS, WORKS
from tests.analysis.published_for_tests import contents


@pytest.fixture
def study() -> Study:
    found = find_study("similarity")
    assert found is not None
    assert not isinstance(found, ExperimentStudy)
    return found


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with vectors, and no benchmark."""
    return toys.hold(tmp_path / "store", toys.cast(WORKS), toys.vectors(NAMES, MATRIX))


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def table(store: Path, study: Study, inputs: Inputs, *encoders: str) -> StudyTable:
    reader = bring_in(store, study, inputs)
    made = study.table(reader, Asked(inputs=inputs, mode="clean", vectors=encoders))
    reader.close()
    return made


def cells(made: StudyTable) -> dict[tuple[str, str, str], Cell]:
    return {(cell.table, cell.row, cell.column): cell for cell in made.cells}


def test_studies_are_found_by_being_there() -> None:
    """Nothing lists them but the folder they are in."""
    assert study_names() == ("austenalike", "memorization", "memory", "similarity")
    for name in study_names():
        found = find_study(name)
        assert found is not None
        assert found.name == name
        assert isinstance(found, ExperimentStudy) == (name in {"memorization", "memory"})
    assert find_study("files") is None
    assert find_study("nothing") is None


def test_both_files_give_all_tables(store: Path, tmp_path: Path, study: Study) -> None:
    """Kings are like kings, by hand: of the king Ann the nearest elsewhere is the king Dot."""
    inputs = Inputs(
        corpus=toys.CORPUS,
        groups=written(tmp_path, "g.tsv", GROUPS),
        pairs=written(tmp_path, "p.tsv", PAIRS),
    )

    made = table(store, study, inputs)

    assert [layout.table for layout in made.layouts] == [
        "most similar: role",
        "most similar by work: role",
        "cosine: role",
        "in less out: role",
        "most similar: role, other works",
        "most similar by work: role, other works",
        "cosine: role, other works",
        "in less out: role, other works",
        "pairs",
        "pearson by work",
        "pearson by work, other works",
    ]
    found = cells(made)
    king = found["most similar: role, other works", "booknlp_quotes", "king"]
    assert (king.value, king.n) == (1.0, 3)
    inside = found["cosine: role", "booknlp_quotes", "king.in"].value
    outside = found["cosine: role", "booknlp_quotes", "king.out"].value
    less = found["in less out: role", "booknlp_quotes", "king"].value
    assert inside is not None
    assert outside is not None
    assert less == pytest.approx(inside - outside)
    assert inside - outside > 0.5
    assert found["pairs", "booknlp_quotes", "pearson"].n == 5
    assert found["pairs", "booknlp_quotes", "pearson_all_pairs"].n == 15
    assert found["pearson by work", "booknlp_quotes", "A"].n == 4
    assert found["pearson by work, other works", "booknlp_quotes", "all works"].n == 3
    assert made.vectors == ("made",)
    assert made.study == "similarity"


@pytest.mark.parametrize("which", ["groups", "pairs"])
def test_either_file_alone_is_enough(which: str, store: Path, tmp_path: Path, study: Study) -> None:
    path = written(tmp_path, "b.tsv", GROUPS if which == "groups" else PAIRS)
    inputs = (
        Inputs(corpus=toys.CORPUS, groups=path)
        if which == "groups"
        else Inputs(corpus=toys.CORPUS, pairs=path)
    )

    found = {layout.table for layout in table(store, study, inputs).layouts}

    assert ("pairs" in found) == (which == "pairs")
    assert ("most similar: role" in found) == (which == "groups")


def test_what_the_store_holds_need_not_be_named_again(
    store: Path, tmp_path: Path, study: Study
) -> None:
    inputs = Inputs(corpus=toys.CORPUS, groups=written(tmp_path, "g.tsv", GROUPS))
    first = table(store, study, inputs)
    before = contents(store)

    again = table(store, study, Inputs(corpus=toys.CORPUS))

    assert again.cells == first.cells
    assert table(store, study, inputs).cells == first.cells
    assert contents(store) == before


def test_characters_come_from_a_file_where_the_store_has_none(tmp_path: Path, study: Study) -> None:
    """As after features alone were read."""
    store = toys.hold(tmp_path / "store", toys.vectors(NAMES, MATRIX))
    groups = written(tmp_path, "g.tsv", GROUPS)
    with pytest.raises(NotHeld, match=r"no characters of the corpus 'toys'; name a file with --ch"):
        bring_in(store, study, Inputs(corpus=toys.CORPUS, groups=groups))
    lines = "".join(f"{name}\t{work}\n" for name, work in WORKS.items())
    characters = written(tmp_path, "c.tsv", f"character\twork\n{lines}")

    made = table(store, study, Inputs(corpus=toys.CORPUS, groups=groups, characters=characters))

    assert cells(made)["most similar: role", "booknlp_quotes", "all groups"].n == 6


def test_one_work_has_no_other_works(tmp_path: Path, study: Study) -> None:
    store = toys.hold(
        tmp_path / "store",
        toys.cast(dict.fromkeys(NAMES, "A")),
        toys.vectors(NAMES, MATRIX),
    )
    inputs = Inputs(
        corpus=toys.CORPUS,
        groups=written(tmp_path, "g.tsv", GROUPS),
        pairs=written(tmp_path, "p.tsv", PAIRS),
    )

    made = table(store, study, inputs)

    assert not [layout for layout in made.layouts if "work" in layout.table]
    assert "All characters are of one work, A: there are no other works." in made.notes


def test_members_without_a_vector_are_passed_by_and_named(tmp_path: Path, study: Study) -> None:
    characters = {**WORKS, "Gil": "B", "Hew": "B"}
    toys.hold(tmp_path / "more", toys.cast(characters), toys.vectors(NAMES, MATRIX))
    text = GROUPS + "role\tking\tGil\nrole\tfool\tHew\n"

    made = table(
        tmp_path / "more",
        study,
        Inputs(corpus=toys.CORPUS, groups=written(tmp_path, "g.tsv", text)),
    )

    assert cells(made)["most similar: role", "booknlp_quotes", "all groups"].n == 6
    assert "Members without a vector of any kind: Gil, Hew." in made.notes


def test_who_was_asked_stands_beside_the_representations(tmp_path: Path, study: Study) -> None:
    """With other works alone, the answers from other works count."""
    answers = [("Ann", 0, 1, "Bob"), ("Bob", 0, 1, "Dot"), ("Cid", 0, 1, "Cid")]
    store = toys.hold(
        tmp_path / "store",
        toys.cast(WORKS),
        toys.vectors(NAMES, MATRIX),
        toys.choices("model", answers),
    )

    made = table(
        store, study, Inputs(corpus=toys.CORPUS, groups=written(tmp_path, "g.tsv", GROUPS))
    )

    found = cells(made)
    assert (found["most similar: role", "model", "king"].value) == 1.0
    assert (found["most similar: role", "model", "king"].n) == 2
    assert found["most similar: role", "model", "fool"].value is None
    assert found["most similar: role, other works", "model", "king"].n == 1


def test_several_benchmarks_of_pairs_are_not_mixed(tmp_path: Path, study: Study) -> None:
    """One's own file counts; without one, they are left out and named."""
    store = toys.hold(
        tmp_path / "store",
        toys.cast(WORKS),
        toys.vectors(NAMES, MATRIX),
        toys.groups([("role", "king", "Ann"), ("role", "king", "Bob")]),
        toys.pairs([("Ann", "Bob", 1)], "first"),
        toys.pairs([("Ann", "Bob", 2)], "second"),
    )

    without = table(store, study, Inputs(corpus=toys.CORPUS))
    own = table(store, study, Inputs(corpus=toys.CORPUS, pairs=written(tmp_path, "p.tsv", PAIRS)))

    assert "pairs" not in {layout.table for layout in without.layouts}
    assert "Pairs are left out: there are several (first, second); name a --pairs." in without.notes
    assert cells(own)["pairs", "booknlp_quotes", "pearson"].n == 5


BROKEN = {
    "other columns": ("groups", "attribute\tcharacter\n", "line 1: columns 'attribute character'"),
    "no line": ("groups", "attribute\tgroup\tcharacter\n", "no line under the header; write"),
    "a cell too many": (
        "groups",
        "attribute\tgroup\tcharacter\nrole\tking\tAnn\tx\n",
        "line 2: 4 cells where there must be 3",
    ),
    "nobody": (
        "groups",
        "attribute\tgroup\tcharacter\nrole\tking\tAnn\nrole\tking\tBobb\n",
        "line 3: the corpus has no character 'Bobb'; is 'Bob' meant?",
    ),
    "somebody else": (
        "groups",
        "attribute\tgroup\tcharacter\nrole\tking\tZebediah\n",
        "line 2: the corpus has no character 'Zebediah'; add it to the file of --characters",
    ),
    "an empty group": (
        "groups",
        "attribute\tgroup\tcharacter\nrole\t\tAnn\n",
        "line 2: the group is empty",
    ),
    "twice": (
        "groups",
        "attribute\tgroup\tcharacter\nrole\tking\tAnn\nrole\tking\tAnn\n",
        "line 3: 'role, king, Ann' stands in line 2 already; keep one",
    ),
    "no count": ("pairs", "a\tb\tcount\nAnn\tBob\toften\n", "line 2: the count is 'often'; write"),
    "a fraction": ("pairs", "a\tb\tcount\nAnn\tBob\t0.5\n", "line 2: the count is '0.5'; write"),
    "itself": ("pairs", "a\tb\tcount\nAnn\tAnn\t1\n", "line 2: 'Ann' is paired with itself"),
    "a pair twice": (
        "pairs",
        "a\tb\tcount\nAnn\tBob\t1\nAnn\tBob\t2\n",
        "line 3: 'Ann, Bob' stands in line 2 already",
    ),
    "spaces": ("pairs", "a\tb\tcount\nAnn \tBob\t1\n", "line 2: the character is 'Ann '; write"),
    "empty": ("pairs", "", "b.tsv: the file is empty"),
    "a character twice": (
        "characters",
        "character\twork\nAnn\tA\nAnn\tB\n",
        "line 3: 'Ann' stands in line 2 already",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_one_line_and_changes_nothing(
    case: str, store: Path, tmp_path: Path, study: Study
) -> None:
    option, text, message = BROKEN[case]
    path = written(tmp_path, "b.tsv", text)
    before = contents(store)

    with pytest.raises(BadFile, match=re.escape(message)) as caught:
        bring_in(store, study, inputs_of(option, path))

    assert str(path) in str(caught.value)
    assert contents(store) == before


def inputs_of(option: str, path: Path) -> Inputs:
    if option == "groups":
        return Inputs(corpus=toys.CORPUS, groups=path)
    if option == "pairs":
        return Inputs(corpus=toys.CORPUS, pairs=path)
    return Inputs(corpus=toys.CORPUS, characters=path)


def test_counts_of_the_two_orders_of_a_pair_are_added(
    store: Path, tmp_path: Path, study: Study
) -> None:
    text = "a\tb\tcount\nAnn\tBob\t1\nBob\tAnn\t2\nCid\tDot\t1\nEve\tFay\t1\n"
    inputs = Inputs(corpus=toys.CORPUS, pairs=written(tmp_path, "p.tsv", text))

    made = cells(table(store, study, inputs))

    assert made["pairs", "booknlp_quotes", "pearson"].n == 3
    assert ask(open_read(store), 'SELECT sum("count") FROM character_pairs').rows == [(5,)]


def test_a_request_that_cannot_be_met_says_why(store: Path, tmp_path: Path, study: Study) -> None:
    with pytest.raises(BadRequest, match="similarity needs --corpus"):
        bring_in(store, study, Inputs())
    with pytest.raises(BadRequest, match="takes --groups and --pairs, not --data"):
        bring_in(store, study, Inputs(corpus=toys.CORPUS, data=tmp_path))
    with pytest.raises(NotHeld, match="no groups or pairs of the corpus 'toys'; name a file"):
        table(store, study, Inputs(corpus=toys.CORPUS))
    with pytest.raises(NotHeld, match=r"of the corpus 'toy'; name a file .*it has corpora toys"):
        table(store, study, Inputs(corpus="toy"))
    with pytest.raises(NotHeld, match="no part of the corpus 'toys'; name a file with --groups"):
        table(tmp_path / "none", study, Inputs(corpus=toys.CORPUS))
    assert not (tmp_path / "none").exists()
