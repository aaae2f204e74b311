"""A store of any size, drawn in SQL: what a run's queries see of it is as in a real one.

Sixty cells an item, five a prompt, half of them with a reply and its score. Texts are short and
bodies left out, so its size on disk says nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb

from store.memory import SETTINGS
from store.migrate import migrate
from store.read import DATABASE

CELLS_OF_ITEM: Final = 60
CELLS_OF_PROMPT: Final = 5
PLAN: Final = "plan"
RUN: Final = "20260102T030405-00000000"
BEGAN: Final = "2026-01-02T03:04:05Z"
_STRETCH: Final = 1_000_000
_ITEMS = """
    INSERT INTO items BY NAME
    SELECT 'item' || i AS item_hash, 'source_identification' AS task, 'drawn' AS dataset,
           'item-' || i AS item_id, 'work ' || i % 40 AS work, 'a passage' AS text,
           '{"title":"Emma"}' AS gold, '[]' AS accepted, '["Emma","Hamlet"]' AS options,
           '[]' AS "cast", 'english' AS culture, '[]' AS notes
    FROM range($items) AS t (i)"""
_PROMPTS = """
    INSERT INTO prompts BY NAME
    SELECT substr(sha256('p' || p), 1, 32) AS prompt_hash, 'item' || p // 12 AS item_hash,
           list_value('original', 'masked', 'same_culture', 'cross_culture')[1 + p % 4] AS names,
           list_value('baseline', 'verbatim', 'gist')[1 + p // 4 % 3] AS prompt,
           'options' AS choices, 'a prompt' AS text, '{"title":"Emma"}' AS gold, '[]' AS accepted,
           '["Emma","Hamlet"]' AS options, 0.5 AS chance, '{}' AS name_map, 0 AS replaced,
           '{}' AS leaks, '{}' AS suspects, 'own' AS wording, 'none' AS descriptions
    FROM range($prompts) AS t (p)"""
_CELLS = """
    INSERT INTO cells BY NAME
    SELECT $plan AS experiment_id, 'c' || c AS cell_id, sha256('k' || c) AS key,
           substr(sha256('p' || c // 5), 1, 32) AS prompt_hash, 'model' AS model,
           c % 5 AS sample, c AS ordinal, true AS is_first
    FROM range($from, $to) AS t (c)"""
_REPLIES = """
    INSERT INTO replies BY NAME
    SELECT key, $run AS run_id, 'ok' AS outcome,
           list_value('{"title":"Emma"}', '{"title":"Hamlet"}')[1 + ordinal % 2] AS text,
           'stop' AS finish_reason, 420 AS prompt_tokens, 9 AS reply_tokens, 1 AS attempts,
           0.2 + ordinal % 100 / 100 AS latency_s,
           $began::TIMESTAMPTZ + to_milliseconds(ordinal) AS received_at, '' AS raw
    FROM cells WHERE ordinal >= $from AND ordinal < $to"""
_ATTEMPTS = """
    INSERT INTO attempts BY NAME
    SELECT key, $run AS run_id, 1 AS attempt, received_at AS started_at, latency_s, 200 AS status,
           1e-5 AS usd
    FROM replies"""
_SCORES = """
    INSERT INTO scores BY NAME
    SELECT c.prompt_hash, c.key, 99 AS version, r.text AS answer, c.ordinal % 2 AS units_right,
           1 AS units, r.received_at AS scored_at, '[]' AS measures
    FROM cells AS c JOIN replies AS r USING (key)"""
_HEAD = """
    INSERT INTO experiments BY NAME
    SELECT $plan AS experiment_id, 'drawn' AS experiment, 1 AS seed, '' AS spec, $cells AS cells,
           $began::TIMESTAMPTZ AS planned_at, $items AS items"""


def drawn(folder: Path, cells: int) -> None:
    """A store in which the first half of the cells has replies and scores."""
    folder.mkdir()
    with duckdb.connect(str(folder / DATABASE)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for setting in (*SETTINGS, "SET memory_limit = '4GB'"):
            connection.execute(setting)
        migrate(connection, folder)
        items, half = cells // CELLS_OF_ITEM + 1, cells // 2
        head = {"plan": PLAN, "cells": cells, "began": BEGAN, "items": items}
        connection.execute(_HEAD, head)
        connection.execute(_ITEMS, {"items": items})
        connection.execute(_PROMPTS, {"prompts": cells // CELLS_OF_PROMPT + 1})
        for start in range(0, cells, _STRETCH):
            end = min(cells, start + _STRETCH)
            connection.execute(_CELLS, {"plan": PLAN, "from": start, "to": end})
        connection.execute(_REPLIES, {"run": RUN, "began": BEGAN, "from": 0, "to": half})
        connection.execute(_ATTEMPTS, {"run": RUN})
        connection.execute(_SCORES)
