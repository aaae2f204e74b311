"""The page on sizes, made anew: `python -m tests.probe.scale_page_for_tests > docs/scale.md`.

Its text is in `scale_page.md` beside this file; `{name}` stands for a table or a number made here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from probe.model_spec import ModelSpec
from probe.prices import price_of
from probe.scale.figures import Case, costs, figures
from probe.scale.model import (
    Endpoint,
    Experiment,
    Machines,
    Outlook,
    cells_within_disk,
    cells_within_question,
    cells_within_time,
    outlook,
    usd_of_cell,
)
from tests.probe.scale_checks_for_tests import checks, far
from tests.probe.scale_results_for_tests import result

SIZES: Final = (1e4, 1e5, 1e6, 1e7, 1e8, 1e9)
EXPERIMENT: Final = Experiment(
    cells=1e6,
    cells_of_prompt=10,
    prompt_tokens=566,
    reply_tokens=20,
    prompt_chars=2_262,
    body_chars=800,
)
STORE: Final = 1e7
"""Cells of one store in the table of times: the writer of a larger one holds up quick endpoints."""
_DAY_S: Final = 86_400.0
_UNITS: Final = (
    ("years", 365 * _DAY_S), ("days", _DAY_S), ("h", 3_600.0), ("min", 60.0), ("s", 1.0),
)  # fmt: skip
_BYTES: Final = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6))


def _price() -> tuple[float, float]:
    """Of the model in the tables, from the program's own price list (US dollars a million)."""
    told = {"name": "m", "provider": "openai", "base_url": "https://api.openai.com/v1"}
    found = price_of(ModelSpec.model_validate({**told, "model": "gpt-4o-mini"}))
    assert found is not None
    return found.input_usd_per_m, found.output_usd_per_m


def endpoints() -> dict[str, Endpoint]:
    """Three that the tables are for."""
    input_usd, output_usd = _price()
    priced = Endpoint(
        latency_s=1.0,
        in_flight=64,
        requests_per_min=500,
        tokens_per_min=200_000,
        input_usd_per_m=input_usd,
        output_usd_per_m=output_usd,
        batch_queued_tokens=2_000_000,
    )
    large = replace(
        priced,
        in_flight=1_000,
        requests_per_min=30_000,
        tokens_per_min=150_000_000,
        batch_queued_tokens=None,
    )
    return {
        "small account": priced,
        "large account": large,
        "own server": Endpoint(latency_s=2.0, in_flight=256),
    }


def _told(value: float, units: Iterable[tuple[str, float]]) -> str:
    """Two digits and a unit."""
    name, size = next((own for own in units if value >= own[1]), tuple(units)[-1])
    return f"{_digits(value / size)} {name}"


def _digits(value: float) -> str:
    """Two significant digits, without an exponent."""
    return f"{float(f'{value:.2g}'):,.10g}"


def _between(low: str, high: str) -> str:
    if low == high:
        return low
    (number, unit), last = low.split(" ", 1), high.split(" ", 1)[1]
    return f"{number if unit == last else low}–{high}"


def _duration(low: float, high: float) -> str:
    return _between(_told(low, _UNITS), _told(high, _UNITS))


def _power(cells: float) -> str:
    return f"10^{round(f'{cells:.0f}'.count('0'))}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _outlook(cells: float, endpoint: Endpoint, case: Case = "value") -> Outlook:
    return outlook(replace(EXPERIMENT, cells=cells), endpoint, Machines(), costs(case))


def times() -> str:
    """How long each size takes, and what holds it up; stores one after the other."""
    rows = []
    for cells in SIZES:
        stores = max(1, round(cells / STORE))
        row = [_power(cells), str(stores)]
        for endpoint in endpoints().values():
            found = [_outlook(cells / stores, endpoint, case) for case in ("low", "value", "high")]
            held = " or ".join(dict.fromkeys(each.slowest for each in found))
            took = _duration(stores * found[0].asking_s, stores * found[2].asking_s)
            row.append(f"{took}: {held}")
        rows.append(row)
    return _table(["cells", "stores", *endpoints()], rows)


def money() -> str:
    """What each size costs, live and in batches."""
    small = endpoints()["small account"]
    rows = []
    for cells in SIZES:
        usual, low = _outlook(cells, small), _outlook(cells, small, "low")
        filled = round(usual.batches_s / costs().batch_s)
        rows.append(
            [
                _power(cells),
                _told(cells * EXPERIMENT.prompt_tokens, (("billion", 1e9), ("million", 1e6))),
                f"{_digits(usual.usd)}",
                f"{_digits(usual.batch_usd)}",
                f"{usual.batches:,}",
                f"{filled:,}",
                _duration(low.batches_s, usual.batches_s),
            ]
        )
    head = "cells", "prompt tokens", "live, $", "in batches, $", "batches", "fillings", "their time"
    return _table(head, rows)


