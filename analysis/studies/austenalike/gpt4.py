"""Reads whom GPT-4 named as most similar.

Source: AustenAlike, section 4.3 and appendix B. Each character was asked about five times. The
answers to "the most similar" are one a run. Those to "the ten most similar" stand in one row whose
length varies, and nothing marks where a run ends: they are kept as one sample, ranked as they
stand.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from analysis.studies.austenalike.data import Data, refuse_missing, refuse_twice
from analysis.studies.austenalike.layouts import GPT4_FILES
from analysis.studies.austenalike.names import SINGLE
from store.corpus_rows import ChoiceRow
from store.files import Line

_RUNS: Final = 5


def read_choices(data: Data, import_id: str, system: str) -> list[ChoiceRow]:
    """The answers of one experiment, in file order.

    Raises:
        BadFile: The file cannot be read, a line is not of its form, or one is missing.
    """
    name = GPT4_FILES[system]
    header, *lines = data.lines(name)
    answers = tuple(f"C{at}" for at in range(1, len(header.cells) - 1))
    if len(header.cells) < _RUNS + 2 or header.cells != ("Character", "MostCommon", *answers):
        raise header.error("other columns", "they must be Character MostCommon C1 C2 and so on")
    rows: list[ChoiceRow] = []
    seen: dict[str, None] = {}
    for line in lines:
        character = data.benchmark_character(line, 0)
        refuse_twice(line, character, seen)
        seen[character] = None
        for place, chosen in enumerate(_answers(data, line, system)):
            single = system in SINGLE
            rows.append(
                ChoiceRow(
                    import_id=import_id,
                    ordinal=len(rows),
                    system=system,
                    character=character,
                    sample=place if single else 0,
                    rank=1 if single else place + 1,
                    chosen=chosen,
                )
            )
    refuse_missing(data.path(name), seen, data.asked)
    return rows


def _answers(data: Data, line: Line, system: str) -> list[str]:
    """The names of a line, in order, whose most common one the line must state."""
    found = len(line.cells) - 2
    if found < _RUNS or (system in SINGLE and found != _RUNS):
        wanted = f"{_RUNS}" if system in SINGLE else f"at least {_RUNS}"
        raise line.error(f"{max(found, 0)} answers", f"there must be {wanted}, one a cell")
    answers = [data.benchmark_character(line, at) for at in range(2, len(line.cells))]
    # Of names that are equally common the first counts; a Counter keeps that order.
    common = Counter(answers).most_common(1)[0][0]
    if line.cells[1] != common:
        found_text = f"MostCommon is {line.cells[1]!r}, but the answers say {common!r}"
        raise line.error(found_text, "copy the file again")
    return answers
