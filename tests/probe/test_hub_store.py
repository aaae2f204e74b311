"""A store that a hub serves, from elsewhere: read by SQL, and given vectors by encoders."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from embedder.worker import State, Wanted, embed
from probe.hub.tokens import BadTokens, tokens_of
from probe.hub.wire import BucketsReport, Role
from probe.worker.embedding import HubPlace
from probe.worker.errors import HubRefuses
from store.hub_address import Address, BadHub, address
from store.hub_reading import TOKEN, HubSilent
from store.live import load_extensions
from store.read import ask, open_read
from tests.embedder.encoder_for_tests import HashEncoder, store_quotes, vector_of
from tests.probe.experiments_for_tests import write_experiment
from tests.probe.hub_for_tests import Place, free_port
from tests.probe.runs import wait_until
from tests.probe.warm_for_tests import warm

TEXTS = [f"She said it {n} times." for n in range(2_500)]
COUNT = "SELECT count(*) FROM vectors"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    store = tmp_path_factory.mktemp("served") / "store"
    store_quotes(store, TEXTS)
    with Place(store=store) as place:
        place.hub()
        yield place


@pytest.fixture
def token(served: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, served.token("read"))


@pytest.mark.parametrize("role", ["read", "work", "own"])
def test_every_role_may_read(served: Place, monkeypatch: pytest.MonkeyPatch, role: Role) -> None:
    monkeypatch.setenv(TOKEN, served.token(role))

    rows = ask(open_read(served.where), "SELECT count(*) FROM features").rows

    assert rows == [(len(TEXTS),)]


@pytest.mark.usefixtures("token")
def test_a_reader_cannot_write(served: Place) -> None:
    """Nor can DuckDB's own client with the same token, whatever it sends."""
    with duckdb.connect() as connection:
        load_extensions(connection)
        secret = f"TOKEN '{served.token('own')}', SCOPE '{served.address}'"
        connection.execute(f"CREATE SECRET (TYPE quack, {secret})")
        connection.execute(f"ATTACH '{served.address}' AS hub")
        assert connection.execute("SELECT count(*) FROM hub.feature_rows").fetchone() == (
            len(TEXTS),
        )
        with pytest.raises(duckdb.Error, match="Authorization failed"):
            connection.execute("CREATE TABLE hub.mine AS SELECT 1 AS a")


def test_a_wrong_token_is_one_line(served: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "wrong-token")
    with pytest.raises(HubSilent) as caught:
        open_read(served.where)

    assert str(caught.value) == (
        f"hub {served.where}: it does not take the token of GISTPROBE_TOKEN;"
        " `probe token read` on its machine prints the right one"
    )


