"""Personality: which of the traits offered does a character show?

Source: memorization paper, sections 4.2, 6.1 and 6.2, appendices F to H; the data are PERSONET
(Yu et al., 2023). The measure is accuracy, the paper's exact match of one choice (Table 1).

Traits are offered with letters. A letter stands for its trait, so where two options are the same
trait either letter is right.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from prompts.item import PromptName
from prompts.tasks.base import Answer, GoldIs, Marked, TaskBase, Unparsed, counted
from prompts.tasks.json_replies import object_schema
from prompts.tasks.plain_replies import EMPTY, text_in, undecorated

_ASK = (
    "Here is a passage from a book, and below it the name of one of its characters. Say which of "
    "the traits offered the character shows in it."
)
_WORDING: Final[dict[PromptName, str]] = {
    "baseline": _ASK,
    "verbatim": (
        f"{_ASK} Work from direct recall alone: find this very passage, and what has been written "
        "about the character, in your memory, and give the trait that is named there. Do not infer "
        "anything from what the character does, says or meets with here, and do not explain."
    ),
    "gist": (
        f"{_ASK} Work it out from the passage alone: look at what the character does and says, in "
        "what tone, how they behave and how they deal with others, and match that to a trait. Do "
        "not use descriptions of the character that you remember."
    ),
}
_LED: Final = re.compile(
    r"\b(?:answer|choice|trait|option)\b[^\n:.()]{0,60}?(?:[*_\"”]*\s*:|\b(?:is|would\s+be)\b\s*:?)"
    r"\s*(?P<said>[^\n]*)",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(
    r"[\W_]*?(?:(?:option|choice|letter|answer)\s+)?"
    r"(?:[(\[][*_ ]*(?P<boxed>[A-Z])[*_ ]*[)\]]"
    r"|(?P<bare>[A-Z])[*_`\"]*(?:[).:]|\s+(?:[–—-]|(?:because|since)\b)|\W*\Z))",
    re.IGNORECASE,
)
_IN_BRACKETS: Final = re.compile(r"[(\[]([A-Za-z])[)\]]")
# After a trait at the start only an end or an aside may follow.
_REST: Final = re.compile(
    r"[\"'”’*_`\])}]*\s*(?:\Z|[.,;:!(\[–—-]|(?:because|since|as|for)\b)", re.IGNORECASE
)
_NO: Final = re.compile(
    r"(?:\b(?:not|nor|neither|never|no|cannot|without|than|instead)\b|n['’]t\b)"
    r"(?:(?!\b(?:but|yet|however)\b)[^.,;:!?\n])*\Z",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]")
_SEVERAL: Final = "names several of the traits"
_BEFORE: Final = 80  # how far back a "not" is looked for
_MOST_READ: Final = 20_000


def _key(trait: str) -> str:
    plain = unicodedata.normalize("NFKC", trait).casefold()
    return " ".join(re.sub(r"[\W_]+", " ", plain).split())


class Personality(TaskBase):
    """The trait a character shows, among those offered."""

    name = "personality"
    source = "memorization paper, sections 6.1-6.2 and appendices F-H"
    version = 1
    needs_options = True
    gold_is: GoldIs = "kept"
    placeholder = "P"

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _WORDING[prompt]

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """The traits with their letters, and a letter alone as the answer.

        Raises:
            ValueError: There are more options than letters.
        """
        del gold
        if len(options) > len(string.ascii_lowercase):
            raise ValueError(f"{len(options)} traits are offered; letters reach to 26")
        listed = "\n".join(f"({letter}) {trait}" for letter, trait in _lettered(options))
        return (
            f"The traits to choose from:\n{listed}\n"
            "Answer with the letter of one trait, in brackets, and nothing else."
        )

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """An object with one of the traits, in words."""
        del gold
        return object_schema({"trait": {"type": "string", "enum": list(dict.fromkeys(options))}})

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> float | None:
        """As many as are the right trait, out of those offered."""
        wanted = {_key(trait) for trait in gold.values()}
        right = sum(_key(option) in wanted for option in options)
        return right / len(options) if options else None

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The one trait a reply chooses, by its letter, its words or both where they agree.

        A line that says it is the answer decides, the last if there are several; then the first
        line; then the whole reply where it names one trait alone and does not deny it.
        """
        del gold
        said = text_in(reply, "trait")
        return said if isinstance(said, Unparsed) else _chosen(said, options)

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """Right where the trait is the gold one, or equal to it."""
        said = _key(answer.value.get("trait", "")) if isinstance(answer, Answer) else ""
        wanted = {_key(trait) for trait in (*gold.values(), *accepted)}
        return counted(int(bool(said) and said in wanted), 1)


