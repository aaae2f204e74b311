"""What a word of a name is: letters, titles, particles, and how words are compared.

A character of Chinese, Japanese or Korean script is a word of its own, since those scripts set
no spaces. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

TITLES: Final = frozenset(
    """mr mrs ms miss misses messrs mister master madam madame mademoiselle monsieur sir dame lady
    lord king queen prince princess duke duchess earl count countess baron baroness marquis viscount
    emperor empress captain colonel major general lieutenant sergeant admiral constable dr doctor
    professor judge justice friar father mother brother sister uncle aunt cousin saint st don donna
    doña signor signora señor cardinal archbishop bishop pope reverend rev mistress goodman young
    old little dauphin abbé jr sr jnr snr esq
    bastard first second third fourth""".split()
)
GIVEN_TITLES: Final = frozenset(
    """sir dame king queen prince princess friar brother sister uncle aunt cousin saint st don donna
    doña young old little""".split()
)
"""Titles that stand before a given name, as in "Queen Margaret"; others stand before a surname."""
PARTICLES: Final = frozenset(
    "of the de la le du des del della di da von van der den el al and & y".split()
)
# Scripts that set no spaces: kana, Han and Hangul.
_UNSPACED: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
# A combining accent belongs to its letter; an underscore is Gutenberg's italics, not a letter.
WORD: Final = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}](?:[^\W_{_UNSPACED}]|[\u0300-\u036f])*")
_ROMAN: Final = re.compile(r"[IVX]+")
_SHORT: Final = 100


def words(text: str) -> tuple[str, ...]:
    """The words of a text (letters with their accents, and digits), as they stand."""
    return _words_of_name(text) if len(text) < _SHORT else tuple(WORD.findall(text))


@lru_cache(maxsize=1 << 14)  # names and titles come again with every item of a work
def _words_of_name(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(text))


@lru_cache(maxsize=1 << 16)  # a language has few words, and texts repeat them
def fold(word: str) -> str:
    """A word without its case, its accents and its kind of apostrophe, for comparison."""
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFD", word.casefold()).replace("’", "'")
    bare = "".join(char for char in apart if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare)


@lru_cache(maxsize=1 << 14)
def is_title(word: str) -> bool:
    """Whether a word is a form of address or rank, which strategies keep."""
    return word == "M." or word.rstrip(".").casefold() in TITLES


@lru_cache(maxsize=1 << 14)
def is_name_word(word: str) -> bool:
    """Whether a part of a name is neither a title, nor a particle, nor a number."""
    bare = word.strip(".,'’").casefold()
    return (
        bool(bare)
        and bool(words(word))
        and not is_title(word)
        and bare not in PARTICLES
        and not _ROMAN.fullmatch(word.strip("."))
    )


@lru_cache(maxsize=1 << 14)
def name_phrase(form: str) -> tuple[str, ...]:
    """The words of a name without its titles, from the first name word to the last.

    Empty where nothing but titles and particles stands: such a form is a role.
    """
    parts = form.split()
    at = [index for index, word in enumerate(parts) if is_name_word(word)]
    return tuple(parts[at[0] : at[-1] + 1]) if at else ()


def plural(name: str) -> str:
    """The English plural of a surname: "the Bennets", "the Joneses", "the Kennedys"."""
    return name + ("es" if fold(name).endswith(("s", "x", "z", "ch", "sh")) else "s")
