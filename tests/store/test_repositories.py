"""Datasets from git: what a pinned commit stands for arrives, or nothing does and it is said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from store.errors import AssetError
from store.repositories import Repository, cached, fetch, folder_of, is_cached
from tests.store.homes_for_tests import calls, commit, counting, git, home

MANY = {f"dat/{number:02d}.txt": f"text {number}\n".encode() * 50 for number in range(40)}
REST = {"LICENSE": b"MIT\n", "models/big.bin": bytes(range(256)) * 400}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GISTPROBE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def at(place: Path, commit_id: str, *paths: str) -> Repository:
    wanted = paths or ("LICENSE", "dat")
    return Repository(name="thing", url=f"file://{place}", commit=commit_id, paths=wanted)


def got(wanted: Repository) -> Path:
    return fetch(wanted, lambda *_: None)


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def fetching(wanted: Repository, **environment: str) -> subprocess.Popen[bytes]:
    """A fetch in a process of its own, with its gits in one group."""
    code = (
        "import json, sys\n"
        "from store.repositories import Repository, fetch\n"
        "told = json.loads(sys.argv[1])\n"
        "fetch(Repository(**{**told, 'paths': tuple(told['paths'])}), lambda *_: None)\n"
    )
    words = [sys.executable, "-c", code, json.dumps(asdict(wanted))]
    return subprocess.Popen(words, env={**os.environ, **environment}, start_new_session=True)


def wait_for(path: Path) -> None:
    until = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < until, f"{path} never came"
        time.sleep(0.01)


def test_the_pinned_files_arrive_byte_for_byte_and_nothing_else(tmp_path: Path) -> None:
    """Whatever the repository asks git to do with line ends, and whatever came after."""
    text = {"dat/a.raw": b"one\r\ntwo\rthree\n", ".gitattributes": b"*.raw text eol=crlf\n"}
    wanted = at(tmp_path / "home", home(tmp_path / "home", {**MANY, **REST, "dat/a.raw": b"x\r\n"}))
    first = git(tmp_path / "home", "cat-file", "blob", "HEAD:dat/a.raw")
    commit(tmp_path / "home", {**text, "dat/00.txt": b"later\n"})

    folder = got(wanted)

    assert files_in(folder) == {**MANY, "LICENSE": b"MIT\n", "dat/a.raw": b"x\r\n"}
    assert first == "x"
    assert folder == folder_of(wanted) == cached(wanted)
    assert is_cached(wanted)
    left = {path.name for path in folder.parent.iterdir()}
    short = wanted.commit[:12]
    assert left == {short, f"{short}.json", f"{short}.lock"}


def test_only_the_wanted_paths_cross_the_network(tmp_path: Path) -> None:
    """The megabyte beside them does not."""
    random = os.urandom(1 << 20)
    commit_id = home(tmp_path / "home", {**MANY, "models/big.bin": random})
    most = 0

    def progress(_: str, had: int, __: int | None) -> None:
        nonlocal most
        most = max(most, had)

    fetch(at(tmp_path / "home", commit_id, "dat"), progress)

    assert 0 < most < 500_000


def test_what_is_cached_needs_no_home_and_no_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = at(tmp_path / "home", home(tmp_path / "home", {**MANY, **REST}))
    first = got(wanted)
    (tmp_path / "home").rename(tmp_path / "away")
    monkeypatch.setenv("PATH", str(tmp_path))

    assert got(wanted) == cached(wanted) == first


@pytest.mark.parametrize("hang_at", [1, 3, 4])
def test_a_killed_fetch_goes_on_where_it_stopped(tmp_path: Path, hang_at: int) -> None:
    """Folders, then sixteen files at a time: the next fetch asks only for what had not come."""
    wanted = at(tmp_path / "home", home(tmp_path / "home", {**MANY, **REST}))
    with fetching(wanted, **counting(tmp_path, hang_at=hang_at)) as process:
        wait_for(tmp_path / "hanging")
        os.killpg(process.pid, signal.SIGKILL)
    asked = calls(tmp_path)
    lock = next((tmp_path / "cache").rglob("git")) / "shallow.lock"
    lock.touch()  # as a git that is killed may leave it

    with fetching(wanted, **counting(tmp_path)) as again:
        again.wait()

    assert asked == hang_at
    assert again.returncode == 0
    # 41 files are three batches; with the folders there are four calls in all.
    assert calls(tmp_path) - asked == 4 - (hang_at - 1)
    assert files_in(folder_of(wanted)) == {**MANY, "LICENSE": b"MIT\n"}


def test_a_git_that_outlives_a_kill_is_waited_for(tmp_path: Path) -> None:
    """Two at once would take each other's lock files away."""
    wanted = at(tmp_path / "home", home(tmp_path / "home", {**MANY, **REST}))
    with fetching(wanted, **counting(tmp_path, hang_at=2, hang_s=2)) as process:
        wait_for(tmp_path / "hanging")
        process.kill()
    said: list[str] = []

    folder = fetch(wanted, lambda what, *_: said.append(what))

    assert said[0] == "thing: waiting for another process to fetch it"
    assert files_in(folder) == {**MANY, "LICENSE": b"MIT\n"}


def loose(folder: Path, path: str) -> Path:
    """The file a home keeps an object in."""
    oid = git(folder, "rev-parse", f"HEAD:{path}")
    return folder / ".git" / "objects" / oid[:2] / oid[2:]


