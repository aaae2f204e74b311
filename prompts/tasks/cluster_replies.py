"""Reads clusters of numbered mentions from a reply: lines of numbers, or JSON.

A line counts where it is a list of numbers, with a name or an aside before or after it, never where
numbers stand in a sentence of reasoning. What replies do beside what they are asked for:

- A number that counts the reply's own lines is no mention: "Cluster 2: 5, 6", "2. 5, 6". Before a
  colon alone ("1: 4, 7") a number is a mention if no such number of the reply is in any list.
- A reply that gives a name to each mention ("1: Anna", "2: Tom", "4: Anna") groups by the names,
  and so does one that puts the mentions one by one under names.
- Where lists follow a line that announces the answer, those before it are drafts.
- Several lists on one line, apart by semicolons or in brackets, are several clusters; "5-8" is a
  range; numbers called singletons stand alone.

A mention that comes twice stays where it comes first, numbers that are no mention are passed over,
and mentions that no list holds are in no cluster. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from prompts.tasks.base import Unparsed
from prompts.tasks.cluster_json import Group, read_json
from prompts.tasks.number_lists import LIST_LEAD, has_letter, read_list

Kind: TypeAlias = Literal["list", "single", "told", "mark", "header", "prose"]

_SPREAD: Final = re.compile(r"\[[\s0-9,\"']*(?:\]|\Z)")
_BULLET: Final = re.compile(r"^[\s>•·|–-]*(?:#+\s)?")
_MARK: Final = re.compile(r"\[\s*([0-9]{1,5})\s*:([^\[\]]*)\]")
_NESTED: Final = 5
_NAME_WORDS: Final = 3
_PLACE: Final = re.compile(r"\(?([0-9]{1,5})[.)]\s+(?=\S)")
_PART: Final = re.compile(r"\s*(?::|=>|->|→|\||—|\s[-–]\s|(?<=[^\W\d_])\s*=)\s*")
_IN_BRACKETS: Final = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_CLOSED: Final = re.compile(r"[0-9]\s*[)\]}]\s*,")
_TOLD: Final = re.compile(
    rf"{LIST_LEAD}([0-9][0-9\s,;&#-]*(?:\band\b[0-9\s,#]+)?)(?:all\s|both\s|also\s)?"
    r"(?:refers?|belongs?|are|is|denotes?|means?|points?|corresponds?|stands?)\b"
    r"(?:\s+(?:to|for|the\s+same\b.*?:))*(.*)",
    re.IGNORECASE,
)
_NOT: Final = re.compile(r"\b(?:not|never|nor|different|distinct)\b|n['’]t\b", re.IGNORECASE)
# "Cluster 2", or a name on a line of its own.
_HEADER: Final = re.compile(r"\w+ [0-9]+|[^\W\d_]+(?:[ .'’-]+[^\W\d_]+){0,4}(?: \([^()]*\))?")
_FINAL: Final = re.compile(r"\b(?:final|answer)\b", re.IGNORECASE)
_ALONE: Final = re.compile(r"\b(?:singletons?|alone|single)\b", re.IGNORECASE)
_COUNT: Final = re.compile(
    r"\b(?:total|count|number)\b|^(?:characters|clusters|groups|people)$", re.IGNORECASE
)
_PRONOUNS: Final = frozenset(
    "i me my mine you your yours he him his she her hers it its we us our they them their".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of a reply, or one of the parts that semicolons make of it.

    Attributes:
        kind: `list`: numbers, named or not. `single`: one number and words. `told`: a sentence
            that begins with numbers. `mark`: a mention as the passage shows it. `header`: words
            that announce what is below. `prose`: anything else.
        groups: The clusters it gives.
        name: Its words, folded.
        is_place: Whether its number has a full stop or bracket, as places in a list have: "2. Tom".
        is_final: Whether it announces the answer.
    """

    kind: Kind
    groups: tuple[Group, ...] = ()
    name: str = ""
    is_place: bool = False
    is_final: bool = False


