"""Peakedness: whether a model's samples cluster about what it says first (CDD).

Source: Dong et al. (2024), Generalization or Memorization: Data Contamination and Trustworthy
Evaluation for Large Language Models, section 3. A model that has learnt a text by heart gives
nearly the same words however it draws. Of one prompt, let g be the reply at temperature 0 and s_1
... s_n replies drawn at a temperature above 0, ED Levenshtein's distance in tokens and l the length
of the longest of g and s_1 ... s_n, all cut to their first 100 tokens. Then

    peakedness = 1/n |{i : ED(s_i, g) <= alpha l}|        in [0, 1]
    contaminated where peakedness > xi

with alpha = 0.05 and xi = 0.01, and n = 50 draws at temperature 0.8 in the paper. With n draws
peakedness is a multiple of 1/n, so that with fewer than 100 any draw that is close counts.

Access: text alone. The samples are those of `output_distribution`. An endpoint
that gives no tokens has words for tokens: the same share of a length is then fewer units, and alpha
= 0.05 lets one word in twenty differ.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from prompts.tasks.edit_distance import edit_distance

ALPHA: Final = 0.05
"""Share of the length within which a sample is close."""
XI: Final = 0.01
"""Peakedness above which the paper calls an item contaminated."""
MOST_TOKENS: Final = 100
"""Tokens of a reply that count (count)."""


def peakedness(
    greedy_tokens: Sequence[Hashable],
    samples_tokens: Sequence[Sequence[Hashable]],
    alpha: float = ALPHA,
) -> float:
    """The share of samples that are within `alpha` of the greedy reply, in [0, 1].

    Args:
        greedy_tokens: The reply at temperature 0, in tokens or words.
        samples_tokens: Replies to the same prompt at a higher temperature, in the same units.
        alpha: Share of the longest reply's length that may differ, at least 0.

    Raises:
        ValueError: There are no samples, or no reply has a token; then nothing is defined.
    """
    greedy = greedy_tokens[:MOST_TOKENS]
    samples = [sample[:MOST_TOKENS] for sample in samples_tokens]
    if not samples:
        raise ValueError("peakedness of no samples: ask with samples above temperature 0")
    longest = max(map(len, (greedy, *samples)))
    if not longest:
        raise ValueError("peakedness of empty replies: nothing was said that could be alike")
    close = sum(edit_distance(greedy, sample) <= alpha * longest for sample in samples)
    return close / len(samples)