def _chosen(words: str, options: Sequence[str]) -> Answer | Unparsed:
    words = unicodedata.normalize("NFKC", words[:_MOST_READ])
    whole = [option for option in options if _key(option) and _key(option) == _key(words)]
    if whole:
        return Answer({"trait": whole[0]})
    if not undecorated(words):
        return Unparsed(EMPTY)
    lines = _without_question([line for line in words.splitlines() if line.strip()], options)
    text = "\n".join(lines)
    led = [line["said"] for line in _LED.finditer(text)]
    if not led and len({key for line in lines if (key := _line_key(line, options))}) > 1:
        return Unparsed(_SEVERAL)
    for piece in (*reversed(led), *lines[:1]):
        trait = _at_start(piece, options)
        if trait is not None:
            return trait if isinstance(trait, Unparsed) else Answer({"trait": trait})
    named = dict.fromkeys(_named(text, options))
    if len(named) == 1:
        return Answer({"trait": next(iter(named))})
    return Unparsed(_SEVERAL if named else "names none of the traits")


def _without_question(lines: list[str], options: Sequence[str]) -> list[str]:
    """A reply's lines less the question or announcement at its start and the list of options."""
    listed = [f"{letter} {_key(trait)}" for letter, trait in _lettered(options)]
    keys = [_key(line) for line in lines]
    for at in range(len(lines) - len(listed) + 1 if listed else 0):
        if keys[at : at + len(listed)] == listed:
            lines = lines[:at] + lines[at + len(listed) :]
            break
    announces = len(lines) > 1 and lines[0].rstrip(" *_").endswith(("?", ":"))
    return lines[1:] if announces and not _LED.search(lines[0]) else lines


def _lettered(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield from zip(string.ascii_lowercase, options, strict=False)


def _line_key(line: str, options: Sequence[str]) -> str | None:
    """The trait that a line consists of, by letter, words or both."""
    said = _key(line)
    for letter, trait in _lettered(options):
        if said and said in {_key(trait), letter, f"{letter} {_key(trait)}"}:
            return _key(trait)
    return None


def _at_start(piece: str, options: Sequence[str]) -> str | Unparsed | None:
    """The trait a line begins with; None where it begins with something else."""
    letter = _LETTER.match(piece)
    lettered = _option_of(letter["boxed"] or letter["bare"], options) if letter else None
    if letter is None or lettered is None:
        return _words_at_start(piece, options)
    rest = piece[letter.end() :]
    worded = _words_at_start(rest, options)
    if isinstance(worded, Unparsed) or (worded is not None and _key(worded) != _key(lettered)):
        return Unparsed("the letter and the words are two traits")
    further = {
        _key(option)
        for found in _IN_BRACKETS.finditer(rest)
        if (option := _option_of(found[1], options)) and not _denied(rest, found.start())
    }
    return Unparsed(_SEVERAL) if further - {_key(lettered)} else lettered


def _option_of(letter: str, options: Sequence[str]) -> str | None:
    place = string.ascii_lowercase.find(letter.lower())
    return options[place] if 0 <= place < len(options) else None


def _words_at_start(piece: str, options: Sequence[str]) -> str | Unparsed | None:
    start = _skip(piece, 0)
    for option, pattern in _patterns(tuple(options)):
        found = pattern.match(piece, start)
        if found is None:
            continue
        rest = _REST.match(piece, found.end())
        if rest is None:
            return None
        after = _skip(piece, rest.end())
        others = (words for other, words in _patterns(tuple(options)) if other != option)
        listed = (other.match(piece, after) for other in others)
        if any(other and _REST.match(piece, other.end()) for other in listed):
            return Unparsed(_SEVERAL)
        return option
    return None


def _skip(text: str, at: int) -> int:
    """Where the next word begins."""
    found = _WORD.search(text, at)
    return found.start() if found else len(text)


@lru_cache(maxsize=1 << 12)  # an item's options come again with every model and prompt
def _patterns(options: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each option with what finds its words; the longest first, for one may hold another."""
    unique = {_key(option): option for option in reversed(options) if _key(option)}
    longest_first = sorted(unique, key=lambda key: (-len(key), key))
    return tuple((unique[key], _pattern(key)) for key in longest_first)


def _pattern(key: str) -> re.Pattern[str]:
    words = r"[\W_]+".join(map(re.escape, key.split()))
    # Not within a compound: "cold-hearted" does not say "cold".
    return re.compile(rf"(?<![^\W_])(?<!\w-){words}(?!-?[^\W_])", re.IGNORECASE)


def _named(text: str, options: Sequence[str]) -> Iterator[str]:
    """Traits that a text names by bracketed letter or in words, and does not deny."""
    for found in _IN_BRACKETS.finditer(text):
        option = _option_of(found[1], options)
        if option is not None and not _denied(text, found.start()):
            yield next(same for same in options if _key(same) == _key(option))
    for option, pattern in _patterns(tuple(options)):
        spans = [found.span() for found in pattern.finditer(text)]
        if any(not _denied(text, start) for start, _ in spans):
            yield option
        # Blanked, so that an option within this one is not found in its place.
        text = pattern.sub(lambda found: "|" * len(found[0]), text)


def _denied(text: str, at: int) -> bool:
    return _NO.search(text, max(0, at - _BEFORE), at) is not None


PERSONALITY = Personality()
