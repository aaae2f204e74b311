"""BookNLP's native files: what is taken from them, where each word stands, what is checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embedder.errors import UnknownWork
from embedder.features import Feature, Reading, read_booknlp
from embedder.features.base import Dropped, UnknownSpeaker
from embedder.features.booknlp_files import read_tokens
from store.errors import BadFile
from tests.embedder.features_for_tests import (
    ENTITIES_HEADER,
    SUPERSENSE_HEADER,
    Native,
    alias_map,
    cluster,
    tokens_table,
    word,
)

# Written by hand: each token of the sentence and one space after it.
FIRST = "Zoë ran , and Old Tam ran after her . "
SECOND = "“ Run , 𝒵oë ! ” cried Tam . "
THIRD = "She was tired — tired and naïve\u2028ish — but Mrs. Pell saw her . "
FOURTH = "“ Enough ! ” said Zoë . "


def read(folder: Path, native: Native | None = None, *, packed: bool = False) -> Reading:
    """The novel's features, by the alias map of work ONE."""
    path = (native or Native()).write(folder / "novel", packed=packed)
    return read_booknlp(path, work="ONE", aliases=alias_map(folder))


@pytest.mark.parametrize("packed", [False, True])
def test_events_come_with_their_sentence_and_the_exact_place_in_it(
    tmp_path: Path, *, packed: bool
) -> None:
    """By character in the order of the first cluster, all agents first; plain or packed alike."""
    events = read(tmp_path, packed=packed).features("event")

    assert [(each.character, each.role, each.text, each.context) for each in events] == [
        ("Zoë Marsh", "agent", "ran", FIRST),
        ("Zoë Marsh", "agent", "said", FOURTH),
        ("Zoë Marsh", "patient", "saw", THIRD),
        ("Zoë Marsh", "patient", "Run", SECOND),
        ("Thomas Hay", "agent", "ran", FIRST),
        ("Thomas Hay", "agent", "cried", SECOND),
        ("Eliza Pell", "agent", "saw", THIRD),
    ]
    assert [(each.target_start, each.target_end) for each in events] == [
        (4, 7),
        (13, 17),
        (52, 55),
        (2, 5),
        (22, 25),
        (16, 21),
        (52, 55),
    ]


def test_of_two_like_words_the_token_id_says_which(tmp_path: Path) -> None:
    """In "She was tired — tired and …" each of the two modifiers gets its own place."""
    modifiers = read(tmp_path).features("modifier")

    assert [(each.text, each.target_start, each.target_end) for each in modifiers] == [
        ("tired", 16, 21),
        ("tired", 8, 13),
        ("naïve\u2028ish", 26, 35),
    ]
    assert {(each.character, each.role, each.context) for each in modifiers} == {
        ("Zoë Marsh", None, THIRD)
    }


def test_quotes_go_to_their_speakers_cluster(tmp_path: Path) -> None:
    """A quote without a speaker, or of a cluster that maps to nobody, is dropped and counted."""
    reading = read(tmp_path)

    assert reading.features("quote") == (
        Feature(character="Zoë Marsh", text="“ Enough ! ”"),
        Feature(character="Thomas Hay", text="“ Run , 𝒵oë ! ”"),
    )
    assert [each for each in reading.report.dropped if each.kind == "quote"] == [
        Dropped(kind="quote", why="too few mentions", count=1),
        Dropped(kind="quote", why="no speaker was found", count=1),
        Dropped(kind="quote", why="the speaker's id is not in .book", count=1),
    ]
    assert reading.report.unknown_speakers == (UnknownSpeaker(id=77, quotes=1),)


