"""The study on the published files against numbers that were worked out independently of it.

Reads the reference copies beside the project, and is skipped where they are absent.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from analysis.cells import Cell, as_printed
from analysis.similarity import InOut, Relations, load
from analysis.similarity.rows import answered, in_out, nearest, top_ten
from analysis.studies.austenalike.rows import (
    asked_lists,
    bars,
    expert_lists,
    expert_pairs,
    row_name,
)
from store.read import ask, open_read
from tests.analysis.published_for_tests import PUBLISHED, SHARED, Tables

GOLDEN: Final = SHARED / "golden" / "austenalike"
TABLES: Final = ("2", "3", "4", "6", "7", "8", "9")
SIX_DECIMALS: Final = 5.1e-7

pytestmark = pytest.mark.skipif(
    not (PUBLISHED.is_dir() and GOLDEN.is_dir()),
    reason="the published files and their reference numbers are not beside the project",
)

Places = dict[tuple[str, str, str], Cell]


@pytest.fixture(scope="module")
def published(published_tables: Tables) -> Places:
    return {(c.table, c.row, c.column): c for c in published_tables("published").cells}


@pytest.fixture(scope="module")
def clean(published_tables: Tables) -> Places:
    return {(c.table, c.row, c.column): c for c in published_tables("clean").cells}


@pytest.fixture(scope="module")
def relations(published_store: Path) -> Relations:
    return load(open_read(published_store), "austenalike", ["published"])


def golden() -> Iterator[tuple[tuple[str, str, str], dict[str, Any]]]:
    """Every number of the reference file, under our names of tables."""
    content = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))
    for table, rows in content.items():
        if not table.startswith("_"):
            for row, columns in rows.items():
                for column, entry in columns.items():
                    yield (table.removeprefix("Table "), row, column), entry


def golden_rows(name: str) -> list[dict[str, str]]:
    with gzip.open(GOLDEN / "rows" / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_published_mode_gives_every_number_of_the_tables(published: Places) -> None:
    """256 cells to six decimals, and the cases they rest on."""
    checked = 0
    for place, entry in golden():
        if place[0] in TABLES:
            checked += 1
            assert published[place].value == pytest.approx(entry["computed"], abs=SIX_DECIMALS)
            if "n" in entry:
                assert published[place].n == entry["n"], place

    assert checked == 256


def test_the_published_mode_gives_every_bar_and_size(published: Places) -> None:
    """120 bars, the groups' sizes, and the counts in section 6.1.2."""
    bars_checked = 0
    for place, entry in golden():
        value = published[place].value if place[0] not in TABLES else None
        if place[0].startswith("Figure"):
            bars_checked += 1
            assert value == pytest.approx(entry["computed"], abs=SIX_DECIMALS), place
        elif place[0] in {"1", "5"}:
            assert value == entry["computed"], place
        elif place[0].startswith("Section"):
            hits, n = entry["computed"].split("/")
            assert value == pytest.approx(int(hits) / int(n)), place
            assert published[place].n == int(n)

    assert bars_checked == 120


def test_our_digits_are_those_the_paper_prints(published: Places) -> None:
    """251 of 251; once half up alone misses two, and Python's `round` more."""
    same = once = rounded = 0
    for place, entry in golden():
        if place[0] not in TABLES or entry["paper"] is None:
            continue
        cell = published[place]
        assert cell.value is not None
        assert cell.paper is not None
        assert float(cell.paper) == entry["paper"]
        first = 3 if place[0] in {"2", "3", "6", "7"} else None
        same += float(as_printed(cell.value, digits_first=first)) == entry["paper"]
        once += float(as_printed(cell.value)) == entry["paper"]
        rounded += round(cell.value, 2) == entry["paper"]

    assert (same, once) == (251, 249)
    assert rounded < 249


def test_the_clean_mode_gives_what_the_prose_says(clean: Places) -> None:
    """Wherever the reference has such a number; bars with and without the same novel."""
    checked = 0
    for place, entry in golden():
        wanted = entry.get("clean", {})
        if "value" in wanted:
            checked += 1
            assert clean[place].value == pytest.approx(wanted["value"], abs=SIX_DECIMALS), place
            assert clean[place].n == wanted["n"], place
        if "exclude0" in wanted:
            checked += 2
            table, row, column = place
            other = clean[f"{table} other novels", row, column]
            assert clean[place].value == pytest.approx(wanted["exclude0"], abs=SIX_DECIMALS)
            assert other.value == pytest.approx(wanted["exclude1"], abs=SIX_DECIMALS)
        if "top10_as_defined_in_prose" in entry:
            prose = entry["top10_as_defined_in_prose"]
            cell = clean[place[0], place[1], "top10"]
            assert cell.value == pytest.approx(prose["value"], abs=1e-6)
            assert cell.n == prose["n"]

    assert checked == 120 + 8 + 240


