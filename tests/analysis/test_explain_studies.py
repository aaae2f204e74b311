"""Every number of the studies' tables is made again from the rows of its own query."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.explain.entries import Entry
from analysis.explain.matching import find, of_table
from analysis.explain.studies import study_entries
from analysis.studies import Asked as AskedOfCorpus
from analysis.studies import AskedOf, Inputs, bring_in
from analysis.studies.austenalike import STUDY as AUSTENALIKE
from analysis.studies.memorization import STUDY as MEMORIZATION
from analysis.studies.memory import STUDY as MEMORY
from analysis.studies.similarity import STUDY as SIMILARITY
from store.read import Connection, Reader, open_read
from tests.analysis import corpora_for_tests as toys
from tests.analysis import own_for_tests as own
from tests.analysis.explained_for_tests import (
    behind_all,
    number,
    one_of_each,
    verified,
    with_views_held,
)
from tests.analysis.memorization_for_tests import GIST, NR, ORIGIN, Asked, marks, put
from tests.analysis.memory_for_tests import Planted, planted
from tests.analysis.memory_for_tests import put as put_passages
from tests.analysis.published_for_tests import NAMES as NOVEL_NAMES
from tests.analysis.published_for_tests import brought_in, write_published
from tests.store.rows_for_tests import memory
from tests.store.served_for_tests import owning

CONDITIONS = (
    (ORIGIN, "111101"),
    (NR, "110010"),
    (GIST, "11-001"),
    (("original", "gist"), "101110"),
    (("masked", "baseline"), "010010"),
)
WORKS = {f"i{at:03}": f"work {at}" for at in range(6)}
FLAGS = {name: ["title_in_text"] if at % 3 else [] for at, name in enumerate(WORKS)}


def asked() -> Iterator[Asked]:
    """Tasks in two wordings, with descriptions, and one of memory that is parted by a flag."""
    for condition, text in CONDITIONS:
        mark = marks(text)
        one = Asked(marks=mark, condition=condition, model="one", works=WORKS)
        other = replace(one, model="two", marks=marks(text[2:] + text[:2]))
        yield from (one, other, replace(one, descriptions="short"))
        for wording in (None, "terse"):
            yield replace(one, task="coreference", dataset="moviecoref", wording=wording)
        yield replace(one, task="source_identification", choices="open", flags=FLAGS)
        yield replace(one, task="personality", dataset="personet", wording="terse")


def undescribed() -> Iterator[Asked]:
    """Two tasks in one setting: there is a mean over tasks, also of what is not tested."""
    for condition, text in CONDITIONS[:3] + CONDITIONS[4:]:
        for task in ("character_guessing", "coreference"):
            yield Asked(marks=marks(text), condition=condition, task=task)


@pytest.fixture(scope="module")
def conditions() -> Connection:
    connection = memory()
    put(connection, asked())
    put(connection, undescribed(), experiment="plain")
    return connection


@pytest.mark.parametrize("experiment", ["small", "plain"])
def test_every_number_of_memorization(experiment: str, conditions: Connection) -> None:
    """Table 3, Figures 2 to 5, parts by flag, descriptions, wordings, and the paper's columns."""
    wanted = AskedOf(experiment=experiment, paper=True)
    table, explain = MEMORIZATION.explained(conditions, wanted)
    entries = list(study_entries(table, explain))

    assert verified(entries, conditions) == len(table.cells) > 100
    assert behind_all(one_of_each(entries), conditions) > 1
    names = {each.table.split(",")[0] for each in entries}
    more = {"Figure 2", "Figure 3", "Figure 4", "descriptions short", "wordings"}
    assert {"3", "Figure 5"} | (more if experiment == "small" else set()) <= names


def test_every_number_of_memory() -> None:
    """Likelihoods, continuations, and how well each score tells; also what is not shown."""
    pytest.importorskip("sklearn", reason="needs scikit-learn: pip install -e '.[report]'")
    connection = memory()
    put_passages(connection, planted(Planted(works=2, each=3, models=("m", "other"))))
    table, explain = MEMORY.explained(connection, AskedOf())
    entries = list(study_entries(table, explain))

    assert verified(entries, connection) == len(table.cells) > 200
    assert behind_all(one_of_each(entries), connection) > 3


