"""The alias map: which name of a cluster means which character."""

from __future__ import annotations

from pathlib import Path

import pytest

from embedder.features.aliases import Overridden
from tests.embedder.features_for_tests import alias_map

MAP = (
    "ONE\tTam\tThomas Hay\n"
    "ONE\tMiss Pell 's niece\tAnn Pell\n"
    "ONE\tdear Pell\tOld Pell\n"
    "ONE\tPell\tYoung Pell\n"
    "ONE\tMr. P.\tMr. P\n"
    "ONE\ta Lady\tThe Lady\n"
    "TWO\tTam\tAnother Tam\n"
    "ONE\tZoë’s aunt\tMrs. Marsh\n"
)


@pytest.mark.parametrize(
    ("lead", "character"),
    [
        ("Tam", "Thomas Hay"),
        ("a Tam", "Thomas Hay"),
        ("A Tam", "Thomas Hay"),
        ("dear Tam", "Thomas Hay"),
        ("poor Tam", "Thomas Hay"),
        ("Poor Tam", "Thomas Hay"),
        ("a dear Tam--,", "Thomas Hay"),
        ("--Tam.", "Thomas Hay"),
        # The name as it is comes before the name that is left of it.
        ("dear Pell", "Old Pell"),
        ("poor Pell", "Young Pell"),
        ("Mr. P.", "Mr. P"),
        ("a Lady", "The Lady"),
        ("Lady", None),
        ("Zoë’s aunt", "Mrs. Marsh"),
        ("Zoë's aunt", None),
        ("Miss Pell 's niece", "Ann Pell"),
        ("the Tam", None),
        ("my dear Tam", None),
        ("dear poor Tam", None),
        ("tam", None),
        ("Tam !", None),
        ("", None),
    ],
)
def test_a_lead_name_is_tried_in_its_forms(
    tmp_path: Path, lead: str, character: str | None
) -> None:
    """As it is, then without "a ", without "dear " or "poor ", without outer marks; no further."""
    assert alias_map(tmp_path, MAP).of("ONE").character(lead) == character


def test_within_a_work_the_last_row_wins_and_the_others_are_told(tmp_path: Path) -> None:
    """The same row twice overrides nothing; another work's row never does."""
    text = "ONE\tTam\tA\nTWO\tTam\tB\nONE\tTam\tA\nONE\tTam\tC\nONE\tZoë\tZ\n"

    aliases = alias_map(tmp_path, text)

    assert aliases.of("ONE").character("Tam") == "C"
    assert aliases.of("TWO").character("Tam") == "B"
    assert aliases.of("ONE").overridden == (Overridden(work="ONE", alias="Tam", line=3, by_line=4),)
    assert aliases.of("TWO").overridden == ()


@pytest.mark.parametrize(
    "text", ["ONE\tZoë\tZoë M\r\nONE\tTam\tT\r\n", "\ufeffONE\tZoë\tZoë M\n\nONE\tTam\tT"]
)
def test_what_spreadsheets_write_is_read(tmp_path: Path, text: str) -> None:
    """CRLF, a byte order mark, blank lines and a last line without an end."""
    aliases = alias_map(tmp_path, text)

    assert aliases.works == {"ONE": {"Zoë": "Zoë M", "Tam": "T"}}
