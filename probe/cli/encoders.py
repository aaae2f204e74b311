"""Encoders as commands make them: by name, with what they need fetched."""

from __future__ import annotations

from collections.abc import Sequence

from embedder.encoders.base import Encoder, Settings
from embedder.encoders.registry import make
from embedder.errors import BadSetting
from embedder.worker import KINDS
from probe.progress import FetchDisplay
from store.assets import fetch
from store.catalogue import ENCODERS


def encoder_named(name: str, settings: Settings) -> Encoder:
    """An encoder, ready to encode; close it when done. Raises as `make`.

    Raises:
        AssetError: Its model cannot be fetched.
    """
    folder = None
    if name in ENCODERS:
        fetching = FetchDisplay()
        try:
            folder = fetch(ENCODERS[name], fetching)
        finally:
            fetching.close()
    return make(name, folder=folder, settings=settings)


def kinds_for(encoder: Encoder, asked: Sequence[str], name: str) -> tuple[str, ...]:
    """The kinds of features that an encoder makes vectors of: those asked for, or all it can.

    Raises:
        BadSetting: It makes no vectors of one that is asked for.
    """
    fitting = KINDS[encoder.identity.unit]
    wrong = [kind for kind in asked if kind not in fitting]
    if wrong:
        found = f"{name} makes vectors of {' and '.join(fitting)}s, not of {', '.join(wrong)}s"
        raise BadSetting("kind", found, "name another encoder, or another --kind")
    return tuple(asked) or fitting
