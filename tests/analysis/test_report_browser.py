"""The page in a browser: found, read and left by keyboard, and nothing that came in runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from analysis.report import page, report
from tests.analysis.report_for_tests import HOSTILE, LOST, Size, fill
from tests.store.rows_for_tests import memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path")
ITEMS = 40


@dataclass
class Watched:
    """A page with everything that must not happen on it."""

    page: Page
    trouble: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda said: self.trouble.append(f"{said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("dialog", self._refuse)
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _refuse(self, dialog: Dialog) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path: Path, address: str = "") -> Page:
        """The page once it can be used and searched."""
        self.page.goto(path.as_uri() + address)
        self.page.wait_for_selector("html[data-ready]")
        self.page.wait_for_selector("#item h3")
        return self.page


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    connection = memory()
    fill(connection, Size(items=ITEMS))
    made = tmp_path_factory.mktemp("report") / "report.html"
    made.write_text(page(report(connection, "small")), encoding="utf-8")
    connection.close()
    return made


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def watched(chromium: Browser) -> Iterator[Watched]:
    """A fresh page; at its end nothing went wrong and nothing but the file was loaded."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    made = Watched(context.new_page())
    yield made
    context.close()
    assert made.trouble == []
    loaded = {url.split("#")[0] for url in made.requests if not url.startswith("data:")}
    assert loaded == {made.requests[0].split("#")[0]}
    assert made.requests[0].startswith("file:")


def test_a_flip_is_found_and_both_prompts_are_read_by_keyboard(
    watched: Watched, path: Path
) -> None:
    """From a fresh page with no pointer: search, filter, next, into the item."""
    shown = watched.open(path)
    keys = shown.keyboard
    keys.press("/")
    keys.type("walk")
    for _ in range(3):
        keys.press("Shift+Tab")
    assert shown.evaluate("document.activeElement.id") == "f-show"
    keys.type("flips: right")
    expect(shown.locator("#count")).to_have_text("6 of 80 items")
    for _ in range(3):
        keys.press("Tab")
    keys.press("Enter")
    keys.press("j")
    expect(shown.locator("#item h3")).to_have_text("walk-1")
    keys.press("Enter")

    assert shown.evaluate("document.activeElement.id") == "item"
    cards = shown.locator(".card.compared")
    origin, changed = cards.nth(0), cards.nth(1)
    assert origin.locator("h4").inner_text() == "original · baseline — origin"
    assert changed.locator("h4").inner_text() == "cross culture · baseline — NR"
    assert "Mary Gray met Tom at gate 1. Mary laughed" in origin.inner_text()
    assert "Lihua Zhou met Wei at gate 1. Lihua laughed" in changed.inner_text()
    assert origin.locator("mark").all_inner_texts() == ["Mary Gray", "Tom", "Mary"]
    assert changed.locator("mark").all_inner_texts() == ["Lihua Zhou", "Wei", "Lihua"]
    assert changed.locator("mark").first.get_attribute("title") == "Lihua Zhou stands for Mary Gray"
    assert "● 1.00" in origin.inner_text()
    assert "○ 0.00" in changed.inner_text()


def test_the_list_is_one_for_readers_of_the_screen(watched: Watched, path: Path) -> None:
    """Only rows in sight are there, and each says which of how many it is."""
    shown = watched.open(path)
    shown.focus("#list")
    shown.keyboard.press("End")
    expect(shown.locator("#item h3")).to_contain_text("title")
    active = shown.get_attribute("#list", "aria-activedescendant")
    row = shown.locator(f"#{active}")

    assert row.get_attribute("aria-selected") == "true"
    assert row.get_attribute("aria-posinset") == row.get_attribute("aria-setsize") == "80"
    assert shown.locator(".row").count() < 40
    shown.keyboard.press("ArrowUp")
    shown.keyboard.press("Home")
    expect(shown.locator("#item h3")).to_have_text("walk-0")


