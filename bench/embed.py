"""Embedding on the CPU: quotes and assertions against sentence-transformers, contexts once or not.

    python bench/embed.py

Needs the `embed` extra and the features beside the checkout, in ../shared. Takes half an hour.

Sentences: every quote and assertion through the embedded sentence model, by the encoder with equal
texts once, by the encoder with every row encoded, and by one call of sentence-transformers with its
defaults. Words: every event through a small T5 of the real architecture with random weights, each
context once, and with one pass for each row, in batches of the same size.

A number as an argument takes that many rows of each, by chance.
"""

from __future__ import annotations

import csv
import gzip
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from rig import report
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast, T5Config, T5EncoderModel

from embedder.encoders import Encoded, Encoder, Settings, Target, make
from store.assets import fetch
from store.catalogue import MINILM

FEATURES = Path(__file__).parents[2] / "shared" / "data" / "austenalike" / "features"
SENTENCES = {"booknlp_quotes": "Quote", "fanfic_quotes": "Quote", "fanfic_assertions": "Assertion"}
CLAIM_TEXTS = 1_024  # as many as a worker takes at a time

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Timed:
    """What something took, in wall time and in CPU time of this process (seconds).

    `load` is how many processes wanted a core at its end, this one included, over five minutes.
    """

    wall_s: float
    cpu_s: float
    load: float

    def told(self, rows: int) -> dict[str, float]:
        """For the report."""
        return {
            "wall (s)": self.wall_s,
            "CPU (s)": self.cpu_s,
            "rows per s of wall": rows / self.wall_s,
            "load average at its end": self.load,
        }


def timed(run: Callable[[], Any]) -> tuple[Any, Timed]:
    """What a call returns and took."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = run()
    took = time.perf_counter() - wall, time.process_time() - cpu
    return found, Timed(*took, load=os.getloadavg()[1])


def rows_of(feature: str) -> Iterator[dict[str, str]]:
    """A feature's rows over all works, in the order of the files."""
    for path in sorted((FEATURES / feature).glob("*.tsv.gz")):
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file, dialect="excel-tab")


def some(rows: list[Any]) -> list[Any]:
    """All rows, or as many as the command asks for."""
    if len(sys.argv) < 2:
        return rows
    return random.Random(1).sample(rows, min(len(rows), int(sys.argv[1])))  # noqa: S311


def rounds(keys: Sequence[str]) -> list[list[int]]:
    """Indices in rounds: in the n-th, the n-th row of each key, so none comes twice in a round."""
    seen: Counter[str] = Counter()
    found: list[list[int]] = []
    for index, key in enumerate(keys):
        if seen[key] == len(found):
            found.append([])
        found[seen[key]].append(index)
        seen[key] += 1
    return found


def encoded(encoder: Encoder, targets: Sequence[Target]) -> dict[str, Encoded]:
    """Vectors by target, asked for in claims."""
    found: dict[str, Encoded] = {}
    for at in range(0, len(targets), CLAIM_TEXTS):
        for batch in encoder.encode(targets[at : at + CLAIM_TEXTS]):
            found |= {each.target_id: each for each in batch}
    return found


def sentences() -> dict[str, Any]:
    """Quotes and assertions, three ways."""
    texts: list[str] = some(
        [row[column] for feature, column in SENTENCES.items() for row in rows_of(feature)]
    )
    folder = fetch(MINILM, lambda _what, _had, _all: None)
    encoder = make("all-minilm-l6-v2", folder=folder, settings=Settings(device="cpu"))
    model = SentenceTransformer(str(folder), device="cpu")
    distinct = list(dict.fromkeys(texts))

    once, once_took = timed(
        lambda: encoded(encoder, [Target(target_id=text, text=text) for text in distinct])
    )
    reference, reference_took = timed(lambda: model.encode(texts))
    each, each_took = timed(
        lambda: [
            encoded(encoder, [Target(target_id=str(row), text=texts[row]) for row in some_rows])
            for some_rows in rounds(texts)
        ]
    )
    every = {name: found for part in each for name, found in part.items()}
    return {
        "rows": len(texts),
        "distinct texts": len(distinct),
        "characters": sum(map(len, texts)),
        "characters of distinct texts": sum(map(len, distinct)),
        "encoder, equal texts once": once_took.told(len(texts)),
        "encoder, every row": each_took.told(len(texts)),
        "sentence-transformers, one call": reference_took.told(len(texts)),
        "times faster, equal texts once": ratio(reference_took, once_took),
        "times faster, every row": ratio(reference_took, each_took),
        "lowest cosine to sentence-transformers, equal texts once": lowest_cosine(
            np.stack([once[text].vector for text in texts]), reference
        ),
        "lowest cosine to sentence-transformers, every row": lowest_cosine(
            np.stack([every[str(row)].vector for row in range(len(texts))]), reference
        ),
        "texts cut": sum(found.left_out > 0 for found in once.values()),
    }


