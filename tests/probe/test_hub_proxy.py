"""The configuration for nginx that the documentation gives: TLS outside, a hub behind it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from probe.hub.wire import BucketsReport
from probe.worker.errors import HubAway, HubRefuses
from probe.worker.link import Link
from store.hub_address import Address
from store.hub_reading import CERTIFICATES, TOKEN, HubSilent
from store.read import ask, open_read
from tests.embedder.encoder_for_tests import store_quotes
from tests.probe.hub_for_tests import Place, free_port
from tests.probe.runs import wait_until

CONFIGURATION = Path(__file__).parents[2] / "docs" / "deploy" / "nginx.conf"
HOST = "127.0.0.2"  # this machine's too, but not one that goes without TLS
REPORT = BucketsReport(worker="w", encoder_id="e", wanted="x", take=[3])
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"

pytestmark = pytest.mark.skipif(
    not Path(NGINX).exists() or shutil.which("openssl") is None,
    reason="nginx or openssl is not installed here",
)


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for the address, signed by itself, and its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subject = ["-subj", "/CN=hub", "-addext", f"subjectAltName=IP:{HOST}"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run([*made, "-out", cert, "-keyout", key], check=True, capture_output=True)
    return cert, key


@contextmanager
def proxied(folder: Path, hub: Address) -> Iterator[tuple[Address, Path]]:
    """A proxy as documented, but for names, places and ports; its address and certificate."""
    cert, key = certificate(folder)
    where = Address(HOST, free_port())
    text = CONFIGURATION.read_text()
    for documented, own in {
        "127.0.0.1:9494": f"127.0.0.1:{hub.port}",
        "listen 9443 ssl": f"listen {HOST}:{where.port} ssl",
        "server_name hub.example.org": f"server_name {HOST}",
        "/etc/ssl/hub/fullchain.pem": str(cert),
        "/etc/ssl/hub/privkey.pem": str(key),
    }.items():
        assert documented in text
        text = text.replace(documented, own)
    (folder / "nginx.conf").write_text(text)
    own_files = f"daemon off; pid {folder}/pid; error_log {folder}/error.log;"
    command = [NGINX, "-c", str(folder / "nginx.conf"), "-p", str(folder), "-g", own_files]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as nginx:
        try:
            wait_until(lambda: (folder / "pid").exists() or nginx.poll() is not None)
            yield where, cert
        finally:
            nginx.terminate()


async def test_workers_and_readers_come_through_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_quotes(tmp_path / "store", ["One.", "Two."])
    with Place(store=tmp_path / "store") as place:
        place.hub()
        with proxied(tmp_path, place.where) as (where, cert):
            monkeypatch.setenv(TOKEN, place.token("read"))
            monkeypatch.setenv(CERTIFICATES, str(cert))
            rows = ask(open_read(where), "SELECT count(*) FROM features").rows
            async with Link(where=where, token=place.token(), authority=cert) as link:
                held = (await link.buckets(REPORT)).held

            monkeypatch.delenv(CERTIFICATES)
            with pytest.raises(HubSilent, match="it does not answer"):
                open_read(where)
            async with Link(where=where, token=place.token()) as link:
                with pytest.raises(HubRefuses, match="its certificate is not trusted"):
                    await link.buckets(REPORT)
            async with Link(where=replace(where, plain=True), token=place.token()) as link:
                with pytest.raises(HubRefuses, match=r"is no hub of gistprobe \(HTTP 400\)"):
                    await link.buckets(REPORT)

    assert rows == [(2,)]
    assert held == [3]


async def test_a_proxy_without_its_hub_is_waited_for(tmp_path: Path) -> None:
    """Its page is taken for no answer, as when the hub is being restarted."""
    with proxied(tmp_path, Address("127.0.0.1", free_port())) as (where, cert):
        async with Link(where=where, token="any", authority=cert) as link:  # noqa: S106
            with pytest.raises(HubAway, match=r"does not answer \(HTTP 502\)"):
                await link.buckets(REPORT)
