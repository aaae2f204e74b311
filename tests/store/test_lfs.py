"""Git LFS: the file a pointer stands for arrives, resumed and verified, or it is said why not."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from store.errors import AssetError
from store.lfs import Pointer, download, read_pointer
from store.repositories import Repository, cached, fetch
from tests.store.homes_for_tests import home

CONTENT = bytes(range(256)) * 5000
SHA = hashlib.sha256(CONTENT).hexdigest()
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{SHA}\nsize {len(CONTENT)}\n"


@dataclass
class Server:
    """What a server does, set by a test, and what it was asked."""

    address: str = ""
    content: bytes = CONTENT
    cut_at: int | None = None
    answer: str | None = None
    ranges: list[str | None] = field(default_factory=list)
    batches: list[tuple[str, str | None, Any]] = field(default_factory=list)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("GISTPROBE_CACHE", str(tmp_path / "cache"))
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.batches.append((self.path, self.headers["Accept"], asked))
            href = f"{told.address}/file"
            action = {"download": {"href": href, "header": {"X-Ticket": "yes"}}}
            whole = {"objects": [{**asked["objects"][0], "actions": action}]}
            self.send(200, (told.answer or json.dumps(whole)).encode())

        def do_GET(self) -> None:
            assert self.headers["X-Ticket"] == "yes"
            wanted = self.headers["Range"]
            told.ranges.append(wanted)
            start = int(re.sub(r"\D", "", wanted)) if wanted else 0
            self.send(206 if wanted else 200, told.content[start:], told.cut_at)

        def send(self, status: int, body: bytes, cut_at: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:cut_at])

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        told.address = f"http://127.0.0.1:{listening.server_address[1]}"
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield told
        listening.shutdown()
        thread.join()


def get(server: Server, to: Path) -> None:
    download("thing", server.address, Pointer(sha256=SHA, size=len(CONTENT)), to, lambda _: None)


def test_a_pointer_is_told_from_a_file() -> None:
    """The pointer's form is that of the published specification, extensions included."""
    extended = POINTER.replace("oid", f"ext-0-x sha256:{'a' * 64}\noid", 1)

    assert read_pointer(POINTER.encode()) == Pointer(sha256=SHA, size=len(CONTENT))
    assert read_pointer(extended.encode()) == Pointer(sha256=SHA, size=len(CONTENT))
    assert read_pointer(b"version 1, a script\n") is None
    assert read_pointer(POINTER.encode() + b"more\n") is None


def test_the_file_arrives_through_the_batch_api(server: Server, tmp_path: Path) -> None:
    get(server, tmp_path / "file")

    ((path, accept, asked),) = server.batches
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert (path, accept) == ("/objects/batch", "application/vnd.git-lfs+json")
    assert asked["operation"] == "download"
    assert asked["objects"] == [{"oid": SHA, "size": len(CONTENT)}]


def test_a_download_that_ends_too_early_goes_on_where_it_stopped(
    server: Server, tmp_path: Path
) -> None:
    server.cut_at = 1000
    with pytest.raises(AssetError, match="what has come is kept"):
        get(server, tmp_path / "file")
    server.cut_at = None

    get(server, tmp_path / "file")

    assert server.ranges == [None, "bytes=1000-"]
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_other_bytes_are_thrown_away(server: Server, tmp_path: Path) -> None:
    server.content = CONTENT[:-1] + b"!"

    with pytest.raises(AssetError, match=r"other bytes than the pinned sha256 .*thrown away"):
        get(server, tmp_path / "file")

    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("<html>", "does not answer as LFS servers do"),
        ("{}", "does not answer as LFS servers do"),
        ('{"objects": [{"error": {"code": 404, "message": "gone"}}]}', r"refuses a file \(404"),
        (
            '{"objects": [{"actions": {"download": {"href": "file:///etc/passwd"}}}]}',
            "names the address 'file:///etc/passwd'",
        ),
    ],
)
def test_an_answer_that_gives_no_file_is_said(
    server: Server, tmp_path: Path, answer: str, said: str
) -> None:
    server.answer = answer

    with pytest.raises(AssetError, match=said):
        get(server, tmp_path / "file")


def test_a_server_that_is_away_is_said(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match=r"http://127\.0\.0\.1:1 cannot be read \(.*refused"):
        get(Server(address="http://127.0.0.1:1"), tmp_path / "file")


def test_a_repository_with_pointers_arrives_with_their_files(
    server: Server, tmp_path: Path
) -> None:
    """Pinned by the commit through the pointer; without an address it is said what to do."""
    place = tmp_path / "home"
    commit_id = home(place, {"dat/a.csv": POINTER.encode(), "dat/b.csv": b"plain\n"})
    bare = Repository(name="thing", url=f"file://{place}", commit=commit_id, paths=("dat",))

    with pytest.raises(AssetError, match=r"dat/a\.csv is a Git LFS pointer.*`git lfs pull`"):
        fetch(bare, lambda *_: None)
    kept = Repository(
        name="thing", url=bare.url, commit=commit_id, paths=("dat",), lfs=server.address
    )
    folder = fetch(kept, lambda *_: None)

    assert (folder / "dat/a.csv").read_bytes() == CONTENT
    assert (folder / "dat/b.csv").read_bytes() == b"plain\n"
    assert cached(kept) == folder
