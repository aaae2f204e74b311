"""LitBank: the three layouts agree, clusters hide whom they mean, quotations have speakers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from prompts import Item, UnknownName
from prompts.datasets import Selection
from prompts.datasets.litbank import read
from prompts.datasets.litbank_files import read_book
from tests.prompts.native_files_for_tests import check_windows, shared, windows_of

EMMA, PRIDE, ALICE = (
    "158_emma_brat",
    "1342_pride_and_prejudice_brat",
    "11_alices_adventures_in_wonderland_brat",
)
BOOKS = (ALICE, PRIDE, EMMA)
TITLES = ("Alice's Adventures in Wonderland", "Pride and Prejudice", "Emma")


def coreference(root: Path, **more: object) -> list[Item]:
    return list(read(root, Selection(task="coreference", **more)))  # type: ignore[arg-type]


def quoted(root: Path, **more: object) -> list[Item]:
    return list(read(root, Selection(task="character_guessing", **more)))  # type: ignore[arg-type]


def table(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]


def persons_by_hand(book: str) -> dict[tuple[int, int, int], tuple[str, str]]:
    """Sentence, first and last token of each person -> words and entity, from the rows alone."""
    rows = table(shared(f"litbank/coref/tsv/{book}.ann"))
    entity = {row[1]: row[2] for row in rows if row[0] == "COREF"}
    return {
        (int(row[2]), int(row[3]), int(row[5])): (row[6], entity.get(row[1], row[1]))
        for row in rows
        if row[0] == "MENTION" and row[7] == "PER"
    }


def conll_by_hand(book: str) -> dict[tuple[int, int, int], str]:
    """Sentence, first and last token of each mention -> cluster, read token by token."""
    found: dict[tuple[int, int, int], str] = {}
    begun: dict[str, list[int]] = defaultdict(list)
    sentence = 0
    text = shared(f"litbank/coref/conll/{book}.conll").read_text(encoding="utf-8")
    for line in text.splitlines():
        cells = line.split("\t")
        if not line:
            sentence += 1
        for mark in re.findall(r"\(?\d+\)?", cells[-1]) if len(cells) > 1 else []:
            cluster = mark.strip("()")
            if mark.startswith("("):
                begun[cluster].append(int(cells[2]))
            if mark.endswith(")"):
                found[sentence, begun[cluster].pop(), int(cells[2])] = cluster
    return found


def same_clusters(one: dict[int, str], other: dict[int, str]) -> bool:
    """Whether two ways to name clusters part the same things alike."""
    pairs = {(name, other[key]) for key, name in one.items()}
    return one.keys() == other.keys() and len(pairs) == len({a for a, _ in pairs}) == len(
        {b for _, b in pairs}
    )


@pytest.mark.parametrize(
    ("book", "mentions", "clusters"), [(ALICE, 191, 30), (PRIDE, 354, 40), (EMMA, 290, 51)]
)
def test_every_mention_of_a_person_is_read_in_its_cluster(
    book: str, mentions: int, clusters: int
) -> None:
    """Places, words and clusters agree with the rows, read without our reader."""
    by_hand = sorted(persons_by_hand(book).items(), key=lambda pair: (pair[0][:2], -pair[0][2]))
    (item,) = coreference(shared(f"litbank/coref/tsv/{book}.ann"))

    words = [item.text[span.start : span.end] for span in item.spans]
    assert words == [words for _, (words, _) in by_hand]
    lines = [item.text.count("\n", 0, span.start) for span in item.spans]
    assert lines == [sentence for (sentence, _, _), _ in by_hand]
    assert same_clusters(
        dict(enumerate(item.gold.values())),
        {at: entity for at, (_, (_, entity)) in enumerate(by_hand)},
    )
    assert len(item.gold) == len(by_hand) == mentions
    assert len(set(item.gold.values())) == clusters
    assert list(item.gold) == [span.label for span in item.spans]
    assert set(item.gold.values()) == {str(number) for number in range(clusters)}


@pytest.mark.parametrize("book", BOOKS)
def test_the_three_layouts_agree(book: str) -> None:
    """The same text, the same mentions, the same clusters."""
    tsv = read_book(shared(f"litbank/coref/tsv/{book}.ann"))
    brat = read_book(shared(f"litbank/coref/brat/{book}.ann"))
    conll = read_book(shared(f"litbank/coref/conll/{book}.conll"))

    assert tsv == brat
    assert tsv.sentences == conll.sentences
    assert [(one.start, one.end) for one in tsv.mentions] == [
        (one.start, one.end) for one in conll.mentions
    ]
    assert same_clusters(
        {at: one.entity for at, one in enumerate(tsv.mentions)},
        {at: one.entity for at, one in enumerate(conll.mentions)},
    )


@pytest.mark.parametrize(("book", "mentions"), [(ALICE, 226), (PRIDE, 370), (EMMA, 319)])
def test_the_conll_files_give_every_mention_since_they_do_not_tell_persons(
    book: str, mentions: int
) -> None:
    (item,) = coreference(shared(f"litbank/coref/conll/{book}.conll"))
    by_hand = sorted(conll_by_hand(book).items(), key=lambda pair: (pair[0][:2], -pair[0][2]))

    assert len(item.gold) == len(by_hand) == mentions
    assert same_clusters(
        dict(enumerate(item.gold.values())),
        {at: cluster for at, (_, cluster) in enumerate(by_hand)},
    )
    assert any("does not tell persons" in note for note in item.notes)


@pytest.mark.parametrize("folder", ["litbank", "litbank/coref", "litbank/coref/brat"])
def test_a_folder_gives_its_books_by_their_titles_and_names_nobody(folder: str) -> None:
    """No entity of the files, which are named after people, is shown or stands in gold."""
    items = coreference(shared(folder))

    assert [item.work for item in items] == list(TITLES)
    assert [item.item_id for item in items] == [book.removesuffix("_brat") for book in BOOKS]
    for item in items:
        assert not re.search(r"[A-Za-z]_+[A-Za-z]|[a-z]-\d", item.text)
        assert all(value.isdecimal() for value in item.gold.values())
    assert [item.work for item in coreference(shared(folder), works=("emma",))] == ["Emma"]
    with pytest.raises(UnknownName, match=r"unknown work 'Ema'; did you mean 'Emma'\?"):
        coreference(shared(folder), works=("Ema",))


@pytest.mark.parametrize("book", BOOKS)
def test_windows_lose_no_mention_and_number_their_own(book: str) -> None:
    path = shared(f"litbank/coref/tsv/{book}.ann")
    whole, windowed = coreference(path), coreference(path, window_words=400)

    check_windows(windowed, whole)
    (cut,) = windows_of(windowed).values()
    assert len(cut) > 3
    shown = [part.text[span.start : span.end] for part in cut for span in part.spans]
    assert shown == [whole[0].text[span.start : span.end] for span in whole[0].spans]
    for part in cut:
        assert [span.label for span in part.spans] == [str(n + 1) for n in range(len(part.spans))]
        assert next(iter(part.gold.values())) == "0"


def test_the_cast_is_the_works_file_and_the_names_of_the_book() -> None:
    """Each proper name of a person is a form of someone in the cast; no name is two people's."""
    for item, book in zip(coreference(shared("litbank")), BOOKS, strict=True):
        rows = table(shared(f"litbank/coref/tsv/{book}.ann"))
        names = {row[6] for row in rows if row[7:9] == ["PER", "PROP"]}
        forms = {form for person in item.cast for form in person.forms}
        assert len({person.name for person in item.cast}) == len(item.cast)
        described = {name for name in names if name not in forms}
        assert all(any(name.endswith(f" {form}") for form in forms) for name in described), book
    gender = {person.name: person.gender for person in item.cast}
    assert (gender["Emma Woodhouse"], gender["Mr. Woodhouse"]) == ("female", "male")


