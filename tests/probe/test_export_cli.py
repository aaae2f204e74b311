"""`probe export` writes a folder, on a finished store and while a run is on."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
from click.testing import CliRunner

from probe.cli import cli
from tests.store.owner_for_tests import CELLS
from tests.store.served_for_tests import owning


def test_it_exports_with_and_without_a_run(tmp_path: Path) -> None:
    """The same rows; a line on standard error; nothing on standard output."""
    with owning(tmp_path / "store") as owner:
        live = CliRunner().invoke(
            cli, ["export", str(tmp_path / "live"), "--store", str(owner.path), "--release"]
        )
    words = ["export", str(tmp_path / "closed"), "--store", str(tmp_path / "store")]
    closed = CliRunner().invoke(cli, [*words, "--licence", "CC-BY-4.0", "--experiment", "small"])
    again = CliRunner().invoke(cli, words)

    assert (live.exit_code, live.stdout) == (0, "")
    assert live.stderr.startswith(f"wrote {tmp_path}/live: ")
    assert (closed.exit_code, again.exit_code) == (0, 2)
    assert again.stderr == (
        f"probe: {tmp_path}/closed: the folder is not empty; name a new one, or empty it\n"
    )
    for name in ("live", "closed"):
        assert pq.read_table(tmp_path / name / "data" / "results.parquet").num_rows == CELLS
    assert '"name": "CC-BY-4.0"' in (tmp_path / "closed" / "datapackage.json").read_text()
    assert "Licence of this data: CC-BY-4.0." in (tmp_path / "closed" / "README.md").read_text()


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    ran = CliRunner().invoke(cli, ["export", str(tmp_path / "out"), "--store", str(tmp_path)])

    assert ran.exit_code == 2
    assert ran.stderr == (
        f"probe: no store at {tmp_path}; start one with `probe run`, or name it with --store\n"
    )
    assert list(tmp_path.iterdir()) == []
