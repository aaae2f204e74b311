"""A release holds no text that may not be shared, and every column has a decision."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import BadFile
from store.export import OMITTED, treatments
from store.export.words import is_short, runs_of_words, texts_in, withheld
from store.read import Connection
from store.rows import Row
from store.vectors import ensure_table
from tests.store.export_for_tests import exported, read, store_of
from tests.store.rows_for_tests import (
    attempt_row,
    cell_row,
    experiment_row,
    failure_row,
    item_row,
    memory,
    prompt_row,
    reply_row,
    score_row,
)

TEXT = (
    "The lamp on the long pier went out at nine, and Ines, who had the key, was not there to see"
    " it. Ben called twice over the water; nobody answered him before the morning tide came in."
)
QUESTION = "Who had the key of the lamp that night?"
ANSWER = "Ines who had the key, was not there to see it"
PROMPT = f"Read the passage and answer.\n\n{TEXT}\n\n{QUESTION}"


def rows() -> list[Row]:
    item = replace(
        item_row(task="question_answering"),
        text=TEXT,
        question=QUESTION,
        item_id="pier:the-lamp-on-the-long-pier",
        document="the lamp on the long pier",
        gold=json.dumps({"a0": ANSWER, "a1": "Ines"}),
        cast=json.dumps([{"name": "Ines", "aliases": []}]),
        notes=json.dumps([f"mended: {ANSWER}"]),
        spans='[{"label":"a0","start":52,"end":60}]',
    )
    prompt = replace(
        prompt_row(),
        text=PROMPT,
        gold=item.gold,
        phrases=json.dumps({"the lamp on the long pier": 1}),
        name_map='{"Ines":"Lihua"}',
    )
    cell = cell_row(prompt)
    short = cell_row(prompt, model="n")
    return [
        experiment_row(), item, prompt, cell, short,
        replace(reply_row(cell.key), text=f"It says: {ANSWER}.", raw=json.dumps({"c": TEXT}),
                reasoning=f"Let me quote. {TEXT}"),
        replace(reply_row(short.key), text="Ines", raw="{}"),
        replace(score_row(cell, 1), answer=json.dumps({"answer": ANSWER})),
        replace(score_row(short, 1), answer='{"answer":"Ines"}'),
        replace(attempt_row(cell.key), error=f"content filter: {TEXT}"),
        replace(failure_row(cell.key), error=f"content filter: {TEXT}"),
    ]  # fmt: skip


def add_rest(connection: Connection) -> None:
    connection.execute(
        "INSERT INTO likelihoods SELECT key, run_id, [0, 3], [-1.2345, -0.5]::FLOAT[], [17, 4],"
        " [1, 2], [-2.001]::FLOAT[], [0.5]::FLOAT[], true FROM replies LIMIT 1"
    )
    connection.execute(
        "INSERT INTO repeats SELECT key, run_id, now(), false, $text, NULL, NULL FROM replies"
        " LIMIT 1",
        {"text": TEXT},
    )
    connection.execute(
        "INSERT INTO feature_rows VALUES ('i', 0, 'p', 'quote', 'Emma', 'Ines', NULL, $text, NULL,"
        " NULL, NULL, 't'), ('i', 1, 'p', 'event', 'Emma', 'Ines', 'agent', 'went', $text, 3, 7,"
        " 'u')",
        {"text": TEXT},
    )


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = store_of(tmp_path_factory.mktemp("store"), rows(), add_rest)
    return exported(store, tmp_path_factory.mktemp("export") / "out", release=True)


def test_no_five_words_of_a_text_are_in_any_file(release: Path) -> None:
    """In no value of any table, nor in the README or the descriptor."""
    known = set(runs_of_words(TEXT)) | set(runs_of_words(QUESTION))
    found: list[tuple[str, object]] = []
    for file in release.rglob("*"):
        if file.suffix == ".parquet":
            table = pq.read_table(file).to_pydict()
            values = [str(value) for column in table.values() for value in column if value]
        elif file.is_file():
            values = [file.read_text()]
        else:
            continue
        for value in values:
            found += [(file.name, run) for run in runs_of_words(value) if run in known]
            for text in texts_in(value):
                found += [(file.name, run) for run in runs_of_words(text) if run in known]

    assert found == []


def test_a_text_is_replaced_by_its_hash_and_length(release: Path) -> None:
    assert read(release, "SELECT text, question FROM {items}") == [
        (withheld(TEXT), withheld(QUESTION))
    ]
    assert read(release, "SELECT text FROM {prompts}") == [(withheld(PROMPT),)]
    assert (
        read(release, "SELECT error FROM {attempts} UNION ALL SELECT error FROM {failures}")
        == [(withheld(f"content filter: {TEXT}"),)] * 2
    )
    assert re.fullmatch(rf"sha256:[0-9a-f]{{64}};characters:{len(TEXT)}", withheld(TEXT))
    assert read(release, "SELECT text, context FROM {feature_rows} ORDER BY ordinal") == [
        (withheld(TEXT), None),
        ("went", withheld(TEXT)),
    ]


def test_answers_scores_places_and_measures_stay(release: Path) -> None:
    """An answer of five words or more may quote, and is hashed like a text; its score stays."""
    assert read(release, "SELECT model, answer, score FROM {results} ORDER BY model") == [
        ("m", f"answer: {withheld(ANSWER)}", 1.0),
        ("n", "answer: Ines", 1.0),
    ]
    assert read(release, "SELECT text FROM {replies} ORDER BY length(text) LIMIT 1") == [("Ines",)]
    ((gold, spans, item_id, notes),) = read(
        release, "SELECT gold, spans, item_id, notes FROM {items}"
    )
    assert json.loads(str(gold)) == {"a0": withheld(ANSWER), "a1": "Ines"}
    assert json.loads(str(spans)) == [{"label": "a0", "start": 52, "end": 60}]
    assert item_id == withheld("pier:the-lamp-on-the-long-pier")
    assert json.loads(str(notes)) == [withheld(f"mended: {ANSWER}")]
    assert read(release, "SELECT offsets, logprobs, token_ids, ranks FROM {likelihoods}") == [
        ([0, 3], [pytest.approx(-1.23), -0.5], None, None)
    ]
    ((phrases,),) = read(release, "SELECT phrases FROM {prompts}")
    assert json.loads(str(phrases)) == {withheld("the lamp on the long pier"): 1}


def test_it_says_for_every_column_what_was_done(release: Path) -> None:
    found = json.loads((release / "datapackage.json").read_text())
    fields = {
        (each["name"], field["name"]): field.get("exported", "")
        for each in found["resources"]
        for field in each["schema"]["fields"]
    }

    assert fields["items", "text"] == (
        "replaced by hash and length (a dataset's text; its licence is its own)"
    )
    assert fields["likelihoods", "token_ids"].startswith("left out: NULL (")
    assert fields["replies", "key"] == ""
    readme = (release / "README.md").read_text()
    for (_, column), words in fields.items():
        assert not words or re.search(rf"\| {column} \|.*\| {re.escape(words)} \|", readme)


def test_every_column_of_every_table_has_a_decision() -> None:
    """So that a new one cannot be released without a thought: a decision is made in the code."""
    connection = memory()
    ensure_table(connection, "vectors_", 3)
    ensure_table(connection, "character_vectors_", 3)
    found = connection.execute(
        "SELECT c.table_name, c.column_name FROM duckdb_columns() AS c"
        " JOIN duckdb_tables() AS t USING (table_name) WHERE NOT t.internal"
    ).fetchall()

    tables = {table for table, _ in found} - set(OMITTED)
    assert [f"{t}.{c}" for t, c in found if t in tables and c not in treatments(t)] == []
    assert [f"{t}.{c}" for t in tables for c in treatments(t) if (t, c) not in set(found)] == []


def test_a_column_without_a_decision_is_not_exported(tmp_path: Path) -> None:
    """In a store that a later version has added to, say."""
    store = store_of(
        tmp_path / "store",
        rows(),
        lambda owner: owner.execute("ALTER TABLE items ADD COLUMN news VARCHAR"),
    )

    with pytest.raises(BadFile, match="table items, column news: nobody has decided"):
        exported(store, tmp_path / "out", release=True)
    assert not (tmp_path / "out").exists()


def test_a_quotation_in_the_experiment_file_stops_a_release(tmp_path: Path) -> None:
    """What a user wrote is released as it is, so it is looked through."""
    spec = f'name = "small"\n# for the passage that has: {ANSWER}\n'
    quoting = [replace(experiment_row(), spec=spec), *rows()[1:]]
    store = store_of(tmp_path / "store", quoting)

    with pytest.raises(BadFile, match="table experiments, column spec: five words in a row"):
        exported(store, tmp_path / "out", release=True)
    exported(store, tmp_path / "whole")
    assert not (tmp_path / "out").exists()


def test_titles_are_no_quotations(tmp_path: Path) -> None:
    """A long one stays as a gold answer, though the text names it."""
    title = "The Strange Lamp of the Long Pier"
    item = replace(item_row(), work=title, text=f"I read {title}.", gold=json.dumps({"t": title}))
    store = store_of(tmp_path / "store", [experiment_row(), item])

    folder = exported(store, tmp_path / "out", release=True)

    assert read(folder, "SELECT work, gold FROM {items}") == [(title, f'{{"t":"{title}"}}')]


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("Emma", True),
        ("Mrs. Gardiner of London", True),
        ("one two three four five", False),
        ("hyphens-are-no-way-out", False),
        ("爱玛·伍德豪斯", True),
        ("爱玛走进花园看见奈特利先生站在门口等她", False),
        ("x" * 81, False),
        ("", True),
    ],
)
def test_short_is_under_five_words_in_any_script(text: str, *, short: bool) -> None:
    assert is_short(text) is short


@given(st.text())
def test_withholding_twice_is_withholding_once(text: str) -> None:
    assert withheld(withheld(text)) == withheld(text)