def ratio(slow: Timed, fast: Timed) -> dict[str, float]:
    """How many times faster, by either clock."""
    return {"wall": slow.wall_s / fast.wall_s, "CPU": slow.cpu_s / fast.cpu_s}


def lowest_cosine(a: Matrix, b: Matrix) -> str:
    """Of the paired rows of two matrices, with enough digits to see."""
    a64, b64 = a.astype(np.float64), b.astype(np.float64)
    norms = np.linalg.norm(a64, axis=1) * np.linalg.norm(b64, axis=1)
    return f"{((a64 * b64).sum(axis=1) / norms).min():.9f}"


def words() -> dict[str, Any]:
    """Events, each context once and one pass a row."""
    rows = some(list(rows_of("booknlp_events")))
    targets = [target(number, row) for number, row in enumerate(rows)]
    contexts = [each.text for each in targets]
    with tempfile.TemporaryDirectory() as name:
        make_t5(Path(name), list(dict.fromkeys(contexts)))
        encoder = make(f"word:{name}", settings=Settings(device="cpu"))
        once, once_took = timed(lambda: encoded_together(encoder, targets))
        parts, each_took = timed(
            lambda: [
                encoded_together(encoder, [targets[row] for row in some_rows])
                for some_rows in rounds(contexts)
            ]
        )
    every = {name: found for part in parts for name, found in part.items()}
    return {
        "rows": len(rows),
        "distinct contexts": len(set(contexts)),
        "tokens, one pass a row": sum(found.tokens for found in every.values()),
        "each context once": once_took.told(len(rows)),
        "one pass a row": each_took.told(len(rows)),
        "times faster": ratio(each_took, once_took),
        "lowest cosine between the two": lowest_cosine(
            np.stack([once[each.target_id].vector for each in targets]),
            np.stack([every[each.target_id].vector for each in targets]),
        ),
    }


def encoded_together(encoder: Encoder, targets: Sequence[Target]) -> dict[str, Encoded]:
    """Vectors by target, asked for at once."""
    return {each.target_id: each for batch in encoder.encode(targets) for each in batch}


def target(number: int, row: dict[str, str]) -> Target:
    """An event, at the first place its context has it as a word."""
    start = f" {row['Context']}".index(f" {row['Event']} ")
    return Target(
        target_id=str(number),
        text=row["Context"],
        start=start,
        end=start + len(row["Event"]),
    )


def make_t5(folder: Path, texts: list[str]) -> None:
    """A T5 encoder of random weights, a quarter as wide as T5's 11B, four layers deep."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<pad>", "</s>", "<unk>"]
    tokenizer.train_from_iterator(
        texts,
        trainers.UnigramTrainer(
            vocab_size=8_000,
            special_tokens=special,
            unk_token=special[2],
            show_progress=False,
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    names = dict(zip(("pad_token", "eos_token", "unk_token"), special, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    torch.manual_seed(1)
    shape = {"d_model": 256, "d_kv": 32, "d_ff": 1_024, "num_layers": 4, "num_heads": 8}
    T5EncoderModel(T5Config(vocab_size=8_000, **shape)).save_pretrained(folder)


def main() -> None:
    """Measure and report."""
    report("embed", {"sentences": sentences(), "words in context": words()})


if __name__ == "__main__":
    main()
