"""Files of a user's: what is read of them, and the one line that is said of a bad one."""

from __future__ import annotations

import gzip
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import BadFile, StoreError
from store.files import Line, full_lines, lines_of, read_text, shown, table_of

TEXT = "Zoë\tgone\r\nTam\there\n"
PACKED = gzip.compress(TEXT.encode(), mtime=0)
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
CELL = st.text(st.characters(codec="utf-8", exclude_characters="\t\r\n"), max_size=5)


def cells(text: str) -> list[tuple[str, ...]]:
    return [line.cells for line in lines_of(Path("a.tsv"), text)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", TEXT.encode()),
        ("a.tsv", b"\xef\xbb\xbf" + TEXT.encode()),
        ("a.tsv.gz", PACKED),
        ("a.tsv.gz", gzip.compress(b"\xef\xbb\xbf" + TEXT.encode(), mtime=0)),
    ],
)
def test_a_text_is_the_same_however_it_is_packed_or_marked(
    name: str, content: bytes, tmp_path: Path
) -> None:
    """The byte order mark goes, the ends of lines stay."""
    path = tmp_path / name
    path.write_bytes(content)

    assert read_text(path) == TEXT


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.tsv", None, ": no such file; check the path"),
        ("a.tsv", POINTER, ": a Git LFS pointer instead of the file; fetch it with `git lfs pull`"),
        ("a.tsv.gz", POINTER, ": a Git LFS pointer instead of the file; fetch it"),
        ("a.tsv", PACKED, ": gzip data; name the file with .gz at its end, or unpack it"),
        ("a.tsv.gz", TEXT.encode(), ": damaged gzip data (Not a gzipped file"),
        ("a.tsv.gz", PACKED[:-9], ": damaged gzip data (Compressed file ended"),
        ("a.tsv.gz", PACKED[:10] + b"\xff" + PACKED[11:], ": damaged gzip data (Error -3 while"),
        ("a.tsv.gz", PACKED[:-8] + bytes(8), ": damaged gzip data (CRC check failed"),
        ("a.tsv", b"a\nb\r\nc\xe9\n", ", line 3: byte 0xe9 is not UTF-8; save the file as UTF-8"),
        ("a.tsv.gz", gzip.compress(b"a\n\xe9", mtime=0), ", line 2: byte 0xe9 is not UTF-8; save"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(
    name: str, content: bytes | None, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(BadFile, match=re.escape(f"{path}{said}")) as caught:
        read_text(path)

    assert "\n" not in str(caught.value)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="check the path and its permissions"):
        read_text(tmp_path)


@given(rows=st.lists(st.lists(CELL, min_size=2, max_size=3), max_size=4), end=st.sampled_from("nr"))
def test_cells_come_back_as_they_were_written(rows: list[list[str]], end: str) -> None:
    """Whatever else Unicode calls a line end stands in a cell."""
    text = "".join("\t".join(row) + ("\r\n" if end == "r" else "\n") for row in rows)

    assert cells(text) == [tuple(row) for row in rows]


def test_only_the_last_empty_line_is_none() -> None:
    assert cells("") == []
    assert cells("a") == cells("a\n") == [("a",)]
    assert cells("a\n\nb\n\n") == [("a",), ("",), ("b",), ("",)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a.tsv: the file is empty; copy the file again"),
        ("\n", "a.tsv, line 1: the line is empty; take it out"),
        ("a\tb\n \t\r\n1\t2\n", "a.tsv, line 2: the line is empty; take it out"),
        ("a\tc\n", "a.tsv, line 1: columns 'a c'; it must be a b"),
        ("a\tb\n1\t2\n1\n", "a.tsv, line 3: 1 cells where there must be 2; copy the file again"),
    ],
)
def test_a_table_of_another_form_names_its_line(text: str, said: str) -> None:
    with pytest.raises(BadFile, match=re.escape(said)):
        list(table_of(Path("a.tsv"), text, ("a", "b")))


def test_a_table_gives_the_lines_under_its_header() -> None:
    """Numbered as they stand in the file; without a header, all of them."""
    path, text = Path("a.csv"), "a,b\r\n1,x\r\n2,\r\n"

    table = list(table_of(path, text, ["a", "b"], separator=","))

    assert [(line.number, line.cells) for line in table] == [(2, ("1", "x")), (3, ("2", ""))]
    assert list(full_lines(path, text, ","))[1:] == table


@pytest.mark.parametrize("cell", ["", "-1", "1.0", "²", "٣", " 1", "many"])
def test_a_cell_that_is_no_whole_number_is_told(cell: str) -> None:
    line = Line(path=Path("a.tsv"), number=7, cells=("12", cell))

    assert line.whole(0, "Count") == 12
    with pytest.raises(BadFile, match=r"line 7: Count is .*; write a whole number from 0"):
        line.whole(1, "Count")


@pytest.mark.parametrize(
    ("cell", "said"), [("", "empty"), ("Zoë ", "'Zoë '"), ("\x0bZ", "'.x0bZ'")]
)
def test_a_name_is_not_empty_nor_has_it_spaces_around_it(cell: str, said: str) -> None:
    line = Line(path=Path("a.tsv"), number=2, cells=("Zoë Marsh", cell))

    assert line.name(0, "the alias") == "Zoë Marsh"
    with pytest.raises(BadFile, match=f"line 2: the alias is {said}; write a name without"):
        line.name(1, "the alias")


def test_what_is_shown_fits_into_a_line() -> None:
    assert shown("a\nb") == r"'a\nb'"
    assert shown("x" * 80) == f"'{'x' * 80}'"
    assert shown("x" * 81) == f"'{'x' * 80}…'"
    assert shown([1] * 99) == f"{str([1] * 99)[:80]}…"
    assert shown({}) == "{}"


def test_the_error_is_the_stores_and_survives_pickling() -> None:
    error = BadFile(Path("a.tsv"), "line 2", "nothing", "write something")

    assert isinstance(error, StoreError)
    assert str(pickle.loads(pickle.dumps(error))) == "a.tsv, line 2: nothing; write something"  # noqa: S301 - our own