def test_no_token_and_no_hub_are_one_line(served: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    with pytest.raises(HubSilent, match="GISTPROBE_TOKEN is not set"):
        open_read(served.where)
    monkeypatch.setenv(TOKEN, "anything")
    with pytest.raises(HubSilent, match="does not answer"):
        open_read(Address("localhost", free_port()))


def test_an_encoder_that_starts_in_the_folder_of_another_leaves_it_its_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the other still writes is not taken for what a dead one left."""
    store, folder = tmp_path / "store", tmp_path / "state"
    store_quotes(store, TEXTS[:1500])

    def one(name: str) -> None:
        with HubPlace(where=here.where, link=here.link(), folder=folder) as place:
            encoder = HashEncoder(tmp_path / name, sleep_s=0.05)
            embed(place, encoder, Wanted(kinds=("quote",)), lambda _: None)

    with Place(store=store) as here, ThreadPoolExecutor() as threads:
        here.hub()
        monkeypatch.setenv(TOKEN, here.token("read"))
        first = threads.submit(one, "first")
        wait_until(lambda: list(folder.rglob("*.frames")) != [])
        second = threads.submit(one, "second")
        for each in (first, second):
            each.result()
        logs = [(tmp_path / name).read_text().split() for name in ("first", "second")]
        assert all(logs)
        wait_until(lambda: ask(open_read(here.where), COUNT).rows == [(1500,)], within_s=20)


def test_two_encoders_elsewhere_share_the_work(served: Place, token: None, tmp_path: Path) -> None:
    """Each text gets its vector once, and it is the one that is made at the store."""
    del token

    def one(name: str) -> None:
        states: list[State] = []
        link = served.link("work")
        with HubPlace(where=served.where, link=link, folder=tmp_path / name) as place:
            encoder = HashEncoder(tmp_path / f"log-{name}", sleep_s=0.02)
            embed(place, encoder, Wanted(kinds=("quote",)), states.append)
        assert states[-1].embedded + states[-1].held == len(TEXTS)

    with ThreadPoolExecutor() as threads:
        list(threads.map(one, "ab"))
    logs = [(tmp_path / f"log-{name}").read_text().split() for name in "ab"]
    assert len(logs[0]) + len(logs[1]) == len({*logs[0], *logs[1]}) == len(TEXTS)
    assert all(logs)
    wait_until(lambda: ask(open_read(served.where), COUNT).rows == [(len(TEXTS),)])
    found = ask(
        open_read(served.where),
        "SELECT any_value(f.text) AS text, any_value(v.vector) AS vector"
        " FROM vectors AS v JOIN features AS f USING (target_id) GROUP BY target_id",
    ).rows
    assert {str(text): list(vector) for text, vector in found} == {  # type: ignore[call-overload]
        text: vector_of(text).tolist() for text in TEXTS
    }


def test_commands_read_it_by_its_address(served: Place, token: None, tmp_path: Path) -> None:
    """As they read a store's folder; what would write is refused in a line."""
    del token
    asked = warm(("sql", "select count(*) as n from features", "--store", served.address))
    status = warm(("status", "--store", served.address))
    listed = warm(("features", "list", "--store", served.address))
    opened = warm(("sql", "--open", "--store", served.address))
    ran = warm(("run", write_experiment(tmp_path, "http://127.0.0.1:9"), "--store", served.address))

    assert str(len(TEXTS)) in asked.stdout
    assert [each.returncode for each in (asked, status, listed, opened)] == [0, 0, 0, 0]
    assert f"ATTACH '{served.address}' AS run (READ_ONLY);" in opened.stdout
    assert "getenv('GISTPROBE_TOKEN')" in opened.stdout
    assert ran.returncode == 2
    assert "a hub's store is only read from here; run it on the hub's machine" in ran.stderr


async def test_a_role_may_do_what_it_may_and_no_more(served: Place) -> None:
    report = BucketsReport(worker="w", encoder_id="e", wanted="x", take=[1])
    async with served.link("read") as reader:
        with pytest.raises(HubRefuses, match=r"does not take this token for this \(work\)"):
            await reader.buckets(report)
    async with served.link("work") as worker:
        assert (await worker.buckets(report)).held == [1]
    async with served.link("own") as owner:
        other = report.model_copy(update={"worker": "v"})
        assert (await owner.buckets(other)).held == []


async def test_a_piece_that_is_none_is_refused_and_nothing_written(served: Place) -> None:
    async with served.link() as link:
        for segment in ("..%2Fevil.frames", "evil.frames"):
            with pytest.raises(HubRefuses, match="no name of a journal"):
                await link.piece(segment, 0, b"x\n")
        name = "20261130T000000-00000000.frames"
        with pytest.raises(HubRefuses, match="ends within an entry"):
            await link.piece(name, 0, b"no frame")

    assert not list((served.store / "vectors").glob("*evil*"))


def test_an_owner_ends_it(tmp_path: Path) -> None:
    store_quotes(tmp_path / "store", TEXTS[:1])
    with Place(store=tmp_path / "store") as place:
        hub = place.hub()

        async def stop() -> None:
            async with place.link("own") as link:
                await link.stop()

        asyncio.run(stop())
        hub.communicate(20)

        assert hub.returncode == 0


def test_tokens_are_their_users_alone_and_stay(tmp_path: Path) -> None:
    first, again = tokens_of(tmp_path), tokens_of(tmp_path)

    assert first.by_role == again.by_role
    assert len(set(first.by_role.values())) == 3
    assert stat.S_IMODE((tmp_path / "hub.json").stat().st_mode) == 0o600
    assert not any(token in repr(first) for token in first.by_role.values())
    printed = warm(("token", "work", "--store", tmp_path))
    assert printed.stdout == f"{first.by_role['work']}\n"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"tokens": {}, "workers": {}}'])
def test_a_file_of_tokens_that_is_none_is_said_and_kept(tmp_path: Path, text: str) -> None:
    (tmp_path / "hub.json").write_text(text)
    with pytest.raises(BadTokens, match="is no file of tokens; move it away"):
        tokens_of(tmp_path)

    assert (tmp_path / "hub.json").read_text() == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("quack:host:1", "https://host:1"),
        ("host", "https://host:9494"),
        ("quack:localhost", "http://localhost:9494"),
        ("quack:127.0.0.1:80", "http://127.0.0.1:80"),
        ("quack:[::1]:80", "http://[::1]:80"),
        ("quack:[fe80::1]", "https://[fe80::1]:9494"),
        ("quack:10.0.0.5:80?plain", "http://10.0.0.5:80"),
    ],
)
def test_addresses_are_read_as_duckdb_reads_them(text: str, found: str) -> None:
    """With TLS unless they are this machine's own."""
    assert address(text).url == found
    assert address(str(address(text))) == address(text)


@pytest.mark.parametrize("text", ["", "quack:", "http://host", "host:port", "host:99999", "a b"])
def test_what_is_no_address_is_named(text: str) -> None:
    with pytest.raises(BadHub, match="is no hub's address; write it like quack:host:9494"):
        address(text)
