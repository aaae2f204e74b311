"""What becomes of every column when a store is exported, and why.

A column without a decision cannot be exported, so that nothing new leaks unseen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Change(Enum):
    """What is done to a column's values, in words for the reader of an export."""

    NONE = "as in the store"
    CLEANED = "secrets, folders and names of machines taken out"
    SHORT = "texts of five or more words replaced by hash and length"
    WITHHELD = "replaced by hash and length"
    LEFT_OUT = "left out: NULL"
    ROUNDED = "rounded to 2 decimals"


@dataclass(frozen=True, slots=True)
class Treatment:
    """What is done to columns of one kind.

    Attributes:
        always: In every export.
        release: Further, with `--release`.
        why: Why it may, or may not, be shared.
    """

    always: Change
    release: Change
    why: str


_KEEP, _CLEAN = Change.NONE, Change.CLEANED
KEY: Final = Treatment(_KEEP, _KEEP, "names a row; a hash or a number")
NAME: Final = Treatment(_KEEP, _KEEP, "a name, a title or a label")
LABEL: Final = Treatment(_KEEP, Change.SHORT, "a label, which may be a text's first words")
DESIGN: Final = Treatment(_KEEP, _KEEP, "how it was asked")
MEASURE: Final = Treatment(_KEEP, _KEEP, "a number, a moment or a class of outcome")
PLACE: Final = Treatment(_KEEP, _KEEP, "places in a text, without the text")
OWN: Final = Treatment(_KEEP, _KEEP, "gistprobe's own words")
VECTOR: Final = Treatment(_KEEP, _KEEP, "numbers that stand for what a text is about")
ORIGIN: Final = Treatment(_CLEAN, _KEEP, "what was run and with what")
REPORT: Final = Treatment(_CLEAN, Change.SHORT, "what a reader found; may quote what it read")
ERROR: Final = Treatment(_CLEAN, Change.WITHHELD, "a server's words; may quote the prompt")
ANSWER: Final = Treatment(_KEEP, Change.SHORT, "short ones are answers, long ones may quote")
DATASET: Final = Treatment(_KEEP, Change.WITHHELD, "a dataset's text; its licence is its own")
PROMPT: Final = Treatment(_KEEP, Change.WITHHELD, "holds a dataset's text")
REPLY: Final = Treatment(_KEEP, Change.WITHHELD, "may quote a dataset's text")
TOKENS: Final = Treatment(_KEEP, Change.LEFT_OUT, "with the model, they spell the text")
LIKELIHOOD: Final = Treatment(
    _KEEP, Change.ROUNDED, "a measure; all its digits would tell the token to who has the model"
)

OMITTED: Final = {
    "journal_positions": "how far the store's own journal is taken in; means nothing elsewhere",
    "schema_migrations": "the schema's version, which datapackage.json states",
}
"""Tables that no export has, with the reason."""

