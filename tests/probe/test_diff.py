"""`probe diff` as a user meets it: two stores, two experiments, two models, and bad input."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from store.database import Database
from store.insert import insert
from store.rows import PromptRow, ReplyRow, Row, ScoreRow
from tests.probe.experiments_for_tests import CELLS, model_table, probe, write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, completion, serving
from tests.store.owner_for_tests import small_experiment
from tests.store.served_for_tests import owning

HOSTILE = "=cmd()<script>\x1b[2J\u202eDracula"
PLACES = ("original baseline", "original gist", "cross_culture baseline", "cross_culture gist")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs of one experiment, `old` and `new`, and an experiment more in `new`.

    In `old` every passage of Emma is known; in `new` none is, and replies try to break out.
    """
    folder = tmp_path_factory.mktemp("stores")
    known = FakeEndpoint(
        scripted=lambda _, told: completion("Emma" if "Knightley" in told else "?")
    )
    lost = FakeEndpoint(scripted=lambda _, told: completion(HOSTILE if "gate" in told else "?"))
    with serving(known) as first, serving(lost) as second:
        extra = model_table("other", second)
        ran = probe("run", write_experiment(folder, first, extra=extra), "--store", folder / "old")
        assert ran.returncode == 0, ran.stderr
        experiment = write_experiment(folder, second)
        probe("run", experiment, "--store", folder / "new")
        experiment.write_text(
            experiment.read_text().replace('"small"', '"fewer"').replace(', "gist"]', "]")
        )
        probe("run", experiment, "--store", folder / "new")
    return folder


def told(folder: Path, *words: object) -> dict[str, list[dict[str, object]]]:
    """What the command prints as JSON, by table."""
    done = probe("diff", *words, "--format", "json", "--store", folder / "old")
    assert done.returncode == 0, done.stderr
    found: dict[str, list[dict[str, object]]] = {}
    for row in json.loads(done.stdout):
        found.setdefault(str(row["table"]), []).append(row)
    return found


def test_two_stores_are_compared_condition_by_condition(stores: Path) -> None:
    """Passages that name Knightley are known under original names alone: two in a condition."""
    found = told(stores, stores / "old", f"{stores / 'new'}:small")

    rows = {f"{row['names']} {row['prompt']}": row for row in found["conditions"]}
    assert tuple(rows) == PLACES
    assert [rows[at]["right_to_wrong"] for at in PLACES] == [2, 2, 0, 0]
    assert {row["compared"] for row in rows.values()} == {CELLS // 4}
    assert rows["original gist"]["value_a"] == pytest.approx(2 / 6)
    assert rows["original gist"]["value_b"] == 0
    assert rows["original gist"]["p"] == pytest.approx(0.5)
    assert rows["original gist"]["same_requests"] == 0  # served elsewhere: the keys tell them apart
    assert rows["original gist"]["other_prompts"] == 0
    assert found["models"][0]["builds_a"] == ["fake-served fp-fake"]


def test_two_experiments_of_a_store_and_what_only_one_asks(stores: Path) -> None:
    found = told(stores, f"{stores / 'new'}:small", f"{stores / 'new'}:fewer")

    rows = {f"{row['names']} {row['prompt']}": row for row in found["conditions"]}
    assert [rows[at]["cells_b"] for at in PLACES] == [6, 0, 6, 0]
    assert [rows[at]["only_a"] for at in PLACES] == [0, 6, 0, 6]
    assert (
        rows["original baseline"]["same_requests"] == rows["original baseline"]["same_replies"] == 6
    )


def test_two_models_of_one_experiment(stores: Path) -> None:
    found = told(stores, "small", "--model", "fake=other", "--changed")

    assert {row["model"] for row in found["conditions"]} == {"fake → other"}
    assert [row["change"] for row in found["changed"]] == ["right to wrong"] * 4
    assert {row["work"] for row in found["changed"]} == {"Emma"}


def test_people_read_a_table_with_both_replies(stores: Path) -> None:
    done = probe("diff", stores / "old", f"{stores / 'new'}:small")

    assert "source_identification on excerpts, model fake, answers offered:" in done.stdout
    assert "every cell that is in both was asked in the same words" in done.stdout
    assert "right to wrong: source_identification, excerpts Emma_" in done.stdout
    assert "A: Emma (read as: Emma)" in done.stdout
    assert "gold: Emma" in done.stdout


def test_hostile_replies_show_as_text(stores: Path) -> None:
    words = ("diff", stores / "old", f"{stores / 'new'}:small", "--examples", 20)

    shown, as_csv = probe(*words), probe(*words, "--format", "csv")

    assert "=cmd()<script>\\x1b[2J\\x202eDracula" in shown.stdout
    assert not {"\x1b", "\u202e"} & set(shown.stdout + as_csv.stdout)
    replies = {row["reply_b"] for row in csv.DictReader(io.StringIO(as_csv.stdout))}
    assert "'=cmd()<script>\\x1b[2J\\x202eDracula" in replies


def test_the_same_twice_is_refused(stores: Path) -> None:
    for words in (("small", "small"), ("small", stores / "old"), ("small", ":small")):
        done = probe("diff", *words, "--store", stores / "old")

        assert done.returncode == 2
        assert "is compared with itself" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("small",), "name two things to compare, or two models of one with --model A=B"),
        (("small", "large"), "no experiment is called 'large'; the store has small"),
        (("small", "nowhere/store"), "no store at nowhere/store"),
        (("small", "nowhere:small"), "no store at nowhere"),
        (("small", "{new}"), "holds the experiments fewer, small; name one as"),
        (("small", "{new}:small", "--model", "x"), "--model x: write it as A=B"),
    ],
)
def test_bad_input_is_named(stores: Path, words: tuple[str, ...], message: str) -> None:
    own = [word.replace("{new}", str(stores / "new")) for word in words]

    done = probe("diff", *own, "--store", stores / "old")

    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def changed_experiment() -> list[Row]:
    """The small experiment of an owner after a change: two answers wrong, one asked otherwise."""
    return [_changed(row) for row in small_experiment()]


def _changed(row: Row) -> Row:
    if isinstance(row, ScoreRow) and row.key.startswith(("i3 ", "i7 ")):
        accuracy = {"metric": "accuracy", "num": 0, "den": 1, "headline": True}
        return replace(row, units_right=0, measures=json.dumps([accuracy]))
    if isinstance(row, PromptRow) and row.item_hash == "hash of i5":
        return replace(row, text="Which book?")
    if isinstance(row, ReplyRow) and row.key.startswith("i3 "):
        return replace(row, text="Dracula")
    return row


@pytest.mark.parametrize("live", ["first", "second"])
def test_a_store_that_a_run_serves_is_compared_with_one_that_lies_still(
    tmp_path: Path, live: str
) -> None:
    with Database(tmp_path / "still") as database:
        database.call(lambda owner: insert(owner, changed_experiment()))

    with owning(tmp_path / "served") as owner:
        assert owner.said == "serving"
        both = (tmp_path / "served", tmp_path / "still")
        found = told(tmp_path, *(both if live == "first" else both[::-1]), "--changed")

    (row,) = found["conditions"]
    way = "right to wrong" if live == "first" else "wrong to right"
    assert row["compared"] == 20
    assert row["other_prompts"] == 1
    assert [(each["change"], each["item_id"]) for each in found["changed"]] == [
        (way, "i3"), (way, "i7"),
    ]  # fmt: skip
    still = "reply_b" if live == "first" else "reply_a"
    assert {each[still] for each in found["examples"]} == {"Dracula", "Emma"}