def test_the_clean_mode_passes_by_what_gpt_4_was_not_asked(clean: Places) -> None:
    """With the same novel, a choice of itself is none; without, choices from other novels count."""
    checked = 0
    for place, entry in golden():
        if place[0] in {"2", "3", "6", "7"} and place[1].startswith("gpt4"):
            other = place[0] in {"2", "3"}
            wanted = entry["other_novel_only" if other else "without_self_choice"]
            checked += 1
            assert clean[place].n == wanted["n"], place
            assert (clean[place].value or 0) * wanted["n"] == pytest.approx(wanted["hits"]), place

    assert checked == 48


def test_the_clean_mode_counts_the_comparisons_anew(clean: Places) -> None:
    """Pairs once, a character's names together; four decimals are known.

    The reference's correlation over all pairs leaves two characters without any pair out of one of
    its five representations; we leave them in everywhere.
    """
    content = json.loads((GOLDEN / "variants.json").read_text(encoding="utf-8"))
    (wanted,) = (content[name] for name in content if name.startswith("clean expert values"))
    for row, numbers in wanted.items():
        pearson, top = clean["4", row, "pearson"], clean["4", row, "top10"]
        assert pearson.value == pytest.approx(numbers["pearson_positive_pairs"], abs=5.1e-5)
        assert pearson.n == numbers["n_positive"]
        assert top.value == pytest.approx(numbers["top_in_10_ties_shared"], abs=5.1e-5)
        assert top.n == numbers["n_characters"]
        everyone = clean["4", row, "pearson_all_pairs"]
        if row != "fanfic_assertions":
            assert everyone.value == pytest.approx(numbers["pearson_all_pairs"], abs=5.1e-5)
            assert everyone.n == numbers["n_all"]


def test_the_clean_correlations_by_novel_count_a_pair_for_both_novels(clean: Places) -> None:
    """Worked out here from the reference's cosines and the list of comparisons."""
    novels = dict(_cells("austen-novels.tsv"))
    names = {alias: name for _, alias, name in _cells("character_map.tsv")}
    counts: Counter[frozenset[str]] = Counter()
    for first, second, *_ in _cells("benchmarks/austen-pairs.tsv"):
        counts[frozenset((names[first], names[second]))] += 1
    for row in ("fanfic_assertions", "booknlp_events", "fanfic_quotes"):
        known = [
            (r["a"], r["b"], float(r["cosine"]), counts[frozenset((r["a"], r["b"]))])
            for r in golden_rows(f"similarity_{row}")
        ]
        for novel in ("E", "N", "S&S"):
            own = [r for r in known if r[3] and novel in (novels[r[0]], novels[r[1]])]
            across = [r for r in own if novels[r[0]] != novels[r[1]]]
            for table, pairs in (("8", own), ("9", across)):
                cosine, count = np.array([r[2:] for r in pairs], dtype=float).T
                cell = clean[table, row, novel]
                assert cell.n == len(pairs)
                assert cell.value == pytest.approx(np.corrcoef(cosine, count)[0, 1])


def _cells(name: str) -> list[list[str]]:
    text = (PUBLISHED / name).read_bytes().decode().replace("\r\n", "\n")
    return [line.split("\t") for line in text.split("\n") if line]


def test_every_interval_holds_its_value(published: Places, clean: Places) -> None:
    """Or says why there is none; of the rates, which are means, and of wide samples of pairs."""
    for cell in [*published.values(), *clean.values()]:
        if cell.table in {"1", "5"}:
            continue
        assert (cell.interval is None) == (cell.undefined is not None), cell
        if cell.interval is not None and cell.value is not None:
            assert cell.interval.low <= cell.value <= cell.interval.high, cell


def test_similarities_are_the_reference_s(relations: Relations) -> None:
    """26,507 cosines, to their six decimals."""
    query = "SELECT pipeline, kind, character, other, cosine FROM similarity"
    found = {
        (row_name(f"{pipeline}_{kind}s"), a, b): cosine
        for pipeline, kind, a, b, cosine in ask(relations.connection, query).rows
    }
    checked = 0
    for path in (GOLDEN / "rows").glob("similarity_*.csv.gz"):
        name = path.name.removesuffix(".csv.gz")
        for row in golden_rows(name):
            checked += 1
            key = (name.removeprefix("similarity_"), row["a"], row["b"])
            assert found[key] == pytest.approx(float(row["cosine"]), abs=1e-9)

    assert checked == 26_507


