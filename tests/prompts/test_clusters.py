"""The metrics give the right value on every case of the CoNLL scorer's suite.

Each value is recall and precision, as counts over counts. Those that the suite's notes give are
taken from there (MUC, B-cubed and LEA of most cases, CEAF of A-1 to A-9); the others follow by hand
from the definitions, with the working beside them. The files are not part of the project; without
them the tests of the suite are skipped and say what is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from prompts.tasks.clusters import Overlap, Sums, b_cubed, ceaf_e, ceaf_m, lea, muc, overlap
from tests.prompts.coval_for_tests import SUITE, f1, fraction, ratio, suite_clusters

Right: TypeAlias = tuple[str, str]
METRICS: tuple[Callable[[Overlap], Sums], ...] = (muc, b_cubed, ceaf_m, ceaf_e, lea)
ALL_OF: dict[int, Right] = {n: (f"{n}/{n}", f"{n}/{n}") for n in (1, 3, 4, 5, 6)}

# Case -> (recall, precision) of MUC, B-cubed, CEAF-m, CEAF-e and LEA. Gold is {a} {bc} {def} in A,
# {abcdef} in M and six singletons in N. CEAF is worked out as the worths of the aligned clusters:
# mentions shared in CEAF-m, 2 * shared / (sizes added) in CEAF-e, over clusters of gold | response.
RIGHT: dict[str, tuple[Right, Right, Right, Right, Right]] = {
    "A-1": (ALL_OF[3], ALL_OF[6], ALL_OF[6], ALL_OF[3], ALL_OF[6]),
    # {a} {de}: 1 + 4/5 = 9/5, over 3 | 2
    "A-2": (("1/3", "1/1"), ("7/18", "3/3"), ("3/6", "3/3"), ("9/15", "9/10"), ("2/6", "3/3")),
    # {a} {bcx} {defy} {z}: 1 + 4/5 + 6/7 = 93/35, over 3 | 4; LEA precision (1 + 1 + 2)/9
    "A-3": (
        ("3/3", "3/5"),
        ("6/6", "55/108"),
        ("6/6", "6/9"),
        ("93/105", "93/140"),
        ("6/6", "4/9"),
    ),
    # {a} {bcx} {dy} {z}: 1 + 4/5 + 2/5 = 11/5, over 3 | 4
    "A-4": (("1/3", "1/3"), ("5/9", "17/42"), ("4/6", "4/7"), ("11/15", "11/20"), ("3/6", "2/7")),
    # {a} {bcxB} {dy} {z}: 1 + 4/6 + 2/5 = 31/15, over 3 | 4; LEA precision (1 + 4/6)/8
    "A-5": (("1/3", "1/4"), ("5/9", "5/16"), ("4/6", "4/8"), ("31/45", "31/60"), ("3/6", "5/24")),
    # {a} {bcx} {dy} {Bz}: as A-4
    "A-6": (("1/3", "1/4"), ("5/9", "17/48"), ("4/6", "4/8"), ("11/15", "11/20"), ("3/6", "2/8")),
    # A-4 with mentions given twice and more often
    "A-7": (("1/3", "1/3"), ("5/9", "17/42"), ("4/6", "4/7"), ("11/15", "11/20"), ("3/6", "2/7")),
    "A-8": (("1/3", "1/3"), ("5/9", "17/42"), ("4/6", "4/7"), ("11/15", "11/20"), ("3/6", "2/7")),
    "A-9": (("1/3", "1/3"), ("5/9", "17/42"), ("4/6", "4/7"), ("11/15", "11/20"), ("3/6", "2/7")),
    # singletons: 1 + 1 + 1 = 3; 1 + 2/3 + 2/4 = 13/6, over 3 | 6
    "A-10": (("0/3", "0/0"), ("3/6", "6/6"), ("3/6", "3/6"), ("13/18", "13/36"), ("1/6", "1/6")),
    # {abcdef} with {def}: 3; 6/9, over 3 | 1; LEA recall (0 + 2 + 3)/6, precision 6(1 + 3)/15/6
    "A-11": (("3/3", "3/5"), ("6/6", "7/18"), ("3/6", "3/6"), ("2/9", "2/3"), ("5/6", "4/15")),
    # {a} {x} {y} {c} {d} {e} {z}: 3; 1 + 2/3 + 2/4 = 13/6, over 3 | 7
    "A-12": (("0/3", "0/0"), ("13/36", "4/7"), ("3/6", "3/7"), ("13/18", "13/42"), ("1/6", "1/7")),
    # {axycdez} with {def}: 2; 4/10, over 3 | 1; LEA recall 3(1/3)/6, precision 7(1/21)/7
    "A-13": (("1/3", "1/6"), ("17/36", "6/49"), ("2/6", "2/7"), ("2/15", "2/5"), ("1/6", "1/21")),
    # {ab} {cde} | {bcx} {de}. MUC: 2 - 2 + 3 - 2 = 1, over 1 + 2 | 2 + 1. B-cubed: recall
    # (1/2 + 1/3 + 4/3)/5 = 13/30, precision (1/3 + 1/3 + 4/2)/5 = 8/15. CEAF: {ab}{bcx} {cde}{de},
    # 1 + 2; 2/5 + 4/5 = 6/5, over 2 | 2
    "B-1": (("1/3", "1/3"), ("13/30", "8/15"), ("3/5", "3/5"), ("6/10", "6/10"), ("1/5", "2/5")),
    # B-1 and {fg} on both sides. MUC: 1 + 1 over 3 + 1. B-cubed: (13/6 + 2)/7 = 25/42,
    # (8/3 + 2)/7 = 14/21. CEAF: 3 + 2; 6/5 + 1 = 11/5, over 3 | 3
    "C-1": (("2/4", "2/4"), ("25/42", "14/21"), ("5/7", "5/7"), ("11/15", "11/15"), ("3/7", "4/7")),
    # 5 + 5; 1 + 10/12 = 11/6, over 3 | 2; LEA precision (5 + 7 * 11/21)/12 = 26/36
    "D-1": (
        ("9/9", "9/10"),
        ("12/12", "16/21"),
        ("10/12", "10/12"),
        ("11/18", "11/12"),
        ("12/12", "26/36"),
    ),
    # 5 + 2; 10/15 + 1 = 5/3, over 3 | 2; LEA precision (10 * 20/45 + 2)/12 = 58/108
    "E-1": (
        ("9/9", "9/10"),
        ("12/12", "7/12"),
        ("7/12", "7/12"),
        ("5/9", "5/6"),
        ("1/1", "58/108"),
    ),
    # {ABCD} | {AB} {CD}. B-cubed: recall (4/4 + 4/4)/4, precision (4/2 + 4/2)/4. CEAF: 2; 4/6,
    # over 1 | 2
    "F-1": (("2/3", "2/2"), ("2/4", "4/4"), ("2/4", "2/4"), ("2/3", "1/3"), ("2/6", "4/4")),
    # F-1 with the sides changed
    "G-1": (("2/2", "2/3"), ("4/4", "2/4"), ("2/4", "2/4"), ("1/3", "2/3"), ("4/4", "2/6")),
    "H-1": (ALL_OF[3], ALL_OF[4], ALL_OF[4], ALL_OF[1], ALL_OF[4]),
    # the clusters of F-1
    "I-1": (("2/3", "2/2"), ("2/4", "4/4"), ("2/4", "2/4"), ("2/3", "1/3"), ("2/6", "4/4")),
    # {ABC} | {AC}. B-cubed: recall (4/3)/3, precision (4/2)/2. CEAF: 2; 4/5, over 1 | 1
    "J-1": (("1/2", "1/1"), ("4/9", "2/2"), ("2/3", "2/2"), ("4/5", "4/5"), ("1/3", "2/2")),
    # 7 mentions | three clusters of 3, 2 shared with each. B-cubed: recall 3(4/7)/7, precision
    # 3(4/3)/9. CEAF: 2; 4/10, over 1 | 3
    "K-1": (("3/6", "3/6"), ("12/49", "4/9"), ("2/7", "2/9"), ("2/5", "2/15"), ("3/21", "3/9")),
    # {ABC} {DEFG} | {AB} {CD} {FGH}. B-cubed: recall ((4 + 1)/3 + (1 + 4)/4)/7 = 35/84, precision
    # (4/2 + 1/2 + 1/2 + 4/3)/7 = 13/21. CEAF: 2 + 2; 4/5 + 4/7 = 48/35, over 2 | 3
    "L-1": (
        ("2/5", "2/4"),
        ("35/84", "13/21"),
        ("4/7", "4/7"),
        ("24/35", "16/35"),
        ("5/21", "3/7"),
    ),
    "M-1": (ALL_OF[5], ALL_OF[6], ALL_OF[6], ALL_OF[1], ALL_OF[6]),
    # singletons. MUC: 6 - 6 over 5 | 0. B-cubed: recall 6(1/6)/6. CEAF: 1; 2/7, over 1 | 6
    "M-2": (("0/5", "0/0"), ("1/6", "6/6"), ("1/6", "1/6"), ("2/7", "2/42"), ("0/6", "0/6")),
    # {ab} {cde} {f}. MUC: 6 - 3 over 5 | 1 + 2. B-cubed: recall (4 + 9 + 1)/6/6. CEAF: 3; 6/9,
    # over 1 | 3
    "M-3": (("3/5", "3/3"), ("7/18", "6/6"), ("3/6", "3/6"), ("2/3", "2/9"), ("4/15", "5/6")),
    # {abcxyz}. MUC: 6 - 4 (abc, d, e, f) over 5. B-cubed: (9/6)/6. CEAF: 3; 6/12
    "M-4": (("2/5", "2/5"), ("1/4", "1/4"), ("3/6", "3/6"), ("1/2", "1/2"), ("3/15", "3/15")),
    # {a} {b} {c} {x} {y} {z}. B-cubed: recall 3(1/6)/6, precision 3/6. CEAF: 1; 2/7, over 1 | 6
    "M-5": (("0/5", "0/0"), ("1/12", "3/6"), ("1/6", "1/6"), ("2/7", "2/42"), ("0/6", "0/6")),
    # {ab} {cxy} {z}. MUC: 6 - 5 (ab, c, d, e, f) over 5, and 2 - 1 + 3 - 3 + 0 over 1 + 2.
    # B-cubed: recall (4 + 1)/6/6, precision (4/2 + 1/3)/6. CEAF: 2; 4/8, over 1 | 3
    "M-6": (("1/5", "1/3"), ("5/36", "7/18"), ("2/6", "2/6"), ("1/2", "1/6"), ("1/15", "2/6")),
    "N-1": (("0/0", "0/0"), ALL_OF[6], ALL_OF[6], ALL_OF[6], ALL_OF[6]),
    # M-2 to M-6 with the sides changed, but for the mentions that only one side has
    "N-2": (("0/0", "0/5"), ("6/6", "1/6"), ("1/6", "1/6"), ("2/42", "2/7"), ("0/6", "0/6")),
    # {ab} {cde} {f}. B-cubed: precision (2/2 + 3/3 + 1)/6. CEAF: 1 + 1 + 1; 2/3 + 2/4 + 1 = 13/6,
    # over 6 | 3
    "N-3": (("0/0", "0/3"), ("6/6", "3/6"), ("3/6", "3/6"), ("13/36", "13/18"), ("1/6", "1/6")),
    # {a} {b} {c} {x} {y} {z}: three of six on either side
    "N-4": (("0/0", "0/0"), ("3/6", "3/6"), ("3/6", "3/6"), ("3/6", "3/6"), ("3/6", "3/6")),
    # {abcxyz}. B-cubed: recall 3/6, precision 3(1/6)/6. CEAF: 1; 2/7, over 6 | 1
    "N-5": (("0/0", "0/5"), ("3/6", "1/12"), ("1/6", "1/6"), ("2/42", "2/7"), ("0/6", "0/6")),
    # {ab} {cxy} {z}. B-cubed: recall 3/6, precision (2/2 + 1/3)/6. CEAF: 1 + 1; 2/3 + 2/4 = 7/6,
    # over 6 | 3
    "N-6": (("0/0", "0/3"), ("3/6", "4/18"), ("2/6", "2/6"), ("7/36", "7/18"), ("0/6", "0/6")),
}


@pytest.mark.parametrize("case", RIGHT)
def test_every_metric_is_right_on_every_case_of_the_suite(case: str) -> None:
    gold, found = suite_clusters(f"TC-{case[0]}.key"), suite_clusters(f"TC-{case}.response")

    pairs = overlap(gold, found)

    for metric, (recall, precision) in zip(METRICS, RIGHT[case], strict=True):
        sums = metric(pairs)
        assert ratio(sums.recall_num, sums.recall_den) == approx(recall), metric.__name__
        assert ratio(sums.num, sums.den) == approx(precision), metric.__name__


def approx(counts: str) -> object:
    value = fraction(counts)
    return None if value is None else pytest.approx(float(value), abs=1e-12)


@pytest.mark.parametrize("case", RIGHT)
def test_muc_counts_links(case: str) -> None:
    """Its sums are the counts themselves, so they may be pooled."""
    gold, found = suite_clusters(f"TC-{case[0]}.key"), suite_clusters(f"TC-{case}.response")

    sums = muc(overlap(gold, found))

    assert f"{sums.recall_num:.0f}/{sums.recall_den:.0f}" == RIGHT[case][0][0]
    assert f"{sums.num:.0f}/{sums.den:.0f}" == RIGHT[case][0][1]


def test_no_case_of_the_suite_is_left_out() -> None:
    if not SUITE.exists():
        pytest.skip("needs shared/data/coval/tests beside the repository")
    responses = {path.stem.removeprefix("TC-") for path in SUITE.glob("*.response")}

    assert responses == set(RIGHT)


def test_clusters_are_pooled_over_documents_before_the_ratio() -> None:
    """{ab}{c} found whole and {de} missed: two of three links, 3 of 5 mentions, 2 of 3 clusters."""
    documents = [overlap([{"a", "b"}, {"c"}], [{"c"}, {"a", "b"}]), overlap([{"d", "e"}], [])]

    assert f1(map(muc, documents)) == pytest.approx(2 * 1 * (1 / 2) / (3 / 2))
    assert f1(map(b_cubed, documents)) == pytest.approx(2 * 1 * (3 / 5) / (8 / 5))
    assert f1(map(ceaf_e, documents)) == pytest.approx(2 * 1 * (2 / 3) / (5 / 3))
    assert f1(map(lea, documents)) == pytest.approx(2 * 1 * (3 / 5) / (8 / 5))


def test_without_singletons_only_clusters_of_two_and_more_count() -> None:
    """{a} {bc} {def} | {a} {bcx} {dy} {z}, less {a} and {z}, as worked out by hand."""
    pairs = overlap(["a", "bc", "def"], ["a", "bcx", "dy", "z"], keep_singletons=False)
    right: dict[Callable[[Overlap], Sums], Right] = {
        muc: ("1/3", "1/3"),
        b_cubed: ("7/15", "11/30"),  # (4/2 + 1/3)/5, (4/3 + 1/2)/5
        ceaf_m: ("3/5", "3/5"),  # 2 + 1
        ceaf_e: ("3/5", "3/5"),  # 4/5 + 2/5 = 6/5, over 2 | 2
        lea: ("2/5", "1/5"),  # (2 + 0)/5, (3 * 1/3 + 0)/5
    }

    for metric, (recall, precision) in right.items():
        sums = metric(pairs)
        assert ratio(sums.recall_num, sums.recall_den) == approx(recall), metric.__name__
        assert ratio(sums.num, sums.den) == approx(precision), metric.__name__


@pytest.mark.parametrize("metric", METRICS)
def test_nothing_on_a_side_leaves_its_ratio_undefined(metric: Callable[[Overlap], Sums]) -> None:
    none = metric(overlap([], []))
    unanswered = metric(overlap(["ab", "c"], []))
    unasked = metric(overlap([], ["ab", "c"]))

    assert none == Sums(num=0, den=0, recall_num=0, recall_den=0)
    assert (unanswered.num, unanswered.den, unanswered.recall_num) == (0, 0, 0)
    assert unanswered.recall_den > 0
    assert (unasked.recall_num, unasked.recall_den, unasked.num) == (0, 0, 0)
    assert unasked.den > 0


def test_a_mention_in_two_clusters_of_a_side_is_refused() -> None:
    with pytest.raises(ValueError, match="mention 'b' is in two response clusters"):
        overlap(["ab", "c"], ["ab", "bc"])
    with pytest.raises(ValueError, match="mention 'b' is in two gold clusters"):
        overlap(["ab", "bc"], ["ab", "c"])


def test_an_empty_cluster_does_not_count() -> None:
    assert ceaf_e(overlap(["ab", ""], ["ab"])) == ceaf_e(overlap(["ab"], ["", "ab"]))
