"""The report on a reading, as lines for a terminal and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from embedder.features import (
    read_booknlp,
    read_fanfictionnlp,
    read_published,
    report_as_dict,
    report_lines,
    write_published,
)
from embedder.features.coverage import amount
from tests.embedder.features_for_tests import (
    ALIASES,
    ENTITIES_HEADER,
    Native,
    alias_map,
    fanfiction_files,
    write_folder,
)

ENTITIES = f"{ENTITIES_HEADER}\n7\t0\t0\tPROP\tPER\tJoe\n"


def test_a_user_sees_what_was_kept_dropped_and_checked(tmp_path: Path) -> None:
    """One thing a line, most weighty first; each list says how much of it is not shown."""
    folder = Native(tokens=None, entities=ENTITIES).write(tmp_path / "n")
    aliases = alias_map(tmp_path, "ONE\tZoë\tSomebody\n" + ALIASES)

    lines = report_lines(read_booknlp(folder, work="ONE", aliases=aliases).report)

    assert lines == [
        f"ONE, booknlp, {folder / 'novel.book'}: 7 events, 3 modifiers, 2 quotes, of 3 characters",
        "not there: .tokens, .supersense",
        "alias map, line 1: 'Zoë' does not count, line 2 gives it to another",
        "clusters: 4 of 7 map to a character, in 1 document",
        "map to nobody: 1 (6 mentions), their name is not in the alias map: Nobody (6, 1 feature)",
        "map to nobody: 1 (5 mentions), they have five mentions or fewer",
        "map to nobody: 1 (30 mentions), they have only pronouns",
        "dropped: 1 event, no alias",
        "dropped: 1 event, too few mentions",
        "dropped: 1 modifier, no proper or common name",
        "dropped: 1 quote, too few mentions",
        "dropped: 1 quote, no speaker was found",
        "dropped: 1 quote, the speaker's id is not in .book",
        "speakers that .book does not have, by id (quotes): 77 (1)",
        "without its sentence: 10 events or modifiers; "
        "contexts need BookNLP's .tokens file beside .book",
        ".entities' texts: nothing to compare them with",
        ".book's mention counts against .entities: 7 of 7 disagree, "
        "as id 7: 9 in .book, 1 in .entities",
        ".quotes' texts: all 5 that can be compared agree",
        ".quotes' mention phrases: all 2 that can be compared agree",
        ".book's words: all 5 that can be compared agree",
    ]


def test_documents_and_their_flaws_are_told(tmp_path: Path) -> None:
    files = fanfiction_files() | {
        "char_coref/notes.txt": "",
        "char_coref/novel_4.json": {"document": "Old Tam slept .", "clusters": []},
    }
    source = write_folder(tmp_path / "out", files)

    lines = report_lines(
        read_fanfictionnlp(source, work="ONE", aliases=alias_map(tmp_path)).report, most=1
    )

    assert lines == [
        f"ONE, fanfictionnlp, {source}: 2 quotes, 5 assertions, of 2 characters",
        "clusters: 4 of 6 map to a character, in 3 documents",
        "map to nobody: 2 (0 mentions), their name is not in the alias map: "
        "Mill (0, 1 feature); and 1 more",
        "dropped: 1 quote, no alias",
        "dropped: 1 assertion, no alias",
        "documents: 3, novel_1 to novel_4",
        "files that a document lacks: 2: assertion_extraction/novel_4; and 1 more",
        "documents that the numbering skips: 1: novel_3",
        "names of two clusters of one document, not told apart: 1: novel_2: Tam",
        "documents whose text stands in another too, so counts twice: 1: novel_4 in novel_2",
        "files that are not read: 1: char_coref/notes.txt",
        "positions of mentions: all 5 that can be compared agree",
        "positions of quotes: all 3 that can be compared agree",
        "positions of assertions: 1 of 6 disagree, "
        "as novel_1, tokens 0 to 2: 'elsewhere', there 'Zoë ran'",
        "no word at all: 1 quote or assertion",
    ]


def test_a_word_that_stands_twice_is_told_for_what_it_is(tmp_path: Path) -> None:
    """Read with token ids the place is known; from a published file the first is taken."""
    folder = Native().write(tmp_path / "n")
    read = read_booknlp(folder, work="ONE", aliases=alias_map(tmp_path))
    path = tmp_path / "events.tsv"
    write_published(path, read.extracted[0])
    again = read_published(path, pipeline="booknlp", kind="event", work="ONE")

    assert (
        "the word stands more than once in its sentence: 4 events or modifiers; "
        "the token id says which is meant" in report_lines(read.report)
    )
    assert (
        "the word stands more than once in its sentence: 2 events or modifiers; "
        "the file does not say which is meant, the first is taken" in report_lines(again.report)
    )


def test_the_json_holds_all_that_the_lines_cut(tmp_path: Path) -> None:
    """Every cluster, by the names of the fields; it survives being written and read."""
    source = write_folder(tmp_path / "out", fanfiction_files())
    report = read_fanfictionnlp(source, work="ONE", aliases=alias_map(tmp_path)).report

    read = json.loads(json.dumps(report_as_dict(report)))

    assert read["work"] == "ONE"
    assert read["kept"] == [{"kind": "quote", "count": 2}, {"kind": "assertion", "count": 5}]
    assert [each["name"] for each in read["clusters"]] == [
        "Zoë",
        "A Tam",
        "Mill",
        "Tam",
        "Zoë",
        "Nobody",
    ]
    assert read["coverage"]["documents"] == ["novel_1", "novel_2"]
    assert read["checks"][2]["wrong"] == 1


def test_amounts_are_worded() -> None:
    assert amount(1, "quote or assertion") == "1 quote or assertion"
    assert amount(1234, "quote or assertion") == "1,234 quotes or assertions"
