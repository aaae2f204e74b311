"""A report's page is one file: it loads nothing, and nothing that came in with a text can run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import MissingExtra
from analysis.report import Report, page, report
from analysis.report.items import script_json
from analysis.report.text import public, visible
from tests.analysis.report_for_tests import HOSTILE, fill
from tests.store.rows_for_tests import memory


@dataclass
class Seen(HTMLParser):
    """Every element with its attributes, and the texts of scripts and styles."""

    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    scripts: list[tuple[dict[str, str | None], str]] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._in: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = tag
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._in = None

    def handle_data(self, data: str) -> None:
        if self._in == "script":
            attrs, text = self.scripts[-1]
            self.scripts[-1] = (attrs, text + data)
        elif self._in == "style":
            self.styles.append(data)
        else:
            self.text += data


@pytest.fixture(scope="module")
def made() -> Iterator[Report]:
    connection = memory()
    fill(connection)
    yield report(connection, "small")
    connection.close()


@pytest.fixture(scope="module")
def html(made: Report) -> str:
    return page(made)


@pytest.fixture(scope="module")
def seen(html: str) -> Seen:
    found = Seen()
    found.feed(html)
    return found


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_names_our_own_script_and_sheet_and_nothing_else(seen: Seen) -> None:
    policy = next(
        str(attrs["content"])
        for tag, attrs in seen.tags
        if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy"
    )
    running = [text for attrs, text in seen.scripts if attrs.get("type") != "application/json"]

    assert len(running) == len(seen.styles) == 1
    assert dict(part.split(" ", 1) for part in policy.split("; ")) == {
        "default-src": "'none'",
        "script-src": digest(running[0]),
        "style-src": digest(seen.styles[0]),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_nothing_is_loaded_and_no_attribute_acts(seen: Seen) -> None:
    for tag, attrs in seen.tags:
        assert tag not in {"link", "iframe", "object", "embed", "form", "img", "base"}
        for name, value in attrs.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in {"style", "src", "srcset", "action", "xlink:href"}, (tag, name)
            if name == "href":
                assert str(value).startswith(("#", "data:image/png;base64,")), value
    assert not re.search(r"@import|url\(\s*[\"']?(?!#)", "".join(seen.styles))


def test_ids_are_unique_and_what_is_pointed_to_is_there(html: str, seen: Seen) -> None:
    ids = [str(attrs["id"]) for _, attrs in seen.tags if "id" in attrs]
    pointed = re.findall(r'(?:href="#|url\(#)([^")]+)', html)

    assert len(ids) == len(set(ids))
    assert set(pointed) <= set(ids)
    assert any(each.startswith("figure-2-") for each in ids)


def test_figures_have_a_text_alternative_and_their_numbers(seen: Seen) -> None:
    drawn = [attrs for tag, attrs in seen.tags if tag == "svg" and attrs.get("role") == "img"]
    ids = {attrs.get("id") for _, attrs in seen.tags}

    assert len(drawn) >= 2
    for attrs in drawn:
        assert set(str(attrs["aria-labelledby"]).split()) <= ids
    assert "The numbers of this figure: What changed names cost" in seen.text


def test_hostile_text_is_text(made: Report, html: str, seen: Seen) -> None:
    """In the static part it comes in by errors, in the browser's by replies."""
    assert made.checks.reasons is not None
    assert "<script>alert(1)</script> </script><img src=x onerror=alert(1)>" in seen.text
    assert "\\x1b[31mred =cmd() \\x00 \\u{202e}olleh\\u{202c} \\u{2028} {{ 7 * 7 }}" in seen.text
    assert "&amp;amp; \\x9b" in html
    assert all(char not in html for char in "\x00\x1b\x9b\u202e\u2028")
    assert "<img" not in html


def test_the_same_report_is_the_same_page(made: Report, html: str) -> None:
    assert page(made) == html


@given(st.text() | st.just(HOSTILE))
def test_json_in_a_script_holds_any_text(text: str) -> None:
    packed = script_json([text])

    assert json.loads(packed) == [text]
    assert not set(packed) & set("<>&\u2028\u2029")


@given(st.text())
def test_what_is_shown_has_nothing_hidden(text: str) -> None:
    """It prints as it is, but for line ends, tabs and the two joiners; plain text is kept."""
    shown = visible(text)

    hidden = [char for char in shown if not (char.isprintable() or char.isspace())]
    assert set(hidden) <= set("\u200c\u200d") | {char for char in hidden if _is_unassigned(char)}
    if text.isascii() and text.isprintable():
        assert shown == text


def _is_unassigned(char: str) -> bool:
    import unicodedata  # noqa: PLC0415 - used here alone

    return unicodedata.category(char) in {"Cn", "Co"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/someone/data/x.jsonl", "…/x.jsonl"),
        ('path = "../shared/x.jsonl"', 'path = "../shared/x.jsonl"'),
        ("~/models/x.gguf", "…/x.gguf"),
        ("file:///srv/models/x", "…/x"),
        (r"C:\Users\someone\x.toml", r"…\x.toml"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("https://me:pass@host.org/v1/chat", "https://…@host.org/v1/chat"),
        ("api_key = 'abc123'", "api_key = '…'"),
        ("Authorization: Bearer abc.def", "Authorization: …"),
        ('api_key_env = "SOME_KEY"', 'api_key_env = "SOME_KEY"'),
        ("max_tokens = 48; 3/4 and/or", "max_tokens = 48; 3/4 and/or"),
    ],
)
def test_places_and_secrets_are_left_out(text: str, shown: str) -> None:
    assert public(text) == shown


def test_without_jinja_it_is_said_what_to_install(
    made: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)

    with pytest.raises(MissingExtra, match=r"jinja2 is not installed.*gistprobe\[report\]"):
        page(made)
