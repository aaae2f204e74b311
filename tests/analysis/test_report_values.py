"""A report says what the store holds: in words with intervals, and as items, each text once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from analysis.contrasts import Contrast, contrasts
from analysis.errors import BadRequest, NoSuchTable
from analysis.report import Report, report
from analysis.report.differences import cautions, contrast_tables, summary
from analysis.report.items import Wanted, browser
from store.insert import insert
from store.read import Connection, ask
from tests.analysis.report_for_tests import GAINED, HOSTILE, LOST, fill, unpacked
from tests.store.rows_for_tests import experiment_row, memory


@pytest.fixture(scope="module")
def store() -> Iterator[Connection]:
    connection = memory()
    fill(connection)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def found(store: Connection) -> list[Contrast]:
    return contrasts(store, "small", 7)


@pytest.fixture(scope="module")
def made(store: Connection) -> Report:
    return report(store, "small")


def test_the_summary_tells_the_loss_with_its_interval(found: list[Contrast]) -> None:
    """Six of eight items are lost and one is gained: 87.5 % become 25.0 %."""
    of_first = next(each for each in summary(found) if each.startswith("first"))

    assert "Character guessing: 87.5 % under original names, 25.0 % under names of" in of_first
    assert "−62.5 points (95 % interval " in of_first
    assert "8 items" in of_first


def test_what_is_undefined_is_said_to_be(found: list[Contrast]) -> None:
    own = next(each for each in found if each.contrast == "origin - NR")
    nothing = replace(
        own, difference=None, value_a=None, value_b=None, interval=None, p_holm=None,
        undefined="no item has replies under both conditions",
    )  # fmt: skip

    (_, told) = summary([nothing])
    (table,) = contrast_tables([nothing])

    assert "cannot be held against original names (no item has replies" in told
    assert table.headline[0].difference == "–"
    assert table.headline[0].strip is None
    assert table.headline[0].undefined == "no item has replies under both conditions"
    assert any("have no interval" in each for each in cautions([nothing]))


def test_likelihoods_are_told_in_nats(found: list[Contrast]) -> None:
    """They are headline contrasts as well; points would be a hundred times too many."""
    own = next(each for each in found if each.contrast == "origin - NR")
    likely = replace(own, task="passage_likelihood", value_a=-1.25, value_b=-1.5, difference=0.25)

    (_, told) = summary([likely])

    assert "−1.250 nats a token under original names, −1.500 nats a token under" in told
    assert "−0.250 nats (95 % interval" in told


def test_without_contrasts_nothing_is_claimed() -> None:
    assert "no headline contrast" in summary([])[0]


@pytest.mark.parametrize(
    ("p", "difference", "words"),
    [
        (0.2, 0.3, "none shows a difference"),
        (0.01, 0.3, "1 shows a loss beyond chance"),
        (0.01, -0.3, "1 shows a gain beyond chance"),
    ],
)
def test_only_what_chance_does_not_explain_is_called_a_loss(
    found: list[Contrast], p: float, difference: float, words: str
) -> None:
    own = next(each for each in found if each.contrast == "origin - NR")

    assert words in summary([replace(own, p_holm=p, difference=difference)])[0]


def test_few_items_are_pointed_out(found: list[Contrast]) -> None:
    assert any("few items (7 to 8, fewer than 30)" in each for each in cautions(found))


def test_a_strip_draws_the_interval_to_scale(found: list[Contrast]) -> None:
    (table,) = contrast_tables(found)
    (row, *_) = [each for each in table.headline if each.difference == "+62.5"]

    assert row.strip is not None
    assert row.strip.low is not None
    assert row.strip.high is not None
    ends = [row.strip.zero, row.strip.value, row.strip.low, row.strip.high]
    assert all(0 <= end <= 100 for end in ends)
    assert row.strip.low < row.strip.value < row.strip.high
    assert row.strip.zero < row.strip.value


def test_tables_hold_what_the_views_hold(store: Connection, made: Report) -> None:
    row = ask(
        store,
        "SELECT accuracy, low, high FROM accuracy WHERE task = 'character_guessing' AND"
        " model = 'first' AND names = 'cross_culture' AND prompt = 'baseline'",
    ).rows[0]
    table = next(each for each in made.tables if each.title.startswith("character guessing"))
    cell = table.rows[1].cells[0]

    assert cell is not None
    low, high = (100 * float(str(end)) for end in row[1:])
    assert (cell.value, cell.interval) == ("25.0", f"[{low:.1f}, {high:.1f}]")
    assert table.rows[1].count == "8"


def test_every_query_shown_runs_by_hand(store: Connection, made: Report) -> None:
    assert "$" not in "".join(made.queries.values())
    for name, text in made.queries.items():
        assert ask(store, text).columns, name


def test_provenance_has_no_places_and_no_secrets(made: Report) -> None:
    said = repr(made.provenance)

    assert "someone" not in said
    assert "…/walks.jsonl" in made.provenance.spec
    assert 'api_key_env = "SOME_KEY"' in made.provenance.spec
    assert "probe run …/small.toml" in said
    assert "0123abc" in said
    assert [row.cells[2] and row.cells[2].value for row in made.provenance.runs.rows] == ["done"]
    usd = [row.cells[4] and row.cells[4].value for row in made.provenance.spend.rows]
    assert usd == ["0.6400", "0.6300"]


def test_what_is_missing_or_left_is_warned_of(made: Report) -> None:
    said = " ".join(made.checks.warnings)

    assert "second: 1 of 64 cells (1.6 %) failed." in said
    assert "2 names of the cast still stand" in said
    assert made.checks.reasons is not None
    assert "\\x1b" in made.checks.reasons.rows[0].label
    assert made.checks.agreement is None


def test_leaks_count_passages_not_prompts(made: Report) -> None:
    """Each passage has two prompts under changed names."""
    assert made.checks.leaks is not None
    leaks = {
        row.label: [cell and cell.value for cell in row.cells] for row in made.checks.leaks.rows
    }

    assert leaks["Gray"] == ["name left standing", "2", "2"]
    assert leaks["Gate"] == ["possible name of nobody listed", "16", "32"]


def test_each_text_is_packed_once_and_comes_out_as_it_was(made: Report) -> None:
    texts = [str(text) for chunk in unpacked(made.browser.chunks) for text in chunk["texts"]]

    assert HOSTILE in texts
    assert len(texts) == len(set(texts))
    assert (made.browser.held, made.browser.of, made.browser.left_out) == (16, 16, "")


def test_the_index_has_the_mean_score_of_each_condition(made: Report) -> None:
    index = json.loads(made.browser.index)
    models, conditions = index["models"], [tuple(own[:2]) for own in index["conditions"]]
    row = next(each for each in index["items"] if each[2] == "walk-0")
    scores = {(conditions[one[0]], models[one[1]]): one[2] for one in row[5]}

    assert scores[("original", "baseline"), "first"] == 1
    assert scores[("cross_culture", "baseline"), "first"] == 0


def test_a_cap_keeps_flips_first_and_says_what_it_left_out(store: Connection) -> None:
    """Half of the places go to each task; those of the first are all flips."""
    capped = browser(store, Wanted(experiment="small", seed=7, most=8))
    index = json.loads(capped.index)
    walks = {row[2] for row in index["items"] if row[2].startswith("walk")}

    assert (capped.held, capped.of) == (8, 16)
    assert len(walks) == 4
    assert walks <= {*LOST, GAINED}
    assert "8 of the experiment's 16 items" in capped.left_out


def test_the_draw_is_the_seeds(store: Connection) -> None:
    def held(seed: int) -> object:
        index = json.loads(browser(store, Wanted(experiment="small", seed=seed, most=8)).index)
        return [row[2] for row in index["items"]]

    assert held(1) == held(1)
    assert len({json.dumps(held(seed)) for seed in range(6)}) > 1


def test_no_items_are_still_a_report(store: Connection) -> None:
    none = browser(store, Wanted(experiment="small", seed=7, most=0))

    assert (none.held, none.of, none.chunks) == (0, 16, ())
    assert "0 of the experiment's 16 items" in none.left_out


def test_an_unknown_experiment_is_told_those_there_are(store: Connection) -> None:
    with pytest.raises(NoSuchTable, match="the store has small"):
        report(store, "large")


def test_which_of_several_must_be_said() -> None:
    connection = memory()
    with pytest.raises(BadRequest, match="no experiment; start one"):
        report(connection, None)
    insert(connection, [experiment_row(), experiment_row("plan-2", experiment="large")])
    with pytest.raises(BadRequest, match="several experiments: large, small; name one"):
        report(connection, None)
