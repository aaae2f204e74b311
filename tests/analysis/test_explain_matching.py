"""One number is found by the words of its labels, or what there is is told, the nearest first."""

from __future__ import annotations

import pytest

from analysis.explain.entries import Entry, Name
from analysis.explain.explanation import Explanation, Numbers
from analysis.explain.matching import NotOne, find, matched, of_row, of_table

ROWS = [
    Name("question_answering friendsqa open", "FriendsQA"),
    Name("coreference litbank open", "Coreference on litbank"),
    Name("coreference moviecoref open", "Coreference"),
]
COLUMNS = [Name(name, name) for name in ("gpt-4o NR", "gpt-4o NR change", "gpt-4o NR+GIST")]


def _explain() -> Explanation:
    raise AssertionError


def entry(table: str, *places: tuple[str, str]) -> Entry:
    return Entry(
        table=table,
        places=[(Name(row, row), Name(column, column)) for row, column in places],
        printed=Numbers(value=1),
        shown="1",
        explain=_explain,
    )


ENTRIES = [
    entry("Figure 2", ("booknlp_quotes", "hero.in"), ("Hero in", "BookNLP Quotes")),
    entry("Figure 2", ("booknlp_quotes", "hero.out"), ("Hero out", "BookNLP Quotes")),
    entry("Figure 2 difference", ("booknlp_quotes", "hero")),
]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("FriendsQA", ROWS[0]),
        ("friendsqa", ROWS[0]),
        ("question_answering friendsqa open", ROWS[0]),
        ("open friendsqa", ROWS[0]),
        ("coreference litbank", ROWS[1]),
        ("Coreference", ROWS[2]),
        ("litb", ROWS[1]),
        ("quest open", ROWS[0]),
    ],
)
def test_words_of_names_and_labels_tell(asked: str, name: Name) -> None:
    """In any case and order; a whole label goes before one that has it among its words."""
    assert matched("row", asked, ROWS) == name


def test_what_has_no_more_than_the_others_is_meant() -> None:
    """A level is told by fewer words than its change."""
    assert matched("column", "gpt-4o NR", COLUMNS).name == "gpt-4o NR"
    assert matched("column", "change NR", COLUMNS).name == "gpt-4o NR change"
    assert matched("column", "gist", COLUMNS).name == "gpt-4o NR+GIST"


def test_several_are_listed() -> None:
    with pytest.raises(NotOne, match="'open' stands for 3 rows: ") as caught:
        matched("row", "open", ROWS)

    assert set(caught.value.known) == {f"{own.label} ({own.name})" for own in ROWS}


def test_of_what_there_is_the_nearest_comes_first() -> None:
    with pytest.raises(NotOne, match="no row is called 'frendsQA'; there are: FriendsQA"):
        matched("row", "frendsQA", ROWS)


def test_a_number_is_found_as_records_have_it_and_as_print_has_it() -> None:
    own = of_table(ENTRIES, "figure 2")

    assert find(own, "booknlp_quotes", "hero.in") is ENTRIES[0]
    assert find(own, "hero in", "quotes") is ENTRIES[0]
    assert of_table(ENTRIES, "difference") == [ENTRIES[2]]
    assert of_row(own, "booknlp") == ENTRIES[:2]


def test_no_word_at_all_is_nothing() -> None:
    with pytest.raises(NotOne, match="no row is called ' '"):
        matched("row", " ", ROWS)
