"""Errors of the embedder.

EmbedderError
├── UnknownWork        a work was asked for that the alias map does not have
├── NoContext          an event or modifier cannot be written without its sentence
├── PipelineError      a literary pipeline is not installed, or ended badly
├── NothingToEmbed     the store has no features of the kinds an encoder is for
└── EncoderError       an encoder cannot be had, or cannot go on
    ├── NoSuchEncoder     the name is none that is known
    ├── BadSetting        an encoder cannot be used in this way
    ├── MissingPackages   the packages it needs are not installed
    ├── ModelUnusable     its model is not there or is not what it should be
    ├── CannotEncode      a text or word cannot get a vector
    ├── NotAligned        a word has no piece of its own
    ├── OutOfMemory       there is not enough memory for even one text
    └── EndpointError     a server that encodes does not answer as it should
        └── TextRefused      it will not take these texts
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class EmbedderError(Exception):
    """Base of every error this package raises on purpose."""


class UnknownWork(EmbedderError):
    """A work was asked for that the alias map has no row of."""

    def __init__(self, path: Path, work: str, known: Iterable[str]) -> None:
        self.known = tuple(known)
        super().__init__(path, work, self.known)
        self.path, self.work = path, work

    def __str__(self) -> str:
        near = difflib.get_close_matches(self.work, self.known, n=1)
        guess = f"did you mean {near[0]!r}? " if near else ""
        known = ", ".join(self.known) or "none"
        return f"{self.path}: no work {self.work!r}; {guess}its works are {known}"


class NoContext(EmbedderError):
    """A feature that is a word in its sentence is to be written without the sentence."""

    def __init__(self, path: Path, character: str, text: str) -> None:
        super().__init__(path, character, text)
        self.path, self.character, self.text = path, character, text

    def __str__(self) -> str:
        return (
            f"{self.path}: {self.text!r} of {self.character} has no context; "
            "nothing was written; read the features again with BookNLP's .tokens file in place"
        )


class PipelineError(EmbedderError):
    """A pipeline that makes the features cannot be run, or ended without its output."""

    def __init__(self, pipeline: str, found: str, fix: str) -> None:
        super().__init__(pipeline, found, fix)
        self.pipeline, self.found, self.fix = pipeline, found, fix

    def __str__(self) -> str:
        return f"{self.pipeline}: {self.found}; {self.fix}"


class NothingToEmbed(EmbedderError):
    """The store has no features that an encoder could make vectors of."""

    def __init__(self, kinds: Iterable[str], without_context: int) -> None:
        self.kinds, self.without_context = tuple(kinds), without_context
        super().__init__(self.kinds, without_context)

    def __str__(self) -> str:
        if self.without_context:
            return (
                f"none of the {self.without_context:,} features ({', '.join(self.kinds)}) has its "
                "sentence, which a word's vector needs; read them again with the .tokens file"
            )
        return (
            f"the store has no features of the kinds {', '.join(self.kinds)} that fit; "
            "bring some in with `probe features`, or widen the choice"
        )


class EncoderError(EmbedderError):
    """An encoder cannot be had, or cannot go on."""


class NoSuchEncoder(EncoderError):
    """A name stands for no encoder."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.known = tuple(known)
        super().__init__(name, self.known)
        self.name = name

    def __str__(self) -> str:
        near = difflib.get_close_matches(self.name, self.known, n=1)
        guess = f"did you mean {near[0]!r}? " if near else ""
        return f"no encoder {self.name!r}; {guess}it may be {', '.join(self.known)}"


class BadSetting(EncoderError):
    """An encoder is asked for in a way that it cannot be used."""

    def __init__(self, setting: str, found: str, fix: str) -> None:
        super().__init__(setting, found, fix)
        self.setting, self.found, self.fix = setting, found, fix

    def __str__(self) -> str:
        return f"{self.setting}: {self.found}; {self.fix}"


class MissingPackages(EncoderError):
    """The packages an encoder needs are not installed."""

    def __init__(self, encoder: str, package: str) -> None:
        super().__init__(encoder, package)
        self.encoder, self.package = encoder, package

    def __str__(self) -> str:
        return (
            f"encoder {self.encoder}: the package {self.package!r} is not installed; "
            "install what encoders need with pip install 'gistprobe[embed]'"
        )


class ModelUnusable(EncoderError):
    """A model is not to be had, or is not what its encoder can use."""

    def __init__(self, model: str, found: str, fix: str) -> None:
        super().__init__(model, found, fix)
        self.model, self.found, self.fix = model, found, fix

    def __str__(self) -> str:
        return f"model {self.model}: {self.found}; {self.fix}"


class CannotEncode(EncoderError):
    """A text, or a word in it, cannot get a vector."""

    def __init__(self, target_id: str, reason: str) -> None:
        super().__init__(target_id, reason)
        self.target_id, self.reason = target_id, reason

    def __str__(self) -> str:
        return f"target {self.target_id}: {self.reason}; nothing was put in its place"


class NotAligned(EncoderError):
    """A word has no piece of a tokenizer's, or is not where it is said to be."""


class OutOfMemory(EncoderError):
    """There is not enough memory to encode even one text at a time."""

    def __init__(self, model: str, tokens: int, device: str) -> None:
        super().__init__(model, tokens, device)
        self.model, self.tokens, self.device = model, tokens, device

    def __str__(self) -> str:
        return (
            f"model {self.model}: the memory of {self.device} is not enough for one text of "
            f"{self.tokens:,} tokens; free some, choose a smaller window or a dtype of 16 bits, "
            "or another device"
        )


class EndpointError(EncoderError):
    """A server that encodes did not answer as it should; its key is never shown."""

    def __init__(self, address: str, found: str, fix: str) -> None:
        super().__init__(address, found, fix)
        self.address, self.found, self.fix = address, found, fix

    def __str__(self) -> str:
        return f"endpoint {self.address}: {self.found}; {self.fix}"


class TextRefused(EndpointError):
    """A server says that it cannot encode what it was sent; fewer texts may do better."""
