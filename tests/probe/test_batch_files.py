"""Files of `vllm run-batch`: what is written is asked as a run would, what comes back is taken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probe.providers import OpenAIChat, Request
from probe.spec import read_spec
from tests.probe.batched_for_tests import store_in
from tests.probe.batches_for_tests import completion
from tests.probe.experiments_for_tests import CELLS, probe, write_experiment
from tests.probe.fake_endpoint import reply_to
from tests.probe.runs import count, query

Line = dict[str, Any]


def answered(line: Line, texts: int = 1) -> Line:
    """What vLLM writes of a line."""
    prompt = line["body"]["messages"][0]["content"]
    body = completion(prompt)
    choice = body["choices"][0]
    body["choices"] = [{**choice, "index": n} for n in range(texts)]
    response = {"status_code": 200, "request_id": "vllm-batch-1", "body": body}
    named = f"vllm-{line['custom_id'][:12]}"
    return {"id": named, "custom_id": line["custom_id"], "response": response, "error": None}


def failed(line: Line, status: int) -> Line:
    body = {"error": {"message": "too long", "type": "BadRequestError", "code": status}}
    response = {"status_code": status, "request_id": "vllm-batch-1", "body": body}
    return {**answered(line), "response": response}


def write(experiment: Path, store: Path, out: Path) -> list[Line]:
    done = probe("batch", "write", experiment, "--store", store, "--model", "fake", "--out", out)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in out.read_bytes().splitlines()]


def read(
    experiment: Path, store: Path, file: Path, lines: list[Line], tail: str = ""
) -> tuple[int, str]:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    file.write_text(text + tail, encoding="utf-8")
    done = probe("batch", "read", experiment, file, "--store", store, "--model", "fake")
    return done.returncode, done.stderr


def test_a_file_goes_out_and_comes_in_and_every_wrong_line_is_named(tmp_path: Path) -> None:
    """Torn, unknown and failed lines cost nothing else; what is held is passed over."""
    store, file = store_in(tmp_path), tmp_path / "out.jsonl"
    experiment = write_experiment(tmp_path, "http://127.0.0.1:9/v1")
    lines = write(experiment, store, tmp_path / "in.jsonl")
    ours = [answered(line) for line in lines]
    other = {**ours[0], "custom_id": "of another"}
    torn = json.dumps(ours[9])[:-20]
    first = read(experiment, store, file, [*ours[:5], other, failed(lines[5], 400), {"a": 1}], torn)
    held = count(store, "SELECT count(*) FROM replies")
    again = write(experiment, store, tmp_path / "in.jsonl")
    second = read(experiment, store, file, [*ours[:5], failed(lines[5], 400), *ours[6:]])
    third = read(experiment, store, file, ours)

    live = OpenAIChat(read_spec(experiment).models[0], "http://127.0.0.1:9/v1")
    texts = "SELECT key, text FROM cells JOIN prompts USING (prompt_hash)"
    bodies = {str(key): live.body(Request(text=str(text))) for key, text in query(store, texts)}
    assert {line["custom_id"]: line["body"] for line in lines} == {
        key: json.loads(body) for key, body in bodies.items()
    }
    assert {line["url"] for line in lines} == {"/v1/chat/completions"}
    code, said = first
    assert code == 1
    assert f"{file}, line 6: custom_id 'of another' is none of fake's cells" in said
    assert f"{file}, line 7: no reply: http 400: too long (400)" in said
    assert f"{file}, line 8: it is no line of a batch's output" in said
    assert f"{file}, line 9: it is cut off; read the file again once it is whole" in said
    assert "read 5 replies, held before 0, failed 1" in said
    assert held == 5
    assert {line["custom_id"] for line in again} == {line["custom_id"] for line in lines[6:]}
    assert second[0] == 0
    assert "read 18 replies, held before 6" in second[1]
    assert "read 1 replies, held before 23" in third[1]
    assert count(store, "SELECT count(*) FROM replies") == CELLS
    assert count(store, "SELECT count(*) FROM attempts") == CELLS + 1
    assert count(store, "SELECT count(*) FROM scores") == CELLS
    reply = query(store, "SELECT DISTINCT text FROM replies WHERE text LIKE '%end' LIMIT 1")
    assert str(reply[0][0]).startswith(reply_to("")[:5])


def test_a_line_may_bring_several_samples(tmp_path: Path) -> None:
    store, file = store_in(tmp_path), tmp_path / "out.jsonl"
    tail = '[conditions]\nnames = ["original"]\nprompts = ["baseline"]\nsamples = 4'
    experiment = write_experiment(
        tmp_path, "http://127.0.0.1:9/v1", extra="params = { n = 2 }", tail=tail
    )
    lines = write(experiment, store, tmp_path / "in.jsonl")

    _, said = read(experiment, store, file, [answered(line, 2) for line in lines])

    assert len(lines) == 6 * 2
    assert "read 24 replies" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "other"), "model other: the experiment has none of that name; it has fake"),
        (("--model", "fake"), "the store has no plan of it"),
    ],
)
def test_what_cannot_be_read_gives_one_line(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    experiment = write_experiment(tmp_path, "http://127.0.0.1:9/v1")
    (tmp_path / "x.jsonl").touch()

    done = probe(
        "batch", "read", experiment, tmp_path / "x.jsonl", "--store", store_in(tmp_path), *words
    )

    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
