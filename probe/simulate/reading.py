"""What a reader of a prompt might answer: the right form, right or wrong as chance has it.

The kind of answer is told from how the prompt asks for it, in the words of `prompts.tasks`. Gold is
not known here: names and options are drawn, mentions are grouped by their words, a question is
answered with words near those it shares with a line, and a summary is the passage's own sentences.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from probe.simulate.draws import Draw
from probe.simulate.written import Said, speakers_said, title_said, trait_said, words_said

NOTHING_ASKED: Final = "This reply is simulated."
_SPEAKERS: Final = re.compile(r"The speakers to name are (.+?)\. Each is one of: (.+)\.$", re.M)
_NUMBERED: Final = re.compile(r"^[ \t]*(\d{1,3})\. +(\S.*?)\s*$", re.M)
_LETTERED: Final = re.compile(r"^\(([a-z])\) (.+?)\s*$", re.M)
_FORBIDDEN: Final = re.compile(r"Do not choose (\d+), which is ")
_DESCRIBED: Final = re.compile(r"^Describe (.+?)\. Answer with one line for each", re.M)
_MARK: Final = re.compile(r"\[(\d{1,6}): |\[|\]|[^\[\]]+")
_LABEL: Final = re.compile(r"\s*([^:\n]{1,40}):\s+(.*)")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE: Final = re.compile(r"[^.!?]*[.!?]+|[^.!?]+\Z")
_TITLES: Final = ("Emma", "Dracula", "Hamlet", "Middlemarch", "Friends", "Frasier", "Moby-Dick")
_TRAITS: Final = "The traits to choose from:"
_SORTS: Final = (
    "speaks plainly and little",
    "likes to be heard and jokes when it matters",
    "worries aloud but gives way in the end",
    "asks much and listens to the answers",
)
_SOME_WORDS: Final = 5
_SUMMARY_SENTENCES: Final = 4


def answer(prompt: str, draw: Draw) -> Said:
    """An answer to a prompt, of the kind it asks for; a short sentence where that is not known."""
    # What is asked stands last; a passage may hold any words.
    told, said = max(_KINDS, key=lambda kind: prompt.rfind(kind[0]))
    return said(prompt, draw) if told in prompt else Said(NOTHING_ASKED)


def marked(passage: str) -> list[tuple[int, str]]:
    """The marked mentions of a passage (`[3: his]`, nested or not): number and words, in order."""
    found: list[tuple[int, str]] = []
    open_marks: list[tuple[int | None, list[str]]] = []
    for piece in _MARK.finditer(passage):
        if piece[0].startswith("["):
            open_marks.append((int(piece[1]) if piece[1] else None, []))
            continue
        words = piece[0]
        if words == "]" and open_marks:
            number, inside = open_marks.pop()
            words = "".join(inside)
            if number is not None:
                found.append((number, words))
        if open_marks:
            open_marks[-1][1].append(words)
    return sorted(found)


def by_words(passage: str) -> list[list[int]]:
    """The numbers of a passage's mentions, those of equal words together."""
    groups: dict[str, list[int]] = {}
    for number, words in marked(passage):
        groups.setdefault(" ".join(words.casefold().split()), []).append(number)
    return list(groups.values())


def _speakers(prompt: str, draw: Draw) -> Said:
    found = _SPEAKERS.search(prompt)
    if found is None:
        return Said(NOTHING_ASKED)
    labels, names = found[1].split(", "), found[2].split(", ")
    drawn = draw.some(names, len(labels))
    said = {
        label: drawn[at] if at < len(drawn) else draw.one(names) for at, label in enumerate(labels)
    }
    return speakers_said(said)


def _title(prompt: str, draw: Draw) -> Said:
    options = _listed(prompt)
    title = draw.one([words for _, words in options] if options else _TITLES)
    return title_said(title)


def _alike(prompt: str, draw: Draw) -> Said:
    forbidden = _FORBIDDEN.search(prompt)
    own = forbidden[1] if forbidden else ""
    numbers = [number for number, _ in _listed(prompt) if number != own]
    if "ten different numbers" in prompt:
        ten = draw.some(numbers, 10)
        return Said(", ".join(ten), {"numbers": [int(number) for number in ten]})
    number = draw.one(numbers or ["1"])
    reasoned = "Answer: number" in prompt
    prose = f"They deal with others in the same way.\nAnswer: {number}" if reasoned else number
    return Said(prose, {"number": int(number)})


