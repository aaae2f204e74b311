"""The name engine: one bijective, seeded map from a cast to other names, applied in one pass.

`plan_names` decides, `replace` acts. A name strategy works on *name words*: titles ("Lord", "Mrs.")
and particles ("of", "de") stay, every other word of a name gets a word of its own, so that a
family keeps one surname and "Miss Bennet" stays the sister of "Jane Bennet". Masking works on
whole people instead. Nothing is random but the seed: the same item gives the same map anywhere.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from prompts.errors import SetAside
from prompts.item import Character, Names
from prompts.names.align import Alignment, Edit, apply
from prompts.names.find import find_names
from prompts.names.lists import name_list

TITLES = frozenset(
    """mr mrs ms miss mister master madam madame mademoiselle monsieur sir dame lady lord king queen
    prince princess duke duchess earl count countess baron baroness marquis viscount emperor empress
    captain colonel major general lieutenant sergeant admiral constable dr doctor professor judge
    justice friar father mother brother sister uncle aunt cousin saint st don donna doña signor
    signora señor cardinal archbishop bishop pope reverend rev mistress goodman young old little
    dauphin
    bastard first second third fourth""".split()
)
PARTICLES = frozenset(
    "of the de la le du des del della di da von van der den el al and & y".split()
)
_ROMAN = re.compile(r"[IVX]+")
# A combining accent belongs to its letter; an underscore is Gutenberg's italics, not a letter.
_WORD = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f])*")
_NAME_LETTERS = 100
_STARTERS = frozenset('.!?:;\n"“‘([—-')


@dataclass(frozen=True, slots=True, kw_only=True)
class NameMap:
    """A cast's names and what they become.

    Attributes:
        people: Character name -> the name it is shown under; one to one.
        forms: Every surface form (phrase or word) -> its replacement, in the cast's own spelling.
    """

    people: Mapping[str, str]
    forms: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """A text under other names.

    Attributes:
        text: The new text.
        edits: Every replacement made, in order.
        ambiguous: Forms left alone because they may be ordinary words there, one entry an
            occurrence.
    """

    text: str
    edits: tuple[Edit, ...]
    ambiguous: tuple[str, ...]

    @property
    def alignment(self) -> Alignment:
        """Maps offsets of the original text to this one."""
        return Alignment(self.edits)


def words(text: str) -> tuple[str, ...]:
    """The words of a text (letters with their accents, and digits), as they stand."""
    return _words_of_name(text) if len(text) < _NAME_LETTERS else _words_of_passage(text)


@lru_cache(maxsize=1 << 14)  # names and titles come again with every item of a work
def _words_of_name(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text))


@lru_cache(maxsize=4)  # a passage is gone through several times under each strategy
def _words_of_passage(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text))


@lru_cache(maxsize=4)
def lower_words(text: str) -> frozenset[str]:
    """Words that a text has in lower case, folded."""
    return frozenset(fold(word) for word in set(words(text)) if word.islower())


@lru_cache(maxsize=1 << 16)  # a language has few words, and texts repeat them
def fold(word: str) -> str:
    """A word without its case and its way of writing accents, for comparison."""
    return unicodedata.normalize("NFC", word).casefold()


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


@dataclass(frozen=True, slots=True)
class _Owners:
    """Which phrases and words the cast has, and whose they are, in the cast's order."""

    phrases: dict[str, list[str]]
    words: dict[str, list[str]]
    given: frozenset[str]

    @classmethod
    def of(cls, cast: Iterable[Character]) -> _Owners:
        phrases: dict[str, list[str]] = {}
        single: dict[str, list[str]] = {}
        given: set[str] = set()
        for character in cast:
            for form in character.forms:
                parts = name_phrase(form)
                if not parts:
                    continue
                titled_surname = len(parts) == 1 and len(form.split()) > 1
                if not titled_surname:
                    given.add(parts[0])
                _own(phrases, " ".join(parts), character.name)
                for word in filter(is_name_word, parts):
                    _own(single, word, character.name)
        return cls(phrases, single, frozenset(given))


def _own(owners: dict[str, list[str]], form: str, name: str) -> None:
    names = owners.setdefault(form, [])
    if name not in names:
        names.append(name)


def plan_names(
    cast: Sequence[Character],
    taken_from: Iterable[str],
    strategy: Names,
    *,
    culture: str,
    seed: str,
    placeholder: str = "P",
) -> NameMap:
    """The map for one item's cast.

    Args:
        cast: The people; roles are left out.
        taken_from: Texts no replacement may occur in (the passage, the options).
        strategy: `original` gives the empty map.
        culture: Where replacement names come from.
        seed: Everything the draw may depend on, as text. A character keeps its replacement over
            the items that share a seed, unless it stands in an item's own text or someone who
            appears earlier there drew it first.
        placeholder: Letter of the masks. Placeholders are numbered in the cast's order.

    Raises:
        SetAside: The lists are too short for the cast, or two people cannot be told apart.
    """
    proper = [character for character in cast if character.proper and name_phrase(character.name)]
    if strategy == "original" or not proper:
        return NameMap(people={}, forms={})
    for name, times in Counter(character.name for character in proper).items():
        if times > 1:
            raise SetAside(name, f"two people of the cast are called {name!r}")
    owners = _Owners.of(proper)
    taken = {fold(word) for text in taken_from for word in words(text)}
    taken |= {fold(word) for form in owners.phrases for word in words(form)}
    if strategy == "masked":
        return _mask(proper, owners, taken, placeholder)
    return _rename(proper, owners, taken, culture, seed)