def test_a_hostile_reply_is_read_as_text(watched: Watched, path: Path) -> None:
    shown = watched.open(path)
    scripts = shown.evaluate("document.scripts.length")
    shown.keyboard.press("/")
    shown.keyboard.type("<SCRIPT>alert")
    expect(shown.locator("#count")).to_have_text("1 of 80 items")
    shown.keyboard.press("Enter")
    expect(shown.locator("#item h3")).to_have_text("walk-0")
    reply = shown.locator("#item .text", has_text="<script>").first

    for part in HOSTILE.split(" \x00")[0].split("\x1b"):
        assert part in reply.inner_text()
    assert (
        "\\x1b[31mred =cmd() \\x00 \\u{202e}olleh\\u{202c} \\u{2028} {{ 7 * 7 }} &amp; \\x9b"
        in (reply.inner_text())
    )
    assert reply.locator("script, img").count() == 0
    assert reply.get_attribute("dir") == "auto"
    assert shown.evaluate("document.scripts.length") <= scripts


def test_the_policy_stops_a_script_that_got_in(chromium: Browser, path: Path) -> None:
    """Were the escaping broken, this is what is left; the page itself causes no violation."""
    context = chromium.new_context()
    shown = Watched(context.new_page()).open(path)
    shown.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            const image = "<img src=x onerror='window.ran = true'>";
            document.body.insertAdjacentHTML("beforeend", image);
        }"""
    )
    shown.wait_for_timeout(200)

    assert shown.evaluate("window.ran") is None
    context.close()


def test_an_address_leads_to_an_item(watched: Watched, path: Path) -> None:
    address = "#item=source_identification/excerpts/options/title-5"
    shown = watched.open(path, address)
    expect(shown.locator("#item h3")).to_have_text("title-5")
    shown.focus("#list")
    shown.keyboard.press("j")
    expect(shown.locator("#item h3")).to_have_text("title-6")

    assert shown.evaluate("location.hash").endswith("/title-6")


@pytest.mark.parametrize(
    ("kind", "model", "count"),
    [
        ("lost", "", 6),
        ("gained", "", 1),
        ("missing", "", 1),
        ("missing", "0", 0),
        ("neither", "", 0),
    ],
)
def test_filters_count_what_the_store_holds(
    watched: Watched, path: Path, kind: str, model: str, count: int
) -> None:
    """Six items were planted to be lost, one to be gained, and one reply of the second model."""
    shown = watched.open(path)
    shown.select_option("#f-show", kind)
    shown.select_option("#f-model", model)

    assert shown.inner_text("#count") == f"{count} of 80 items"
    assert len(LOST) == 6


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes_have_contrast(chromium: Browser, path: Path, scheme: str) -> None:
    """WCAG 2.1, 1.4.3 and 1.4.6: 7 for text and 4.5 for what is faint; the button overrules."""
    context = chromium.new_context(color_scheme="dark" if scheme == "dark" else "light")
    shown = Watched(context.new_page()).open(path)
    ratios = shown.evaluate(CONTRASTS)
    before = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    if scheme == "dark":
        shown.click("#theme")
    else:
        shown.click("#theme", click_count=2)
    after = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    context.close()

    assert ratios["ink"] >= 7
    assert all(ratio >= 4.5 for ratio in ratios.values()), ratios
    assert before != after


def test_a_small_window_shows_everything(chromium: Browser, path: Path) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 800})
    shown = Watched(context.new_page()).open(path)
    wide = shown.evaluate("document.documentElement.scrollWidth")
    context.close()

    assert wide <= 390


CONTRASTS = """() => {
    const style = getComputedStyle(document.documentElement);
    const light = (name) => {
        const hex = style.getPropertyValue(`--${name}`).trim().slice(1);
        const [r, g, b] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
            .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (a, b) => {
        const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
        return (high + 0.05) / (low + 0.05);
    };
    const names = ["ink", "faint", "link", "right", "wrong", "control"];
    const found = Object.fromEntries(names.flatMap(
        (name) => [[name, ratio(name, "page")], [`${name} on panel`, ratio(name, "panel")]]));
    return { ...found, mark: ratio("mark-ink", "mark") };
}"""
