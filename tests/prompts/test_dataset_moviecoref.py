"""MovieCoref: native files of our own, every quirk of the published ones in them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from prompts import DatasetError, Item, UnknownName
from prompts.datasets.moviecoref import read
from tests.prompts.native_for_tests import DATA, marked, read_items

FILMS = DATA / "moviecoref"
FERRY = [
    ("MARA VOSS", "0"),
    ("her", "0"),
    ("a DECKHAND", "1"),
    ("MARA", "0"),
    ("You", "1"),
    ("Tobin", "1"),
    ("DECKHAND", "1"),
    ("Captain Voss", "0"),
    ("I", "1"),
    ("the\nold man\nof the pier", "2"),
    ("The deckhand", "1"),
    ("MARA's brother", "3"),
    ("MARA's", "0"),
    ("He\nand his dog", "4"),
    ("He", "3"),
    ("his", "3"),
]


def films(path: Path = FILMS, window_words: int | None = None, *works: str) -> list[Item]:
    return read_items(read, path, "coreference", works=works, window_words=window_words)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    shutil.copytree(FILMS, tmp_path / "data")
    return tmp_path / "data"


def test_mentions_stand_where_the_labels_say_and_clusters_are_opaque() -> None:
    """Labels out of order, repeated, nested, over line ends and after an emoji all come right."""
    ferry, _ = films()

    assert marked(ferry) == FERRY
    assert [span.label for span in ferry.spans] == [str(n) for n in range(1, 17)]
    assert list(ferry.gold) == [span.label for span in ferry.spans]
    assert (ferry.item_id, ferry.work, ferry.scene) == ("night_ferry", "Night Ferry", "night_ferry")


def test_a_script_loses_its_indentation_and_nothing_else() -> None:
    script = (FILMS / "screenplay/night_ferry.txt").read_text(encoding="utf-8")
    ferry, _ = films()

    assert ferry.text.split() == script.split()
    assert ferry.text.startswith("NIGHT FERRY\n\nINT. WHEELHOUSE -- NIGHT\n\nMARA VOSS, forty,")
    assert "  " not in ferry.text
    assert "\n\n\n" not in ferry.text


def test_carriage_returns_the_offsets_do_not_count_are_found_out() -> None:
    _, lanterns = films()

    assert marked(lanterns) == [("GUARD", "0"), ("A second GUARD", "1"), ("she", "1")]
    assert "\r" not in lanterns.text


def test_two_clusters_of_one_label_stay_two_and_a_note_says_so() -> None:
    _, lanterns = films()

    assert lanterns.notes == ("labels that stand for several clusters: GUARD",)


def test_the_cast_is_who_has_a_name_with_the_gender_of_the_pronouns() -> None:
    """Roles, groups, someone's brother and pronouns at a line's start are no names."""
    ferry, lanterns = films()
    proper = [one for one in ferry.cast if one.proper]

    assert [(one.name, one.aliases, one.gender) for one in proper] == [
        ("Mara Voss", ("Mara", "Captain Voss"), "female"),
        ("Tobin", (), "unknown"),
    ]
    assert not any(one.proper for one in lanterns.cast)


def test_windows_lose_no_mention_and_cut_none() -> None:
    """Each window numbers its own; together they hold what the whole holds."""
    windows = films(FILMS, 20, "Night Ferry")

    assert [item.item_id for item in windows] == [f"night_ferry#{n}" for n in range(4)]
    assert [words for item in windows for words, _ in marked(item)] == [w for w, _ in FERRY]
    assert {item.document for item in windows} == {"night_ferry"}
    assert all(item.parts == 4 and item.scene == item.item_id for item in windows)
    assert windows[2].notes == ("window 3 of 4, lines 14-17 of 18",)
    for item in windows:
        assert [span.label for span in item.spans] == [str(n + 1) for n in range(len(item.gold))]
        first = dict.fromkeys(item.gold.values())
        assert list(first) == [str(n) for n in range(len(first))]


def test_a_window_without_a_mention_is_no_item() -> None:
    windows = films(FILMS, 2, "Night Ferry")

    assert all(item.spans for item in windows)
    assert len(windows) < windows[0].parts
    assert "NIGHT FERRY" not in {item.text for item in windows}


def test_the_list_of_films_decides_and_without_it_every_label_file(corpus: Path) -> None:
    assert [item.item_id for item in films(corpus)] == ["night_ferry", "paper_lanterns"]
    assert [item.item_id for item in films(corpus.parent)] == ["night_ferry", "paper_lanterns"]

    (corpus / "movies.txt").unlink()
    shutil.copy(corpus / "screenplay/paper_lanterns.txt", corpus / "screenplay/left_out.txt")
    assert [item.item_id for item in films(corpus)] == ["left_out", "night_ferry", "paper_lanterns"]


def test_one_label_file_finds_its_script() -> None:
    (item,) = films(FILMS / "labels/paper_lanterns.csv")

    assert item.work == "Paper Lanterns"


def test_a_film_is_chosen_by_title_and_an_unknown_one_named() -> None:
    assert [item.work for item in films(FILMS, None, "paper lanterns")] == ["Paper Lanterns"]
    with pytest.raises(UnknownName, match=r"unknown work 'Nigt Ferry'; did you mean 'Night Ferry'"):
        films(FILMS, None, "Nigt Ferry")


def test_a_mention_that_crosses_another_is_left_out_with_a_note(corpus: Path) -> None:
    """Brackets cannot show both; the one that begins first stays."""
    script = (FILMS / "screenplay/paper_lanterns.txt").read_text(encoding="utf-8")
    start = script.index("GUARD nods")
    row = f"{start},{start + 10},,,-1,-1,x,GUARD nods,x,9,NODDER{',false' * 7}\n"
    path = corpus / "labels/paper_lanterns.csv"
    path.write_text(path.read_text(encoding="utf-8") + row, encoding="utf-8")

    lanterns = films(corpus)[-1]
    assert [words for words, _ in marked(lanterns)] == ["GUARD", "A second GUARD", "she"]
    assert any("crosses another" in note for note in lanterns.notes)


def test_a_few_words_that_differ_are_noted_and_many_refused(corpus: Path) -> None:
    path = corpus / "labels/night_ferry.csv"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(",Tobin,", ",Robin,"), encoding="utf-8")
    with pytest.raises(DatasetError, match=r"not 'Robin' \(so are 1 of 17 mentions\); put the"):
        films(corpus)

    rows = "".join(text.splitlines(keepends=True)[1:])
    path.write_text(text.replace(",Tobin,", ",Robin,") + rows, encoding="utf-8")
    ferry = films(corpus)[0]
    assert ferry.notes == ("mentions whose words are others in the script: 1",)
    assert marked(ferry) == FERRY


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("begin,end", "begins,end", r"line 1: 18 columns, without begin; 18 are wanted"),
        (",Apposition\n", "\n", "line 1: 17 columns, without a missing one; 18 are wanted"),
        ("75,84,,", "75,84,", r"line 2: 17 cells instead of 18; compare it with the file as"),
        ("75,84,", "75,x,", r"line 2: begin '75' and end 'x' are not the offsets of a mention"),
        ("75,84,", "84,75,", r"line 2: begin '84' and end '75' are not the offsets"),
        (",0,MARA VOSS,", ",,MARA VOSS,", "line 2: a mention without entityNum or entityLabel"),
        ("75,84,", "75,9999,", r"line 2: 75-9999 is 'MARA VOSS, forty, .*, not 'MARA VOSS'"),
        ("75,84,", "9000,9999,", r"line 2: 9000-9999 is '' in the script, not 'MARA VOSS'"),
    ],
)
def test_a_label_file_that_is_not_as_published_is_refused(
    old: str, new: str, message: str, corpus: Path
) -> None:
    """The message names the file, the line, what was found and what to do."""
    path = corpus / "labels/night_ferry.csv"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")

    with pytest.raises(DatasetError, match=message) as refusal:
        films(corpus)
    assert str(refusal.value).startswith(f"{path}, line")
    assert refusal.value.fix


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("labels/night_ferry.csv", b"", r"night_ferry\.csv: empty; compare"),
        ("labels/night_ferry.csv", "é".encode("latin-1"), r"csv, byte 0: not UTF-8; save"),
        ("labels/night_ferry.csv", b'begin,"end', r"csv, line 1: not CSV \(unexpected end of data"),
        ("screenplay/night_ferry.txt", b"\xff", r"night_ferry\.txt, byte 0: not UTF-8"),
        ("screenplay/night_ferry.txt", b"NIGHT", r"night_ferry\.csv, line 2: 75-84 is '' in the"),
        (
            "screenplay/night_ferry.txt",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            r"txt, line 1: a Git LFS pointer instead of the file; fetch the file itself",
        ),
    ],
)
def test_truncated_files_pointers_and_other_encodings_are_refused(
    name: str, content: bytes, message: str, corpus: Path
) -> None:
    (corpus / name).write_bytes(content)

    with pytest.raises(DatasetError, match=message):
        films(corpus)


def test_a_label_file_cut_short_is_refused(corpus: Path) -> None:
    path = corpus / "labels/night_ferry.csv"
    whole = path.read_bytes()
    header = whole.splitlines(keepends=True)[0]
    path.write_bytes(whole[:-60])
    with pytest.raises(DatasetError, match=r"line \d+: (not CSV|\d+ cells)"):
        films(corpus)
    path.write_bytes(header)
    with pytest.raises(DatasetError, match="line 2: no mention; compare"):
        films(corpus)


def test_a_missing_script_or_folder_is_named(corpus: Path, tmp_path: Path) -> None:
    (corpus / "screenplay/night_ferry.txt").unlink()
    with pytest.raises(DatasetError, match=r"screenplay/night_ferry\.txt: no such file; check"):
        films(corpus)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatasetError, match=r"empty: no label file \(\.csv\) in this folder; point"):
        films(tmp_path / "empty")
