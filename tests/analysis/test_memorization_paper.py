"""What is kept of the paper's Table 3 is what it prints, and it is put beside the right numbers."""

from __future__ import annotations

from decimal import Decimal

import pytest

from analysis.errors import BadRequest
from analysis.studies.memorization.paper import PaperRow, the_paper
from analysis.studies.memorization.rows import Place, named_rows

PAPER = the_paper()


def test_table_three_has_six_tasks_of_three_models() -> None:
    """In the paper's order; 54 levels and 36 differences."""
    assert [row.label for row in PAPER.rows] == [
        "TVShow Guess",
        "Coreference",
        "FriendsQA",
        "ScreenSum",
        "CSI Role Extract",
        "PERSONET",
    ]
    assert list(PAPER.aliases) == ["GPT-4o", "LLaMA3.3-70B", "DeepSeek V3"]
    for row in PAPER.rows:
        assert list(row.values) == list(PAPER.aliases)
        assert all(len(values) == 5 for values in row.values.values())


@pytest.mark.parametrize("row", PAPER.rows, ids=lambda row: row.label)
def test_every_printed_difference_is_that_of_the_levels_beside_it(row: PaperRow) -> None:
    """NR less origin, and NR+GIST less NR: none of the 36 is off, not even by rounding."""
    for origin, nr, lost, gist, changed in row.values.values():
        assert Decimal(nr) - Decimal(origin) == Decimal(lost)
        assert Decimal(gist) - Decimal(nr) == Decimal(changed)


def test_the_abstract_s_greatest_drop_is_in_no_cell() -> None:
    """It says 45.8; the table's greatest are 46.2 from origin to NR, and 46.7 to NR+GIST."""
    values = [own for row in PAPER.rows for own in row.values.values()]

    drops = [Decimal(own[0]) - Decimal(own[1]) for own in values]
    both = [Decimal(own[0]) - Decimal(own[3]) for own in values]

    assert max(drops) == Decimal("46.2")
    assert max(both) == Decimal("46.7")
    assert Decimal("45.8") not in drops + both


@pytest.mark.parametrize(
    ("name", "paper"),
    [
        ("GPT-4o", "GPT-4o"),
        ("openai/gpt-4o", "GPT-4o"),
        ("gpt-4o-mini", None),
        ("meta-llama/Llama-3.3-70B-Instruct", "LLaMA3.3-70B"),
        ("llama-3.1-70b", None),
        ("deepseek-v3", "DeepSeek V3"),
        ("deepseek-v3.1", None),
    ],
)
def test_a_model_is_the_paper_s_by_its_name(name: str, paper: str | None) -> None:
    """Whatever its case and punctuation; a model of another size or version is another."""
    assert PAPER.model_of(name) == paper


def test_what_the_user_says_of_a_model_goes_before_its_name() -> None:
    models = ["mine", "gpt-4o"]

    assert PAPER.matched(models, {}) == {"gpt-4o": "GPT-4o"}
    assert PAPER.matched(models, {"mine": "GPT-4o", "gpt-4o": "DeepSeek V3"}) == {
        "mine": "GPT-4o",
        "gpt-4o": "DeepSeek V3",
    }
    with pytest.raises(BadRequest, match=r"--as you=GPT-4o: the experiment has no model you; it"):
        PAPER.matched(models, {"you": "GPT-4o"})
    with pytest.raises(BadRequest, match=r"the paper has no model GPT-5; it has GPT-4o, LLaMA"):
        PAPER.matched(models, {"mine": "GPT-5"})


def test_rows_are_in_the_paper_s_order_then_by_task() -> None:
    """A task over a dataset that is not the paper's is a row of its own, and so is each part."""
    rows = named_rows(
        [
            Place("all tasks", "", ""),
            Place("source_identification", "excerpts", "open", "-title_in_text"),
            Place("source_identification", "excerpts", "open", "title_in_text"),
            Place("source_identification", "excerpts", "open"),
            Place("personality", "personet", "options"),
            Place("coreference", "litbank", "open"),
            Place("character_guessing", "shakespeare", "options"),
            Place("summarization", "summscreen", "open"),
            Place("character_guessing", "tvshowguess", "open"),
            Place("character_guessing", "tvshowguess", "options"),
        ]
    )

    assert [(row.label, row.paper.label if row.paper else None) for row in rows] == [
        ("TVShow Guess", "TVShow Guess"),
        ("Character guessing on tvshowguess, open answers", None),
        ("ScreenSum", "ScreenSum"),
        ("PERSONET", "PERSONET"),
        ("Character guessing on shakespeare", None),
        ("Coreference on litbank", None),
        ("Source identification on excerpts", None),
        ("– title in text", None),
        ("– not title in text", None),
        ("All tasks", None),
    ]
