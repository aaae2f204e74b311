"""A small encoder without a model, a store with features, and a worker that can be killed.

The vectors are made of a text's hash, so that each says whose it is. Every batch is noted in a file
before it is handed over.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from embedder.encoders.base import Encoded, Identity, Skipped, Target, Vector
from embedder.places import Here
from embedder.worker import Wanted, embed
from store.corpus import Part, import_parts
from store.corpus_rows import FeatureRow, import_id, target_id
from store.database import Database

DIM = 8
BATCH = 16


def vector_of(text: str) -> Vector:
    """What the encoder makes of a text."""
    digest = hashlib.sha256(text.encode()).digest()[:DIM]
    return np.frombuffer(digest, np.uint8).astype(np.float32)


@dataclass
class HashEncoder:
    """Makes vectors of hashes, `BATCH` texts at a time."""

    log: Path
    sleep_s: float = 0.0

    @property
    def identity(self) -> Identity:
        """Of sentences."""
        return Identity(
            encoder="hash",
            unit="sentence",
            model="hash",
            revision="1",
            pooling="none",
            dtype="float32",
            max_tokens=100,
            instruction=None,
            dim=DIM,
            form=1,
        )

    def encode(
        self, targets: Sequence[Target], skipped: Callable[[Skipped], None] | None = None
    ) -> Iterator[list[Encoded]]:
        """Longest first; a text of one letter cannot be encoded."""
        for target in targets:
            if len(target.text) == 1 and skipped is not None:
                skipped(Skipped(target_id=target.target_id, reason="too short"))
        able = sorted((t for t in targets if len(t.text) > 1), key=lambda t: -len(t.text))
        for start in range(0, len(able), BATCH):
            batch = able[start : start + BATCH]
            with self.log.open("a") as log:
                log.write("".join(f"{target.target_id}\n" for target in batch))
            time.sleep(self.sleep_s)
            yield [
                Encoded(
                    target_id=target.target_id,
                    vector=vector_of(target.text),
                    tokens=len(target.text),
                    left_out=max(0, len(target.text) - 100),
                )
                for target in batch
            ]

    def close(self) -> None:
        """Nothing to let go of."""


def store_quotes(store: Path, texts: Sequence[str], corpus: str = "plays") -> None:
    """Bring quotes into a store, one feature a text."""
    own = import_id(corpus, "features", "", list(texts))
    rows = [
        FeatureRow(
            import_id=own,
            ordinal=place,
            pipeline="booknlp",
            kind="quote",
            work="A",
            character="Ann",
            role=None,
            text=text,
            context=None,
            target_start=None,
            target_end=None,
            target_id=target_id(text),
        )
        for place, text in enumerate(texts)
    ]
    part = Part(import_id=own, corpus=corpus, relation="features", part="", path="x", rows=rows)
    with Database(store) as database:
        database.call(lambda connection: import_parts(connection, [part]))


def main(store: Path, log: Path, sleep_s: float) -> None:
    """Work until all is done."""
    embed(Here(store), HashEncoder(log, sleep_s), Wanted(kinds=("quote",)), lambda _: None)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
