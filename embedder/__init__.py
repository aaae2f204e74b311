"""The embedder: from literary pipelines' output to features, and from features to vectors.

`embedder.features` reads the output, `embedder.encoders` makes vectors, `embedder.worker` takes
features from a store and writes their vectors to it.
"""

from embedder.errors import EmbedderError
from embedder.worker import State, Tally, Wanted, embed

__all__ = ["EmbedderError", "State", "Tally", "Wanted", "embed"]