_IMPORTED: Final = {KEY: "import_id ordinal"}
_DECIDED: Final[dict[str, dict[Treatment, str]]] = {
    "experiments": {
        KEY: "experiment_id",
        NAME: "experiment",
        DESIGN: "seed",
        ORIGIN: "spec",
        MEASURE: "cells items planned_at",
    },
    "models": {KEY: "experiment_id", NAME: "model", DESIGN: "provider", ORIGIN: "identity note"},
    "items": {
        KEY: "item_hash",
        LABEL: "item_id scene document",
        NAME: "task dataset work culture",
        PLACE: "spans part parts",
        DATASET: "text question",
        ANSWER: "gold accepted options cast flags",
        REPORT: "notes",
    },
    "prompts": {
        KEY: "prompt_hash item_hash",
        DESIGN: "names prompt choices wording descriptions",
        MEASURE: "chance replaced",
        PLACE: "names_at",
        PROMPT: "text",
        ANSWER: "gold accepted options name_map leaks suspects titles places phrases answer_schema",
    },
    "cells": {
        KEY: "experiment_id cell_id key prompt_hash",
        NAME: "model",
        DESIGN: "sample ordinal is_first",
    },
    "plan_chunks": {KEY: "experiment_id", MEASURE: "items cells recorded_at"},
    "set_aside": {
        KEY: "experiment_id",
        LABEL: "item_id",
        NAME: "task dataset",
        DESIGN: "names descriptions",
        REPORT: "reason",
    },
    "runs": {KEY: "run_id experiment_id", MEASURE: "started_at", ORIGIN: "provenance"},
    "run_ends": {KEY: "run_id", MEASURE: "ended_at how asked failed"},
    "served": {
        KEY: "run_id",
        NAME: "model",
        MEASURE: "opened_at",
        ORIGIN: "facts unavailable",
    },
    "attempts": {
        KEY: "key run_id request_id",
        MEASURE: "attempt started_at latency_s status error_kind usd usd_at_most",
        ERROR: "error",
    },
    "replies": {
        KEY: "key run_id",
        NAME: "served_model fingerprint",
        MEASURE: "outcome finish_reason prompt_tokens reply_tokens reasoning_tokens cached_tokens"
        " attempts latency_s received_at",
        ANSWER: "text",
        REPLY: "raw reasoning",
    },
    "failures": {KEY: "key run_id", MEASURE: "attempts kind permanent failed_at", ERROR: "error"},
    "scores": {
        KEY: "prompt_hash key",
        MEASURE: "version units_right units scored_at measures",
        OWN: "unparsed",
        ANSWER: "answer",
    },
    "repeats": {
        KEY: "key run_id",
        NAME: "served_model fingerprint",
        MEASURE: "asked_at same",
        ANSWER: "text",
    },
    "likelihoods": {
        KEY: "key run_id",
        PLACE: "offsets",
        MEASURE: "exact",
        LIKELIHOOD: "logprobs means variances",
        TOKENS: "token_ids ranks",
    },
    "batches": {
        KEY: "batch_id run_id experiment_id file_sha256",
        NAME: "model",
        DESIGN: "provider",
        ORIGIN: "server",
        MEASURE: "intended_at requests size_bytes tokens usd_at_most",
    },
    "batch_lines": {KEY: "batch_id custom_id key", MEASURE: "choice attempt usd_at_most"},
    "batch_events": {
        KEY: "batch_id run_id provider_id",
        MEASURE: "happened_at event status",
        ERROR: "detail",
    },
    "imports": {
        KEY: "import_id",
        NAME: "corpus relation part",
        MEASURE: "rows imported_at",
        ORIGIN: "path",
        REPORT: "report",
    },
    "feature_rows": {
        KEY: "import_id ordinal target_id",
        NAME: "pipeline kind work character role",
        PLACE: "target_start target_end",
        ANSWER: "text",
        DATASET: "context",
    },
    "cast_rows": {**_IMPORTED, NAME: "character work"},
    "group_rows": {**_IMPORTED, NAME: "attribute group character"},
    "pair_rows": {**_IMPORTED, NAME: "a b", MEASURE: "count"},
    "choice_rows": {**_IMPORTED, NAME: "system character chosen", MEASURE: "sample rank"},
    "encoders": {
        KEY: "encoder_id",
        NAME: "encoder",
        MEASURE: "dim added_at",
        ORIGIN: "identity",
    },
    "vectors_N": {
        KEY: "encoder_id target_id",
        MEASURE: "tokens left_out pieces",
        VECTOR: "vector",
    },
    "character_vectors_N": {
        KEY: "import_id",
        NAME: "pipeline kind encoder work character",
        VECTOR: "vector",
    },
}


def treatments(table: str) -> dict[str, Treatment]:
    """Each decided column of a table with its treatment; empty for a table nobody decided on."""
    decided = _DECIDED.get(re.sub(r"vectors_\d+$", "vectors_N", table), {})
    return {column: how for how, columns in decided.items() for column in columns.split()}
