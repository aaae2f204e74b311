"""FanfictionNLP's native files: what is taken from them, and which documents lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from embedder.features import Feature, Reading, read_fanfictionnlp
from embedder.features.base import Dropped
from tests.embedder.features_for_tests import (
    NOVEL,
    alias_map,
    fanfiction_files,
    passage,
    write_folder,
    write_zip,
)


def read(folder: Path, files: dict[str, object]) -> Reading:
    """The features of files, by the alias map of work ONE."""
    source = write_folder(folder / "out", files)
    return read_fanfictionnlp(source, work="ONE", aliases=alias_map(folder))


def document(name: str, text: str) -> dict[str, object]:
    """The three files of a document in which nobody is found."""
    return {
        f"char_coref/{name}.json": {"document": text, "clusters": []},
        f"assertion_extraction/{name}.json": {},
        f"quote_attribution/{name}.quote.json": {},
    }


@pytest.mark.parametrize("top", ["", "novel/", "a/b/"])
def test_features_are_put_together_over_documents(tmp_path: Path, top: str) -> None:
    """By character in the order of its first cluster; a zip, at any depth, reads like a folder."""
    files = fanfiction_files()

    reading = read(tmp_path, files)
    zipped = read_fanfictionnlp(
        write_zip(tmp_path / "out.zip", files, top=top), work="ONE", aliases=alias_map(tmp_path)
    )

    assert reading.features("assertion") == (
        Feature(character="Zoë Marsh", text=NOVEL[0]),
        Feature(character="Zoë Marsh", text="Zoë did not ."),
        # The article goes in either case: "A Tam" is Tam.
        Feature(character="Thomas Hay", text=NOVEL[0]),
        Feature(character="Thomas Hay", text="elsewhere"),
        Feature(character="Thomas Hay", text="Old Tam slept ."),
    )
    assert reading.features("quote") == (
        Feature(character="Zoë Marsh", text="Zoë"),
        Feature(character="Zoë Marsh", text=""),
    )
    assert zipped.extracted == reading.extracted
    assert zipped.report.clusters == reading.report.clusters


def test_every_cluster_is_accounted_for(tmp_path: Path) -> None:
    """Each document's clusters; one that only a file of features names has no mentions."""
    report = read(tmp_path, fanfiction_files()).report

    assert [
        (each.where, each.name, each.mentions, each.features, each.character, each.why)
        for each in report.clusters
    ] == [
        ("novel_1", "Zoë", 2, 1, "Zoë Marsh", None),
        ("novel_1", "A Tam", 1, 2, "Thomas Hay", None),
        ("novel_1", "Mill", 0, 1, None, "no alias"),
        ("novel_2", "Tam", 1, 1, "Thomas Hay", None),
        ("novel_2", "Zoë", 1, 3, "Zoë Marsh", None),
        ("novel_2", "Nobody", 0, 1, None, "no alias"),
    ]
    assert report.dropped == (
        Dropped(kind="quote", why="no alias", count=1),
        Dropped(kind="assertion", why="no alias", count=1),
    )
    assert (report.documents, report.characters, report.empty_texts) == (2, 2, 1)


def test_texts_count_and_positions_are_checked(tmp_path: Path) -> None:
    """A text that does not stand at its position is read all the same, and told of."""
    report = read(tmp_path, fanfiction_files()).report

    assert [(each.what, each.checked, each.wrong) for each in report.checks] == [
        ("positions of mentions", 5, 0),
        ("positions of quotes", 3, 0),
        ("positions of assertions", 6, 1),
    ]
    assert report.checks[2].examples == ("novel_1, tokens 0 to 2: 'elsewhere', there 'Zoë ran'",)


def test_a_missing_file_of_a_document_is_told(tmp_path: Path) -> None:
    """The rest of the document is read; without its text no position can be checked."""
    files = fanfiction_files()
    del files["char_coref/novel_1.json"]
    del files["quote_attribution/novel_2.quote.json"]

    reading = read(tmp_path, files)

    assert reading.report.coverage is not None
    assert reading.report.coverage.missing == ("char_coref/novel_1", "quote_attribution/novel_2")
    assert len(reading.features("assertion")) == 5
    assert reading.report.checks[2].checked == 2


def test_documents_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """The tenth after the ninth; what the numbering skips is told, padded as the others are."""
    files: dict[str, object] = {}
    for name in ("c_10", "c_9", "c_7", "d_007", "d_009"):
        files |= document(name, f"text of {name} .")

    coverage = read(tmp_path, files).report.coverage

    assert coverage is not None
    assert coverage.documents == ("c_7", "c_9", "c_10", "d_007", "d_009")
    assert coverage.gaps == ("c_8", "d_008")


def test_numbers_of_an_archive_are_not_taken_for_a_numbering(tmp_path: Path) -> None:
    """Two stories of which the numbers lie far apart have no gap of thousands between them."""
    coverage = read(tmp_path, document("a_606106", "x .") | document("a_915202", "y .")).report

    assert coverage.coverage is not None
    assert coverage.coverage.gaps == ()


def test_what_the_three_folders_hold_besides_is_told(tmp_path: Path) -> None:
    """Files of other names are not read; other folders and an archiver's files are nothing."""
    files = fanfiction_files() | {
        "char_coref/notes.txt": "",
        "quote_attribution/novel_3.json": {},
        "char_coref_chars/novel_1.chars": "",
        "__MACOSX/char_coref/novel_1.json": "",
        "char_coref/.DS_Store": "",
    }

    coverage = read(tmp_path, files).report.coverage

    assert coverage is not None
    assert coverage.ignored == ("char_coref/notes.txt", "quote_attribution/novel_3.json")
    assert coverage.documents == ("novel_1", "novel_2")


def test_two_clusters_of_one_name_are_told(tmp_path: Path) -> None:
    """The pipeline's files of features know clusters by name alone."""
    coverage = read(tmp_path, fanfiction_files()).report.coverage

    assert coverage is not None
    assert coverage.shared_names == ("novel_2: Tam",)


def test_a_text_that_stands_in_two_documents_is_told(tmp_path: Path) -> None:
    """Its features count twice; of two documents with one text, the later is in the earlier."""
    files: dict[str, object] = {}
    for name, text in (
        ("n_1", "One thing . Then another ."),
        ("n_2", "Then another . "),
        ("n_3", "A third ."),
        ("n_4", "A third ."),
        ("n_5", ""),
    ):
        files |= document(name, text)

    coverage = read(tmp_path, files).report.coverage

    assert coverage is not None
    assert coverage.contained == ("n_2 in n_1", "n_4 in n_3")


def test_only_the_kinds_asked_for_are_read(tmp_path: Path) -> None:
    source = write_folder(tmp_path / "out", fanfiction_files())

    reading = read_fanfictionnlp(
        source, work="ONE", aliases=alias_map(tmp_path), kinds=["quote", "quote"]
    )

    assert [each.kind for each in reading.extracted] == ["quote"]
    assert [each.kind for each in reading.report.dropped] == ["quote"]
    with pytest.raises(KeyError, match="assertion"):
        reading.features("assertion")


def test_a_position_past_the_end_is_wrong_and_not_fatal(tmp_path: Path) -> None:
    files = fanfiction_files()
    files["quote_attribution/novel_1.quote.json"] = {"Zoë": [passage(9, 99, "gone")]}

    reading = read(tmp_path, files)

    assert reading.features("quote")[0].text == "gone"
    assert reading.report.checks[1].wrong == 1
