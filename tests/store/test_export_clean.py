"""Secrets, folders and names of machines are taken out of what runs say; the rest stays."""

from __future__ import annotations

import json
import platform
from dataclasses import replace
from pathlib import Path

import pytest

from store.export.clean import Cleaner, cleaner
from tests.store.export_for_tests import exported, read, store_of
from tests.store.rows_for_tests import (
    attempt_row,
    experiment_row,
    item_row,
    model_row,
    reply_row,
    run_row,
)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ('path = "/home/jane doe/books/a.jsonl"', 'path = "<path>/a.jsonl"'),
        ("--store /home/jane/runs/store", "--store <path>/store"),
        ("/home/jane", "<path>"),
        ("~/books/emma.txt", "<path>/emma.txt"),
        ("in C:\\Users\\jane\\emma.txt now", "in <path>/emma.txt now"),
        ("file:///home/jane/emma.txt", "file://<path>/emma.txt"),
        ('path = "../data/emma.txt"', 'path = "../data/emma.txt"'),
        ("and/or, 3/4 of it, works.toml", "and/or, 3/4 of it, works.toml"),
        ("http://gpu17.cluster.example:8000/v1", "http://<host>/v1"),
        ("https://jane:word@api.openai.com/v1", "https://api.openai.com/v1"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("https://api.openai.com/v1/chat", "https://api.openai.com/v1/chat"),
        ("Cannot connect to host gpu17:8000 ssl", "Cannot connect to host <host>:8000 ssl"),
        ("no route to 10.1.2.3 or db.lan", "no route to <host> or <host>"),
        ("version 1.5.5 of duckdb", "version 1.5.5 of duckdb"),
        ('api_key_env = "OPENAI_API_KEY"', 'api_key_env = "OPENAI_API_KEY"'),
        ('api_key = "abcd1234"', 'api_key = "<secret>"'),
        ("Authorization: Bearer abc.def", "Authorization: <secret>"),
        ("key sk-proj-abcdefghijklmnop wrong", "key <secret> wrong"),
        ("max_tokens = 400, tokens_per_min = 5", "max_tokens = 400, tokens_per_min = 5"),
        ("the word swordfish here", "the word <secret> here"),
        ("on workbench7 it ran", "on <host> it ran"),
    ],
)
def test_what_says_where_and_by_whom_goes(text: str, cleaned: str) -> None:
    found = Cleaner(secrets=("swordfish",), hosts=("workbench7",)).text(text)

    assert found == cleaned


def test_json_is_cleaned_within_its_texts() -> None:
    """Escaped line ends and quotes are no cover, and a member called like a secret hides all."""
    text = json.dumps(
        {
            "spec": 'a = 1\n/home/jane/x\n"/home/jane/y z"',
            "Authorization": "hello",
            "command": ["probe", "--store", "/srv/a b/store"],
            "n": 3,
        }
    )

    assert json.loads(Cleaner().json(text)) == {
        "spec": 'a = 1\n<path>/x\n"<path>/y z"',
        "Authorization": "<secret>",
        "command": ["probe", "--store", "<path>/store"],
        "n": 3,
    }


def test_an_export_has_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever they stood; a key's value in any text at all."""
    monkeypatch.setenv("MY_KEY", "correct-horse-battery")
    here = platform.node()
    spec = 'api_key_env = "MY_KEY"\npath = "/home/jane/books/x.jsonl"\n'
    provenance = json.dumps({"command": ["probe", "/home/jane/x.toml"], "machine": f"{here}"})
    identity = json.dumps({"endpoint": "http://gpu17.cluster.example:8000/v1"})
    store = store_of(
        tmp_path / "store",
        [
            replace(experiment_row(), spec=spec),
            replace(model_row(), identity=identity),
            replace(run_row(), provenance=provenance),
            replace(attempt_row(), error="key correct-horse-battery at gpu17.cluster.example:80"),
            replace(reply_row("k"), text="Say correct-horse-battery.", raw="{}"),
            replace(item_row(), text="He lived in /home/jane then."),
        ],
    )

    folder = exported(store, tmp_path / "out")

    values = [str(read(folder, f"FROM '{file}'")) for file in (folder / "data").iterdir()]
    whole = "\n".join([*values, *(file.read_text() for file in folder.iterdir() if file.is_file())])
    assert "correct-horse" not in whole
    assert "gpu17" not in whole
    assert "jane/books" not in whole
    assert not (len(here) > 3 and here != "localhost" and f'"{here}"' in whole)
    assert read(folder, "SELECT text FROM {items}") == [("He lived in /home/jane then.",)]
    assert read(folder, "SELECT text FROM {replies}") == [("Say <secret>.",)]
    assert read(folder, "SELECT spec FROM {experiments}") == [
        ('api_key_env = "MY_KEY"\npath = "<path>/x.jsonl"\n',)
    ]


def test_secrets_are_looked_up_where_experiment_files_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_CREDENTIAL_7", "opensesame")
    monkeypatch.setenv("SERVICE_TOKEN", "hush-hush")

    found = cleaner(['[[models]]\napi_key_env = "LAB_CREDENTIAL_7"\n'])

    assert {"opensesame", "hush-hush"} <= set(found.secrets)