def read_clusters(reply: str, labels: Collection[str]) -> list[tuple[str, ...]] | Unparsed:
    """The clusters of a reply, in its order, each label in one of them.

    Args:
        reply: As it came.
        labels: The numbers of the mentions, as text.
    """
    if not reply.strip():
        return Unparsed("the reply is empty")
    groups = read_json(reply)
    if not _kept(groups, labels):
        found = _from_lines(reply)
        if isinstance(found, Unparsed):
            return found
        groups = found
    return _kept(groups, labels) or Unparsed("no list holds the number of a mention")


def _kept(groups: Sequence[Group], labels: Collection[str]) -> list[tuple[str, ...]]:
    """The clusters, less what is no label and what came before."""
    heads = [group.head for group in groups if group.head]
    listed = {label for group in groups for label in group.labels}
    are_mentions = all(head in labels and head not in listed for head in heads)
    taken: set[str] = set()
    kept = []
    for group in groups:
        own = (group.head, *group.labels) if group.head and are_mentions else group.labels
        new = tuple(dict.fromkeys(x for x in own if x in labels and x not in taken))
        taken.update(new)
        if new:
            kept.append(new)
    return kept


def _from_lines(reply: str) -> list[Group] | Unparsed:
    lines = _answer_of(list(_lines(reply)))
    kinds = {line.kind for line in lines}
    holding = [line for line in lines if line.kind in {"list", "single", "mark"}]
    under = _under_headers(lines)
    if under:
        return under
    if "list" in kinds:
        # Beside lists, "2. Tom" counts the characters.
        lists = (line for line in holding if line.kind != "mark" and not line.is_place)
        return [group for line in lists for group in line.groups]
    told = [line for line in lines if line.kind == "told"]
    if any(len(group.labels) > 1 for line in told for group in line.groups):
        return [group for line in told for group in line.groups]
    singles = [line for line in (holding or told) if line.kind != "mark"]
    if any(line.name in _PRONOUNS for line in singles) or (holding and not singles):
        return Unparsed("lists the mentions and groups none")
    if not singles:
        return Unparsed("no line is a list of numbers")
    return _by_name(singles)


def _by_name(lines: Iterable[_Line]) -> list[Group]:
    """One cluster for all the mentions that are given the same name."""
    named: dict[str, list[str]] = {}
    for line in lines:
        for group in line.groups:
            named.setdefault(line.name, []).extend(group.labels)
    return [Group(tuple(labels)) for labels in named.values()]


def _answer_of(lines: list[_Line]) -> list[_Line]:
    """The lines from the last on that announces the answer, if lists follow it."""
    for at in range(len(lines) - 1, -1, -1):
        if lines[at].is_final and any(line.groups for line in lines[at:]):
            return lines[at:]
    return lines


def _under_headers(lines: list[_Line]) -> list[Group]:
    """Mentions that stand one by one under two headers or more; none where they do not."""
    bodies: list[list[str]] = []
    for line in lines:
        if line.kind == "header":
            bodies.append([])
        elif line.kind != "prose":
            labels = [label for group in line.groups for label in (group.head, *group.labels)]
            # A group without a head has an empty one.
            if not bodies or len(labels) != 2 or labels[0] or line.is_place:
                return []
            bodies[-1].append(labels[1])
    bodies = [body for body in bodies if body]
    return [Group(tuple(body)) for body in bodies] if len(bodies) > 1 else []


def _lines(reply: str) -> Iterator[_Line]:
    # A list that goes on down the page is one list.
    text = _SPREAD.sub(lambda spread: " ".join(spread[0].split()), reply)
    for line in text.splitlines():
        for part in _parts(line):
            if part.strip():
                yield _read_line(part)


def _parts(line: str) -> list[str]:
    """What semicolons divide, where commas or colons divide what is between them."""
    parts = line.split(";")
    if "," in line or sum(":" in part for part in parts) > 1:
        return parts
    return [line]