def test_every_cluster_is_accounted_for(tmp_path: Path) -> None:
    """Each has a character or a reason, with its lead name, mentions and features."""
    report = read(tmp_path).report

    assert [
        (each.where, each.name, each.mentions, each.features, each.character, each.why)
        for each in report.clusters
    ] == [
        ("id 7", "Zoë", 9, 6, "Zoë Marsh", None),
        ("id 2", "Tam", 8, 3, "Thomas Hay", None),
        ("id 3", "poor Mrs. Pell--", 7, 1, "Eliza Pell", None),
        ("id 9", "a Zoë", 6, 2, "Zoë Marsh", None),
        ("id 4", "Nobody", 6, 1, None, "no alias"),
        ("id 5", "Tam", 5, 2, None, "too few mentions"),
        ("id 6", None, 30, 1, None, "no proper or common name"),
    ]
    assert [(each.kind, each.count) for each in report.kept] == [
        ("event", 7),
        ("modifier", 3),
        ("quote", 2),
    ]
    assert sum(each.features for each in report.clusters) == 12 + sum(
        each.count for each in report.dropped if "speaker" not in each.why
    )
    assert (report.repeated_targets, report.without_context, report.characters) == (4, 0, 3)


def test_only_the_kinds_asked_for_are_read(tmp_path: Path) -> None:
    """Without quotes no .quotes is needed, and nothing of them is counted."""
    folder = Native(quotes=None).write(tmp_path / "novel")

    reading = read_booknlp(folder, work="ONE", aliases=alias_map(tmp_path), kinds=["modifier"])

    assert [each.kind for each in reading.extracted] == ["modifier"]
    assert {each.kind for each in reading.report.dropped} == {"modifier"}
    assert reading.report.absent == (".entities", ".supersense", ".quotes")


def test_the_other_works_aliases_do_not_count(tmp_path: Path) -> None:
    """Work TWO calls Zoë another and knows nobody else."""
    folder = Native().write(tmp_path / "novel")

    reading = read_booknlp(folder / "novel.book", work="TWO", aliases=alias_map(tmp_path))

    assert {each.character for each in reading.features("event")} == {"Another Zoë"}


def test_a_work_that_the_map_lacks_names_the_known_ones(tmp_path: Path) -> None:
    folder = Native().write(tmp_path / "novel")

    with pytest.raises(UnknownWork, match=r"no work 'TOW'; did you mean 'TWO'.*are ONE, TWO"):
        read_booknlp(folder, work="TOW", aliases=alias_map(tmp_path))


def test_without_tokens_the_words_are_read_and_the_report_says_what_lacks(tmp_path: Path) -> None:
    """Contexts are None then, not guessed."""
    reading = read(tmp_path, Native(tokens=None))

    assert [each.text for each in reading.features("modifier")] == [
        "tired",
        "tired",
        "naïve\u2028ish",
    ]
    assert {each.context for each in reading.features("event")} == {None}
    assert reading.report.absent == (".tokens", ".entities", ".supersense")
    assert reading.report.without_context == 10


ENTITIES = (
    f"{ENTITIES_HEADER}\n7\t0\t0\tPROP\tPER\tZoë\n2\t4\t5\tPROP\tPER\tOld Tam\n"
    "7\t8\t8\tPRON\tPER\ther\n2\t5\t5\tPROP\tPER\tTom\n"
)
SUPERSENSE = f"{SUPERSENSE_HEADER}\n1\t1\tverb.motion\tran\n4\t5\tnoun.person\tOld Tom\n"


def checks(reading: Reading) -> dict[str, tuple[int, int]]:
    return {each.what: (each.checked, each.wrong) for each in reading.report.checks}


def test_with_tokens_each_text_is_held_against_its_tokens(tmp_path: Path) -> None:
    """One wrong text in .entities and one in .supersense are found, counted and shown."""
    reading = read(tmp_path, Native(entities=ENTITIES, supersense=SUPERSENSE))

    assert checks(reading) == {
        ".entities' texts": (4, 1),
        ".book's mention counts against .entities": (7, 7),
        ".supersense's texts": (2, 1),
        ".quotes' texts": (5, 0),
        ".quotes' mention phrases": (4, 0),
        ".book's words": (13, 0),
    }
    assert reading.report.checks[0].examples == ("novel.entities, line 5: 'Tom', tokens 'Tam'",)