def test_quotations_are_labelled_where_they_begin_with_the_speaker_of_the_file() -> None:
    """19, 62 and 10 quotations, by rows of the files: each label stands before its words."""
    items = quoted(shared("litbank"))

    assert [item.work for item in items] == list(TITLES)
    for item, book, count in zip(items, BOOKS, (19, 62, 10), strict=True):
        rows = table(shared(f"litbank/quotations/tsv/{book}.ann"))
        quotes = {row[1]: row[2:] for row in rows if row[0] == "QUOTE"}
        speaker = {row[1]: row[2] for row in rows if row[0] == "ATTRIB"}
        ordered = sorted(quotes, key=lambda key: (int(quotes[key][0]), int(quotes[key][1])))
        marks = list(re.finditer(r"\[(P\d+)\] ", item.text))
        assert len(marks) == len(quotes) == count
        bare = re.sub(r"\[P\d+\] ", "", item.text)
        assert bare == shared(f"litbank/coref/brat/{book}.txt").read_text().removesuffix("\n")
        for key, mark in zip(ordered, marks, strict=True):
            words = " ".join(re.sub(r"\[P\d+\] ", "", item.text[mark.end() :]).split())
            assert words.startswith(quotes[key][4])
        assert same_clusters(
            dict(enumerate(mark[1] for mark in marks)),
            dict(enumerate(speaker[key] for key in ordered)),
        )
        assert sorted(item.options) == sorted(item.gold.values())
    assert [sorted(item.gold.values()) for item in items] == [
        ["Alice", "The White Rabbit"],
        ["Elizabeth Bennet", "Kitty Bennet", "Mr. Bennet", "Mrs. Bennet"],
        ["Emma Woodhouse", "Mr. Woodhouse"],
    ]


def test_windows_do_not_cut_quotations_and_are_flagged_for_what_they_hold() -> None:
    """A window asks for those who begin to speak in it; no quotation goes on in the next."""
    whole, windowed = quoted(shared("litbank")), quoted(shared("litbank"), window_words=300)

    check_windows(windowed, whole)
    assert Counter(label for item in whole for label in re.findall(r"\[P\d+\]", item.text)) == (
        Counter(label for item in windowed for label in re.findall(r"\[P\d+\]", item.text))
    )
    for item in windowed:
        assert set(item.gold) == set(re.findall(r"\[(P\d+)\]", item.text))
    for whole_item, book in zip(whole, BOOKS, strict=True):
        cut = windows_of(windowed)[whole_item.item_id]
        bare = [re.sub(r"\[P\d+\] ", "", " ".join(part.text.split())) for part in cut]
        for row in table(shared(f"litbank/quotations/tsv/{book}.ann")):
            assert row[0] != "QUOTE" or any(row[6] in text for text in bare)
    told = [item for item in windowed if "attributed_in_text" in item.flags]
    assert 0 < len(told) < len(windowed)
    assert all("gold_name_in_text" in item.flags for item in told)