def _read_line(raw: str) -> _Line:
    is_heading = raw.lstrip().startswith(("#", "**"))
    text = _BULLET.sub("", " ".join(re.sub(r"[*`]", "", raw).split()), count=1)
    mark = _MARK.fullmatch(text)
    if mark and has_letter(mark[2]):
        return _Line(kind="mark", groups=(Group((mark[1],)),), name=_folded(mark[2]))
    text = _without_marks(text)
    place = _PLACE.match(text)
    rest = text[place.end() :] if place else text
    is_final = bool(_FINAL.search(rest)) and (is_heading or ":" in rest)
    line = _with_numbers(rest) or _told(rest)
    if line:
        return replace(line, is_final=is_final)
    if place:
        return _Line(kind="single", groups=(Group((place[1],)),), name=_folded(rest), is_place=True)
    is_header = is_heading or rest.endswith(":") or bool(_HEADER.fullmatch(rest))
    return _Line(kind="header" if is_header else "prose", is_final=is_final)


def _told(text: str) -> _Line | None:
    """A sentence that says of the numbers it begins with who they are."""
    told = _TOLD.match(text)
    found = read_list(told[1]) if told else None
    if told is None or found is None or _NOT.search(told[2]):
        return None
    return _Line(kind="told", groups=tuple(map(Group, found.clusters)), name=_folded(told[2]))


def _without_marks(text: str) -> str:
    """The text with the number alone of each mention that it shows as the passage does."""
    for _ in range(_NESTED):
        bare = _MARK.sub(lambda mark: f" {mark[1]} " if has_letter(mark[2]) else mark[0], text)
        if bare == text:
            break
        text = bare
    return text


def _with_numbers(text: str) -> _Line | None:
    """A line that is a list of numbers, beside words or not; None for any other."""
    parts = [part for part in _PART.split(text) if part.strip()]
    lists = [read_list(part) for part in parts]
    words = [part for part, found in zip(parts, lists, strict=True) if found is None]
    name = _folded(" ".join(words))
    found = [each for each in lists if each is not None]
    if not found or any(map(_CLOSED.search, words)):
        return _in_brackets(text)
    if len(found) == 2 and lists[0] is found[0] and found[0].is_one:
        (head,) = found[0].clusters[0]
        groups = tuple(Group(labels, head=head) for labels in found[1].clusters)
        return _Line(kind="list", groups=groups, name=name)
    if len(found) > 1:
        if words:
            return None
        return _Line(kind="list", groups=tuple(Group(x) for each in found for x in each.clusters))
    (only,) = found
    goes_on = lists[0] is only and re.search(r"\b[0-9]+\b", name)
    if goes_on or (only.is_one and _COUNT.search(name)):
        return None
    clusters = only.clusters
    if _ALONE.search(name):
        clusters = tuple((label,) for labels in clusters for label in labels)
    name = name or _folded(only.aside)
    is_single = only.is_one and bool(name) and lists[0] is only
    return _Line(
        kind="single" if is_single else "list", groups=tuple(map(Group, clusters)), name=name
    )


def _in_brackets(text: str) -> _Line | None:
    """Lists that stand in brackets after names: "Anna (1, 4)", or "Anna [1, 4], Tom [2]"."""
    found = [read_list(bracket[1]) for bracket in _IN_BRACKETS.finditer(text)]
    lists = [each for each in found if each is not None]
    words = _folded(_IN_BRACKETS.sub(" ", text))
    most_words = _NAME_WORDS * (2 if len(lists) == 1 else len(lists))
    if not lists or len(words.split()) > most_words:
        return None
    if len(lists) > 1 and all(each.is_one for each in lists):
        return None
    groups = tuple(Group(labels) for each in lists for labels in each.clusters)
    return _Line(kind="list", groups=groups, name=words)


def _folded(words: str) -> str:
    return " ".join(re.findall(r"\w+", words.casefold()))
