"""Answers and mentions of the real files move with the text under every name strategy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from prompts import NAMES, Item, NamePolicy, Names, show
from prompts.datasets import Selection, character_identification, friendsqa, litbank
from prompts.names.replace import is_name_word, words
from tests.prompts.native_files_for_tests import Reader, shared


def read(reader: Reader, path: str, task: str, window: int | None) -> Iterator[Item]:
    yield from reader(shared(path), Selection(task=task, window_words=window))


def name_words(item: Item) -> set[str]:
    """Words of the names of everyone who is properly named in an item's cast."""
    forms = [form for person in item.cast if person.proper for form in person.forms]
    return {part for form in forms for part in form.split() if is_name_word(part)}


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("window", [None, 60])
@pytest.mark.parametrize("name", ["dev", "tst"])
def test_an_answer_reads_as_it_is_marked_under_any_names(
    name: str, window: int | None, names: Names
) -> None:
    """Gold is the words of the span; a speaker is called in gold as before the lines."""
    path = f"friendsqa/dat/friendsqa_{name}.json"
    for item in read(friendsqa.read, path, "question_answering", window):
        shown = show(item, names, NamePolicy()).item
        placed = {span.label: shown.text[span.start : span.end] for span in shown.spans}

        assert placed.keys() == {span.label for span in item.spans}
        assert placed == {label: shown.gold[label] for label in placed}
        assert shown.gold.keys() == item.gold.keys()
        labels = {line.partition(": ")[0] for line in shown.text.split("\n")}
        speakers = {one for label in labels for one in label.replace(" and ", ", ").split(", ")}
        assert {shown.gold[label] for label in shown.gold.keys() - placed.keys()} <= speakers


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("window", [None, 150])
@pytest.mark.parametrize(
    ("reader", "path"),
    [(character_identification.read, "character-identification"), (litbank.read, "litbank")],
)
def test_a_mention_keeps_its_words_but_for_the_names(
    reader: Reader, path: str, window: int | None, names: Names
) -> None:
    """Words that are no names stay inside their span, and no name of the cast does."""
    for item in read(reader, path, "coreference", window):
        shown = show(item, names, NamePolicy()).item
        named = name_words(item)

        assert [span.label for span in shown.spans] == [span.label for span in item.spans]
        assert shown.gold == item.gold
        for before, after in zip(item.spans, shown.spans, strict=True):
            old = words(item.text[before.start : before.end])
            new = words(shown.text[after.start : after.end])
            assert len(new) > 0
            if names == "original" or not named.intersection(old):
                assert new == old
            else:
                assert not named.intersection(new)
                kept = [word for word in old if word not in named]
                assert [word for word in new if word in kept] == kept or names == "masked"