def _mask(
    proper: Sequence[Character], owners: _Owners, taken: set[str], placeholder: str
) -> NameMap:
    numbers = (f"{placeholder}{n}" for n in count())
    free = (name for name in numbers if fold(name) not in taken)
    people = {character.name: next(free) for character in proper}
    owned: dict[str, list[str]] = {}
    for form, names in (*owners.phrases.items(), *owners.words.items()):
        for name in names:
            _own(owned, form, name)
    # A word two people share hides them both behind one mask; with a title ("Mr. Bennet", beside
    # Jane Bennet) it may still be one person's.
    forms = {
        form: people[names[0]] if len(names) == 1 else next(free) for form, names in owned.items()
    }
    titled: dict[str, list[str]] = {}
    for character in proper:
        for form in character.forms:
            _own(titled, " ".join(form.split()), character.name)
    for form, names in titled.items():
        phrase = " ".join(name_phrase(form))
        if form not in forms and len(owned.get(phrase, ())) > 1 and len(names) == 1:
            forms[form] = form.replace(phrase, people[names[0]])
    return NameMap(people=people, forms=forms)


def _rename(
    proper: Sequence[Character], owners: _Owners, taken: set[str], culture: str, seed: str
) -> NameMap:
    lists = name_list(culture)
    gender = {character.name: character.gender for character in proper}
    new: dict[str, str] = {}  # by folded word: "Aeneas" and "AEneas" are one name
    for word, names in owners.words.items():
        if fold(word) in new:
            continue
        pool = lists.given(gender[names[0]]) if word in owners.given else lists.surname
        pick = next((name for name in _ranked(pool, seed, word) if fold(name) not in taken), None)
        if pick is None:
            raise SetAside(word, f"the {culture} list has no free name left for {word!r}")
        new[fold(word)] = pick
        taken.add(fold(pick))

    def renamed(form: str) -> str:
        return " ".join(
            new.get(fold(part), part) if is_name_word(part) else part for part in form.split()
        )

    people = {c.name: renamed(c.name) for c in proper}
    if len(set(people.values())) < len(people):
        raise SetAside(proper[0].name, "two people of the cast have the same name")
    return NameMap(people=people, forms={f: renamed(f) for f in (*owners.phrases, *owners.words)})


@lru_cache(maxsize=1 << 11)  # the names of one work come again with each of its items
def _ranked(pool: tuple[str, ...], seed: str, word: str) -> list[str]:
    def rank(name: str) -> bytes:
        return hashlib.sha256(f"{seed}\x1f{word}\x1f{name}".encode()).digest()

    return sorted(pool, key=rank)


def _spellings(forms: Mapping[str, str]) -> dict[str, str]:
    """Each form as it may stand in a text.

    As given, in capitals where that is unambiguous, and under every way of writing its accents
    and apostrophes.
    """
    spelled = dict(forms)
    capitals: dict[str, set[str]] = {}
    for form, new in forms.items():
        if len(form.upper()) == len(form):
            capitals.setdefault(form.upper(), set()).add(new.upper())
    for form, news in capitals.items():
        if form not in spelled and len(news) == 1:
            spelled[form] = next(iter(news))
    for form, new in tuple(spelled.items()):
        for variant in _typed(form):
            spelled.setdefault(variant, new)
    return spelled


def _typed(form: str) -> Iterator[str]:
    for written in (form, form.replace("'", "’"), form.replace("’", "'")):
        for accents in ("NFC", "NFD"):
            yield unicodedata.normalize(accents, written)


def replace(text: str, name_map: NameMap) -> Replaced:
    """The text under other names, longest form first, in one pass.

    Whole words only; a possessive keeps its ending. A one-word name that also stands in the text
    in lower case (Bottom, Page) is left alone where a sentence or line begins, since it may be the
    ordinary word there; those are returned, so that an audit can count them.
    """
    if not name_map.forms:
        return Replaced(text=text, edits=(), ambiguous=())
    spelled = _spellings(name_map.forms)
    # Most spellings stand nowhere in the text.
    standing = [form for form in spelled if all(part in text for part in form.split())]
    if not standing:
        return Replaced(text=text, edits=(), ambiguous=())
    lower = lower_words(text)
    edits: list[Edit] = []
    ambiguous: list[str] = []
    for start, end in find_names(text, standing):
        stands = text[start:end]
        found = " ".join(stands.split())
        if found.istitle() and fold(found) in lower and _starts_anew(text, start):
            ambiguous.append(found)
        else:
            edits.append(Edit(start, stands, _laid_out(spelled[found], stands)))
    done = tuple(edits)
    return Replaced(text=apply(text, done), edits=done, ambiguous=tuple(ambiguous))


def _starts_anew(text: str, at: int) -> bool:
    """Whether a line, sentence or quotation begins at an offset."""
    while at and text[at - 1] not in _STARTERS:
        if not text[at - 1].isspace() and text[at - 1] not in "'_":
            return False
        at -= 1
    return True


def _laid_out(new: str, old: str) -> str:
    """The new name with the old one's line end between the same words, where they match."""
    parts, gaps = new.split(), re.findall(r"\s+", old)
    if len(parts) != len(gaps) + 1:
        return new
    return "".join(part + gap for part, gap in zip(parts, [*gaps, ""], strict=True))