def answers(names: list[str]) -> list[own.Answers]:
    """What a model says of some characters, one and ten at a time; of the last nothing."""
    one: dict[str, list[own.Said]] = {
        name: [[names[at - 1]], [names[at - 2]], None] for at, name in enumerate(names[:-1])
    }
    ten: dict[str, list[own.Said]] = {
        name: [[each for each in names if each != name][:10]] for name in names
    }
    return [
        own.Answers(said=one | {names[-1]: [None]}, offered=names),
        own.Answers(said=ten, offered=names, task=own.TEN),
    ]


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Inputs]:
    folder = tmp_path_factory.mktemp("toys")
    store = toys.hold(
        folder / "store", toys.cast(toys.WORKS), toys.vectors(toys.NAMES, toys.MATRIX)
    )
    (folder / "groups.tsv").write_text(toys.GROUPS, encoding="utf-8")
    (folder / "pairs.tsv").write_text(toys.PAIRS, encoding="utf-8")
    own.ask(store, *answers(toys.NAMES))
    groups, pairs = folder / "groups.tsv", folder / "pairs.tsv"
    inputs = Inputs(corpus=toys.CORPUS, groups=groups, pairs=pairs)
    bring_in(store, SIMILARITY, inputs).close()
    return store, inputs


def test_every_number_of_similarity(toy: tuple[Path, Inputs]) -> None:
    """Groups, works, cosines and pairs, with the user's own model among the rows."""
    store, inputs = toy
    reader = open_read(store)
    table, explain = SIMILARITY.explained(reader, AskedOfCorpus(inputs=inputs, mode="clean"))
    entries = list(study_entries(table, explain))

    assert verified(entries, reader) == len(table.cells) > 40
    assert behind_all(one_of_each(entries), reader) > 5
    assert any(each.row.name.startswith("m ") for each in entries)


@pytest.fixture(scope="module")
def novels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published files' form, with a model of the user's that was asked as well."""
    folder = tmp_path_factory.mktemp("novels")
    store = brought_in(folder / "store", write_published(folder / "data"))
    return own.ask(store, *answers(NOVEL_NAMES))


@pytest.fixture(scope="module")
def fast(novels: Path) -> Reader:
    return with_views_held(shutil.copytree(novels, novels.parent / "held"))


def novel_entries(reader: Reader, mode: str) -> list[Entry]:
    return list(
        study_entries(*AUSTENALIKE.explained(reader, AskedOfCorpus(inputs=Inputs(), mode=mode)))
    )


@pytest.mark.parametrize("mode", ["published", "clean"])
def test_every_number_of_austenalike(mode: str, novels: Path, fast: Reader) -> None:
    """All tables and figures in both modes; one of each also on the store as it is."""
    reader = open_read(novels)
    entries = novel_entries(reader, mode)

    assert verified(entries, fast) == len(entries) > 400
    assert verified(one_of_each(entries), reader) >= 13
    assert behind_all(one_of_each(entries), fast) > 8
    reader.close()


def test_a_served_store_answers_the_same(novels: Path, tmp_path: Path) -> None:
    store = shutil.copytree(novels, tmp_path / "store")
    with owning(store) as owner:
        assert owner.said
        reader = open_read(store)
        entries = novel_entries(reader, "published")
        some = [each for each in entries if each.table in {"2", "4", "5", "9", "Section 6.1.2"}]
        checked = verified(one_of_each(some), reader)
        reader.close()

    assert checked == 5


FORMULAS = {
    ("2", "BookNLP Quotes", "hero"): "avg(hit::INTEGER)",
    ("3", "GPT-4", "gender"): "avg(coalesce(hit, true)::INTEGER)",
    ("4", "BookNLP Quotes", "Pearson"): 'corr(cosine, "count")',
    ("9", "fanfic_quotes", "All"): 'corr(cosine, "count")',
    ("4", "BookNLP Quotes", "jaccard"): "avg(same_ranks / (20 - same_ranks))",
    ("Figure 2", "booknlp_quotes", "rival.out"): "avg(mean_out)",
    ("5", "gender", "F"): "count(*)",
    ("Section 6.1.2", "rival", "heroine"): "avg(of_other::INTEGER)",
}


@pytest.mark.parametrize(("place", "formula"), FORMULAS.items(), ids=range(len(FORMULAS)))
def test_the_formula_in_sql_over_the_query_gives_the_number(
    place: tuple[str, str, str], formula: str, fast: Reader
) -> None:
    """As published, and without any of our functions."""
    table, row, column = place
    entry = find(of_table(novel_entries(fast, "published"), table), row, column)

    value = number(fast, formula, entry.explain().query)

    assert value == pytest.approx(float(str(entry.printed.value)), rel=1e-12)


def test_the_formula_in_sql_gives_a_level(conditions: Connection) -> None:
    wanted = AskedOf(experiment="plain")
    entries = list(study_entries(*MEMORIZATION.explained(conditions, wanted)))
    entry = find(of_table(entries, "3"), "TVShow Guess", "m NR+GIST")

    value = number(conditions, "100 * sum(num) / sum(den)", entry.explain().query)

    assert value == pytest.approx(100 * 3 / 5)
    assert entry.shown == "60.0"
    assert value == pytest.approx(float(str(entry.printed.value)))
