"""Whether a capitalised word is a name or an ordinary word, and which lower-case words are names.

What decides is position and case: the ordinary word in lower case elsewhere in the text, the
beginning of a sentence, the words before and after, a line in capitals, a speaker's label.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from prompts.names.find import Place, spread
from prompts.names.words import WORD, fold, is_title

_STARTERS: Final = frozenset('.!?:;\n\r"“‘([—-')
# A speaker's label in lower case: from the line's beginning to a colon, a few words long.
_LABEL: Final = re.compile(
    r"(?:^|(?<=[\n\r]))[^\S\n\r]*([^\W\d_A-Z](?:[^\n\r:;!?\"“”A-Z]|\([^)\n\r]*\)){0,58})(?=:)"
)
_BRACKETS: Final = re.compile(r"\([^)]*\)?")
_LABEL_WORDS: Final = 3
_CUE: Final = re.compile(r"[^\S\n\r]*(?:\([^)\n\r]*\)[^\S\n\r]*)?(?::|[\n\r]|\Z)")
_PASSAGE_WORDS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _WordNames:
    words: frozenset[str]
    begins: Mapping[str, frozenset[str]]
    after: Mapping[str, frozenset[str]]


@cache
def _word_names() -> _WordNames:
    raw = tomllib.loads((files("prompts.names") / "word_names.toml").read_text(encoding="utf-8"))

    def table(name: str) -> dict[str, frozenset[str]]:
        return {word: frozenset(others.split()) for word, others in raw[name].items()}

    listed = frozenset(raw["words"].split())
    return _WordNames(words=listed, begins=table("begins"), after=table("after"))


@lru_cache(maxsize=16)
def labels(text: str) -> tuple[tuple[int, int], ...]:
    """Where lines begin with a speaker's label in lower case, as in `mr. geller : Hello`."""
    if ":" not in text:
        return ()
    return tuple(
        match.span(1)
        for match in _LABEL.finditer(text)
        if len(_BRACKETS.sub(" ", match[1]).split()) <= _LABEL_WORDS
    )


@lru_cache(maxsize=16)
def lower_words(text: str) -> frozenset[str]:
    """Words that a text has in lower case outside its speakers' labels, folded."""
    spans = labels(text)
    if not spans:
        return frozenset(fold(word) for word in set(WORD.findall(text)) if word.islower())
    words = spread(text)
    inside = {
        index
        for index, at in enumerate(words.starts)
        if any(start <= at < end for start, end in spans)
    }
    return frozenset(
        key
        for key, places in words.places.items()
        if any(words.word(index).islower() for index in places if index not in inside)
    )


def lower_name(text: str, place: Place) -> bool:
    """Whether a name in lower case is meant as a name.

    It is in a speaker's label, alone as an option may stand, and in a passage without capitals;
    there not if it is a listed word, as "will" is.
    """
    word = fold(place.form)
    if text.islower():
        if _alone(text, place):
            return True
        passage = len(spread(text).starts) >= _PASSAGE_WORDS
        return passage and word not in _word_names().words
    return any(start <= place.start < end for start, end in labels(text))


def _alone(text: str, place: Place) -> bool:
    before, after = text[: place.start].split(), text[place.end :].strip(" .:'’s")
    return not after and all(map(is_title, before))


def ordinary(text: str, place: Place) -> bool:
    """Whether a one-word form may be an ordinary word where it stands with a capital."""
    stands = text[place.start : place.end]
    key = fold(stands)
    names = _word_names()
    if stands.isupper() and len(stands) > 1:
        known = key in names.words or key in lower_words(text)
        return known and _in_capitals(text, place)
    if not stands.istitle():
        return False
    if key in names.after and _before(text, place.start) in names.after[key]:
        return True
    risky = key in names.begins and _after(text, place.end) in names.begins[key]
    if not risky and key not in lower_words(text):
        return False
    return starts_anew(text, place.start) and not _is_cue(text, place)


def starts_anew(text: str, at: int) -> bool:
    """Whether a line, sentence or quotation begins at an offset."""
    while at and text[at - 1] not in _STARTERS:
        if not text[at - 1].isspace() and text[at - 1] not in "'_":
            return False
        at -= 1
    return True


def _is_cue(text: str, place: Place) -> bool:
    """Whether the form stands where a speaker does: first on its line, and before a colon."""
    before = text[: place.start].rstrip(" \t*_")
    if before and before[-1] not in "\n\r":
        return False
    match = _CUE.match(text, place.end)
    return match is not None and match[0].endswith(":")


def _in_capitals(text: str, place: Place) -> bool:
    """Whether the neighbours on the line are in capitals too, so that these say nothing."""
    if _is_cue(text, place):
        return False
    line_start = max(text.rfind("\n", 0, place.start), text.rfind("\r", 0, place.start)) + 1
    ends = [at for end in "\n\r" if (at := text.find(end, place.end)) >= 0]
    around = text[line_start : place.start] + " " + text[place.end : min(ends, default=len(text))]
    beside = [word for word in around.split() if len(word) > 1 and any(map(str.isalpha, word))]
    return any(word.isupper() and not is_title(word) for word in beside)


def _before(text: str, at: int) -> str:
    words = text[max(0, at - 20) : at].split()
    return fold(words[-1]) if words and text[at - 1].isspace() else ""


def _after(text: str, at: int) -> str:
    words = text[at : at + 20].split()
    return fold(words[0].rstrip(".,;:!?")) if words and text[at : at + 1].isspace() else ""


def is_listed_word(word: str) -> bool:
    """Whether a folded word is listed as one that is a name and an ordinary word ("will")."""
    return word in _word_names().words
