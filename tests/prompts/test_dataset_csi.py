"""CSI: a native file of our own with two interleaved cases and a reopened sentence."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from prompts import DatasetError, Item, UnknownName
from prompts.datasets.csi import TITLES, read
from tests.prompts.native_for_tests import DATA, marked, read_items

EPISODE = DATA / "csi/s09e01.tsv"
FIRST = [
    ("Brass", "no"),
    ("i", "no"),
    ("the gardener", "yes"),
    ("he", "yes"),
    ("Holt", "no"),
    ("his", "yes"),
]
SECOND = [("Sara", "no"), ("the clerk", "no"), ("she", "no"), ("his", "no"), ("sister", "no")]


def cases(path: Path = EPISODE, window_words: int | None = None, *works: str) -> list[Item]:
    return read_items(read, path, "role_detection", works=works, window_words=window_words)


@pytest.fixture
def episode(tmp_path: Path) -> Path:
    return Path(shutil.copy(EPISODE, tmp_path / "s09e01.tsv"))


def test_two_cases_are_parted_and_a_reopened_sentence_goes_on_where_it_began() -> None:
    """What stands before and after the seam is two mentions; a doubled first name is mended."""
    first, second = cases()

    assert first.text == (
        "Brass polishes the brass plate by the brass door\n"
        "Anna Holt: i saw the gardener he ran\n"
        "Holt 's lamp fails\n"
        "his rake is gone"
    )
    assert second.text == "Sara opens a crate\nSara: the clerk lied\nshe finds his sister"
    assert (first.item_id, second.item_id) == ("s09e01:1", "s09e01:2")
    assert first.notes == ("sentence 1 is reopened on line 26",)
    assert second.notes == ()


def test_each_mention_says_whether_it_is_the_perpetrator() -> None:
    """A mention is a run of words with the same flags; suspects and others are not asked for."""
    first, second = cases()

    assert (marked(first), marked(second)) == (FIRST, SECOND)
    assert [span.label for span in first.spans] == ["1", "2", "3", "4", "5", "6"]
    assert {item.scene for item in (first, second)} == {"s09e01"}
    assert {item.work for item in (first, second)} == {TITLES[0]}


def test_a_name_that_is_also_a_word_gets_its_capital_in_mentions_alone() -> None:
    first, second = cases()

    assert "Brass polishes the brass plate by the brass door" in first.text
    assert "Anna Holt" in {one.name for one in first.cast if one.proper}
    assert "Anna Holt" not in {one.name for one in second.cast}
    assert {"Sara Sidle", "Jim Brass"} <= {one.name for one in second.cast}


def test_windows_hold_whole_sentences_and_every_mention_once() -> None:
    windows = cases(EPISODE, 9)

    assert [item.item_id for item in windows] == [
        "s09e01:1#0",
        "s09e01:1#1",
        "s09e01:1#2",
        "s09e01:2#0",
        "s09e01:2#1",
    ]
    assert [mention for item in windows for mention in marked(item)] == FIRST + SECOND
    assert windows[1].text == "Anna Holt: i saw the gardener he ran"
    assert windows[1].gold == {"1": "no", "2": "yes", "3": "yes"}
    assert windows[1].notes[-1] == "window 2 of 3, lines 2-2 of 4"
    assert (windows[1].document, windows[1].part, windows[1].parts) == ("s09e01:1", 1, 3)


def test_a_window_without_a_mention_is_no_item(episode: Path) -> None:
    text = episode.read_text(encoding="utf-8")
    episode.write_text(
        text.replace("\this\tY\tN\tN", "\this\tN\tN\tN"), encoding="utf-8", newline="\n"
    )
    windows = cases(episode, 4)

    assert "his rake is gone" not in {item.text for item in windows}
    assert [item.parts for item in windows if item.document == "s09e01:1"] == [4, 4, 4]


def test_columns_are_found_by_name_and_carriage_returns_left_out(episode: Path) -> None:
    rows = [line.split("\t") for line in episode.read_text(encoding="utf-8").splitlines()]
    swapped = [[*row[:4], row[6], row[5], row[4], *row[7:]] for row in rows]
    episode.write_bytes("\r\n".join("\t".join(row) for row in swapped).encode())

    first, second = cases(episode)
    assert (marked(first), marked(second)) == (FIRST, SECOND)


def test_episodes_of_a_folder_come_in_order_and_never_twice(tmp_path: Path) -> None:
    for name in ("b/s02e01.tsv", "a/s03e01.tsv"):
        (tmp_path / name).parent.mkdir()
        shutil.copy(EPISODE, tmp_path / name)
    assert [item.item_id for item in cases(tmp_path)] == [
        "s02e01:1",
        "s02e01:2",
        "s03e01:1",
        "s03e01:2",
    ]

    shutil.copy(EPISODE, tmp_path / "a/s02e01.tsv")
    with pytest.raises(DatasetError, match=r"b/s02e01\.tsv: the episode also stands at .*a/s02e01"):
        cases(tmp_path)


def test_only_the_show_itself_can_be_chosen() -> None:
    assert len(cases(EPISODE, None, "csi")) == 2
    with pytest.raises(UnknownName, match="unknown work 'Columbo'"):
        cases(EPISODE, None, "Columbo")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("killer_gold", "killer", r"line 1: 16 columns, without killer_gold; 16 are wanted"),
        ("\ti5_time", "", r"line 1: 15 columns, without i5_time; 16 are wanted: compare"),
        ("\tN\tY\tN\tN\t", "\tN\tY\tN\t", "line 2: 15 cells instead of 16; compare it with"),
        ("\tN\tY\tN\tN\t", "\tN\tX\tN\tN\t", "line 2: 'X' where a label is Y or N; compare"),
        ("\tbrass\t", "\t\t", "line 2: nothing under word; compare"),
        ("1\t0\tNone\tbrass", "\t0\tNone\tbrass", "line 2: nothing under caseID; compare"),
    ],
)
def test_a_file_that_is_not_as_published_is_refused(
    old: str, new: str, message: str, episode: Path
) -> None:
    """The message names the file, the line, what was found and what to do."""
    text = episode.read_text(encoding="utf-8")
    assert old in text
    episode.write_text(text.replace(old, new, 1), encoding="utf-8")

    with pytest.raises(DatasetError, match=message) as refusal:
        cases(episode)
    assert str(refusal.value).startswith(f"{episode}, line")


def test_truncated_files_and_other_encodings_are_refused(episode: Path, tmp_path: Path) -> None:
    whole = episode.read_bytes()
    episode.write_bytes(whole[:-30])
    with pytest.raises(DatasetError, match=r"line 35: 15 cells instead of 16"):
        cases(episode)
    episode.write_bytes(whole.splitlines(keepends=True)[0])
    with pytest.raises(DatasetError, match="line 2: no word"):
        cases(episode)
    episode.write_bytes(b"caseID\xe9")
    with pytest.raises(DatasetError, match=r"s09e01\.tsv, byte 6: not UTF-8; save"):
        cases(episode)
    (tmp_path / "none").mkdir()
    with pytest.raises(DatasetError, match=r"none: no \.tsv file in this folder; point `path`"):
        cases(tmp_path / "none")
    with pytest.raises(DatasetError, match=r"away\.tsv: no such file; check `path`"):
        cases(tmp_path / "away.tsv")