@pytest.mark.parametrize("path", ["dat/03.txt", "dat"])
def test_a_home_that_gives_other_bytes_is_refused(tmp_path: Path, path: str) -> None:
    """A file, or a whole folder, that was swapped in the home's own storage."""
    wanted = at(tmp_path / "home", home(tmp_path / "home", {**MANY, **REST}))
    stored = loose(tmp_path / "home", path)
    kind, _, content = zlib.decompress(stored.read_bytes()).partition(b" ")
    changed = content.replace(b"text 3", b"text 4").replace(b"03.txt", b"3x.txt")
    stored.chmod(0o644)
    stored.write_bytes(zlib.compress(kind + b" " + changed))

    with pytest.raises(AssetError, match=r"does not give commit|is not the pinned commit"):
        got(wanted)

    assert not is_cached(wanted)
    assert not folder_of(wanted).exists()


def interrupted(tmp_path: Path) -> Repository:
    """A fetch that was cut off when all but the last files had come."""
    wanted = at(tmp_path / "home", home(tmp_path / "home", {**MANY, **REST}))
    with fetching(wanted, **counting(tmp_path, hang_at=4)) as process:
        wait_for(tmp_path / "hanging")
        os.killpg(process.pid, signal.SIGKILL)
    return wanted


def test_what_was_damaged_while_it_waited_is_thrown_away(tmp_path: Path) -> None:
    """The try after that begins anew."""
    wanted = interrupted(tmp_path)
    for pack in (tmp_path / "cache").rglob("*.pack"):
        pack.chmod(0o644)
        raw = pack.read_bytes()
        pack.write_bytes(raw[:60] + bytes(len(raw) - 80) + raw[-20:])

    with pytest.raises(AssetError, match="it was thrown away; run it again"):
        got(wanted)

    assert files_in(got(wanted)) == {**MANY, "LICENSE": b"MIT\n"}


@pytest.mark.parametrize("path", ["dat/03.txt", "dat"])
def test_an_object_that_git_itself_would_swap_is_refused(tmp_path: Path, path: str) -> None:
    """What git gives in place of an object is hashed again, and is another."""
    wanted = interrupted(tmp_path)
    part = next((tmp_path / "cache").rglob("git"))
    oid = git(tmp_path / "home", "rev-parse", f"HEAD:{path}")
    other = git(tmp_path / "home", "rev-parse", "HEAD:LICENSE" if "." in path else "HEAD:models")
    (part / "refs" / "replace").mkdir()
    (part / "refs" / "replace" / oid).write_text(f"{other}\n")

    with pytest.raises(AssetError, match=rf"the \w+ {oid[:10]} is not what its id says"):
        got(wanted)

    assert files_in(got(wanted)) == {**MANY, "LICENSE": b"MIT\n"}


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_bytes(b"text 8\n" * 50)])
def test_a_cached_copy_that_was_changed_is_not_used(
    tmp_path: Path, harm: Callable[[Path], object]
) -> None:
    wanted = at(tmp_path / "home", home(tmp_path / "home", {**MANY, **REST}))
    file = got(wanted) / "dat" / "07.txt"
    harm(file)

    with pytest.raises(AssetError, match=r"damaged: dat/07\.txt .*`probe data fetch thing`"):
        cached(wanted)

    assert files_in(got(wanted)) == {**MANY, "LICENSE": b"MIT\n"}


def test_another_choice_of_paths_is_fetched_anew(tmp_path: Path) -> None:
    commit_id = home(tmp_path / "home", {**MANY, **REST})
    got(at(tmp_path / "home", commit_id, "LICENSE"))
    wider = at(tmp_path / "home", commit_id)

    assert cached(wider) is None
    assert "dat/00.txt" in files_in(got(wider))


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (("dat", "gone"), "has no gone"),
        (("dat/gone.txt",), "has no dat/gone.txt"),
        (("LICENSE/x",), "has no LICENSE/x"),
        (("link",), "link is a link or another repository"),
    ],
)
def test_what_a_commit_does_not_hold_is_named(
    tmp_path: Path, paths: tuple[str, ...], said: str
) -> None:
    home(tmp_path / "home", {**MANY, **REST})
    (tmp_path / "home" / "link").symlink_to("/etc/passwd")
    wanted = at(tmp_path / "home", commit(tmp_path / "home", {}), *paths)

    with pytest.raises(AssetError, match=said):
        got(wanted)

    assert not is_cached(wanted)


def test_a_commit_that_is_not_there_is_said(tmp_path: Path) -> None:
    home(tmp_path / "home", MANY)

    with pytest.raises(AssetError, match=f"does not give commit {'f' * 40} .*rewritten"):
        got(at(tmp_path / "home", "f" * 40))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:1/a/b.git", "cannot be reached .*check the network .*what has come"),
        ("file:///nowhere/at/all", "there is no repository at file:///nowhere/at/all"),
    ],
)
def test_a_home_that_does_not_answer_is_said(url: str, said: str) -> None:
    wanted = Repository(name="thing", url=url, commit="f" * 40, paths=("dat",))

    with pytest.raises(AssetError, match=said):
        got(wanted)


def test_a_missing_git_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do without it."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(AssetError, match=r"git is not installed; install git .* as path"):
        got(at(tmp_path / "home", "f" * 40))


def test_a_cache_that_cannot_be_made_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GISTPROBE_CACHE", str(tmp_path / "file"))

    with pytest.raises(AssetError, match=r"cannot be kept at .*GISTPROBE_CACHE"):
        got(at(tmp_path / "home", "f" * 40))
