"""The readers against AustenAlike's published files, made from the same native output."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from embedder.features import (
    Feature,
    Kind,
    Pipeline,
    Reading,
    read_aliases,
    read_booknlp,
    read_fanfictionnlp,
    read_published,
    write_published,
)
from tests.embedder.features_for_tests import AUSTENALIKE, SHARED, published_rows, with_shared
from tests.embedder.tokens_for_tests import rebuilt_tokens

pytestmark = with_shared

WORKS = [("northanger", "NA"), ("persuasion", "P")]
NOVELS = ("emma", "mansfield", "northanger", "persuasion", "pride", "sense")
FILES: dict[str, tuple[Pipeline, Kind]] = {
    "booknlp_events": ("booknlp", "event"),
    "booknlp_modifiers": ("booknlp", "modifier"),
    "booknlp_quotes": ("booknlp", "quote"),
    "fanfic_assertions": ("fanfictionnlp", "assertion"),
    "fanfic_quotes": ("fanfictionnlp", "quote"),
}


def published(feature: str, novel: str) -> list[tuple[str, ...]]:
    return published_rows(AUSTENALIKE / "features" / feature / f"{novel}.tsv.gz")


def booknlp(novel: str, code: str, folder: Path | None = None) -> Reading:
    return read_booknlp(
        folder or AUSTENALIKE / "native" / "booknlp" / novel,
        work=code,
        aliases=read_aliases(AUSTENALIKE / "character_map.tsv"),
    )


def fanfiction(novel: str, code: str) -> Reading:
    return read_fanfictionnlp(
        AUSTENALIKE / "native" / "fanfic" / f"{novel}.zip",
        work=code,
        aliases=read_aliases(AUSTENALIKE / "character_map.tsv"),
    )


def event(feature: Feature) -> tuple[str, ...]:
    return feature.character, str(feature.role), feature.text


def plain(feature: Feature) -> tuple[str, ...]:
    return feature.character, feature.text


@pytest.mark.parametrize(("novel", "code"), WORKS)
def test_booknlp_features_are_the_published_ones_row_by_row(novel: str, code: str) -> None:
    """In order: character, role and event; character and modifier; character and quote."""
    reading = booknlp(novel, code)

    assert [event(each) for each in reading.features("event")] == [
        row[:3] for row in published("booknlp_events", novel)
    ]
    assert [plain(each) for each in reading.features("modifier")] == [
        row[:2] for row in published("booknlp_modifiers", novel)
    ]
    assert [plain(each) for each in reading.features("quote")] == published("booknlp_quotes", novel)


@pytest.mark.parametrize(("novel", "code"), WORKS)
def test_fanfictionnlp_features_are_the_published_ones(novel: str, code: str) -> None:
    """The same rows as often; the published files hold the documents in no order."""
    reading = fanfiction(novel, code)

    for kind, feature in (("quote", "fanfic_quotes"), ("assertion", "fanfic_assertions")):
        features = reading.features("quote" if kind == "quote" else "assertion")
        assert Counter(plain(each) for each in features) == Counter(published(feature, novel))


@pytest.mark.parametrize(("novel", "code"), WORKS)
def test_contexts_are_the_published_ones_byte_by_byte(
    tmp_path: Path, novel: str, code: str
) -> None:
    """With `.tokens` rebuilt from the other files, every row equals, context too.

    That it can be rebuilt at all, without a conflict or an overlap, shows that the published
    contexts are BookNLP's sentences and the ids of `.book` their tokens.
    """
    native = AUSTENALIKE / "native" / "booknlp" / novel
    folder = Path(shutil.copytree(native, tmp_path / novel))
    events, modifiers = published("booknlp_events", novel), published("booknlp_modifiers", novel)
    book = json.loads(gzip.decompress((native / f"{novel}.book.gz").read_bytes()))["characters"]
    known = list(word_ids(booknlp(novel, code), book, events, modifiers))
    (folder / f"{novel}.tokens").write_text(rebuilt_tokens(native, known), "utf-8", newline="")

    reading = booknlp(novel, code, folder)

    assert [(*event(each), each.context) for each in reading.features("event")] == events
    assert [(*plain(each), each.context) for each in reading.features("modifier")] == modifiers
    assert {each.what: each.wrong for each in reading.report.checks} == {
        ".entities' texts": 0,
        ".book's mention counts against .entities": 0,
        ".supersense's texts": 0,
        ".quotes' texts": 0,
        ".quotes' mention phrases": 0,
        ".book's words": 0,
    }
    assert reading.report.without_context == 0
    first = [
        each.context.split(" ").index(each.text) == each.context[: each.target_start].count(" ")
        for kind in ("event", "modifier")
        for each in reading.features("event" if kind == "event" else "modifier")
        if each.context is not None
    ]
    # How often a published file, read by first occurrence, means another token than the book.
    assert (len(first), first.count(False)) == {"NA": (3072, 71), "P": (5078, 175)}[code]


def word_ids(
    reading: Reading,
    book: list[dict[str, list[dict[str, object]]]],
    events: list[tuple[str, ...]],
    modifiers: list[tuple[str, ...]],
) -> list[tuple[int, str, str]]:
    """Token id, word and context of every published event and modifier.

    Which clusters are whose is taken from the reading; that the words then agree row by row is
    asserted, so a wrong cluster would be noticed.
    """
    places: dict[str, list[int]] = {}
    for place, each in enumerate(reading.report.clusters):
        if each.character is not None:
            places.setdefault(each.character, []).append(place)
    words = {
        key: [
            word
            for own in places.values()
            for name in key
            for place in own
            for word in book[place][name]
        ]
        for key in (("agent", "patient"), ("mod",))
    }
    rows = [row[-2:] for row in events + modifiers]
    listed = words["agent", "patient"] + words["mod",]
    assert [word["w"] for word in listed] == [row[0] for row in rows]
    return [(int(str(word["i"])), row[0], row[1]) for word, row in zip(listed, rows, strict=True)]


@pytest.mark.parametrize("feature", sorted(FILES))
@pytest.mark.parametrize("novel", NOVELS)
def test_published_files_are_read_whole_and_written_alike(
    tmp_path: Path, feature: str, novel: str
) -> None:
    """All thirty: the same bytes come out; every word is found in its context."""
    pipeline, kind = FILES[feature]
    path = AUSTENALIKE / "features" / feature / f"{novel}.tsv.gz"

    reading = read_published(path, pipeline=pipeline, kind=kind, work="X")
    write_published(tmp_path / "again.tsv", reading.extracted[0])

    assert (tmp_path / "again.tsv").read_bytes() == gzip.decompress(path.read_bytes())
    rows = published(feature, novel)
    assert len(reading.features(kind)) == len(rows)
    if kind in ("event", "modifier"):
        several = sum(row[-1].split(" ").count(row[-2]) > 1 for row in rows)
        assert reading.report.repeated_targets == several
        assert all(each.target_start is not None for each in reading.features(kind))


def test_the_published_quotes_hold_five_empty_ones() -> None:
    """Three of Persuasion and two of Sense and Sensibility, read and counted, not dropped."""
    empty = {
        novel: read_published(
            AUSTENALIKE / "features" / "fanfic_quotes" / f"{novel}.tsv.gz",
            pipeline="fanfictionnlp",
            kind="quote",
            work="X",
        ).report.empty_texts
        for novel in NOVELS
    }

    assert empty == {**dict.fromkeys(NOVELS, 0), "persuasion": 3, "sense": 2}


@pytest.mark.parametrize(("novel", "code"), WORKS)
def test_the_native_files_agree_with_each_other(novel: str, code: str) -> None:
    """Every text that another file speaks of too, and all mention counts, recounted here."""
    report = booknlp(novel, code).report

    assert [each.wrong for each in report.checks] == [0] * 6
    assert report.absent == (".tokens",)
    book = AUSTENALIKE / "native" / "booknlp" / novel / f"{novel}.book.gz"
    listed = json.loads(gzip.decompress(book.read_bytes()))["characters"]
    ids = {each["id"] for each in listed}
    quotes = gzip.decompress(book.with_name(f"{novel}.quotes.gz").read_bytes()).decode()
    rows = list(csv.reader(io.StringIO(quotes), delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    orphans = Counter(int(row[5]) for row in rows if int(row[5]) not in ids)
    assert {each.id: each.quotes for each in report.unknown_speakers} == orphans
    dropped = sum(each.count for each in report.dropped if each.kind == "quote")
    assert len(booknlp(novel, code).features("quote")) + dropped == len(rows)
    assert len(report.clusters) == len(listed)


def test_fanfictionnlps_flaws_are_told() -> None:
    """Positions that point elsewhere, texts read twice, and a document whose files are of two."""
    northanger, persuasion = (fanfiction(*work).report for work in WORKS)

    assert [(each.checked, each.wrong) for each in northanger.checks] == [
        (15181, 0),
        (1458, 0),
        (5811, 0),
    ]
    assert [(each.checked, each.wrong) for each in persuasion.checks] == [
        (11308, 0),
        (782, 0),
        (5406, 132),
    ]
    assert all("persuasion_1," in example for example in persuasion.checks[2].examples)
    assert northanger.coverage is not None
    assert persuasion.coverage is not None
    # Chapters 16 to 31 stand two by two in documents 8 to 15, and alone in 16 to 31.
    assert northanger.coverage.contained == tuple(
        f"northanger_{inner} in northanger_{inner // 2}" for inner in range(16, 32)
    )
    assert persuasion.coverage.contained == (
        "persuasion_2 in persuasion_1",
        "persuasion_3 in persuasion_1",
    )
    for coverage, documents in ((northanger.coverage, 32), (persuasion.coverage, 25)):
        assert len(coverage.documents) == documents
        assert (coverage.missing, coverage.gaps, coverage.ignored) == ((), (), ())
    assert persuasion.empty_texts == 3


def test_booknlps_own_example_is_read(tmp_path: Path) -> None:
    """Its files are cut short, so the mention counts disagree; nothing else does."""
    example = SHARED / "data" / "booknlp" / "examples" / "158_emma"
    if not example.is_dir():
        pytest.skip("shared/data/booknlp is not beside the project")
    aliases = tmp_path / "aliases.tsv"
    aliases.write_text("X\tEmma\tHeroine\nX\tMr. Weston\tFriend\n", encoding="utf-8")

    reading = read_booknlp(example, work="X", aliases=read_aliases(aliases))

    assert {each.character for each in reading.features("event")} == {"Heroine", "Friend"}
    assert {each.what: each.wrong for each in reading.report.checks if each.wrong} == {
        ".book's mention counts against .entities": 30
    }
