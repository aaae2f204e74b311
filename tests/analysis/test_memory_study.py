"""The tables of the memory study over planted likelihoods, held against plain loops over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from analysis.errors import BadRequest, MissingExtra, NoSuchTable
from analysis.studies import find_study
from analysis.studies.grids import grids
from analysis.studies.memory import STUDY, told_apart
from analysis.studies.memory.readings import readings
from analysis.studies.scores import Score
from analysis.studies.study import AskedOf, StudyTable
from store.read import Connection
from tests.analysis.memory_for_tests import Known, Planted, planted, put
from tests.store.rows_for_tests import memory

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install -e '.[report]'")

SMALL = Planted(works=6, each=2)


def stored(passages: Sequence[Known]) -> Connection:
    connection = memory()
    put(connection, passages)
    return connection


def table(passages: Sequence[Known], asked: AskedOf | None = None) -> StudyTable:
    return STUDY.table(stored(passages), asked or AskedOf())


def scores(made: StudyTable, name: str, row: str, model: str = "m") -> dict[str, Score]:
    """A row's cells by column."""
    return {
        cell.column: cell
        for cell in made.cells
        if isinstance(cell, Score)
        and (cell.table, cell.row) == (name, row)
        and cell.record()["model"] == model
    }


def pooled(passages: Sequence[Known], keep: Callable[[Known], bool], names: str) -> float:
    """Mean log-probability over all tokens but the name's, which is token 20, and the first."""
    found = [
        value
        for each in passages
        if keep(each)
        for at, value in enumerate(each.logprobs[names])
        if at not in {0, 20} and value is not None
    ]
    return float(np.mean(found))


@pytest.fixture(scope="module")
def passages() -> list[Known]:
    return planted(SMALL)


@pytest.fixture(scope="module")
def made(passages: list[Known]) -> StudyTable:
    return table(passages)


def test_the_study_is_found_by_its_name() -> None:
    assert find_study("memory") is STUDY


def test_likelihoods_are_those_of_a_loop_over_the_tokens(
    made: StudyTable, passages: list[Known]
) -> None:
    """Own names less others, outside the name, by work and over all; in float32 as stored."""
    for work in ("all works", "Work 0", "Work 3"):
        for kind in ("well_known", "little_known"):

            def keep(each: Known, work: str = work, kind: str = kind) -> bool:
                return each.kind == kind and work in {"all works", each.work}

            expected = pooled(passages, keep, "original") - pooled(passages, keep, "cross_culture")
            own = scores(made, "likelihood", work)[kind]

            assert own.value == pytest.approx(expected, abs=1e-5)
            assert own.n == sum(map(keep, passages))


def test_the_planted_difference_is_found_and_held(made: StudyTable) -> None:
    """0.4 nats a token over all works, by works; each of the two kinds as planted."""
    own = scores(made, "likelihood", "all works")
    truth = {"well_known": 0.5, "little_known": 0.1, "difference": 0.4}

    for column, expected in truth.items():
        interval = own[column].interval
        assert interval is not None
        assert interval.low <= expected <= interval.high
        assert interval.high - interval.low < 0.1
    assert own["difference"].value == pytest.approx(
        (own["well_known"].value or 0) - (own["little_known"].value or 0)
    )
    assert own["difference"].record()["unit"] == "nats a token"
    assert own["difference"].record()["clustered_by"] == "work"


def test_every_strategy_of_names_has_a_row(made: StudyTable) -> None:
    rows = [cell.row for cell in made.cells if cell.table == "likelihood by names"]

    assert list(dict.fromkeys(rows)) == ["cross_culture", "same_culture", "masked"]


def test_the_loss_tells_apart_as_pairs_say(made: StudyTable, passages: list[Known]) -> None:
    """AUC of the mean log-probability, by going through all pairs of passages."""
    known, others = (
        [
            float(np.mean([value for value in each.logprobs["original"] if value is not None]))
            for each in passages
            if each.kind == kind
        ]
        for kind in ("well_known", "little_known")
    )
    above = [(one > other) + (one == other) / 2 for one in known for other in others]

    own = scores(made, "membership", "loss")

    assert own["auc"].value == pytest.approx(100 * float(np.mean(above)))
    assert own["auc"].n == len(passages)
    assert own["tpr at 1 %"].value is None
    assert "100 little-known passages" in str(own["tpr at 1 %"].undefined)


