"""How long a report takes to write and to be usable in a browser, against a blank page.

    python bench/report.py [FOLDER]

Fills stores of 10,000 and 40,000 cells with replies of our own (passages of 200 words, 12
conditions a passage), writes their reports, and opens each in headless Chromium. Ready is when the
list of items can be used; the first item is when its prompts and replies are on the page;
searchable is when every text is unpacked, which happens at leisure. The floor is a page that holds
one word, in the same browser. Needs playwright, and chromium on the path.
"""

from __future__ import annotations

import json
import re
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect, sync_playwright

from analysis.report import page, report
from store.database import Database
from store.insert import insert
from store.read import open_read
from tests.store.rows_for_tests import (
    cell_row,
    experiment_row,
    item_row,
    model_row,
    prompt_row,
    reply_row,
    score_row,
)

RESULT = Path(__file__).parent / "results" / "report.json"
NAMES = ("original", "masked", "same_culture", "cross_culture")
PROMPTS = ("baseline", "verbatim", "gist")
MODELS = ("first", "second")
SAMPLES = 5
OPENED = 7
WORDS = "the road went on past gate and hill while someone told what had been seen there".split()


def fill(folder: Path, cells: int) -> None:
    """A store with one experiment of about so many cells."""
    a_passage = len(NAMES) * len(PROMPTS) * len(MODELS) * SAMPLES
    with Database(folder) as database:
        database.call(lambda own: insert(own, [experiment_row(), *map(model_row, MODELS)]))
        for number in range(-(-cells // a_passage)):
            rows: list[Any] = [item_row(f"walk-{number}", task="character_guessing")]
            for at, names in enumerate(NAMES):
                for prompt in PROMPTS:
                    rows += _prompt_rows(number, at, names, prompt)
            by_kind: dict[type, list[Any]] = {}
            for row in rows:
                by_kind.setdefault(type(row), []).append(row)
            for own in by_kind.values():
                database.call(partial(insert, rows=own))


def _prompt_rows(number: int, at: int, names: str, prompt: str) -> list[Any]:
    told = " ".join(f"{WORDS[(number * 7 + at + n) % len(WORDS)]}{n % 9}" for n in range(200))
    own = replace(prompt_row(f"walk-{number}", names, prompt), text=f"{prompt}?\n\n{told}")
    rows: list[Any] = [own]
    for model in MODELS:
        for sample in range(SAMPLES):
            cell = cell_row(own, model=model, sample=sample)
            right = int((number + at + sample) % 3 > 0)
            reply = reply_row(cell.key, text=f"Reply {number % 5} {sample} of {model}.")
            rows += [cell, reply, score_row(cell, right)]
    return rows


def opened(browser: Browser, path: Path) -> dict[str, float]:
    """Times from the start of the navigation (milliseconds)."""
    shown = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
    shown.add_init_script(
        """const seen = new MutationObserver(() => {
            const there = document.querySelector("#item h3");
            if (!window.first && there) window.first = performance.now();
        });
        document.addEventListener("readystatechange", () => seen.observe(document.documentElement,
            { childList: true, subtree: true }), { once: true });"""
    )
    shown.goto(path.as_uri())
    times: dict[str, float] = {
        "loaded": shown.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    }
    if shown.query_selector("#list"):
        shown.wait_for_selector("#item h3")
        times["ready"] = float(shown.evaluate("document.documentElement.dataset.ready"))
        times["first item"] = shown.evaluate("window.first")
        shown.fill("#f-text", "no such words")
        expect(shown.locator("#count")).to_have_text(re.compile(r"^0 of [\d,]+ items$"))
        times["searchable"] = shown.evaluate("performance.now()")
        times["filter"] = shown.evaluate(
            """() => {
                const started = performance.now();
                const show = document.getElementById("f-show");
                document.getElementById("f-text").value = "gate3";
                show.value = "lost";
                show.dispatchEvent(new Event("change"));
                return performance.now() - started;
            }"""
        )
    shown.context.close()
    return times


def medians(browser: Browser, path: Path) -> dict[str, float]:
    """Of several openings."""
    times = [opened(browser, path) for _ in range(OPENED)]
    return {key: round(statistics.median(each[key] for each in times), 1) for key in times[0]}


def main(folder: Path) -> None:
    """Measure and write."""
    chromium = shutil.which("chromium")
    blank = folder / "blank.html"
    blank.write_text("<!DOCTYPE html><title>blank</title><p>word", encoding="utf-8")
    found: dict[str, Any] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        floor = medians(browser, blank)
        found["blank page, ms"] = floor
        for cells in (10_000, 40_000):
            store, path = folder / f"store-{cells}", folder / f"report-{cells}.html"
            fill(store, cells)
            began = time.perf_counter()
            made = report(open_read(store), None)
            path.write_text(page(made), encoding="utf-8")
            written_s = time.perf_counter() - began
            times = medians(browser, path)
            found[f"{cells} cells"] = {
                "items": made.browser.held,
                "written, s": round(written_s, 1),
                "file, MB": round(path.stat().st_size / 1e6, 2),
                "ms": times,
                "ready, blank pages": round(times["ready"] / floor["loaded"], 1),
            }
        found["browser"] = browser.version
        browser.close()
    RESULT.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made_folder:
            main(Path(made_folder))
