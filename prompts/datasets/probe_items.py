"""Items of the memory probes, cut from a passage that is taken as a model may have read it.

`passage_likelihood`, `lowercase_likelihood` and `extraction` take the passage itself: nothing is
asked, so there is no gold answer. `prefix_continuation` and `output_distribution` take its first 40
words, and gold is the 50 that follow; `guided_instruction` takes up to 60 words, and gold is as
many that follow. Labels are not counted as words, and a piece begins with the speaker's label where
a speech begins with it. Between two pieces stands white space alone, which belongs to neither.
`name_cloze` takes every window of 40 to 60 tokens with one name and no other
(`prompts.datasets.cloze`), so that a passage gives several items or none; gold is the name.

Items have no question. Where a passage is from is said by the title of its work, which a name
strategy never changes, while it would take the Hamlet of a question for the man.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from prompts.datasets.cloze import Cloze, cloze_windows
from prompts.datasets.play_speech import Passage
from prompts.item import Item

PREFIX_WORDS: Final = 40
SUFFIX_WORDS: Final = 50
EXTRACTION_WORDS: Final = 160
PASSAGE_WORDS: Final = 120
GUIDED_WORDS: Final = 60

Maker = Callable[[Item, Passage], Iterator[Item]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """How the items of one task are cut.

    Attributes:
        make: From the item without its text, and the passage.
        needs: Words that a passage must have (count).
        takes: Words of a passage that are used, where it is cut from a longer text (count).
    """

    make: Maker
    needs: int
    takes: int


def _whole(item: Item, passage: Passage) -> Iterator[Item]:
    yield replace(item, text=passage.text)


def _continued(item: Item, passage: Passage) -> Iterator[Item]:
    suffix = passage.piece(PREFIX_WORDS, PREFIX_WORDS + SUFFIX_WORDS)
    yield replace(item, text=passage.piece(0, PREFIX_WORDS), gold={"suffix": suffix})


def _guided(item: Item, passage: Passage) -> Iterator[Item]:
    half = min(GUIDED_WORDS, len(passage) // 2)
    yield replace(
        item,
        text=passage.piece(0, half),
        gold={"suffix": passage.piece(half, 2 * half)},
    )


def _clozes(item: Item, passage: Passage) -> Iterator[Item]:
    yield from clozed(item, cloze_windows(passage.text, item.cast))


def clozed(item: Item, found: Iterable[Cloze]) -> Iterator[Item]:
    """An item for each window of its passage, numbered from 0."""
    for number, cloze in enumerate(found):
        item_id = f"{item.item_id}:{number}"
        yield replace(item, item_id=item_id, text=cloze.text, gold={"name": cloze.name})


PROBES: Final[Mapping[str, Probe]] = {
    "passage_likelihood": Probe(make=_whole, needs=1, takes=PASSAGE_WORDS),
    "lowercase_likelihood": Probe(make=_whole, needs=1, takes=PASSAGE_WORDS),
    "extraction": Probe(make=_whole, needs=100, takes=EXTRACTION_WORDS),
    "prefix_continuation": Probe(
        make=_continued,
        needs=PREFIX_WORDS + SUFFIX_WORDS,
        takes=PREFIX_WORDS + SUFFIX_WORDS,
    ),
    "output_distribution": Probe(
        make=_continued,
        needs=PREFIX_WORDS + SUFFIX_WORDS,
        takes=PREFIX_WORDS + SUFFIX_WORDS,
    ),
    "name_cloze": Probe(make=_clozes, needs=30, takes=EXTRACTION_WORDS),
    "guided_instruction": Probe(make=_guided, needs=40, takes=2 * GUIDED_WORDS),
}
"""The tasks whose items are cut here."""


def cut_to(passage: Passage, count: int) -> Passage:
    """The first words of a passage; the whole where it has no more."""
    if count >= len(passage):
        return passage
    return replace(passage, text=passage.text[: passage.ends[count - 1]], ends=passage.ends[:count])
