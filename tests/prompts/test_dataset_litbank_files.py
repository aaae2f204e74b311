"""Small files in LitBank's layouts: what is read from them, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from prompts import DatasetError, Item
from prompts.datasets import Selection
from prompts.datasets.litbank import read

TEXT = (
    "Ada Bell 's cat saw poor Tom .\n"
    "“ Come , boy ! ” cried the nurse , a tall woman .\n"
    "“ I am here . ” said she .\n"
    "He ran home .\n"
    "“ Late . ”\n"
)
# Id, sentence, first and last token, words, kind, form, entity; no entity under COP or APPOS.
MENTIONS = [
    ("T1", 0, 0, 1, "Ada Bell", "PER", "PROP", "Ada_Bell-0"),
    ("T2", 0, 5, 6, "poor Tom", "PER", "PROP", "Tom-2"),
    ("T3", 1, 7, 8, "the nurse", "PER", "NOM", "the_nurse-3"),
    ("T4", 1, 10, 12, "a tall woman", "PER", "NOM", ""),
    ("T5", 2, 1, 1, "I", "PER", "PRON", "Ada_Bell-0"),
    ("T6", 2, 7, 7, "she", "PER", "PRON", "Ada_Bell-0"),
    ("T7", 3, 0, 0, "He", "PER", "PRON", "Tom-2"),
    ("T8", 3, 2, 2, "home", "FAC", "NOM", "home-4"),
]
QUOTES = [
    ("Q1", 1, 0, 1, 5, "“ Come , boy ! ”", "the_nurse-3"),
    ("Q2", 2, 0, 2, 5, "“ I am here . ”", "Ada_Bell-0"),
    ("Q3", 4, 0, 4, 3, "“ Late . ”", "the_nurse-3"),
]


def coreference(path: Path) -> list[Item]:
    return list(read(path, Selection(task="coreference")))


def quoted(path: Path) -> list[Item]:
    return list(read(path, Selection(task="character_guessing", seed=1)))


def rows_of(*rows: tuple[object, ...]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def book(folder: Path, rows: str, name: str = "7_the_tale_of_ada_brat.ann") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(rows, encoding="utf-8")
    path.with_suffix(".txt").write_text(TEXT, encoding="utf-8")
    return path


def tsv() -> str:
    mentions = [
        ("MENTION", own, line, first, line, last, words, kind, form)
        for own, line, first, last, words, kind, form, _ in MENTIONS
    ]
    entities = [("COREF", one[0], one[7]) for one in MENTIONS if one[7]]
    return rows_of(*mentions, *entities, ("APPOS", "T4", "T3"))


def offsets(line: int, first: int, last: int) -> tuple[int, int]:
    lines = TEXT.split("\n")
    before = sum(len(one) + 1 for one in lines[:line])
    words = lines[line].split(" ")
    start = before + len(" ".join([*words[:first], ""]))
    return start, start + len(" ".join(words[first : last + 1]))


def brat() -> str:
    mentions = []
    entities = []
    for own, line, first, last, words, kind, form, entity in MENTIONS:
        start, end = offsets(line, first, last)
        mentions.append((own, f"{form}_{kind} {start} {end}", words))
        if entity:
            entities.append((f"T9{own[1:]}", f"{entity} {start} {end}", words))
    return rows_of(*mentions, *entities, ("R1", "appos Arg1:T4 Arg2:T3"))


def conll() -> str:
    numbers: dict[str, int] = {}
    lines = ["#begin document (x); part 0"]
    for at, line in enumerate(TEXT.removesuffix("\n").split("\n")):
        for token, word in enumerate(line.split(" ")):
            marks = []
            for own, sentence, first, last, *_, entity in MENTIONS:
                number = numbers.setdefault(entity or own, len(numbers))
                if sentence == at and token in {first, last}:
                    opens, ends = token == first, token == last
                    marks.append(f"{'(' if opens else ''}{number}{')' if ends else ''}")
            lines.append("\t".join(["x", "0", str(token), word, *"_" * 8, "|".join(marks)]))
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def quotations() -> str:
    quotes = [("QUOTE", *quote[:6]) for quote in QUOTES]
    return rows_of(*quotes, *(("ATTRIB", quote[0], quote[6]) for quote in QUOTES))


@pytest.mark.parametrize(
    ("rows", "name"), [(tsv(), "7_a.ann"), (brat(), "7_a.ann"), (conll(), "7_a.conll")]
)
def test_each_layout_gives_the_same_mentions(rows: str, name: str, tmp_path: Path) -> None:
    """A mention under APPOS is a cluster of its own; CoNLL files also give the places."""
    (item,) = coreference(book(tmp_path, rows, name))
    words = [item.text[span.start : span.end] for span in item.spans]
    names = ["Ada Bell", "poor Tom", "the nurse", "a tall woman", "I", "she", "He"]

    assert item.text == TEXT.removesuffix("\n")
    assert words[:7] == names
    assert list(item.gold.values())[:7] == ["0", "1", "2", "3", "0", "0", "1"]
    assert (len(words) == 8) == name.endswith(".conll")
    assert len(item.notes) == 1


def test_of_two_notes_on_one_stretch_the_attribute_is_the_one_without_a_cluster(
    tmp_path: Path,
) -> None:
    """Also where it comes first in the file."""
    start, end = offsets(1, 7, 8)
    first = rows_of(("T0", f"NOM_PER {start} {end}", "the nurse"), ("R2", "cop Arg1:T0 Arg2:T3"))
    (item,) = coreference(book(tmp_path, first + brat()))
    words = [item.text[span.start : span.end] for span in item.spans]

    assert words[2:4] == ["the nurse", "the nurse"]
    assert len(item.gold) == 8
    assert len(set(item.gold.values())) == 5


def test_the_cast_has_the_names_that_stand_in_the_book(tmp_path: Path) -> None:
    """Names lose what describes them; pronouns tell women from men."""
    (item,) = coreference(book(tmp_path, tsv()))

    assert item.work == "The Tale of Ada"
    assert {person.name: person.gender for person in item.cast} == {
        "Ada Bell": "female",
        "Tom": "male",
    }


@pytest.mark.parametrize("beside", ["coref", "nothing"])
def test_quotations_are_scenes_to_guess(beside: str, tmp_path: Path) -> None:
    """The speakers are those of the coreference beside them, or what their marks say."""
    path = book(tmp_path / "quotations" / "tsv", quotations())
    book(tmp_path / beside / "tsv", tsv())
    (item,) = quoted(path)

    assert item.text.split("\n")[1:] == [
        "[P0] “ Come , boy ! ” cried the nurse , a tall woman .",
        "[P1] “ I am here . ” said she .",
        "He ran home .",
        "[P0] “ Late . ”",
    ]
    assert item.gold == {"P0": "the nurse", "P1": "Ada Bell"}
    assert sorted(item.options) == ["Ada Bell", "the nurse"]
    assert item.flags == ("gold_name_in_text", "attributed_in_text")
    proper = {person.name: person.proper for person in item.cast}
    assert (proper["the nurse"], proper["Ada Bell"]) == (False, beside == "coref")


def test_a_book_in_which_one_person_speaks_is_no_item(tmp_path: Path) -> None:
    assert quoted(book(tmp_path, quotations().replace("Ada_Bell-0", "the_nurse-3"))) == []


def test_crossing_mentions_are_not_both_asked_for(tmp_path: Path) -> None:
    row = ("MENTION", "T20", 0, 1, 0, 5, "Bell 's cat saw poor", "PER", "NOM")
    rows = tsv() + rows_of(row, ("COREF", "T20", "x-9"))
    (item,) = coreference(book(tmp_path, rows))

    assert [item.text[span.start : span.end] for span in item.spans][:2] == ["Ada Bell", "poor Tom"]
    assert "crosses another" in item.notes[-1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (tsv()[:-5], "line 16: 2 columns, not 3; compare it with the file as published"),
        (tsv()[: tsv().index("COREF\tT8")], "line [48]: the mention T[48] is in no cluster;"),
        (tsv().replace("APPOS\tT4\tT3\n", ""), "line 4: the mention T4 is in no cluster;"),
        (tsv().replace("COREF\tT2", "CORE\tT2"), "the label 'CORE' is unknown; use one of MENTION"),
        (tsv().replace("\tPROP\n", "\n", 1), "line 1: 8 columns, not 9;"),
        (tsv().replace("PER\tPROP", "PERS\tPROP", 1), "line 1: the kind 'PERS' or form 'PROP'"),
        (tsv().replace("T1\t0\t0", "T1\t9\t0", 1), "line 1: the .txt has no tokens 9:0 to 0:1;"),
        (tsv().replace("T1\t0\t0", "T1\tx\t0", 1), "line 1: not four numbers: x 0 0 1;"),
        (tsv().replace("Ada Bell", "Ida Bell"), "line 1: the row says 'Ida Bell', the .txt 'Ada"),
        (tsv().replace("COREF\tT2", "COREF\tT77"), "line 10: no mention T77;"),
        (brat()[:-14], r"line 16: no relation in \['R1', 'appos Ar'\];"),
        (brat().replace("T4 Arg2", "T44 Arg2"), "line 16: no mention T44;"),
        (brat().replace("PROP_PER 0 8", "PROP_PERS 0 8"), "is in no cluster|line 1: "),
        (
            brat().replace("PROP_PER 0 8", "PROP_ANY 0 8"),
            "line 1: the kind 'ANY' or form 'PROP' is",
        ),
        (brat().replace(" 0 8\tAda", " 0 7\tAda", 1), "line 1: the row says 'Ada Bell', the .txt"),
        (brat().replace("\tAda Bell", "", 1), r"line 1: no note in \['T1'"),
        ("", "7_the_tale_of_ada_brat.ann: no mention;"),
        (quotations(), "line 1: quotations, not coreference; point `path` at a file of coref/"),
    ],
)
def test_a_coreference_file_that_is_not_as_published_is_refused(
    rows: str, message: str, tmp_path: Path
) -> None:
    path = book(tmp_path, rows)

    with pytest.raises(DatasetError, match=message) as refusal:
        coreference(path)
    assert refusal.value.path == path
    assert refusal.value.fix


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (conll().removesuffix("#end document\n"), r"line \d+: the document does not end here;"),
        (conll()[:400], r"line \d+: "),
        (conll().replace("\t0)\n", "\t\n", 1), "the document does not end here;"),
        (conll().replace("(0", "[0", 1), r"line 2: the cluster mark '\[0' is unknown; use marks"),
        (conll().replace("(0", "_", 1), "line 3: the cluster 0 ends before it begins;"),
        (conll().replace("Ada\t_", "Ada", 1), "line 2: 12 columns, not 13;"),
        ("#begin document\nx\n", "line 2: 1 columns, not 13;"),
        ("#begin document\n#end document\n", "7_a.conll: no mention;"),
    ],
)
def test_a_conll_file_that_is_not_as_published_is_refused(
    rows: str, message: str, tmp_path: Path
) -> None:
    path = book(tmp_path, rows, "7_a.conll")

    with pytest.raises(DatasetError, match=message) as refusal:
        coreference(path)
    assert refusal.value.path == path


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (quotations()[:-15], r"no ATTRIB for Q3;|columns, not 3;"),
        (rows_of(("QUOTE", *QUOTES[0][:6])), "line 1: no ATTRIB for Q1;"),
        (rows_of(("ATTRIB", "Q1", "x-1")), "line 1: no QUOTE for Q1;"),
        (quotations().replace("QUOTE", "QUOTES", 1), "line 1: the label 'QUOTES' is unknown; use"),
        (quotations().replace("\t1\t5\t", "\t1\t55\t", 1), "line 1: the .txt has no tokens"),
        (quotations().replace("Come", "Go", 1), "line 1: the row says '“ Go , boy ! ”', the .txt"),
        (tsv(), "the label 'MENTION' is unknown; use one of QUOTE, ATTRIB; quotations stand in"),
    ],
)
def test_a_quotation_file_that_is_not_as_published_is_refused(
    rows: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DatasetError, match=message) as refusal:
        quoted(book(tmp_path, rows))
    assert refusal.value.fix


def test_wrong_encodings_missing_texts_and_wrong_paths_are_refused(tmp_path: Path) -> None:
    path = book(tmp_path, tsv())
    path.with_suffix(".txt").write_bytes("é".encode("latin-1"))
    with pytest.raises(DatasetError, match=r"brat\.txt, byte 0: not UTF-8; save the file as UTF-8"):
        coreference(path)
    path.with_suffix(".txt").write_text(" \n")
    with pytest.raises(DatasetError, match=r"brat\.txt: no text;"):
        coreference(path)
    path.with_suffix(".txt").unlink()
    with pytest.raises(DatasetError, match=r"brat\.txt: no such file; check `path`"):
        coreference(path)
    path.write_bytes("é".encode("latin-1"))
    with pytest.raises(DatasetError, match=r"brat\.ann, byte 0: not UTF-8"):
        coreference(path)
    with pytest.raises(DatasetError, match=r"neither \.ann nor \.conll; point `path` at one"):
        coreference(path.with_suffix(".md"))
    path.unlink()
    with pytest.raises(DatasetError, match=r"no \.ann or \.conll file in this folder; point"):
        coreference(tmp_path)
