"""Output distribution: does a model say nearly the same of a passage however it draws (CDD)?

Source: Dong et al. (2024), Generalization or Memorization: Data Contamination and Trustworthy
Evaluation for Large Language Models, section 3. A prefix is sent alone, as `prefix_continuation`
sends it. The first sample is decoded greedily, the others are drawn above temperature 0: at the
model's own temperature, or at 0.8 as in the paper where that is 0. Over all of them,
`prompts.tasks.peakedness` says whether the draws cluster about the first; the table of the memory
study shows it. The paper draws 50: set `samples = 51`.

Each reply is also measured by itself, like those of `prefix_continuation`: against the passage
rather than against one another.

Access: completions of a bare text (not chat), text alone.
"""

from __future__ import annotations

from prompts.tasks.base import Decoding
from prompts.tasks.peakedness import MOST_TOKENS
from prompts.tasks.prefix_continuation import PrefixContinuation


class OutputDistribution(PrefixContinuation):
    """How a passage is continued again and again."""

    name = "output_distribution"
    source = "Dong et al. (2024), section 3"
    version = 1
    reply_tokens: int | None = MOST_TOKENS

    def decoding(self, sample: int) -> Decoding:
        """The first greedily, the others drawn."""
        return "drawn" if sample else "greedy"


OUTPUT_DISTRIBUTION = OutputDistribution()
