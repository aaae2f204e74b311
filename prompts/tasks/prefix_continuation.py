"""Prefix continuation: does a model go on with a passage as the work does?

Source: Carlini et al. (2023), Quantifying Memorization Across Neural Language Models, section 3:
given k tokens of a training text, does greedy decoding give the next 50? The prefix is sent alone
as a completion; ask at temperature 0. Here k is in words, because the prefix must be the same text
for every model; token-exact numbers come from `extraction`, which needs probabilities.

The true continuation is cut to its first 32 words and the model's to as many, for 64 tokens hold 32
words of English prose in any usual vocabulary, and whatever follows is not asked for. With w and v
the words of the two, parted at white space, each with its case and punctuation, and x and y the
same as texts with one space between words,

    common_prefix = words that v begins with as w does / |w|                   headline
    exact         = 1 where v = w, else 0
    edit_distance = Levenshtein's distance of x and y / max(|x|, |y|), in letters; 0 is verbatim
    rougeL        = ROUGE-L's F-measure of y against x

all in [0, 1]. The headline is the longest common prefix: `exact` is its extreme and is 0 throughout
for small models, while ROUGE-L and edit distance also give much to a fluent guess, which shares the
language's most frequent words and letters with any text.

A completion that stops at once continues with nothing, and scores as different in every word.

Access: completions of a bare text (not chat), text alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from prompts.tasks.bare_passage import BarePassage
from prompts.tasks.base import Answer, Asks, GoldIs, Marked, Measure, Unparsed
from prompts.tasks.edit_distance import distance_share
from prompts.tasks.overlap import common_prefix, rouge_l
from prompts.tasks.plain_replies import EMPTY

MOST_WORDS: Final = 32
"""Words of the true continuation that count (count)."""


class PrefixContinuation(BarePassage):
    """What follows a prefix, held against what follows it in the work."""

    name = "prefix_continuation"
    source = "Carlini et al. (2023), section 3"
    version = 1
    asks: Asks = "continuation"
    reply_tokens: int | None = 64
    gold_is: GoldIs = "text"

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The whole reply: a completion holds no more than the continuation."""
        del gold, options
        return Answer({"suffix": reply}) if reply.strip() else Unparsed(EMPTY)

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """The four measures; nothing is right or wrong by units."""
        del accepted
        true = gold["suffix"].split()[:MOST_WORDS]
        said = answer.value.get("suffix", "").split() if isinstance(answer, Answer) else []
        said = said[: len(true)]
        alike = common_prefix(said, true)
        x, y = " ".join(true), " ".join(said)
        measures = (
            Measure(metric="common_prefix", num=alike, den=len(true), headline=True),
            Measure(metric="exact", num=float(alike == len(true)), den=1),
            Measure(metric="edit_distance", num=distance_share(x, y), den=1),
            Measure(metric="rougeL", num=rouge_l(y, x), den=1),
        )
        return Marked(right=0, units=0, measures=measures)


PREFIX_CONTINUATION = PrefixContinuation()
