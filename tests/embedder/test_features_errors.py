"""Every bad input of the native readers and the alias map: what it is, where, and what to do."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from embedder.features import read_aliases, read_booknlp, read_fanfictionnlp
from store.errors import BadFile
from tests.embedder.features_for_tests import (
    ENTITIES_HEADER,
    NOVEL,
    QUOTES,
    QUOTES_HEADER,
    SUPERSENSE_HEADER,
    Native,
    alias_map,
    cluster,
    clusters,
    fanfiction_files,
    tokens_table,
    word,
    write_folder,
    write_zip,
)


def book(*listed: dict[str, object]) -> str:
    return json.dumps({"characters": list(listed)})


def replaced(line: int, cell: int, text: str) -> str:
    """`.tokens` of the novel with one cell replaced; lines from 1."""
    lines = [each.split("\t") for each in tokens_table(NOVEL).split("\n")]
    lines[line - 1][cell] = text
    return "\n".join("\t".join(each) for each in lines)


BAD_TABLES: list[tuple[Native, str]] = [
    (
        Native(quotes=QUOTES.replace("\n", "\tmore\n", 1)),
        r"novel\.quotes, line 1: columns '.*; it must be quote_start quote_end",
    ),
    (
        Native(quotes=f"{QUOTES_HEADER}\n10\t15\t17\t17\tTam\t2\n"),
        r"novel\.quotes, line 2: 6 cells where there must be 7; copy the file again",
    ),
    (
        Native(quotes=QUOTES_HEADER + "\n" + QUOTES.replace("\t77\t", "\tx\t")),
        r"novel\.quotes, line 5: char_id is 'x'; write a whole number from 0",
    ),
    (
        Native(quotes=QUOTES_HEADER + "\n" + QUOTES.replace("\t77\t", "\tNone\t")),
        r"novel\.quotes, line 5: char_id is 'None'; write a whole number",
    ),
    (
        Native(quotes=f"{QUOTES_HEADER}\n15\t14\t17\t17\tTam\t2\tRun\n"),
        r"novel\.quotes, line 2: the quote ends at token 14, before its first, 15",
    ),
    (
        Native(quotes=f"{QUOTES_HEADER}\n10\t99\t17\t17\tTam\t2\tRun\n"),
        r"novel\.quotes, line 2: token 99, but novel\.tokens ends at token 39; put the \.tokens",
    ),
    (
        Native(entities=f"{ENTITIES_HEADER}\n7\t-1\t0\tPROP\tPER\tZoë\n"),
        r"novel\.entities, line 2: the entity's first token is '-1'; write a whole number from 0",
    ),
    (
        Native(entities=f"{ENTITIES_HEADER}\n7\t0\t0\tNAME\tPER\tZoë\n"),
        r"novel\.entities, line 2: prop is 'NAME', not PROP, NOM or PRON",
    ),
    (
        Native(entities=f"{ENTITIES_HEADER}\n7\t40\t40\tPROP\tPER\tZoë\n"),
        r"novel\.entities, line 2: token 40, but novel\.tokens ends at token 39",
    ),
    (
        Native(supersense=f"{SUPERSENSE_HEADER}\n1\t²\tverb.motion\tran\n"),
        r"novel\.supersense, line 2: the supersense's last token is '²'",
    ),
    (Native(supersense=""), r"novel\.supersense: the file is empty; copy the file again"),
    (
        Native(tokens=tokens_table(NOVEL).replace("\tevent\n", "\n", 1)),
        r"novel\.tokens, line 1: columns '.*; it must be paragraph_ID sentence_ID",
    ),
    (Native(tokens=tokens_table([])), r"novel\.tokens: no tokens; copy the file again"),
    (
        Native(tokens=replaced(5, 3, "4")),
        r"novel\.tokens, line 5: token_ID_within_document is 4 instead of 3; copy",
    ),
    (
        Native(tokens=replaced(12, 1, "2")),
        r"novel\.tokens, line 12: sentence_ID is 2, the last was 0; copy",
    ),
    (
        Native(tokens=replaced(2, 1, "1")),
        r"novel\.tokens, line 2: sentence_ID is 1, the first must be 0; copy",
    ),
    (
        Native(tokens=replaced(13, 1, "0")),
        r"novel\.tokens, line 13: sentence_ID is 0, the last was 1; copy",
    ),
    (
        Native(tokens=replaced(4, 2, "0")),
        r"novel\.tokens, line 4: token_ID_within_sentence is 0 instead of 2; copy",
    ),
    (Native(tokens=replaced(4, 4, "a b")), r"novel\.tokens, line 4: the word is 'a b'; copy"),
    (Native(tokens=replaced(4, 4, "")), r"novel\.tokens, line 4: the word is ''; copy"),
]


@pytest.mark.parametrize(("native", "message"), BAD_TABLES)
def test_a_bad_table_names_its_line(tmp_path: Path, native: Native, message: str) -> None:
    """Wrong columns, wrong numbers, and ids that are out of range or out of order."""
    with pytest.raises(BadFile, match=message):
        read_booknlp(native.write(tmp_path / "n"), work="ONE", aliases=alias_map(tmp_path))


BAD_BOOKS: list[tuple[str, str]] = [
    ("", r"novel\.book, line 1, column 1: not JSON \(Expecting value\); copy the file again"),
    ('{"characters": [', r"novel\.book, line 1, column 17: not JSON"),
    ('{"characters": [\n{"id": NaN}]}', r"novel\.book: NaN, which JSON does not have"),
    ('{"characters": [], "characters": []}', r"an object has the key 'characters' twice; keep one"),
    ("[" * 100_000, r"novel\.book: JSON nested too deeply"),
    ("[]", r"novel\.book, top level: \[\]: Input should be a valid dictionary"),
    ("{}", r"novel\.book, characters: \{\}: Field required"),
    (book({}), r"novel\.book, characters\[0\]\.agent: \{\}: Field required"),
    (
        book(cluster(1, 9, agent=[word("ran", 1), {"w": "ran", "i": "1"}])),
        r"novel\.book, characters\[0\]\.agent\[1\]\.i: '1': Input should be a valid integer",
    ),
    (
        book(cluster(1, 9, mod=[word("", 1)])),
        r"characters\[0\]\.mod\[0\]\.w: empty: String should have at least 1 character",
    ),
    (
        book(cluster(1, 9, patient=[word("ran", -1)])),
        r"characters\[0\]\.patient\[0\]\.i: -1: Input should be greater than or equal to 0",
    ),
    (
        book(cluster(1, 9, agent=[word("ran", 40)])),
        r"characters\[0\]\.agent\[0\]\.i: token 40, but novel\.tokens ends at token 39; put the",
    ),
    (
        book({**cluster(1, 9), "count": True}),
        r"characters\[0\]\.count: True: Input should be a valid integer",
    ),
    (
        book(cluster(1, 9), cluster(2, 9), cluster(1, 6)),
        r"characters\[2\]\.id: id 1 is also that of characters\[0\]; copy",
    ),
]


@pytest.mark.parametrize(("text", "message"), BAD_BOOKS)
def test_a_bad_book_names_its_place(tmp_path: Path, text: str, message: str) -> None:
    """Not JSON, wrong types, missing parts, ids that are twice there or out of range."""
    folder = Native(book=text, quotes=QUOTES_HEADER + "\n").write(tmp_path / "n")

    with pytest.raises(BadFile, match=message):
        read_booknlp(folder, work="ONE", aliases=alias_map(tmp_path))


def test_damaged_packing_is_told_from_no_packing(tmp_path: Path) -> None:
    """A gzip file cut short, one that is none, and one without its ending."""
    aliases = alias_map(tmp_path)
    whole = gzip.compress(Native().book.encode())
    path = tmp_path / "a.book.gz"

    def reads(data: bytes, match: str) -> None:
        path.write_bytes(data)
        with pytest.raises(BadFile, match=match):
            read_booknlp(path, work="ONE", aliases=aliases, kinds=["event"])

    reads(whole[:-12], r"a\.book\.gz: damaged gzip data \(Compressed file ended .*; copy the file")
    reads(Native().book.encode(), r"a\.book\.gz: damaged gzip data \(Not a gzipped file")
    reads(whole[:30] + b"\xff\xff\xff" + whole[33:], r"a\.book\.gz: damaged gzip data")
    plain = tmp_path / "b.book"
    plain.write_bytes(whole)
    with pytest.raises(BadFile, match=r"b\.book: gzip data; name the file with \.gz"):
        read_booknlp(plain, work="ONE", aliases=aliases, kinds=["event"])


def test_a_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    folder = Native().write(tmp_path / "n")
    data = (folder / "novel.quotes").read_bytes()
    (folder / "novel.quotes").write_bytes(data.replace("Zoë".encode(), b"Zo\xeb"))

    with pytest.raises(BadFile, match=r"novel\.quotes, line 3: byte 0xeb is not UTF-8; sav"):
        read_booknlp(folder, work="ONE", aliases=alias_map(tmp_path))


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def twice(folder: Path) -> None:
    (folder / "novel.tokens.gz").write_bytes(b"")


def kind(folder: Path) -> None:
    remove("novel.book")(folder)
    (folder / "novel.book").mkdir()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (remove("novel.book"), r"n: no \.book file; name a folder of BookNLP's output"),
        (remove("novel.quotes"), r"novel\.book: no \.quotes file beside it; put it there, or do"),
        (twice, r"novel\.tokens: there is also a \.gz of it; keep one of the two"),
        (kind, r"novel\.book: Is a directory; check the path"),
    ],
)
def test_files_that_lack_or_are_twice_there(
    tmp_path: Path, change: Callable[[Path], None], message: str
) -> None:
    folder = Native().write(tmp_path / "n")
    change(folder)

    with pytest.raises(BadFile, match=message):
        read_booknlp(folder, work="ONE", aliases=alias_map(tmp_path))


def test_paths_and_kinds_that_cannot_be_read(tmp_path: Path) -> None:
    aliases = alias_map(tmp_path)
    folder = Native().write(tmp_path / "n")

    with pytest.raises(BadFile, match=r"away: no such file or folder; check the path"):
        read_booknlp(tmp_path / "away", work="ONE", aliases=aliases)
    with pytest.raises(BadFile, match=r"novel\.tokens: not a \.book file; name BookNLP's"):
        read_booknlp(folder / "novel.tokens", work="ONE", aliases=aliases)
    with pytest.raises(BadFile, match="BookNLP has no assertions; ask for event or modif"):
        read_booknlp(folder, work="ONE", aliases=aliases, kinds=["assertion"])
    with pytest.raises(BadFile, match="FanfictionNLP has no events; ask for quote or ass"):
        read_fanfictionnlp(folder, work="ONE", aliases=aliases, kinds=["event"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ONE\tZoë\tZoë Marsh\nONE\tTam\n", r"line 2: 2 columns; write three, with tabs between"),
        ("ONE Zoë Marsh\n", r"line 1: 1 column; write three.*: work, alias, name"),
        ("\nONE\tZoë\tZoë Marsh\tmore\n", r"line 2: 4 columns; write three"),
        ("ONE\t\tZoë Marsh\n", r"line 1: an empty cell; write all of work, alias, name"),
        ("ONE\tZoë \tZoë Marsh\n", r"line 1: 'Zoë ' has spaces around it; take them away"),
        ("\n\n", r"aliases\.tsv: no rows; write one row an alias: work, alias, name"),
    ],
)
def test_a_bad_alias_map_names_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadFile, match=message):
        alias_map(tmp_path, text)


def test_an_alias_map_that_is_not_utf8_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "aliases.tsv"
    path.write_bytes("ONE\tTam\tTam\nONE\tZoë\tZoë\n".encode("latin-1"))

    with pytest.raises(BadFile, match=r"tsv, line 2: byte 0xeb is not UTF-8; save the file"):
        read_aliases(path)
    with pytest.raises(BadFile, match=r"none\.tsv: no such file; check the path"):
        read_aliases(tmp_path / "none.tsv")


def changed(name: str, content: object) -> dict[str, object]:
    return {**fanfiction_files(), name: content}


def without(folder: str) -> dict[str, object]:
    return {name: each for name, each in fanfiction_files().items() if folder not in name}


BAD_FANFICTION: list[tuple[dict[str, object], str]] = [
    (without("char_coref"), r": no file in a folder char_coref; name FanfictionNLP's output"),
    (without("quote_attribution"), r": no file in a folder quote_attribution"),
    (
        changed("old/char_coref/novel_1.json", {}),
        r": char_coref is there twice \((.*/)?char_coref, (.*/)?old/char_coref\)",
    ),
    (changed("char_coref/novel_1.json", "{"), r"novel_1\.json, line 1, column 2: not JSON"),
    (changed("char_coref/novel_1.json", []), r"novel_1\.json, top level: \[\]: Input should be a"),
    (changed("char_coref/novel_2.json", {"clusters": []}), r"novel_2\.json, document: .*required"),
    (
        changed("assertion_extraction/novel_1.json", {"Zoë": [{"position": [0, 1]}]}),
        r"assertion_extraction/novel_1\.json, Zoë\[0\]\.text: .*Field required",
    ),
    (
        changed("assertion_extraction/novel_1.json", {"Zoë": [{"position": [-1, 1], "text": ""}]}),
        r"novel_1\.json, Zoë\[0\]\.position\[0\]: -1: Input should be greater than or equal to 0",
    ),
    (
        changed("quote_attribution/novel_1.quote.json", {"Zoë": [{"position": [1], "text": "a"}]}),
        r"novel_1\.quote\.json, Zoë\[0\]\.position\[1\]: .*Field required",
    ),
    (
        changed("quote_attribution/novel_1.quote.json", '{"Zoë": [], "Tam": [], "Zoë": []}'),
        r"novel_1\.quote\.json: an object has the key 'Zoë' twice; keep one of the two",
    ),
]


@pytest.mark.parametrize(("files", "message"), BAD_FANFICTION)
def test_bad_fanfictionnlp_output_names_its_file_and_place(
    tmp_path: Path, files: dict[str, object], message: str
) -> None:
    """In a folder and in a zip alike."""
    aliases = alias_map(tmp_path)
    sources = (write_folder(tmp_path / "out", files), write_zip(tmp_path / "out.zip", files))

    for source in sources:
        with pytest.raises(BadFile, match=f"{re.escape(str(source))}.*{message}"):
            read_fanfictionnlp(source, work="ONE", aliases=aliases)


def test_zips_that_are_damaged(tmp_path: Path) -> None:
    """One cut short, one with a changed byte, one that is something else."""
    aliases = alias_map(tmp_path)
    whole = write_zip(tmp_path / "a.zip", fanfiction_files()).read_bytes()
    path = tmp_path / "b.zip"

    def reads(data: bytes, match: str) -> None:
        path.write_bytes(data)
        with pytest.raises(BadFile, match=match):
            read_fanfictionnlp(path, work="ONE", aliases=aliases)

    reads(whole[: len(whole) // 2], r"b\.zip: not a readable zip \(File is not a zip file\); copy")
    reads(b"not at all", r"b\.zip: not a readable zip")
    place = whole.index(b"char_coref/novel_1.json") + 60
    damaged = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
    reads(damaged, r"b\.zip, novel/char_coref/novel_1\.json: a damaged member of the zip")
    with pytest.raises(BadFile, match=r"none\.zip: no such file or folder; check the path"):
        read_fanfictionnlp(tmp_path / "none.zip", work="ONE", aliases=aliases)


def test_a_zip_with_a_password_says_so(tmp_path: Path) -> None:
    """The bit that says a member is encrypted, set in both of its headers."""
    path = write_zip(tmp_path / "a.zip", {"char_coref/a_1.json": {}}, top="")
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(data))

    with pytest.raises(BadFile, match=r"encrypted.*; pack it without a password"):
        read_fanfictionnlp(path, work="ONE", aliases=alias_map(tmp_path))


def test_the_clusters_of_the_novel_are_not_themselves_at_fault(tmp_path: Path) -> None:
    """What the tests above change is what they fail on."""
    folder = Native(book=book(*clusters())).write(tmp_path / "n")
    out = write_folder(tmp_path / "out", fanfiction_files())

    assert read_booknlp(folder, work="ONE", aliases=alias_map(tmp_path)).report.characters == 3
    assert read_fanfictionnlp(out, work="ONE", aliases=alias_map(tmp_path)).report.characters == 2
