"""The embedding worker: claims features of a store, embeds them, writes their vectors.

It needs the database for a moment only, to see what there is to do; a run may own it meanwhile, or
nobody. Finished batches go to the journal of vectors, and from there into the database whenever
that is free, so a worker killed at any point loses the batch it had in hand and nothing else. Any
number of workers may work on one store: each claims what no other has.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence, Set
from dataclasses import asdict, dataclass, field
from typing import Final

import numpy as np

from embedder.encoders.base import Encoded, Encoder, Skipped, Target
from embedder.errors import NothingToEmbed
from embedder.places import Claims, Workplace
from store.claims import BUCKETS, bucket_of
from store.keys import digest
from store.read import Source, ask
from store.take_in import Done
from store.vector_journal import EncoderMark, VectorBatch, VectorJournal

KINDS: Final = {"sentence": ("quote", "assertion"), "word": ("event", "modifier")}
"""What an encoder's unit is for."""
_CLAIM_TEXTS: Final = 1_024
_TAKE_IN_EVERY_S: Final = 30.0
_LOOK_AGAIN_S: Final = 0.5
_HAND_OVER_S: Final = 10.0
_SPREAD: Final = 97
_WANTED: Final = """
    SELECT target_id, any_value(coalesce(context, text)) AS text,
           any_value(target_start) AS target_start, any_value(target_end) AS target_end,
           count(*) AS features
    FROM features
    WHERE list_contains($kinds, kind)
      AND (corpus = $corpus OR $corpus IS NULL)
      AND (pipeline = $pipeline OR $pipeline IS NULL)
      AND (work = $work OR $work IS NULL)
    GROUP BY target_id"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which features get vectors; None stands for all."""

    kinds: tuple[str, ...]
    corpus: str | None = None
    pipeline: str | None = None
    work: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How far a worker is.

    Attributes:
        targets: Distinct texts, or words in context (count).
        held: Of these, those that had a vector at the start or got one from another worker.
        embedded: Those this worker has embedded.
        tokens: In what it has embedded, of texts that several targets share counted for each.
        cut: Texts of which the encoder did not see all.
        skipped: Targets it cannot make a vector of.
    """

    targets: int
    held: int
    embedded: int
    tokens: int
    cut: int
    skipped: int
    elapsed_s: float

    @property
    def left_s(self) -> float | None:
        """Time left at the pace so far (seconds); None before there is one."""
        if not self.embedded or self.elapsed_s <= 0:
            return None
        left = self.targets - self.held - self.embedded - self.skipped
        return left * self.elapsed_s / self.embedded


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a worker did.

    Attributes:
        features: Features the vectors are for (count).
        without_context: Features that have no vector, since their sentence is not known.
        skipped: Targets that have none for a reason of the encoder's.
        waiting: Whether vectors wait in the journal for the store's owner to take them in.
    """

    state: State
    features: int
    without_context: int
    skipped: tuple[Skipped, ...]
    waiting: bool