@pytest.mark.parametrize("kind", ["role", "social"])
def test_most_similar_characters_are_the_reference_s(relations: Relations, kind: str) -> None:
    """Of every member, with the same novel and without it; GPT-4's choices too."""
    works = {"all": "0", "other": "1"}
    rows = [*nearest(relations.connection), *answered(relations.connection)]
    found = {
        (
            row_name(r.system),
            r.member.group,
            works[r.works],
            r.member.character,
            r.member.attribute,
        ): r
        for r in rows
    }
    wanted = golden_rows(f"{kind}_topsim")
    for row in wanted:
        own = (row["system"], row["category"], row["exclude"], row["character"])
        ours = found[(*own, row.get("attribute", "role"))]
        assert (ours.chosen or ours.member.character) == row["top"]
        assert (ours.hit is not False) == (row["hit"] == "1")

    ten = sum(row.system == "gpt4_top10" for row in rows)
    assert len(wanted) == (656 if kind == "role" else 5_402)
    assert len(rows) - ten == 656 + 5_402


@pytest.mark.parametrize("kind", ["role", "social"])
def test_mean_cosines_are_the_reference_s(relations: Relations, kind: str) -> None:
    """Of every member, to the digits the reference has; the clean ones where there is a group."""
    works = {"all": "0", "other": "1"}

    def place(row: InOut) -> tuple[str, ...]:
        member = row.member
        return (
            row_name(row.system),
            member.attribute,
            member.group,
            works[row.works],
            member.character,
        )

    taken = {place(row): row for row in bars(relations.connection)}
    described = {place(row): row for row in in_out(relations.connection)}
    empty = 0
    for row in golden_rows(f"{kind}_simdiffs"):
        own = (row["system"], row.get("attribute", "role"), row["category"], row["exclude"])
        key = (*own, row["character"])
        assert taken[key].mean_in == pytest.approx(float(row["mean_in"]), abs=2e-8)
        assert taken[key].mean_out == pytest.approx(float(row["mean_out"]), abs=2e-8)
        if described[key].mean_in is None:
            empty += 1
            assert (row["category"], row["exclude"]) == ("peer", "1")
        else:
            assert described[key].mean_in == taken[key].mean_in

    assert empty == (0 if kind == "role" else 10)


def test_expert_pairs_are_the_reference_s(relations: Relations) -> None:
    """2,204 pairs with five cosines each."""
    found = {(row_name(r.system), r.a, r.b): r for r in expert_pairs(relations.connection)}
    wanted = golden_rows("expert_pairs")
    for row in wanted:
        for system in ("fanfic_assertions", "booknlp_events", "booknlp_modifiers"):
            ours = found[system, row["character"], row["character2"]]
            assert (ours.a_work, ours.b_work) == (row["novel"], row["novel2"])
            assert (ours.count, ours.cosine) == (int(row["count"]), float(row[system]))

    assert len(wanted) == 2_204
    assert len(found) == 5 * 2_204


def test_lists_of_ten_are_the_reference_s(relations: Relations) -> None:
    """Rank by rank, as sets, and the first of the experts; with the same novel included."""
    found = {(row_name(r.system), r.character): r for r in expert_lists(relations.connection)}
    checked = 0
    for row in golden_rows("expert"):
        if row["exclude"] == "0":
            ours = found[row["system"], row["character"]]
            values = {
                "Jaccard": ours.by_rank,
                "SetJaccard": ours.as_sets,
                "Top10success": float(ours.top_in_ten),
            }
            checked += 1
            assert values[row["metric"]] == pytest.approx(float(row["value"]), abs=1e-8)

    assert checked == 3 * len(found) == 3 * 508


def test_gpt_4_s_choices_are_the_reference_s(relations: Relations) -> None:
    """The most common other than itself, and itself where it named nobody else."""
    query = """
        SELECT system, character, chosen, row_number() OVER (
            PARTITION BY system, character ORDER BY count(*) DESC, min((sample, rank)))
        FROM character_choices WHERE chosen <> character
        GROUP BY system, character, chosen"""
    found = {
        (str(system).removeprefix("gpt4_"), str(who), place): chosen
        for system, who, chosen, place in ask(relations.connection, query).rows
    }
    listed = {(r.lists.system, r.lists.character): r for r in asked_lists(relations.connection)}
    for row in golden_rows("gpt_choice"):
        who = row["character"]
        for system in ("plain", "reasoning"):
            assert found.get((system, who, 1), who) == row[system]
        ten = [row[f"top10_{place}"] for place in range(1, 11)]
        assert [found.get(("top10", who, place), "") for place in range(1, 11)] == ten
        if ("gpt4_top10", who) in listed:
            assert listed["gpt4_top10", who].lists.listed == sum(map(bool, ten))

    assert sum(row.answered for row in listed.values()) == 3 * 107
    assert len(listed) == 3 * 111


def test_top_ten_ties_are_shared(relations: Relations) -> None:
    """A share of a hit where experts name several equally often: not all are whole."""
    shares = {row.top_share for row in top_ten(relations.connection, "merged")}

    assert {0.0, 1.0} < shares
    assert all(0 <= share <= 1 for share in shares)