def _trait(prompt: str, draw: Draw) -> Said:
    letter, trait = draw.one(_LETTERED.findall(prompt.rpartition(_TRAITS)[2]) or [("a", "")])
    return trait_said(trait, letter)


def _perpetrator(prompt: str, draw: Draw) -> Said:
    groups = by_words(prompt)
    if not groups or draw.chance(10):
        return Said("none", {"mentions": []})
    numbers = draw.one(groups)
    return Said(", ".join(map(str, numbers)), {"mentions": numbers})


def _clusters(prompt: str, draw: Draw) -> Said:
    groups = by_words(prompt)
    if len(groups) > 1 and draw.chance(50):
        first, second = draw.some(groups, 2)
        groups = [group for group in groups if group not in (first, second)]
        groups.append(sorted(first + second))
    prose = "\n".join(", ".join(map(str, group)) for group in groups)
    return Said(prose or NOTHING_ASKED, {"clusters": groups})


def _words(prompt: str, draw: Draw) -> Said:
    """Words of the line that shares most with the question; who speaks it, where who is asked."""
    passage, question = _parts(prompt)
    wanted = {word.casefold() for word in _WORD.findall(question)}
    lines = [line for line in passage.splitlines() if line.strip()] or [question]
    near = max(lines, key=lambda line: len(wanted & _folded(line)))
    line = draw.one(lines) if draw.chance(25) else near
    speaker = _LABEL.match(line)
    if speaker and "who" in wanted:
        return words_said(speaker[1])
    found = list(_WORD.finditer(line, speaker.start(2) if speaker else 0))
    first = draw.below(max(1, len(found) - 1))
    last = min(len(found) - 1, first + draw.below(_SOME_WORDS))
    said = line[found[first].start() : found[last].end()] if found else line.strip()
    return words_said(said)


def _summary(prompt: str, draw: Draw) -> Said:
    """The first sentences of a few lines of the passage, in its order."""
    passage = prompt.split("\n\n", 1)[-1].rsplit("\n\n", 1)[0]
    spoken = [_LABEL.sub(r"\1 says: \2", line) for line in passage.splitlines() if line.strip()]
    count = min(_SUMMARY_SENTENCES, max(1, len(spoken) - 1))
    chosen = [spoken[at] for at in sorted(draw.some(range(len(spoken)), count))]
    said = " ".join(sentence[0].strip() for line in chosen if (sentence := _SENTENCE.match(line)))
    said = said or NOTHING_ASKED
    return Said(said, {"summary": said})


def _described(prompt: str, draw: Draw) -> Said:
    found = _DESCRIBED.search(prompt)
    names = found[1].split(", ") if found else []
    said = {name: f"{name} {draw.one(_SORTS)}." for name in names}
    prose = "\n".join(f"{name}: {words}" for name, words in said.items())
    return Said(prose or NOTHING_ASKED, said)


def _listed(prompt: str) -> list[tuple[str, str]]:
    """The last numbered list of a prompt: the passage may have some of its own."""
    found = _NUMBERED.findall(prompt)
    starts = [at for at, (number, _) in enumerate(found) if number == "1"]
    return found[starts[-1] :] if starts else found


def _parts(prompt: str) -> tuple[str, str]:
    """A prompt's passage and the question below it."""
    parts = prompt.split("\n\n")
    return "\n".join(parts[1:-2]), parts[-2] if len(parts) > 1 else ""


def _folded(line: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(line)}


_KINDS: Final[tuple[tuple[str, Callable[[str, Draw], Said]], ...]] = (
    ("The speakers to name are ", _speakers),
    ("Answer with the title of the work and nothing else.", _title),
    ("Do not choose ", _alike),
    (_TRAITS, _trait),
    ("the mentions that refer to the perpetrator", _perpetrator),
    ("with one line for each character: the numbers", _clusters),
    ("Answer with the shortest words of the passage", _words),
    ("Answer with the summary and nothing else", _summary),
    ("Answer with one line for each, two or three", _described),
)
"""What a prompt says of the answer -> how it is answered."""
