"""The paired differences of an experiment as they are printed, and what they say in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.cells import as_printed
from analysis.contrasts import ALL_TASKS, MEMORY_TASKS, Contrast
from analysis.report.text import visible
from analysis.report.values import ContrastTable, ContrastView, Strip
from prompts.tasks import TASKS

HEADLINES: Final = ("origin - NR", "NR - NR+GIST")
SMALL: Final = 30
"""Items below which a difference is called one of few (count)."""
SURE: Final = 0.05
UNITS: Final = {"share": "percentage points", "nats": "nats a token"}
_MINUS: Final = "\u2212"


def unit_of(task: str) -> str:
    """In what a task's headline is measured: share or nats."""
    return TASKS[task].unit if task in TASKS else "share"


def number(value: float, unit: str) -> str:
    """A difference with its sign: in percentage points, or in nats."""
    text = as_printed(value, 3) if unit == "nats" else as_printed(100 * value, 1)
    if text.startswith("-"):
        return _MINUS + text[1:]
    return f"+{text}" if float(text) else text


def level(value: float, unit: str) -> str:
    """A level, in percent or in nats."""
    text = as_printed(value, 3) if unit == "nats" else as_printed(100 * value, 1)
    return text.replace("-", _MINUS)


def chance(p: float | None) -> str:
    """A p as it is printed; a dash where there is none."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else as_printed(p, 3)


@dataclass(frozen=True, slots=True)
class Namer:
    """Names what a contrast is of by what tells it from the others, and by nothing else."""

    several: frozenset[str]

    @classmethod
    def of(cls, found: Sequence[Contrast]) -> Namer:
        """For some contrasts."""
        own = [each for each in found if each.task != ALL_TASKS]
        return cls(
            frozenset(
                name
                for name in ("dataset", "choices", "wording", "descriptions")
                if any(
                    len({getattr(each, name) for each in own if each.task == task}) > 1
                    for task in {each.task for each in own}
                )
            )
        )

    def label(self, each: Contrast) -> str:
        """The task, and what else is needed."""
        parts = [visible(str(getattr(each, name))) for name in sorted(self.several)]
        more = [part for part in parts if part not in {"all", "own", "none"}]
        task = each.task.replace("_", " ")
        return f"{task} ({', '.join(more)})" if more else task


def contrast_tables(found: Sequence[Contrast]) -> tuple[ContrastTable, ...]:
    """All differences, those that the papers' tables are about first, by unit."""
    namer = Namer.of(found)
    tables = []
    for unit in UNITS:
        own = [each for each in found if unit_of(each.task) == unit]
        if not own:
            continue
        ends = [end for each in own for end in _ends(each)]
        low, high = min([0.0, *ends]), max([0.0, *ends])
        scale = _Scale(low=low, width=(high - low) or 1.0)
        tables.append(
            ContrastTable(
                unit=UNITS[unit],
                headline=tuple(
                    _view(each, namer, scale)
                    for name in HEADLINES
                    for each in own
                    if each.contrast == name
                ),
                others=tuple(
                    _view(each, namer, scale) for each in own if each.contrast not in HEADLINES
                ),
            )
        )
    return tuple(tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    """Where numbers stand in a strip."""

    low: float
    width: float

    def place(self, value: float) -> float:
        return round(100 * (value - self.low) / self.width, 2)


def _ends(each: Contrast) -> list[float]:
    value = [] if each.difference is None else [each.difference]
    return value + ([each.interval.low, each.interval.high] if each.interval else [])


def _view(each: Contrast, namer: Namer, scale: _Scale) -> ContrastView:
    unit = unit_of(each.task)
    span = each.interval
    strip = None
    if each.difference is not None:
        strip = Strip(
            zero=scale.place(0),
            value=scale.place(each.difference),
            low=scale.place(span.low) if span else None,
            high=scale.place(span.high) if span else None,
        )
    return ContrastView(
        task=namer.label(each),
        model=visible(each.model),
        contrast=each.contrast.replace(" - ", f" {_MINUS} "),
        a="–" if each.value_a is None else level(each.value_a, unit),
        b="–" if each.value_b is None else level(each.value_b, unit),
        difference="–" if each.difference is None else number(each.difference, unit),
        low=number(span.low, unit) if span else "",
        high=number(span.high, unit) if span else "",
        undefined=each.undefined or "",
        p=chance(each.p_holm),
        items=each.items,
        clusters=f"{each.clusters} {each.clustered_by}s" if each.clusters else "–",
        strip=strip,
        is_sure=each.p_holm is not None and each.p_holm < SURE,
        title=_title(each, unit),
    )


def _title(each: Contrast, unit: str) -> str:
    """How one difference was worked out, and what else is known of it."""
    said = [
        f"{each.a.names} {each.a.prompt} less {each.b.names} {each.b.prompt},"
        f" over {each.items} items, of which {each.differing} differ."
    ]
    if each.test:
        said.append(f"Test: {each.test}; p before Holm {chance(each.p)}.")
    if each.missing and each.lowest is not None and each.highest is not None:
        low, high = number(each.lowest, unit), number(each.highest, unit)
        said.append(f"{each.missing} cells lack a score: with them, {low} to {high}.")
    elif each.missing:
        said.append(f"{each.missing} cells lack a score.")
    if each.detectable is not None:
        smallest = number(each.detectable, unit).lstrip("+")
        said.append(f"These items show {smallest} {UNITS[unit]} with a chance of 80 %.")
    return " ".join(said)


def summary(found: Sequence[Contrast]) -> tuple[str, ...]:
    """What the headline contrasts say: first of all of them, then of each model; honest words."""
    told = [each for each in found if each.contrast in HEADLINES]
    if not told:
        return (
            "No two conditions that differ in names, or in the instruction under changed names,"
            " were asked of the same task: there is no headline contrast, and nothing is said here"
            " of what changed names cost.",
        )
    models = dict.fromkeys(each.model for each in told)
    return (
        _overall([each for each in told if each.contrast == HEADLINES[0]]),
        *(_of_model(model, [each for each in told if each.model == model]) for model in models),
    )


def _overall(told: Sequence[Contrast]) -> str:
    """How many contrasts between original and changed names show a loss, or a gain."""
    own = [each for each in told if each.task != ALL_TASKS]
    if not own:
        return "There is no contrast of original with changed names."
    sure = [each for each in own if each.p_holm is not None and each.p_holm < SURE]
    lost = sum(each.difference is not None and each.difference > 0 for each in sure)
    gained = len(sure) - lost
    of = f"Of {len(own)} contrast{'s' * (len(own) != 1)} of original with changed names"
    if not sure:
        return f"{of} none shows a difference that chance alone does not explain."
    said = [f"{lost} show{'s' * (lost == 1)} a loss"] if lost else []
    said += [f"{gained} show{'s' * (gained == 1)} a gain"] if gained else []
    return f"{of} {' and '.join(said)} beyond chance (p after Holm below {SURE})."


def _of_model(model: str, told: Sequence[Contrast]) -> str:
    """Of one model the mean over tasks where there is one, else its tasks; and those of memory."""
    overall = [each for each in told if each.task == ALL_TASKS]
    plain = [each for each in told if each.task not in MEMORY_TASKS and each.task != ALL_TASKS]
    memory = [each for each in told if each.task in MEMORY_TASKS]
    namer = Namer.of(told)
    places: dict[str, list[Contrast]] = {}
    for each in (*(overall or plain), *memory):
        what = "the mean over tasks" if each.task == ALL_TASKS else namer.label(each)
        places.setdefault(what, []).append(each)
    said = [f"{what}: {'; '.join(map(_finding, own))}." for what, own in places.items()]
    return f"{visible(model)} – {' '.join(_upper(each) for each in said)}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _finding(each: Contrast) -> str:
    first, second = _WORDS[each.contrast]
    if each.difference is None or each.value_a is None or each.value_b is None:
        return f"{second} cannot be held against {first} ({each.undefined or 'no score'})"
    unit = unit_of(each.task)
    symbol, steps = (" nats a token", " nats") if unit == "nats" else (" %", " points")
    a, b = level(each.value_a, unit), level(each.value_b, unit)
    span = f"no interval: {each.undefined or 'too few items'}"
    if each.interval is not None:
        low, high = number(-each.interval.high, unit), number(-each.interval.low, unit)
        span = f"95 % interval {low} to {high}"
    change = f"{number(-each.difference, unit)}{steps}"
    rests_on = f"{each.items} items, {_verdict(each)}"
    return f"{a}{symbol} under {first}, {b}{symbol} under {second}, {change} ({span}, {rests_on})"


def _verdict(each: Contrast) -> str:
    if each.p_holm is None:
        return "not tested"
    p = chance(each.p_holm)
    of = f"p {p}" if p.startswith("<") else f"p = {p}"
    return of if each.p_holm < SURE else f"{of}: no more than chance would do"


_WORDS: Final = {
    "origin - NR": ("original names", "names of another culture"),
    "NR - NR+GIST": ("changed names", "changed names and the instruction to go by the gist"),
}


def cautions(found: Sequence[Contrast]) -> tuple[str, ...]:
    """What limits the headline contrasts, a sentence each."""
    told = [each for each in found if each.contrast in HEADLINES]
    said = []
    few = sorted({each.items for each in told if each.items < SMALL and each.task != ALL_TASKS})
    if few:
        said.append(
            f"Some contrasts rest on few items ({few[0]}"
            + (f" to {few[-1]}" if len(few) > 1 else "")
            + f", fewer than {SMALL}): their intervals are wide, and no difference found there"
            " does not mean that there is none."
        )
    undefined = sum(each.interval is None for each in told)
    if undefined:
        said.append(
            f"{undefined} of {len(told)} headline contrasts have no interval;"
            " the table says why of each."
        )
    missing = sum(each.missing for each in told if each.task != ALL_TASKS)
    if missing:
        said.append(
            f"{missing:,} cells of these contrasts lack a score;"
            " what they could change stands at each difference."
        )
    return tuple(said)