def embed(
    place: Workplace, encoder: Encoder, wanted: Wanted, seen: Callable[[State], None]
) -> Tally:
    """Embed all that is wanted and has no vector yet; return when everything has one.

    Args:
        place: Where the features are, and where the vectors go.
        encoder: Stays the caller's to close.
        wanted: Which features.
        seen: Told after every batch.

    Raises:
        NothingToEmbed: The store has no such features.
        StoreError: The store cannot be read or written.
        EmbedderError: The encoder fails.
    """
    identity = encoder.identity
    mark = EncoderMark(name=identity.encoder, identity=asdict(identity))
    reader = place.open()
    try:
        rows = _rows(reader, wanted, identity.unit)
        done = Done(reader, place.folder, mark.encoder_id)
    finally:
        reader.close()
    done.look()
    work = _Work(place=place, encoder=encoder, done=done, seen=seen, targets=len(rows.targets))
    work.add(rows.targets)
    journal = VectorJournal(place.folder, mark)
    try:
        with place.claims(mark.encoder_id, digest(asdict(wanted))) as claims:
            work.go(claims, journal)
    finally:
        journal.close()
        handed_over = place.hand_over(_HAND_OVER_S if not work.buckets else 0.0)
    return Tally(
        state=work.state(),
        features=rows.features,
        without_context=rows.without_context,
        skipped=tuple(work.skipped),
        waiting=not handed_over,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    targets: list[Target]
    features: int
    without_context: int


def _rows(source: Source, wanted: Wanted, unit: str) -> _Rows:
    named: dict[str, object] = asdict(wanted) | {"kinds": list(wanted.kinds)}
    found = ask(source, _WANTED, named).records()
    targets: list[Target] = []
    features = without_context = 0
    for row in found:
        count = int(str(row["features"]))
        if unit == "word" and row["target_start"] is None:
            without_context += count
            continue
        features += count
        start, end = row["target_start"], row["target_end"]
        targets.append(
            Target(
                target_id=str(row["target_id"]),
                text=str(row["text"]),
                start=None if start is None else int(str(start)),
                end=None if end is None else int(str(end)),
            )
        )
    if not targets:
        raise NothingToEmbed(wanted.kinds, without_context)
    return _Rows(targets=targets, features=features, without_context=without_context)


@dataclass(slots=True, kw_only=True)
class _Work:
    """What one worker still has to do, by bucket."""

    place: Workplace
    encoder: Encoder
    done: Done
    seen: Callable[[State], None]
    targets: int
    buckets: dict[int, list[Target]] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    _left: int = 0
    _embedded: int = 0
    _tokens: int = 0
    _cut: int = 0
    _began: float = field(default_factory=time.monotonic)
    _taken_in: float = field(default_factory=time.monotonic)

    def add(self, targets: Sequence[Target]) -> None:
        """Take up targets, but for those that are done."""
        for target in targets:
            if target.target_id not in self.done:
                self.buckets.setdefault(bucket_of(target.text), []).append(target)
                self._left += 1

    def state(self) -> State:
        """How far this worker is."""
        return State(
            targets=self.targets,
            held=self.targets - self._left - self._embedded - len(self.skipped),
            skipped=len(self.skipped),
            embedded=self._embedded,
            tokens=self._tokens,
            cut=self._cut,
            elapsed_s=time.monotonic() - self._began,
        )

    def go(self, claims: Claims, journal: VectorJournal) -> None:
        """Embed until nothing is left, waiting for what others have claimed."""
        self.seen(self.state())
        while self.buckets:
            taken = self._claim(claims)
            self.done.look()  # what others finished before their claims became ours
            self._drop_done(taken or list(self.buckets))
            self._drop_finished(claims.finished() - set(taken))
            self._embed([t for bucket in taken for t in self.buckets.get(bucket, ())], journal)
            for bucket in taken:
                self.buckets.pop(bucket, None)
                claims.give_back(bucket)
            if not taken:
                self.seen(self.state())
                time.sleep(_LOOK_AGAIN_S)

    def _embed(self, targets: Sequence[Target], journal: VectorJournal) -> None:
        for batch in self.encoder.encode(targets, self._skip) if targets else ():
            journal.append(_vectors(batch))
            self._count(batch)
            self._take_in_now_and_then()

    def _claim(self, claims: Claims) -> list[int]:
        """Buckets that are free, up to enough texts for good batches."""
        taken: list[int] = []
        texts = 0
        for bucket in self._from_somewhere():
            if texts >= _CLAIM_TEXTS:
                break
            if claims.take(bucket):
                taken.append(bucket)
                texts += len(self.buckets[bucket])
        return taken

    def _from_somewhere(self) -> list[int]:
        """The buckets, from a place of this process's own: so workers seldom meet."""
        start = os.getpid() * _SPREAD % BUCKETS
        return sorted(self.buckets, key=lambda bucket: (bucket - start) % BUCKETS)

    def _drop_done(self, buckets: Sequence[int]) -> None:
        for bucket in buckets:
            targets = self.buckets.pop(bucket)
            left = [target for target in targets if target.target_id not in self.done]
            self._left -= len(targets) - len(left)
            if left:
                self.buckets[bucket] = left

    def _drop_finished(self, buckets: Set[int]) -> None:
        for bucket in buckets:
            self._left -= len(self.buckets.pop(bucket, ()))

    def _skip(self, skipped: Skipped) -> None:
        self._left -= 1
        self.skipped.append(skipped)

    def _count(self, batch: Sequence[Encoded]) -> None:
        self._left -= len(batch)
        self._embedded += len(batch)
        self._tokens += sum(each.tokens for each in batch)
        self._cut += sum(each.left_out > 0 for each in batch)
        self.seen(self.state())

    def _take_in_now_and_then(self) -> None:
        if time.monotonic() - self._taken_in > _TAKE_IN_EVERY_S:
            self.place.hand_over(0.0)
            self._taken_in = time.monotonic()


def _vectors(batch: Sequence[Encoded]) -> VectorBatch:
    return VectorBatch(
        target_ids=[each.target_id for each in batch],
        tokens=[each.tokens for each in batch],
        left_out=[each.left_out for each in batch],
        pieces=[each.pieces for each in batch],
        matrix=np.stack([each.vector for each in batch]),
    )