def test_neighbours_are_other_names_that_somebody_might_bear(passages: list[Known]) -> None:
    """Neither the passage itself nor the one with masks; the lower-case form is its own."""
    held = readings(stored(passages), "small")

    assert held is not None
    for passage in held.passages("m"):
        shown = {each.text[slice(*each.names[0])] for each in passage.renamed}
        assert shown == {"Okonkwo", "Hattie"}
        assert passage.own.text[slice(*passage.own.names[0])] == "Agnes"
        assert passage.lower is not None
        assert passage.lower.text == passage.own.text.lower()
        assert passage.reference is None


def test_names_that_are_missed_are_told_by_neighbours(made: StudyTable) -> None:
    """The planted loss of 0.4 nats is far above the noise of a passage's mean."""
    own = scores(made, "membership", "neighbours_outside")

    assert own["auc"].value == 100.0
    assert own["auc"].undefined == "all resamples are alike"


def test_a_blind_baseline_stands_beside(made: StudyTable) -> None:
    """What words alone tell apart, and how far a score is above that."""
    blind = scores(made, "membership", told_apart.BLIND_WORDS)
    loss = scores(made, "membership", "loss")

    assert set(blind) == {"auc", "tpr at 5 %", "tpr at 1 %"}
    assert blind["auc"].value is not None
    assert loss["auc - blind"].value == pytest.approx((loss["auc"].value or 0) - blind["auc"].value)


def test_an_artefact_of_the_text_makes_the_baseline_as_good_as_any_score() -> None:
    """The gap in likelihood is real and says nothing: the text alone has it all."""
    own = table(planted(Planted(works=6, each=3, likelier=1.0, artefact="forsooth"), seed=1))

    loss = scores(own, "membership", "loss")
    assert (loss["auc"].value or 0) > 80
    assert (scores(own, "membership", told_apart.BLIND_WORDS)["auc"].value or 0) > 95
    assert (loss["auc - blind"].value or 0) < 10


def test_two_models_are_each_other_s_reference() -> None:
    """And the text alone tells of both the same."""
    own = table(planted(replace(SMALL, models=("m", "n"))))

    of_m, of_n = (scores(own, "membership", "reference", model)["auc"] for model in ("m", "n"))
    assert of_m.facts["reference"] == "n"
    assert of_m.value == pytest.approx(100 - (of_n.value or 0))
    blind = [scores(own, "membership", told_apart.BLIND_WORDS, model)["auc"] for model in "mn"]
    assert blind[0].value == blind[1].value


def test_works_with_few_passages_are_told_to_programs_alone(made: StudyTable) -> None:
    enough = table(planted(Planted(works=2, each=6)))

    shown = [layout.table for layout in made.layouts]
    assert "membership by work, few passages" not in shown
    assert any(cell.table == "membership by work, few passages" for cell in made.cells)
    assert "membership by work, m" in [layout.table for layout in enough.layouts]
    assert {cell.row for cell in enough.cells if cell.table == "membership by work, m"} == {
        "Work 0",
        "Work 1",
    }


def test_an_approximate_score_says_so() -> None:
    own = table([replace(each, exact=False) for each in planted(SMALL)])

    row = scores(own, "membership", "min_k_plus_plus")
    assert row["auc"].facts["exact"] is False
    assert own.labels["min_k_plus_plus"] == "Min-K%++ (approximate)"
    assert any(note.startswith("Min-K%++ is approximate of m") for note in own.notes)


def test_what_the_endpoint_does_not_tell_is_undefined() -> None:
    """No distribution, no lower-case form: two scores less, the others as they were."""
    without = [
        replace(
            each,
            spread=None,
            logprobs={name: own for name, own in each.logprobs.items() if name != "lower"},
        )
        for each in planted(SMALL)
    ]
    own = table(without)

    for name, why in (
        ("min_k_plus_plus", "the endpoint does not tell the distribution"),
        ("lowercase", "the lower-case form was not asked"),
    ):
        assert {cell.undefined for cell in scores(own, "membership", name).values()} == {why}
    assert scores(own, "membership", "loss")["auc"].value is not None


