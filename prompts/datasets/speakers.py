"""Who speaks in a transcript: labels, names and roles, where no list of the cast is at hand.

A label is a name unless it holds a number, a word for a role, a word without a capital, someone
else's name ("Anna's brother"), or only words that the text itself uses as ordinary ones: a script
that says "the bartender" has no one called Bartender.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from prompts.item import Character, Gender
from prompts.names.replace import PARTICLES, fold, is_name_word, name_phrase

_LABEL: Final = re.compile(
    r"\s*(?P<label>[^\W\d_][\w .,'’&/#-]{0,39}?)\s*(?:\([^()]{0,60}\)\s*)?"
    r":(?:\s+(?P<speech>.*)|\Z)",
    re.DOTALL,
)
_MOST_WORDS: Final = 5
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_GROUP: Final = re.compile(r"[&/,]|\b(?:and|all|both|several|some|everyone)\b", re.IGNORECASE)
_ROLES: Final = frozenset(
    """act actor agent announcer another assistant attendant attorney audience baby background
    bailiff bartender boy boys both caller chef child children clerk client coach commercial
    computer cop cops coroner credits crowd customer cut dad daddy dancer daughter delivery deputy
    detective director dispatcher driver emt employee episode everybody everyone fan female fireman
    friend gentleman girl girls grandma grandpa group guard guards guest guests guy guys host
    hostess husband intern interviewer kid kids lawyer machine male man manager medic men minister
    mom mommy mum music narrator neighbor neighbour next note nurse off officer opening operator
    other others paramedic passenger patient people person phone photographer pilot policeman
    policewoman preacher previously priest producer radio ranger receptionist recording reporter
    scene screen secretary security sheriff singer soldier son song staff stranger student suspect
    tape teacher teaser tech technician teen teenager television title together transcript tv
    unison unknown usher victim voice voices waiter waitress wife witness woman women worker
    written""".split()
)
_PERSONAL: Final = frozenset(
    """i me my mine myself you your yours yourself he him his himself she her hers herself it its
    itself we us our ours they them their theirs who whom whose this that these those one""".split()
)
_OWNED: Final = re.compile(r"\w['’]s\b(?=.*\w)|\ws['’]\s")
_TITLES: Final[dict[str, Gender]] = {
    **dict.fromkeys(
        """mrs ms miss mistress madam madame mademoiselle dame lady queen princess duchess countess
        sister mother aunt grandma""".split(),
        "female",
    ),
    **dict.fromkeys(
        "mr sir master lord king prince duke count brother father uncle grandpa friar".split(),
        "male",
    ),
}
_PRONOUNS: Final[dict[str, Gender]] = {
    **dict.fromkeys("she her hers herself".split(), "female"),
    **dict.fromkeys("he him his himself".split(), "male"),
}


def label_of(line: str) -> str | None:
    """Who speaks a line of the form "Label: speech", without directions; None if it has no label.

    A label is at most five words, each with a capital or a particle ("Robin of the Hill").
    """
    match = _LABEL.match(line)
    if not match:
        return None
    parts = match["label"].split()
    capitals = all(not part[0].islower() or part in PARTICLES for part in parts)
    return " ".join(parts) if capitals and len(parts) <= _MOST_WORDS else None


def speech_of(line: str) -> str:
    """What is said in a line, without its label."""
    match = _LABEL.match(line) if label_of(line) else None
    return (match["speech"] or "") if match else line


def shown(label: str) -> str:
    """A label in ordinary capitals, if it is all in capitals or has none."""
    if not (label.isupper() or label.islower()):
        return label
    return _LETTERS.sub(lambda letters: letters[0].capitalize(), label)


def is_name(label: str, counts: Mapping[str, int]) -> bool:
    """Whether a label names someone, and not a role or a group.

    Args:
        label: As `shown` gives it.
        counts: How often each word stands in what is said and told, by its exact spelling.
    """
    if _GROUP.search(label) or _OWNED.search(label) or re.search(r"[\d#]", label):
        return False
    own = [word.strip(".,'’") for word in name_phrase(label) if is_name_word(word)]
    if any(fold(word) in _ROLES | _PERSONAL or not word[:1].isupper() for word in own):
        return False
    return any(_named(word, counts) for word in own)


def _named(word: str, counts: Mapping[str, int]) -> bool:
    ordinary = counts.get(word.lower(), 0)
    return ordinary == 0 or counts.get(word.capitalize(), 0) >= ordinary


def gender_of(label: str, pronouns: Iterable[str] = ()) -> Gender:
    """What a person's title says, else the pronouns used for them, else unknown.

    Args:
        label: The name, with its title if it has one.
        pronouns: Words that refer to the person; the more frequent gender wins, a tie is unknown.
    """
    for word in label.split():
        title = _TITLES.get(word.strip(".,").casefold())
        if title:
            return title
    said = [_PRONOUNS[word.casefold()] for word in pronouns if word.casefold() in _PRONOUNS]
    women, men = said.count("female"), said.count("male")
    return "female" if women > men else "male" if men > women else "unknown"


def cast_of(
    labels: Iterable[str], counts: Mapping[str, int], known: Sequence[Character] = ()
) -> tuple[Character, ...]:
    """The cast of a transcript: those known, then one person a label that is none of them.

    "Anna" is an alias of "Anna Holt" where just one longer label has that word. Roles and groups
    come last and are not proper names.

    Args:
        labels: As the transcript writes them.
        counts: As for `is_name`.
        known: Cast of the work, from elsewhere.
    """
    own = {fold(label): label for label in labels}
    names = [name for label in own.values() if is_name(name := shown(label), counts)]
    ones = {name: _words(name) for name in names}
    held = [{word for form in person.forms for word in _words(form)} for person in known]
    people: dict[str, Character] = {}
    for name in sorted(names, key=lambda name: -len(ones[name])):
        if any(ones[name] <= words for words in held):
            continue
        longer = [other for other in people if ones[name] < ones[other]]
        if len(longer) == 1:
            person = people[longer[0]]
            people[longer[0]] = replace(person, aliases=(*person.aliases, name))
        else:
            people[name] = Character(name=name, gender=gender_of(name))
    roles = [
        Character(name=label, proper=False) for label in own.values() if shown(label) not in ones
    ]
    return (*known, *people.values(), *roles)


def _words(name: str) -> frozenset[str]:
    return frozenset(fold(word) for word in name_phrase(name) if is_name_word(word))
