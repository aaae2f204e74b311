"""Text-only baselines: they find what is planted in the text, and nothing where nothing is."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from analysis.errors import MissingExtra, Undefined
from analysis.membership import blind_by_length, blind_by_words
from analysis.membership.blind import folds
from analysis.membership.detection import curve
from analysis.metrics import Bools, Floats
from tests.analysis.memory_for_tests import WORDS

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install -e '.[report]'")


def texts(
    seed: int, works: int = 6, each: int = 6, artefact: str = "", longer: int = 0
) -> tuple[list[str], Bools, list[str]]:
    """Passages of two kinds by chance, those of the second with a word or words more."""
    rng = np.random.default_rng(seed)
    member = np.arange(2 * works * each) % 2 == 1
    found = []
    for known in member:
        words = list(rng.choice(WORDS, 40 + longer * known))
        if known and artefact:
            words[7] = artefact
        found.append(" ".join(words))
    work = [f"Work {number // 2 % works}" for number in range(len(member))]
    return found, member, work


def auc(scores: Floats, member: Bools) -> float:
    return float(curve(scores, member, np.ones((1, len(member)))).auc[0])


def test_a_planted_word_is_found() -> None:
    """A word that all known passages have and no other, in works the classifier has not seen."""
    own, member, works = texts(1, artefact="forsooth")

    assert auc(blind_by_words(own, member, works), member) > 0.95


def test_a_planted_capital_is_found() -> None:
    """Letters are read as they stand."""
    own, member, works = texts(2)
    own = [text.upper() if known else text for text, known in zip(own, member, strict=True)]

    assert auc(blind_by_words(own, member, works), member) > 0.95


def test_a_planted_length_is_found_by_length_alone() -> None:
    own, member, works = texts(3, longer=15)

    assert auc(blind_by_length(own, member, works), member) > 0.95


@pytest.mark.parametrize("judge", [blind_by_words, blind_by_length])
def test_where_nothing_is_planted_they_are_at_chance(judge: object) -> None:
    """Over 6 samples: the mean of AUCs whose standard deviation is 0.1 lies within 3 x 0.041."""
    found = []
    for seed in range(6):
        own, member, works = texts(seed, works=4, each=8)
        found.append(auc(judge(own, member, works), member))  # type: ignore[operator]

    assert abs(float(np.mean(found)) - 0.5) < 0.123


def test_no_passage_is_judged_by_a_classifier_that_has_seen_its_work() -> None:
    """A word that gives each passage's kind away in its own work, the other way round elsewhere.

    Had it seen the work, it would be right; having seen the others alone it is wrong throughout.
    """
    own, member, _ = texts(4, works=2, each=10)
    work = ["Work A" if number < 20 else "Work B" for number in range(40)]
    own = [
        f"{text} {'sooth' if known == (at == 'Work A') else 'truly'} " * 3
        for text, known, at in zip(own, member, work, strict=True)
    ]

    assert auc(blind_by_words(own, member, work), member) < 0.05


def test_works_are_dealt_whole_and_evenly() -> None:
    """Six works into five folds: the largest alone, the two smallest together."""
    sizes = {"a": 9, "b": 5, "c": 5, "d": 5, "e": 4, "f": 3}
    works = [work for work, size in sizes.items() for _ in range(size)]

    found = folds(works)

    by_work = {work: set(found[[each == work for each in works]].tolist()) for work in sizes}
    assert all(len(own) == 1 for own in by_work.values())
    assert by_work["e"] == by_work["f"]
    assert len(set(found.tolist())) == 5


def test_one_work_or_one_kind_cannot_be_judged() -> None:
    own, member, works = texts(5, works=2)

    with pytest.raises(Undefined, match="needs at least 2 works"):
        blind_by_words(own, member, ["Emma"] * len(own))
    with pytest.raises(Undefined, match="only one kind of passage is left"):
        blind_by_words(own, np.array([each == "Work 0" for each in works]), works)


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    own, member, works = texts(6)

    with pytest.raises(MissingExtra, match=r"text-only baselines need it; pip install 'gistprobe"):
        blind_by_words(own, member, works)
