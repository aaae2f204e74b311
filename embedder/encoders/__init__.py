"""Encoders: texts, or words in context, to vectors. Importing this loads no model."""

from embedder.encoders.base import Encoded, Encoder, Identity, Settings, Skipped, Target
from embedder.encoders.registry import DEFAULT, KNOWN, make

__all__ = [
    "DEFAULT",
    "KNOWN",
    "Encoded",
    "Encoder",
    "Identity",
    "Settings",
    "Skipped",
    "Target",
    "make",
]
