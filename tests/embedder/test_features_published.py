"""Feature files in the published dialect: read, written, and what is wrong in a bad one."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embedder.errors import NoContext
from embedder.features import Extracted, Feature, Kind, Reading, read_published, write_published
from embedder.features.published import first_place
from store.errors import BadFile

EVENTS = "Character\tRole\tEvent\tContext\r\n"


def read(folder: Path, text: str, kind: Kind = "event") -> Reading:
    path = folder / "features.tsv"
    path.write_bytes(text.encode("utf-8"))
    return read_published(path, pipeline="booknlp", kind=kind, work="ONE")


def test_a_word_is_found_as_a_whole_token_and_the_first_is_taken(tmp_path: Path) -> None:
    """Not inside "outran" or "ran,"; that "ran" stands there twice is counted."""
    reading = read(tmp_path, EVENTS + "Zoë\tagent\tran\tWho outran 𝒵oë ran, ran and ran . \r\n")

    assert reading.features("event") == (
        Feature(
            character="Zoë",
            text="ran",
            role="agent",
            context="Who outran 𝒵oë ran, ran and ran . ",
            target_start=20,
            target_end=23,
        ),
    )
    assert reading.report.repeated_targets == 1


def test_line_feeds_alone_and_quoted_cells_are_read(tmp_path: Path) -> None:
    """A cell may hold tabs, quotes and line ends; a line's number is where its row begins."""
    text = 'Character\tQuote\nZoë\t"a\tb\n""c"""\nTam\t\n'

    reading = read(tmp_path, text, "quote")

    assert [each.text for each in reading.features("quote")] == ['a\tb\n"c"', ""]
    assert reading.report.empty_texts == 1


BAD: list[tuple[Kind, str, str]] = [
    ("event", "", r"line 1: an empty file; a file of events has the tab-separated columns Charac"),
    ("event", "Character\tEvent\r\n", r"line 1: header 'Character Event'; a file of events has"),
    ("modifier", EVENTS, r"line 1: header .*; a file of modifiers has the tab-separated columns"),
    ("event", EVENTS + "Zoë\tagent\tran\r\n", r"line 2: 3 cells where the header has 4; write"),
    ("event", EVENTS + "Zoë\tagent\tran\tran \tx\r\n", r"line 2: 5 cells where the header has 4"),
    ("event", EVENTS + "\r\n", r"line 2: 0 cells where the header has 4"),
    ("event", EVENTS + "\tagent\tran\tran \r\n", r"line 2: Character is empty; fill it in, or del"),
    ("event", EVENTS + "Zoë\tagent\t\tran \r\n", r"line 2: Event is empty"),
    ("event", EVENTS + "Zoë\tagent\tran\t \r\n", r"line 2: Context is empty"),
    (
        "event",
        EVENTS + "NaN\tagent\tran\tran \r\n",
        r"line 2: Character is 'NaN', which stands for",
    ),
    ("event", EVENTS + "Zoë\tagent\tran\tnan\r\n", r"line 2: Context is 'nan', which stands for a"),
    ("event", EVENTS + "Zoë\tAgent\tran\tran \r\n", r"line 2: Role is 'Agent'; write agent or pat"),
    ("event", EVENTS + "Zoë\tagent\tran\toutran \r\n", r"does not hold 'ran' as a whole word; wri"),
    ("quote", "Character\tQuote\r\nZoë\tnan\r\n", r"line 2: Quote is 'nan', which stands for a"),
    (
        "quote",
        'Character\tQuote\nZoë\t"a\nb"\nTam\t"never\nclosed\n',
        r"line 4: not a row \(unexpected end of data\); close the quoted cell that begins there",
    ),
    ("quote", 'Character\tQuote\nZoë\t"a"b\n', r"line 2: not a row \("),
    (
        "quote",
        "Character\tQuote\nZoë\t" + "a" * 200_000 + "\n",
        r"line 2: not a row \(field larger than field limit",
    ),
]


@pytest.mark.parametrize(("kind", "text", "message"), BAD)
def test_a_bad_file_names_its_line(tmp_path: Path, kind: Kind, text: str, message: str) -> None:
    """Wrong header, wrong number of cells, lost values, words that are not in their context."""
    with pytest.raises(BadFile, match=rf"features\.tsv, .*{message}"):
        read(tmp_path, text, kind)


def test_a_word_nan_is_a_word(tmp_path: Path) -> None:
    """Nan may be somebody's grandmother: as an event's word it is looked for like any other."""
    reading = read(tmp_path, EVENTS + "Zoë\tagent\tnan\tshe nan . \r\n")

    assert reading.features("event")[0].target_start == 4


