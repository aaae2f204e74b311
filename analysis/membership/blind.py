"""What the text alone tells: classifiers that never see the model. The only user of scikit-learn.

Passages that are well known may differ from those that are not in their wording, length or layout.
Whatever such a classifier tells, a score of memory must tell more to mean anything.

Where some works have far more of one kind than others have, a classifier that knows nothing falls a
little below chance, since the works it has seen have more of the other: 0.46 on average where half
the works have 13 passages of one kind and 1 of the other, the rest the other way round.

Source: Das, Zhang & Tramèr (2024), Blind Baselines Beat Membership Inference Attacks for Foundation
Models; Duan et al. (2024), Do Membership Inference Attacks Work on Large Language Models?
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.errors import MissingExtra, Undefined
from analysis.metrics import Bools, Floats
from analysis.statistics import Places

if TYPE_CHECKING:
    from types import ModuleType

_FOLDS: Final = 5
_ITERATIONS: Final = 1_000


def blind_by_words(texts: Sequence[str], member: Bools, works: Sequence[str]) -> Floats:
    """How much each passage looks known by its words and letters, shape (passages,).

    Logistic regression (L2, C = 1, the classes of equal weight) on tf-idf of words and pairs of
    words in lower case and of two to four letters as they stand, each passage judged by a
    classifier that has seen no passage of its work: the works are dealt into five folds, or one a
    work where they are fewer.

    Args:
        texts: The passages.
        member: Which of them are known, shape (passages,).
        works: Of each passage.

    Raises:
        Undefined: There is one work alone, or the others lack one of the kinds.
        MissingExtra: scikit-learn is not installed.
    """
    extraction, linear, pipeline, _ = _scikit_learn()

    def made() -> Any:  # noqa: ANN401 - scikit-learn has no types
        words = extraction.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
        letters = extraction.TfidfVectorizer(
            analyzer="char_wb", ngram_range=(2, 4), lowercase=False, sublinear_tf=True
        )
        both = pipeline.FeatureUnion([("words", words), ("letters", letters)])
        return pipeline.Pipeline([("features", both), ("classifier", _classifier(linear))])

    rows = np.array(texts, dtype=object)
    return _held_out(made, rows, member, works)


def blind_by_length(texts: Sequence[str], member: Bools, works: Sequence[str]) -> Floats:
    """The same from how long a passage is and how well zlib packs it, and nothing else.

    Features: log of its code points, and compressed bytes a byte; standardised on the works that a
    classifier sees. Arguments and errors as for `blind_by_words`.
    """
    _, linear, pipeline, preprocessing = _scikit_learn()

    def made() -> Any:  # noqa: ANN401 - scikit-learn has no types
        steps = [("scale", preprocessing.StandardScaler()), ("classifier", _classifier(linear))]
        return pipeline.Pipeline(steps)

    return _held_out(made, np.array([_size(text) for text in texts]), member, works)


def _size(text: str) -> tuple[float, float]:
    data = text.encode("utf-8")
    return math.log1p(len(text)), len(zlib.compress(data)) / max(1, len(data))


def _classifier(linear: ModuleType) -> Any:  # noqa: ANN401 - scikit-learn has no types
    # Of equal weight: else a fold whose other works have more of one kind is judged to have more
    # of it, and pooled over folds a classifier that knows nothing falls below chance.
    return linear.LogisticRegression(class_weight="balanced", max_iter=_ITERATIONS)


def _held_out(made: Any, rows: Any, member: Bools, works: Sequence[str]) -> Floats:  # noqa: ANN401
    """Scores of each passage by a classifier that was trained on other folds of works."""
    fold = folds(works)
    found = np.full(len(works), np.nan)
    for each in range(int(fold.max()) + 1):
        seen = fold != each
        if len(np.unique(member[seen])) < 2:
            raise Undefined("without some of the works only one kind of passage is left")
        model = made().fit(rows[seen], member[seen])
        found[~seen] = model.decision_function(rows[~seen])
    return found


def folds(works: Sequence[str], most: int = _FOLDS) -> Places:
    """The fold of each passage, whole works together, shape (passages,): large ones dealt first.

    Raises:
        Undefined: Fewer than two works.
    """
    sizes = {work: list(works).count(work) for work in dict.fromkeys(works)}
    if len(sizes) < 2:
        raise Undefined("a text-only classifier needs at least 2 works")
    filled = [0] * min(most, len(sizes))
    fold: dict[str, int] = {}
    for work in sorted(sizes, key=lambda each: (-sizes[each], each)):
        fold[work] = filled.index(min(filled))
        filled[fold[work]] += sizes[work]
    return np.array([fold[work] for work in works], dtype=np.int64)


def _scikit_learn() -> tuple[ModuleType, ModuleType, ModuleType, ModuleType]:
    """Its modules for features of texts, linear models, pipelines and scaling.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        from sklearn import (  # type: ignore[import-untyped]  # noqa: PLC0415 - slow to load
            linear_model,
            pipeline,
            preprocessing,
        )
        from sklearn.feature_extraction import text  # type: ignore[import-untyped]  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "scikit-learn", "text-only baselines", "report") from error
    return text, linear_model, pipeline, preprocessing
