"""Every constant of the model in `docs/scale.md` is measured or cited, and is what results say."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

import pytest

from probe.scale.figures import costs, figures
from tests.probe.scale_results_for_tests import result, writing

ROOT = Path(__file__).parents[2]
ROUNDED = 0.006
"""Constants have three digits."""
CPU = "CPU per 1000 replies (s)"
LOOP = "event loop's CPU per 1000 replies (s)"
START, FEW, MANY = "10 items, 1 samples", "300 items, 1 samples", "300 items, 12 samples"


def asking() -> tuple[float, float, float]:
    """A second over requests a second: long, short, and beside someone who asks SQL."""
    long = 1 / result("million")["planning and asking"]["requests per s"]
    short = 1 / result("fan_out")["probe run"]["requests_per_s"]
    busy = result("live_sql")["as fast as it goes"]["throughput with over without"]
    return long, short, long / busy


def total(own: Mapping[str, float], name: str) -> float:
    """A process's CPU (seconds)."""
    return own[name] * own["replies"] / 1000


def beyond_start(name: str) -> float:
    """A run's CPU for a reply, by the difference of two runs over the same prompts (ms)."""
    few, many = result("scale")["run"][FEW], result("scale")["run"][MANY]
    took = total(many, name) - total(few, name)
    return 1000 * took / float(many["replies"] - few["replies"])


def hub_to_run(name: str) -> float:
    own, start = result("scale")["hub"]["hub"], result("scale")["run"][START]
    took = total(own, name) - total(start, name)
    return 1000 * took / float(own["replies"]) / beyond_start(name)


def processor() -> tuple[float, float, float]:
    quiet = result("million")["planning and asking"]["CPU per 1000 requests (s)"] / 1000
    return quiet, quiet, beyond_start(CPU) / 1000


def start() -> tuple[float, float, float]:
    name = "first sent after (s)"
    found = result("million")
    first = found["planning and asking"][name]
    return first, first, found["restart"][name]


def hub() -> tuple[float, float, float]:
    long = asking()[0]
    return long * hub_to_run(CPU), long * hub_to_run(LOOP), long


def of_table(cells: int, part: str = "tables") -> float:
    return writing(result("scale")[part][f"{cells} cells"])


def slope(fewer: int, more: int) -> float:
    return (of_table(more) - of_table(fewer)) / (more - fewer)


def growth() -> tuple[float, float, float]:
    beyond = (of_table(10**8, "far") - of_table(10**7)) / (10**8 - 10**7)
    return slope(10**5, 10**7), slope(10**5, 10**6), beyond


def write() -> tuple[float, float, float]:
    slow = of_table(10**5) - 10**5 * slope(10**5, 10**7)
    return slow, slow / result("scale")["slowed"]["times that of fan_out.json"], slow


def journal() -> tuple[float, float, float]:
    small, large = (
        own["journal, bytes a reply"] - own["body, characters a reply"]
        for own in (result("scale")["run"][name] for name in (START, MANY))
    )
    return large, large, small


def reply_bytes() -> float:
    few, many = result("scale")["run"][FEW], result("scale")["run"][MANY]
    grown = many["database, bytes"] - few["database, bytes"]
    return float(grown / (many["replies"] - few["replies"]))


def prompts() -> tuple[float, float, float]:
    start_, few = (result("scale")["run"][name] for name in (START, FEW))
    grown = few["database, bytes"] - start_["database, bytes"]
    grown -= reply_bytes() * (few["replies"] - start_["replies"])
    own = grown / (few["prompts"] - start_["prompts"]) - few["prompt, characters"]
    whole = few["database, bytes"] - reply_bytes() * few["replies"]
    return own, own, whole / few["prompts"] - few["prompt, characters"]


def database() -> tuple[float, float, float]:
    many = result("scale")["run"][MANY]
    own = reply_bytes() - many["body, characters a reply"]
    texts = many["prompts"] * (prompts()[0] + many["prompt, characters"])
    whole = (many["database, bytes"] - texts) / many["replies"] - many["body, characters a reply"]
    return own, own, whole


def question() -> tuple[float, float, float]:
    took = [each["wall (s)"] for each in result("sql")["questions"].values()]
    return statistics.median(took), min(took), max(took)


def power() -> tuple[float, float, float]:
    small, large = (
        result("scale")["tables"][f"{cells} cells"]["questions"] for cells in (10**6, 10**7)
    )
    found = [
        math.log10(large[name]["CPU (s)"] / small[name]["CPU (s)"])
        for name in small
        if not name.startswith("floor")
    ]
    return statistics.mean(found), min(found), max(found)


def memory() -> tuple[float, float, float]:
    own = result("million")["planning and asking"]
    peak = own["peak memory (MB)"]
    return peak, own["mean memory, third and fourth quarter (MB)"][1], peak


def embedding() -> tuple[float, float, float]:
    own = result("embed")["sentences"]["encoder, equal texts once"]["rows per s of wall"]
    return own, own, own


def store() -> tuple[float, float, float]:
    """The largest store whose owner's work fitted into its memory; at best, the first where not."""
    fits = {
        own["cells"]: all(
            each["CPU (s)"] for each in (*own["owner"].values(), own["a page, two threads"])
        )
        for own in result("scale")["far"].values()
    }
    largest = max(cells for cells, fit in fits.items() if fit)
    return largest, min((cells for cells in fits if cells > largest), default=largest), largest


MEASURED: dict[str, Callable[[], tuple[float, float, float]]] = {
    "ask_s": asking,
    "cpu_s": processor,
    "start_s": start,
    "hub_s": hub,
    "write_s": write,
    "growth_s": growth,
    "journal_bytes": journal,
    "database_bytes": database,
    "prompt_bytes": prompts,
    "question_s": question,
    "question_power": power,
    "memory_mb": memory,
    "embed_per_s": embedding,
    "store_cells": store,
}


@pytest.mark.parametrize("name", sorted(MEASURED))
def test_a_measured_constant_is_what_the_results_give(name: str) -> None:
    own = figures()[name]

    assert (own.value, own.low, own.high) == pytest.approx(MEASURED[name](), rel=ROUNDED)


def test_every_constant_is_measured_or_cited() -> None:
    """A citation has an address and a day; one file is a decision, which gives the figure."""
    for name, own in figures().items():
        assert min(own.low, own.high) <= own.value <= max(own.low, own.high), name
        if own.url:
            assert all(url.startswith("https://") for url in own.url.split(", "))
            assert date.fromisoformat(str(own.read)), name
        else:
            assert own.file, name
            assert name in MEASURED or (ROOT / own.file).exists(), name


def test_at_worst_nothing_is_better_than_at_best() -> None:
    best, usual, worst = costs("low"), costs(), costs("high")

    assert best.ask_s < usual.ask_s < worst.ask_s
    assert best.growth_s < usual.growth_s < worst.growth_s