def test_what_is_written_is_what_was_read(tmp_path: Path) -> None:
    """The published dialect: tab, CRLF, quotes only where they must be; packed alike each time."""
    text = EVENTS + 'Zoë\tpatient\tran\t"“ Zoë ran ""so"" ! "\r\nTam\tagent\tgo\tgo on . \r\n'
    extracted = read(tmp_path, text).extracted[0]

    write_published(tmp_path / "a.tsv", extracted)
    write_published(tmp_path / "a.tsv.gz", extracted)
    write_published(tmp_path / "b.tsv.gz", extracted)

    assert (tmp_path / "a.tsv").read_bytes().decode() == text
    assert gzip.decompress((tmp_path / "a.tsv.gz").read_bytes()).decode() == text
    assert (tmp_path / "b.tsv.gz").read_bytes() == (tmp_path / "a.tsv.gz").read_bytes()
    assert (tmp_path / "a.tsv.gz").read_bytes()[4:8] == bytes(4)  # gzip's time of writing
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.tsv",
        "a.tsv.gz",
        "b.tsv.gz",
        "features.tsv",
    ]


def extracted_of(kind: Kind, *features: Feature) -> Extracted:
    return Extracted(pipeline="booknlp", kind=kind, work="ONE", features=features)


def test_nothing_is_written_of_features_without_a_context(tmp_path: Path) -> None:
    """An older file of that name stays as it is."""
    path = tmp_path / "modifiers.tsv"
    path.write_text("older")
    feature = Feature(character="Zoë", text="tired")

    with pytest.raises(NoContext, match=r"'tired' of Zoë has no context; nothing was written; rea"):
        write_published(path, extracted_of("modifier", feature))
    assert path.read_text() == "older"


def test_a_file_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    quote = extracted_of("quote", Feature(character="Zoë", text="“ Go ! ”"))

    with pytest.raises(BadFile, match=r"away/a\.tsv: No such file or directory; check"):
        write_published(tmp_path / "away" / "a.tsv", quote)


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=6))
def test_any_text_survives_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    """Tabs, quotes, line ends of any sort and empty texts too; all but what is a lost value."""
    kept = tuple(Feature(character="Zoë", text=text) for text in texts if text.lower() != "nan")
    path = tmp_path_factory.mktemp("published") / "quotes.tsv"

    write_published(path, extracted_of("quote", *kept))
    reading = read_published(path, pipeline="booknlp", kind="quote", work="ONE")

    assert reading.features("quote") == kept


WORD = st.text(st.characters(exclude_characters=" ", codec="utf-8"), min_size=1)


@settings(deadline=None)
@given(st.lists(WORD, min_size=1, max_size=8), st.data())
def test_the_first_place_is_that_of_the_first_like_token(
    words: list[str], data: st.DataObject
) -> None:
    """For any sentence: found exactly where the tokens before it end, whatever they hold."""
    word = data.draw(st.sampled_from(words))
    context = "".join(f"{each} " for each in words)

    start = first_place(word, context)

    assert start is not None
    assert context[start : start + len(word)] == word
    assert start == sum(len(each) + 1 for each in words[: words.index(word)])


@settings(deadline=None)
@given(st.lists(WORD, max_size=8), WORD)
def test_a_word_that_is_no_token_has_no_place(words: list[str], word: str) -> None:
    others = [each for each in words if each != word]

    assert first_place(word, "".join(f"{each} " for each in others)) is None


@pytest.mark.parametrize(
    ("start", "end", "context"),
    [(0, 2, "ran on "), (None, None, "ran on "), (-7, -4, "ran on "), (0, 3, None)],
)
def test_a_feature_with_wrong_offsets_cannot_be(
    start: int | None, end: int | None, context: str | None
) -> None:
    with pytest.raises(ValueError, match="'ran'"):
        Feature(character="Zoë", text="ran", context=context, target_start=start, target_end=end)


def test_a_role_belongs_to_events_and_to_no_other_kind() -> None:
    with pytest.raises(ValueError, match="role agent in 'ran', a modifier"):
        extracted_of("modifier", Feature(character="Zoë", text="ran", role="agent"))
    with pytest.raises(ValueError, match="role None in 'ran', a event"):
        extracted_of("event", Feature(character="Zoë", text="ran"))
    with pytest.raises(ValueError, match="a context of 'ran', a quote"):
        extracted_of(
            "quote",
            Feature(character="Zoë", text="ran", context="ran ", target_start=0, target_end=3),
        )