def sizes() -> str:
    """Bytes and query times of each size."""
    server = endpoints()["own server"]
    rows = []
    for cells in SIZES:
        low, usual, high = (_outlook(cells, server, case) for case in ("low", "value", "high"))
        slowest, fastest = costs("high"), costs("low")
        rates = [
            1 / (own.write_s + 2 * own.growth_s * cells) for own in (costs("high"), costs("low"))
        ]
        fits = cells <= figures()["store_cells"].value
        rows.append(
            [
                _power(cells),
                _between(_told(low.journal_bytes, _BYTES), _told(high.journal_bytes, _BYTES)),
                _between(_told(low.database_bytes, _BYTES), _told(high.database_bytes, _BYTES)),
                _told(usual.question_s, _UNITS),
                _duration(
                    min(low.question_s, fastest.question_s * cells / 1e6),
                    max(high.question_s, slowest.question_s * cells / 1e6),
                ),
                "–".join(_digits(rate) for rate in rates) if fits else "not tried",
            ]
        )
    head = (
        "cells",
        "journal",
        "database",
        "a question",
        "the twenty",
        "writer, replies/s at the end",
    )
    return _table(head, rows)


def constants() -> str:
    """Every constant with its range and where it is from."""
    rows = [
        [
            f"`{name}`",
            own.about,
            _figure(own.value),
            "–" if own.low == own.high else f"{_figure(own.low)} to {_figure(own.high)}",
            f"{own.how} ({_source(own.file, own.url, own.read)})",
        ]
        for name, own in figures().items()
    ]
    return _table(["", "of", "value", "range", "how"], rows)


def _figure(value: float) -> str:
    """Three digits, as a person writes them."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.01 else f"{value:.2e}".replace("e-0", "e-")


def _source(file: str | None, url: str | None, read: str | None) -> str:
    if file is None:
        return f"{url}, read {read}"
    if file.startswith("docs/"):
        return f"[decision](decisions/{Path(file).name})"
    return f"`{file}`"


def checked() -> str:
    """Measured runs beside the model and its simulation."""
    rows = [
        [
            own.what,
            f"`{own.file}`",
            _digits(own.measured),
            f"{_digits(own.model)} ({round(100 * own.model / own.measured - 100):+} %)",
            f"{_digits(own.simulated)} ({round(100 * own.simulated / own.measured - 100):+} %)",
        ]
        for own in checks()
    ]
    return _table(["", "result", "measured", "model", "simulation"], rows)


def _leads(endpoint: Endpoint) -> str:
    """From where the writer leads, over all cases."""
    cases: tuple[Case, ...] = ("low", "value", "high")
    found = [_outlook(1e6, endpoint, case).writer_leads_from for case in cases]
    return _million(min(found), max(found))


def _million(low: float, high: float) -> str:
    units = (("billion", 1e9), ("million", 1e6), ("thousand", 1e3), ("", 1.0))
    return _between(_told(low, units), _told(high, units))


def numbers() -> dict[str, str]:
    """Numbers of the text, by name."""
    own, best, worst = costs(), costs("low"), costs("high")
    small, large, server = endpoints().values()
    quick = Endpoint(latency_s=0.0, in_flight=1)
    a_day = cells_within_time(_DAY_S, EXPERIMENT, small, Machines(), own)
    disk = [cells_within_disk(500, EXPERIMENT, each) for each in (worst, own, best)]
    per_usd = 1 / usd_of_cell(EXPERIMENT, small)
    queued = float(small.batch_queued_tokens or 0) / EXPERIMENT.prompt_tokens
    slowest = replace(own, question_s=worst.question_s)
    return {
        "process": _rates(worst.ask_s, best.ask_s),
        "hub": _rates(worst.hub_s, best.hub_s),
        "small_day": _count(a_day),
        "leads_quick": _leads(quick),
        "leads_large": _leads(large),
        "leads_server": _leads(server),
        "store": _count(figures()["store_cells"].value),
        "disk": _million(disk[0], disk[2]),
        "cell_kb": _digits(500e6 / disk[1]),
        "minute_slowest": _count(cells_within_question(60, slowest)),
        "minute": _count(cells_within_question(60, own)),
        "thousand_usd": _count(1_000 * per_usd),
        "queue": f"{queued:,.0f}",
        "queue_times": _digits(a_day / queued),
        "queue_times_hourly": _digits(a_day / queued * best.batch_s / _DAY_S),
        "lake": f"{figures()['lake_commits_per_s'].value * 2_000:,.0f}",
        "embed_million": _told(1e6 / figures()["embed_per_s"].value, _UNITS),
        "embed_hundred_million": _told(1e8 / figures()["embed_per_s"].value, _UNITS),
        "memory": _digits(own.memory_mb),
        "far_measured": " and ".join(f"{1000 * each.measured:.2g}" for each in far()),
        "far_model": " and ".join(f"{1000 * each.model:.2g}" for each in far()),
        "slowed": _digits(result("scale")["slowed"]["times that of fan_out.json"]),
    }


def _count(cells: float) -> str:
    return _million(cells, cells)


def _rates(*seconds: float) -> str:
    return "–".join(_digits(1 / each) for each in seconds)


def page() -> str:
    """The whole page."""
    text = (Path(__file__).parent / "scale_page.md").read_text(encoding="utf-8")
    tables = {
        "times": times(),
        "money": money(),
        "sizes": sizes(),
        "constants": constants(),
        "checked": checked(),
    }
    return text.format_map(numbers() | tables)


if __name__ == "__main__":
    sys.stdout.write(page())
