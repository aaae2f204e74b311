"""Word-in-context encoder: what a transformer makes of a word's own pieces, averaged.

Each distinct context goes through the model once, however many words of it are asked for. The
paper's encoder is T5 with 11 billion parameters, of which the encoder half is used (section 4.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import torch
from transformers import PreTrainedModel

from embedder.align import own_pieces
from embedder.encoders.base import Encoded, Identity, Settings, Skipped, Target, Vector
from embedder.encoders.hub import Local
from embedder.encoders.loading import load, quicken, window
from embedder.encoders.outcome import Outcomes, by_text
from embedder.encoders.padded import Ids, pad
from embedder.encoders.placement import place
from embedder.encoders.running import Runner
from embedder.encoders.windows import window_start
from embedder.errors import BadSetting, NotAligned

FORM: Final = 1
POOLINGS: Final = ("own", "published")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spot:
    """A word and where its pieces are in what goes through the model."""

    target: Target
    places: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pass:
    """What goes through the model: a context, or a window of one, with its words."""

    ids: Ids
    tokens: int
    spots: list[_Spot] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """A tokenized context; the first `lead` and the last `tail` ids are special tokens."""

    text: str
    ids: list[int]
    pieces: list[str]
    offsets: list[tuple[int, int]]
    lead: int
    tail: int


class WordEncoder:
    """Encodes words in their contexts with one model."""

    def __init__(self, name: str, local: Local, settings: Settings) -> None:
        """Load a model.

        Args:
            name: The encoder's, as the user gives it.
            local: The model's folder.
            settings: How to work. `pooling` is `own`, the mean over the pieces at the word's
                place; or `published`, as the paper's code has it: of each piece of the word the
                first place in the context where that piece stands, be it the word's or not, and
                where the word stands near the start and its letters occur once, some twice.

        Raises:
            ModelUnusable: The folder holds no model that can be used.
            BadSetting: The model cannot be used in this way.
        """
        pooling = settings.pooling or POOLINGS[0]
        if pooling not in POOLINGS:
            raise BadSetting("pooling", f"no {pooling!r}", f"choose {' or '.join(POOLINGS)}")
        if settings.instruction:
            raise BadSetting("instruction", "a word in context takes none", "leave it out")
        self._published = pooling == "published"
        self._place = place(settings.device, settings.dtype)
        budget_tokens = self._place.budget_tokens(settings.batch_tokens)
        loaded = load(local.folder, local.model, self._place)
        quicken(loaded.model, self._place)
        self._tokenizer = loaded.tokenizer
        self._model: PreTrainedModel | None = loaded.model
        self._window = window(loaded, own=None, asked=settings.max_tokens)
        self._runner = Runner(local.model, self._place, budget_tokens)
        self.identity = Identity(
            encoder=name,
            unit="word",
            model=local.model,
            revision=local.revision,
            pooling=pooling,
            dtype=self._place.dtype_name,
            max_tokens=self._window,
            instruction=None,
            dim=loaded.model.config.hidden_size,
            form=FORM,
        )

    def encode(
        self, targets: Sequence[Target], skipped: Callable[[Skipped], None] | None = None
    ) -> Iterator[list[Encoded]]:
        """Yield finished batches; see `Encoder`."""
        outcomes = Outcomes(self.identity.dtype, skipped)
        passes = list(self._passes(targets, outcomes))
        lengths = [len(each.ids) for each in passes]

        def run(rows: Sequence[int]) -> list[Vector]:
            return self._means([passes[row] for row in rows])

        for done in self._runner.run(run, lengths):
            batch = outcomes.vectors(
                (spot.target, _encoded(each, spot, vector))
                for rows, vectors in done
                for (each, spot), vector in zip(_spots(passes, rows), vectors, strict=True)
            )
            if batch:
                yield batch

    def close(self) -> None:
        """Let go of the model."""
        self._model = None
        if self._place.device.type == "cuda":
            torch.cuda.empty_cache()

    def _means(self, passes: Sequence[_Pass]) -> list[Vector]:
        """The vectors of all words of some passes, in order."""
        if self._model is None:
            raise ValueError("the encoder is closed")
        ids, mask = pad(
            [each.ids for each in passes],
            pad_id=self._tokenizer.pad_token_id or 0,
            device=self._place.device,
        )
        spots = [(row, spot.places) for row, each in enumerate(passes) for spot in each.spots]
        rows = [row for row, places in spots for _ in places]
        columns = [place for _, places in spots for place in places]
        hidden = self._model(input_ids=ids, attention_mask=mask).last_hidden_state
        picked = hidden[rows, columns].float().cpu().numpy()
        ends = np.cumsum([len(places) for _, places in spots])
        parts: list[Vector] = np.split(picked, ends[:-1])
        return [part.mean(axis=0) for part in parts]

    def _passes(self, targets: Sequence[Target], outcomes: Outcomes) -> Iterator[_Pass]:
        groups = by_text(_words(targets, outcomes))
        for context in self._contexts(list(groups)):
            windows: dict[int, _Pass] = {}
            for target in groups[context.text]:
                try:
                    places = self._pieces(context, target)
                except NotAligned as error:
                    outcomes.skip(target, str(error))
                    continue
                self._put(windows, context, target, places, outcomes)
            yield from windows.values()

    def _put(
        self,
        windows: dict[int, _Pass],
        context: _Context,
        target: Target,
        places: list[int],
        outcomes: Outcomes,
    ) -> None:
        """Add a word to the window of its context that it belongs in."""
        lead, inner = context.lead, len(context.ids) - context.lead - context.tail
        room = self._window - lead - context.tail
        start = window_start(inner, room, first=min(places) - lead, last=max(places) - lead)
        if start is None:
            width = max(places) - min(places) + 1
            reason = f"its pieces span {width:,} tokens and the window has {room:,}"
            outcomes.skip(target, f"{reason}; choose a wider one")
            return
        if start not in windows:
            windows[start] = _Pass(ids=_cut(context, start, room), tokens=len(context.ids))
        windows[start].spots.append(
            _Spot(target=target, places=[place - start for place in places])
        )

    def _contexts(self, texts: list[str]) -> Iterator[_Context]:
        if not texts:
            return
        told = self._tokenizer(
            texts, return_offsets_mapping=True, return_special_tokens_mask=True, verbose=False
        )
        for row, text in enumerate(texts):
            special = told["special_tokens_mask"][row]
            inner = [index for index, mark in enumerate(special) if not mark]
            first, last = (inner[0], inner[-1]) if inner else (len(special), -1)
            yield _Context(
                text=text,
                ids=told["input_ids"][row],
                pieces=told.tokens(row),
                offsets=told["offset_mapping"][row],
                lead=first,
                tail=len(special) - 1 - last,
            )

    def _pieces(self, context: _Context, target: Target) -> list[int]:
        start, end = _span(target)
        if self._published:
            return self._first_places(context, context.text[start:end])
        return own_pieces(context.text, start, end, pieces=context.pieces, offsets=context.offsets)

    def _first_places(self, context: _Context, word: str) -> list[int]:
        """Places by piece, as the paper's code finds them."""
        if not word.strip():
            raise NotAligned("there is no word at its place")
        pieces = self._tokenizer(word, add_special_tokens=False)["input_ids"]
        try:
            places = [context.ids.index(piece) for piece in pieces]
            if len(context.text.split(word)) == 2:
                places += [context.ids.index(piece) for piece in pieces[places[-1] :]]
        except ValueError:
            raise NotAligned(
                f"a piece of {word!r} by itself does not occur in its context"
            ) from None
        return places


def _words(targets: Sequence[Target], outcomes: Outcomes) -> Iterator[Target]:
    for target in targets:
        if target.start is None or target.end is None:
            outcomes.skip(target, "it has no place in a context, and this encodes words in context")
        else:
            yield target


def _span(target: Target) -> tuple[int, int]:
    if target.start is None or target.end is None:
        raise ValueError(f"target {target.target_id} is no word in a context")
    return target.start, target.end


def _cut(context: _Context, start: int, room: int) -> Ids:
    end = len(context.ids) - context.tail
    inner = context.ids[context.lead : end]
    return [*context.ids[: context.lead], *inner[start : start + room], *context.ids[end:]]


def _spots(passes: Sequence[_Pass], rows: Sequence[int]) -> Iterator[tuple[_Pass, _Spot]]:
    """The words of some passes, in the order of their vectors."""
    return ((passes[row], spot) for row in rows for spot in passes[row].spots)


def _encoded(each: _Pass, spot: _Spot, vector: Vector) -> Encoded:
    return Encoded(
        target_id=spot.target.target_id,
        vector=vector,
        tokens=each.tokens,
        left_out=each.tokens - len(each.ids),
        pieces=len(spot.places),
    )