def test_continuations_have_a_row_a_metric_and_the_unmeasured_are_noted(
    made: StudyTable, passages: list[Known]
) -> None:
    """After 10 tokens stand 50; after 100 of 120 they do not, and no rank is told."""
    known = [
        value
        for each in passages
        if each.kind == "well_known"
        for value in each.logprobs["extraction"][10:60]
        if value is not None
    ]
    own = scores(made, "continuation, nats", "extraction suffix_logprob_10")

    assert own["well_known"].value == pytest.approx(float(np.mean(known)), abs=1e-5)
    assert scores(made, "continuation", "extraction discoverable_n1_p0.5")["well_known"].value == 0
    assert "continuation, not measured" not in [layout.table for layout in made.layouts]
    note = next(note for note in made.notes if note.startswith("Not measured"))
    assert "Verbatim after 100" in note
    assert "After 100" in note


def test_without_scikit_learn_all_else_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The baseline's row is undefined, with the line that installs it."""

    def missing(*_: object) -> None:
        raise MissingExtra("sklearn", "text-only baselines", "report")

    monkeypatch.setattr(told_apart, "BLIND", dict.fromkeys(told_apart.BLIND, missing))
    own = table(planted(SMALL))

    blind = scores(own, "membership", told_apart.BLIND_WORDS)["auc"]
    loss = scores(own, "membership", "loss")
    assert blind.value is None
    assert "pip install 'gistprobe[report]'" in str(blind.undefined)
    assert loss["auc"].value is not None
    assert "pip install" in str(loss["auc - blind"].undefined)


def test_passages_of_neither_kind_are_left_out_and_counted(passages: list[Known]) -> None:
    more = [*passages, replace(passages[0], item="other", kind="")]
    own = table(more)

    assert scores(own, "membership", "loss")["auc"].n == len(passages)
    assert any("1 are of passages that are flagged neither" in note for note in own.notes)


def test_the_table_is_printed_in_texts(made: StudyTable) -> None:
    """Counts of both kinds by row, and letters for what is undefined."""
    shown = {grid.table: grid for grid in grids(made)}

    likelihood = shown["likelihood"].rows[0]
    assert (likelihood.label, likelihood.count) == ("All works", "12 + 12")
    assert likelihood.cells[0] is not None
    assert likelihood.cells[0].interval is not None
    assert ", " in likelihood.cells[0].interval
    loss = next(row for row in shown["membership"].rows if row.label == "Loss")
    assert loss.cells[-1] is not None
    assert loss.cells[-1].value.startswith("undef. (")


def test_records_say_what_they_are_of(made: StudyTable) -> None:
    by_work = next(
        record for record in made.records() if record["table"] == "membership by work, few passages"
    )

    assert by_work["model"] == "m"
    assert by_work["score"] == "loss"
    assert by_work["unit"] == "percent"
    assert (by_work["well_known"], by_work["little_known"]) == (2, 2)


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        (AskedOf(experiment="other"), NoSuchTable, "no experiment is called 'other'"),
        (AskedOf(paper=True), BadRequest, "prints no paper's numbers"),
        (AskedOf(models={"m": "GPT-4o"}), BadRequest, "prints no paper's numbers"),
    ],
)
def test_what_cannot_be_had_is_refused(asked: AskedOf, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as raised:
        table(planted(Planted(works=1, each=1)), asked)

    assert said in str(raised.value)


def test_an_empty_store_and_one_without_kinds_say_what_to_do() -> None:
    with pytest.raises(BadRequest, match="no experiment with any of the tasks"):
        STUDY.table(memory(), AskedOf())
    with pytest.raises(BadRequest, match="flagged well_known or little_known"):
        table([replace(each, kind="") for each in planted(Planted(works=1, each=1))])


def test_the_same_store_gives_the_same_table(passages: list[Known], made: StudyTable) -> None:
    other_seed = table(passages, AskedOf(seed=8))

    assert table(passages) == made
    assert other_seed.cells != made.cells
    assert [cell.value for cell in other_seed.cells] == [cell.value for cell in made.cells]
