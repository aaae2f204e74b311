"""Parts of a corpus: brought in whole or not at all, and never twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
import pytest

from store.corpus import CharacterVectors, Part, held_parts, import_parts
from store.corpus_rows import CastRow, FeatureRow, GroupRow, import_id, target_id
from store.database import Database
from store.errors import StoreBroken
from store.read import Connection, ask, open_read
from store.scratch import scratch
from store.vector_journal import EncoderMark, VectorBatch, VectorJournal
from tests.store.rows_for_tests import memory
from tests.store.served_for_tests import owning

RELATIONS = ("characters", "character_groups", "similarity")


def cast(content: str, *names: str, corpus: str = "plays") -> Part:
    """A part with some characters."""
    own = import_id(corpus, "characters", "", content)
    rows = [
        CastRow(import_id=own, ordinal=place, character=name, work=name[0])
        for place, name in enumerate(names)
    ]
    return Part(
        import_id=own, corpus=corpus, relation="characters", part="", path="cast.tsv", rows=rows
    )


def vectors(matrix: Sequence[Sequence[float]], names: Sequence[str], kind: str = "quote") -> Part:
    """A part with character vectors."""
    own = import_id("plays", "character_vectors", kind, [list(row) for row in matrix])
    made = CharacterVectors(
        pipeline="booknlp",
        kind=kind,
        encoder="published",
        works=[name[0] for name in names],
        characters=list(names),
        matrix=np.array(matrix, dtype=np.float32),
    )
    return Part(
        import_id=own,
        corpus="plays",
        relation="character_vectors",
        part=kind,
        path="v.parquet",
        vectors=made,
    )


def shown(connection: Connection) -> list[str]:
    """The characters that the view shows."""
    rows = ask(connection, "SELECT character FROM characters ORDER BY ordinal").rows
    return [str(row[0]) for row in rows]


def test_the_newest_import_of_a_part_counts_and_none_is_stored_twice() -> None:
    """Also when an earlier content comes back."""
    connection = memory()
    first, second = cast("1", "Ann", "Bob"), cast("2", "Cid")

    assert import_parts(connection, [first]) == [first]
    assert import_parts(connection, [first]) == []
    assert import_parts(connection, [second]) == [second]
    assert shown(connection) == ["Cid"]
    assert import_parts(connection, [first]) == [first]
    assert shown(connection) == ["Ann", "Bob"]
    assert held_parts(connection, "plays") == {first.import_id}
    assert ask(connection, "SELECT count(*) FROM cast_rows").rows == [(3,)]


def test_parts_that_fail_leave_the_store_as_it_was(tmp_path: Path) -> None:
    """The one that came before them in the same call, too."""
    good = cast("1", "Ann")
    bad = vectors([[1.0, 2.0]], ["Ann", "Bob"])  # more names than vectors
    with Database(tmp_path) as database:
        with pytest.raises((ValueError, StoreBroken, duckdb.Error)):
            database.call(lambda connection: import_parts(connection, [good, bad]))
        tables = database.call(lambda c: c.execute("SELECT count(*) FROM imports").fetchone())

        assert tables == (0,)
        assert database.call(shown) == []


def test_similarity_is_the_cosine_of_centred_vectors() -> None:
    """Worked out here with numpy; the mean is taken before unknown names are dropped."""
    matrix = [[1.0, 2.0, 0.5], [0.0, 1.0, 3.0], [2.0, 2.0, 2.0], [9.0, -4.0, 1.0]]
    connection = memory()
    import_parts(connection, [cast("1", "Ann", "Bob", "Cid")])
    import_parts(connection, [vectors(matrix, ["Ann", "Bob", "Cid", "Nobody"])])

    centred = np.array(matrix) - np.mean(matrix, axis=0)
    names = ["Ann", "Bob", "Cid"]
    expected = {
        (a, b): round(
            float(
                centred[i]
                @ centred[j]
                / np.linalg.norm(centred[i])
                / np.linalg.norm(centred[j])
            ),
            6,
        )
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if a != b
    }  # fmt: skip
    rows = ask(connection, "SELECT character, other, cosine FROM similarity").rows
    assert {(str(a), str(b)): c for a, b, c in rows} == pytest.approx(expected, abs=1e-9)


def test_similarities_of_kinds_and_corpora_keep_apart() -> None:
    connection = memory()
    import_parts(connection, [cast("1", "Ann", "Bob"), cast("1", "Ann", "Bob", corpus="other")])
    import_parts(
        connection,
        [
            vectors([[1.0, 0.0], [0.0, 1.0]], ["Ann", "Bob"]),
            vectors([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]], ["Ann", "Bob"], kind="event"),
        ],
    )

    rows = ask(
        connection, "SELECT corpus, kind, character, other, cosine FROM similarity ORDER BY ALL"
    ).rows
    assert rows == [
        ("plays", kind, a, b, -1.0)
        for kind in ("event", "quote")
        for a, b in (("Ann", "Bob"), ("Bob", "Ann"))
    ]


def feature(own: str, place: int, character: str, text: str, role: str | None = None) -> FeatureRow:
    """A quote, or an event in a context of its own."""
    context = f"They {text} here ." if role else None
    start, end = (5, 5 + len(text)) if role else (None, None)
    return FeatureRow(
        import_id=own,
        ordinal=place,
        pipeline="booknlp",
        kind="event" if role else "quote",
        work="A",
        character=character,
        role=role,
        text=text,
        context=context,
        target_start=start,
        target_end=end,
        target_id=target_id(context or text, start, end),
    )


@pytest.mark.parametrize(("pooling", "weight"), [("own", 1), ("published", 3)])
def test_a_character_s_vector_is_the_mean_of_its_features_with_the_halves_side_by_side(
    tmp_path: Path, pooling: str, weight: int
) -> None:
    """Equal texts count as often as they stand; a character without one half has no vector.

    "run" is of 3 pieces and the other words of 1: a published mean is over pieces.
    """
    own = import_id("plays", "features", "", "1")
    said = [("Ann", "go", "agent"), ("Ann", "go", "agent"), ("Ann", "run", "agent")]
    said += [("Ann", "see", "patient"), ("Bob", "run", "agent")]
    rows = [feature(own, place, *each) for place, each in enumerate(said)]
    rows.append(feature(own, 9, "Bob", "Hello"))
    part = Part(
        import_id=own, corpus="plays", relation="features", part="", path="f.tsv", rows=rows
    )
    numbers = {row.target_id: np.array([place, 1], np.float32) for place, row in enumerate(rows)}
    mark = EncoderMark(name="e", identity={"dim": 2, "pooling": pooling})
    journal = VectorJournal(tmp_path, mark)
    journal.append(
        VectorBatch(
            target_ids=list(numbers),
            tokens=[1] * len(numbers),
            left_out=[0] * len(numbers),
            pieces=[3 if name == rows[2].target_id else 1 for name in numbers],
            matrix=np.stack(list(numbers.values())),
        )
    )
    journal.close()
    with Database(tmp_path) as database:
        database.call(lambda connection: import_parts(connection, [part]))

    query = "SELECT kind, character, vector, features FROM character_vectors ORDER BY ALL"
    go, run, see, hello = (numbers[rows[place].target_id][0] for place in (0, 2, 3, 5))
    mean = (2 * go + weight * run) / (2 + weight)
    assert ask(open_read(tmp_path), query).rows == [
        ("event", "Ann", [pytest.approx(mean), 1.0, see, 1.0], 4),
        ("quote", "Bob", [hello, 1.0], 1),
    ]


def test_ids_stand_for_what_they_are_made_of() -> None:
    """The word at another place of its sentence is another target; no field runs into the next."""
    ids = {
        target_id("go"),
        target_id("go", 0, 2),
        target_id("go go", 0, 2),
        target_id("go go", 3, 5),
        import_id("a", "b", "c", "d"),
        import_id("ab", "", "c", "d"),
        import_id("a", "b", "c", ["d"]),
    }

    assert len(ids) == 7


def test_a_scratch_copy_answers_as_the_store_does(tmp_path: Path) -> None:
    """Types and rows, of empty relations too."""
    own = import_id("plays", "groups", "", "1")
    groups = Part(
        import_id=own,
        corpus="plays",
        relation="groups",
        part="",
        path="g.tsv",
        rows=[GroupRow(import_id=own, ordinal=0, attribute="role", group="king", character="Ann")],
    )
    with Database(tmp_path) as database:
        database.call(lambda connection: import_parts(connection, [cast("1", "Ann"), groups]))
    relations = {name: f"SELECT * FROM {name}" for name in RELATIONS}
    with owning(tmp_path):
        served = scratch(open_read(tmp_path), relations)
    closed = scratch(open_read(tmp_path), relations)

    for made in (served, closed):
        assert made.execute("SELECT character, ordinal FROM characters").fetchall() == [("Ann", 0)]
        assert made.execute('SELECT "group" FROM character_groups').fetchall() == [("king",)]
        assert made.execute("SELECT count(*) FROM similarity").fetchall() == [(0,)]
        kinds = {row[0]: row[1] for row in made.execute("DESCRIBE similarity").fetchall()}
        assert (kinds["cosine"], kinds["other"]) == ("DOUBLE", "VARCHAR")


def test_a_vector_that_is_the_mean_has_no_similarity_to_anyone() -> None:
    """It has no direction; DuckDB would call its cosine -1."""
    connection = memory()
    import_parts(connection, [cast("1", "Ann", "Bob", "Cid")])
    import_parts(
        connection, [vectors([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]], ["Ann", "Bob", "Cid"])]
    )

    rows = ask(connection, "SELECT character, other, cosine FROM similarity ORDER BY ALL").rows
    assert rows == [("Ann", "Bob", -1.0), ("Bob", "Ann", -1.0)]


def test_a_corpus_without_a_list_has_the_characters_of_its_features() -> None:
    """Until a list comes in; other corpora keep theirs."""
    connection = memory()
    own = import_id("plays", "features", "", "1")
    rows = [feature(own, place, name, "Hello") for place, name in enumerate(("Bob", "Ann", "Bob"))]
    part = Part(
        import_id=own, corpus="plays", relation="features", part="", path="f.tsv", rows=rows
    )
    import_parts(connection, [part, cast("1", "Eve", corpus="other")])
    query = "SELECT corpus, character, work, ordinal FROM characters ORDER BY ALL"

    before = ask(connection, query).rows
    import_parts(connection, [cast("1", "Cid")])

    assert before == [("other", "Eve", "E", 0), ("plays", "Ann", "A", 0), ("plays", "Bob", "A", 1)]
    assert ask(connection, query).rows == [("other", "Eve", "E", 0), ("plays", "Cid", "C", 0)]
