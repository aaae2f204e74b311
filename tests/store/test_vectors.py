"""Vectors: their journal, how they get into the database, and who works on what."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.claims import Claims, bucket_of
from store.database import Database
from store.errors import StoreBroken
from store.read import DATABASE, ask, open_read
from store.take_in import Done
from store.vector_journal import FOLDER, EncoderMark, VectorBatch, VectorJournal, frames

ROOT = Path(__file__).parents[2]
SMALL = EncoderMark(name="small", identity={"model": "a", "dim": 3})
WIDE = EncoderMark(name="wide", identity={"model": "b", "dim": 5})


def batch(*ids: str, dim: int = 3) -> VectorBatch:
    """Vectors whose numbers say whose they are."""
    matrix = np.array([[len(name) + place / 8 for place in range(dim)] for name in ids])
    return VectorBatch(
        target_ids=ids,
        tokens=[7] * len(ids),
        left_out=[0] * len(ids),
        pieces=[1] * len(ids),
        matrix=matrix.astype(np.float32),
    )


def journalled(store: Path, mark: EncoderMark, *batches: VectorBatch) -> Path:
    """A segment with some batches."""
    journal = VectorJournal(store, mark)
    for each in batches:
        journal.append(each)
    journal.close()
    return journal.path


def held(store: Path) -> list[tuple[object, ...]]:
    """Encoder, target and first number of every vector in the database."""
    query = "SELECT encoder, target_id, vector[1] FROM vectors ORDER BY ALL"
    reader = open_read(store)
    rows = ask(reader, query).rows
    reader.close()
    return rows


def test_opening_a_store_takes_its_journal_of_vectors_in(tmp_path: Path) -> None:
    """Of several encoders and dimensions, each vector once, as fixed-size FLOAT[n]."""
    journalled(tmp_path, SMALL, batch("a", "bb"), batch("ccc"))
    journalled(tmp_path, WIDE, batch("a", dim=5))
    journalled(tmp_path, SMALL, batch("bb", "dddd"))
    Database(tmp_path).close()
    Database(tmp_path).close()

    assert held(tmp_path) == [
        ("small", "a", 1.0),
        ("small", "bb", 2.0),
        ("small", "ccc", 3.0),
        ("small", "dddd", 4.0),
        ("wide", "a", 1.0),
    ]
    kinds = ask(
        open_read(tmp_path),
        "SELECT table_name, data_type FROM duckdb_columns()"
        " WHERE column_name = 'vector' AND table_name LIKE 'vectors_%' ORDER BY ALL",
    ).rows
    assert kinds == [("vectors_3", "FLOAT[3]"), ("vectors_5", "FLOAT[5]")]


def test_an_owner_takes_in_what_comes_while_it_has_the_store(tmp_path: Path) -> None:
    """A run tends its store; what a worker wrote meanwhile is then in SQL."""
    with Database(tmp_path) as database:
        journalled(tmp_path, SMALL, batch("a"))
        database.tend()
        count = database.call(lambda c: c.execute("SELECT count(*) FROM vectors").fetchone())

    assert count == (1,)


@settings(max_examples=15, deadline=None)
@given(cut=st.integers(0, 4_000), seed=st.integers(0, 3))
def test_whole_frames_of_a_torn_segment_come_in_and_no_more(
    tmp_path_factory: pytest.TempPathFactory, cut: int, seed: int
) -> None:
    """Wherever a kill cut the file."""
    store = tmp_path_factory.mktemp("torn")
    path = journalled(store, SMALL, *(batch(f"{seed}-{n}", f"{seed}-{n}'") for n in range(3)))
    ends = [frame.end for frame in frames(store, {})]
    content = path.read_bytes()
    path.write_bytes(content[:cut])

    whole = [frame.end for frame in frames(store, {})]
    Database(store).close()

    assert whole == [end for end in ends if end <= cut]
    assert len(held(store)) == 2 * len(whole)
    path.write_bytes(content)
    Database(store).close()
    assert len(held(store)) == 6


def test_a_frame_that_was_damaged_is_passed_over(tmp_path: Path) -> None:
    """Its checksum tells; the frames after it come in."""
    path = journalled(tmp_path, SMALL, batch("a"), batch("bb"), batch("ccc"))
    ends = [frame.end for frame in frames(tmp_path, {})]
    content = bytearray(path.read_bytes())
    content[ends[1] - 20] ^= 1
    path.write_bytes(content)
    Database(tmp_path).close()

    assert [row[1] for row in held(tmp_path)] == ["a", "ccc"]


def test_a_lost_database_gets_its_vectors_back_from_the_journal(tmp_path: Path) -> None:
    """And vectors of another store come along with its segments."""
    one, other = tmp_path / "one", tmp_path / "other"
    journalled(one, SMALL, batch("a"))
    Database(one).close()
    (one / DATABASE).unlink()
    path = journalled(other, SMALL, batch("bb"))
    (one / FOLDER / path.name).write_bytes(path.read_bytes())
    Database(one).close()

    assert [row[1] for row in held(one)] == ["a", "bb"]


def test_what_is_done_is_known_from_the_database_and_from_the_journal(tmp_path: Path) -> None:
    """Of one encoder; and also what others write meanwhile."""
    journalled(tmp_path, SMALL, batch("a"))
    Database(tmp_path).close()
    journalled(tmp_path, SMALL, batch("bb"))
    journalled(tmp_path, WIDE, batch("x", dim=5))
    done = Done(open_read(tmp_path), tmp_path, SMALL.encoder_id)
    done.look()

    assert {name for name in ("a", "bb", "ccc", "x") if name in done} == {"a", "bb"}
    journalled(tmp_path, SMALL, batch("ccc"))
    done.look()
    assert "ccc" in done
    assert len(done) == 3


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_vector_that_is_not_finite_is_not_written(tmp_path: Path, number: float) -> None:
    bad = batch("a")
    bad.matrix[0, 1] = number
    with pytest.raises(ValueError, match="NaN or an infinity"):
        journalled(tmp_path, SMALL, bad)

    assert not (tmp_path / FOLDER).exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("in the way")
    with pytest.raises(StoreBroken, match=r"vectors/.*cannot be written .*what is done is kept"):
        journalled(tmp_path, SMALL, batch("a"))


def test_identity_decides_the_encoder_and_its_name_does_not() -> None:
    """Vectors of two dtypes never mix; one encoder under two names is one."""
    other = EncoderMark(name="small", identity={"model": "a", "dim": 3, "dtype": "float16"})

    assert other.encoder_id != SMALL.encoder_id
    assert EncoderMark(name="x", identity=SMALL.identity).encoder_id == SMALL.encoder_id


def test_a_claim_is_one_process_s_and_ends_with_it(tmp_path: Path) -> None:
    """However the process ends."""
    holder = (
        "import sys, time; from pathlib import Path; from store.claims import Claims\n"
        "claims = Claims(Path(sys.argv[1]), 'e'); print(claims.take(5), flush=True)\n"
        "time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        with Claims(tmp_path, "e") as claims, Claims(tmp_path, "f") as others:
            while_held = (claims.take(5), claims.take(6), others.take(5))
            process.kill()
            process.wait()

            assert while_held == (False, True, True)
            assert claims.take(5)


@given(st.text())
def test_buckets_are_bytes(text: str) -> None:
    """And the same for equal texts on every machine: see the known ones."""
    assert 0 <= bucket_of(text) < 256
    assert bucket_of("") == 0xE3
    assert bucket_of("abc") == 0xBA
