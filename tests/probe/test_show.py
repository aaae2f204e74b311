"""Hostile texts show as texts: on the terminal, in CSV, in JSON and in Markdown."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.cli.show import csv_text, json_text, markdown_text, printable, table_text, written
from store.read import Answered

HOSTILE = "\x1b[31mred\x9b0m\u202egnp.exe\u2066\u061c\u200b\ufeff\u2028\U000e0041\x07\r\x7f"


def answered(*values: object) -> Answered:
    return Answered(("value",), [(value,) for value in values])


def cells(text: str) -> list[str]:
    """What a program that reads CSV finds under the header."""
    return [row[0] for row in csv.reader(io.StringIO(text, newline=""))][1:]


def test_nothing_unseen_or_obeyed_reaches_a_terminal() -> None:
    """In every form for people, whatever a text holds; JSON keeps it all in its own escapes."""
    for form in ("table", "csv", "json", "markdown"):
        text = written(answered(HOSTILE), form)
        assert text.replace("\n", "").isprintable(), form

    assert printable(HOSTILE).startswith("\\x1b[31mred\\x9b0m\\x202egnp.exe")
    assert json.loads(json_text([{"value": HOSTILE}])) == [{"value": HOSTILE}]


def test_names_of_columns_are_hostile_too() -> None:
    """A query may take them from anywhere."""
    found = Answered(("=cmd()\x1b", "|<b>"), [(1, 2)])

    assert "\x1b" not in table_text(found)
    assert "\x1b" not in table_text(found, expanded=True)
    assert csv_text(found.columns, found.rows).startswith("'=cmd()\\x1b,|<b>\n")
    assert markdown_text(found).startswith("| =cmd\\(\\)\\\\x1b | \\|&lt;b&gt; |\n")


@pytest.mark.parametrize("start", [*"=+-@\t\r\n＝＋－＠"])
def test_a_formula_is_text_in_a_spreadsheet(start: str) -> None:
    """The signs are those of OWASP's page on CSV injection."""
    (cell,) = cells(csv_text(("value",), [(f"{start}cmd|'/c calc'!A1",)]))

    assert cell.startswith("'")
    assert cells(csv_text(("value",), [(f"{start}cmd",)], raw=True)) == [f"{start}cmd"]


@pytest.mark.parametrize("value", [-0.5, -3, 1e-30, -0.0, "-0.5", "+3", "-1e5", True, None])
def test_numbers_and_what_is_no_text_stay(value: object) -> None:
    (cell,) = cells(csv_text(("value",), [(value,)]))

    assert cell == ("" if value is None else str(value))


@given(st.one_of(st.floats(allow_nan=False), st.integers()))
def test_a_number_is_read_back_from_csv_as_it_was(value: float) -> None:
    (cell,) = cells(csv_text(("value",), [(value,)]))

    assert type(value)(cell) == value


@given(st.text())
def test_raw_csv_gives_texts_back_as_they_were(text: str) -> None:
    out = csv_text(("a", "b"), [(text, 1)], raw=True)

    assert list(csv.reader(io.StringIO(out, newline=""))) == [["a", "b"], [text, "1"]]


@given(st.text())
def test_guarded_csv_begins_no_cell_like_a_formula(text: str) -> None:
    """But for numbers, which are no formulas."""
    out = csv_text(("a", "b"), [(text, 1)])
    _, (cell, _) = csv.reader(io.StringIO(out, newline=""))

    assert not cell.startswith(tuple("=@\t\r＝＠"))
    assert "\x1b" not in cell
    if cell[:1] in set("+-"):
        float(cell)


def test_markdown_has_no_markup_html_or_link_of_a_text() -> None:
    text = "a|b `c` <script>x</script> &amp; [t](http://e.x) *s* _u_ @you\nnew ![i](//e.x) \\"

    line = markdown_text(answered(text)).splitlines()[2]

    assert line == (
        "| a\\|b \\`c\\` &lt;script&gt;x&lt;/script&gt; &amp;amp; \\[t\\]\\(http&#58;//e.x\\)"
        " \\*s\\* \\_u\\_ &#64;you<br>new \\!\\[i\\]\\(//e.x\\) \\\\ |"
    )


def test_lists_are_json_in_csv_and_what_json_cannot_say_is_null() -> None:
    assert cells(csv_text(("value",), [([1, "é", None],), ({"a": [-0.5]},)])) == [
        '[1, "é", null]',
        '{"a": [-0.5]}',
    ]
    assert json.loads(json_text([{"value": [float("nan"), float("inf"), 1.5]}])) == [
        {"value": [None, None, 1.5]}
    ]