def test_without_tokens_texts_are_held_against_each_other(tmp_path: Path) -> None:
    """A text is compared where another file has said its token's word, or by its length."""
    reading = read(tmp_path, Native(tokens=None, entities=ENTITIES, supersense=SUPERSENSE))

    assert checks(reading) == {
        # "Old Tam" has as many words as tokens; "Tom" is not its second word.
        ".entities' texts": (2, 1),
        ".book's mention counts against .entities": (7, 7),
        ".supersense's texts": (1, 1),
        ".quotes' texts": (5, 0),
        # Tam's has no other witness; Zoë's are the same token thrice.
        ".quotes' mention phrases": (2, 0),
        # ran, Run: known from .supersense and .quotes; the others from .book's own repetition.
        ".book's words": (6, 0),
    }


def test_a_text_with_more_words_than_tokens_is_wrong(tmp_path: Path) -> None:
    wrong = f"{ENTITIES_HEADER}\n7\t0\t0\tPROP\tPER\tZoë Marsh\n"

    reading = read(tmp_path, Native(tokens=None, entities=wrong))

    assert checks(reading)[".entities' texts"] == (1, 1)


def test_the_most_frequent_proper_name_leads_and_the_first_of_equals(tmp_path: Path) -> None:
    """Whatever the order in .book; a common name leads only where there is no proper one."""
    listed = [
        cluster(1, 9, proper={"Tam": 2, "Zoë": 5}, common={"Mrs. Pell": 9}),
        cluster(2, 9, proper={"Tam": 4, "Zoë": 4}),
        cluster(3, 9, common={"Mrs. Pell": 3, "Tam": 2}),
    ]

    report = read(tmp_path, Native(book=json.dumps({"characters": listed}))).report

    assert [each.name for each in report.clusters] == ["Zoë", "Tam", "Mrs. Pell"]


WORDS = st.text(st.characters(exclude_characters=" \t\n\r", codec="utf-8"), min_size=1, max_size=6)
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=8), min_size=1, max_size=6)


@settings(deadline=None)
@given(SENTENCES)
def test_the_context_at_the_offsets_is_the_word(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[list[str]]
) -> None:
    """For every token of any text: it stands at its offsets, at its own index among the tokens."""
    path = tmp_path_factory.mktemp("tokens") / "any.tokens"
    path.write_text(tokens_table([" ".join(each) for each in sentences]), "utf-8", newline="")

    tokens = read_tokens(path)

    every = [(number, index) for number, each in enumerate(sentences) for index in range(len(each))]
    assert len(tokens.words) == len(every)
    for token, (number, index) in enumerate(every):
        context = tokens.contexts[tokens.sentence[token]]
        start = tokens.start[token]
        assert context == "".join(f"{each} " for each in sentences[number])
        assert context[start : start + len(tokens.words[token])] == sentences[number][index]
        assert context[:start].count(" ") == index


def test_a_folder_of_two_books_is_refused_and_one_may_be_named(tmp_path: Path) -> None:
    folder = Native().write(tmp_path / "novel")
    (folder / "other.book").write_text(json.dumps({"characters": []}), "utf-8")

    with pytest.raises(BadFile, match=r"2 \.book files \(novel, other, …\); name one"):
        read_booknlp(folder, work="ONE", aliases=alias_map(tmp_path))
    named = read_booknlp(folder / "novel.book", work="ONE", aliases=alias_map(tmp_path))

    assert len(named.features("event")) == 7


def test_a_word_of_book_that_tokens_do_not_have_there_is_an_error(tmp_path: Path) -> None:
    """The two are then of different runs, and no sentence could be trusted."""
    listed = [cluster(1, 9, agent=[word("ran", 1), word("ran", 7)], proper={"Tam": 9})]

    with pytest.raises(
        BadFile,
        match=r"novel\.book, characters\[0\]\.agent\[1\]: 'ran' at token 7, which is 'after' in "
        r"novel\.tokens; put the \.tokens and the \.book of one run",
    ):
        read(tmp_path, Native(book=json.dumps({"characters": listed})))
