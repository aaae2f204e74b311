"""An export holds what the store holds, describes it, and is there whole or not at all."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from store.errors import BadFile, NoStore, QueryError
from store.export import OMITTED, export
from store.read import Reader, open_read
from tests.store.export_for_tests import exported, read, store_of, wanted
from tests.store.owner_for_tests import CELLS, small_experiment
from tests.store.rows_for_tests import (
    attempt_row,
    cell_row,
    experiment_row,
    failure_row,
    model_row,
    prompt_row,
    reply_row,
    run_end_row,
    run_row,
)
from tests.store.served_for_tests import owning


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [*small_experiment(), model_row(note="a | note"), run_row(), run_end_row()]
    rows += [attempt_row("k", usd=0.25), failure_row("k")]
    return store_of(tmp_path_factory.mktemp("store"), rows)


@pytest.fixture(scope="module")
def whole(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(store, tmp_path_factory.mktemp("export") / "out")


def test_every_table_reads_back_as_the_store_has_it(store: Path, whole: Path) -> None:
    """Rows and values, and those of the views results and accuracy."""
    reader = open_read(store)
    tables = reader.answer("SELECT table_name FROM duckdb_tables() WHERE NOT internal").rows
    names = {str(name) for (name,) in tables} - set(OMITTED) | {"results", "accuracy"}

    assert {file.stem for file in (whole / "data").iterdir()} == names
    for name in sorted(names):
        ours = reader.answer(f'SELECT * FROM "{name}" ORDER BY ALL').rows
        assert read(whole, f"SELECT * FROM {{{name}}} ORDER BY ALL") == ours, name
    reader.close()


def test_other_readers_of_parquet_get_plain_types(whole: Path) -> None:
    """JSON is text; moments have their zone; nothing needs DuckDB."""
    table = pq.read_table(whole / "data" / "results.parquet")

    kinds = {field.name: str(field.type) for field in table.schema}
    assert kinds["flags"] == "string"
    assert kinds["score"] == "double"
    assert kinds["sample"] == "int64"
    assert kinds["received_at"] == "timestamp[us, tz=UTC]"
    assert table.num_rows == CELLS


def test_the_sums_are_of_every_other_file(whole: Path) -> None:
    lines = (whole / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}

    files = {p.relative_to(whole).as_posix() for p in whole.rglob("*") if p.is_file()}
    assert set(sums) == files - {"SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((whole / name).read_bytes()).hexdigest() == digest


def test_the_descriptor_describes_every_column(store: Path, whole: Path) -> None:
    """With types, the schema's own comments, keys that hold, and the files' sizes and hashes."""
    found = json.loads((whole / "datapackage.json").read_text())
    by_name = {each["name"]: each for each in found["resources"]}

    for name, each in by_name.items():
        file = whole / each["path"]
        assert each["bytes"] == file.stat().st_size
        assert each["hash"] == f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"
        assert [field["name"] for field in each["schema"]["fields"]] == pq.read_schema(file).names
        assert each["rows"] == read(whole, f"SELECT count(*) FROM {{{name}}}")[0][0]
    comments = open_read(store).answer(
        "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE comment IS NOT NULL"
        " AND table_name = 'replies'"
    )
    fields = {each["name"]: each for each in by_name["replies"]["schema"]["fields"]}
    for _, column, comment in comments.rows:
        assert fields[str(column)]["description"] == comment
    assert by_name["replies"]["schema"]["primaryKey"] == ["key"]
    assert {
        "fields": ["prompt_hash"],
        "reference": {"resource": "prompts", "fields": ["prompt_hash"]},
    } in by_name["cells"]["schema"]["foreignKeys"]
    assert found["sources"] == [
        {"title": "Excerpts (excerpts); licence: theirs", "path": "https://doi.org/x"}
    ]


def test_frictionless_finds_the_package_sound(whole: Path) -> None:
    """The descriptor as it is; and every row by it: types, keys, what may not be missing.

    The rows are handed over, since its own way to Parquet, through pandas, makes whole numbers of
    columns with gaps into fractions.
    """
    frictionless = pytest.importorskip("frictionless", reason="the oracle for data packages")
    described = json.loads((whole / "datapackage.json").read_text())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = frictionless.Package(str(whole / "datapackage.json"))
        inline = frictionless.Package(
            name="inline",
            resources=[
                frictionless.Resource(
                    name=each["name"],
                    data=_rows(whole / each["path"]),
                    schema=frictionless.Schema.from_descriptor(each["schema"]),
                )
                for each in described["resources"]
            ],
        )
        report = inline.validate()

    assert [each.name for each in package.resources] == [each.name for each in inline.resources]
    assert report.valid, report.flatten(["name", "title", "message"])
    assert report.stats["tasks"] == len(described["resources"])


def _rows(file: Path) -> list[list[object]]:
    table = pq.read_table(file)
    return [table.schema.names, *(list(row.values()) for row in table.to_pylist())]


def test_keys_that_do_not_hold_are_not_claimed(tmp_path: Path) -> None:
    """Here a reply names a run that the store has no row of."""
    folder = exported(store_of(tmp_path / "store", small_experiment()), tmp_path / "out")

    found = json.loads((folder / "datapackage.json").read_text())
    replies = next(each for each in found["resources"] if each["name"] == "replies")
    assert "foreignKeys" not in replies["schema"]


def test_the_readme_says_what_was_run_and_how_to_load_it(whole: Path) -> None:
    """Its SQL and its Python run as they are written."""
    text = (whole / "README.md").read_text()
    sql = text.split("```sql\n")[1].split("```")[0]
    python = text.split("```python\n")[1].split("```")[0]

    ran = subprocess.run(
        [sys.executable, "-c", f"import duckdb; print(duckdb.sql({sql!r}).fetchall())"],
        cwd=whole, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.stdout.strip() == "[('m', 'original', 1.0)]", ran.stderr
    pytest.importorskip("pandas", reason="the README shows it")
    ran = subprocess.run(
        [sys.executable, "-c", python], cwd=whole, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "name = 'small'" in text
    assert "a \\| note" in text
    assert "1 run, 2026-01-02 to 2026-01-02." in text


def test_one_experiment_alone(tmp_path: Path) -> None:
    """Its rows and what they rest on, and nothing of others; a shared reply brings its run."""
    rows = small_experiment()
    prompt = prompt_row("i3")
    rows += [
        run_row(),
        experiment_row("plan-2", experiment="other"),
        cell_row(prompt, experiment_id="plan-2"),
        run_row("plan-2", run_id="of-other"),
        reply_row("nobody's"),
    ]
    store = store_of(tmp_path / "store", rows)

    folder = exported(store, tmp_path / "out", "other")

    assert read(folder, "SELECT experiment FROM {experiments}") == [("other",)]
    assert read(folder, "SELECT count(*) FROM {cells}") == [(1,)]
    assert read(folder, "SELECT item_id FROM {items}") == [("i3",)]
    assert read(folder, "SELECT count(*) FROM {replies}") == [(1,)]
    assert read(folder, "SELECT count(DISTINCT run_id) FROM {runs}") == [(2,)]
    assert read(folder, "SELECT experiment, score FROM {results}") == [("other", 1.0)]
    with pytest.raises(
        QueryError, match="no experiment is called 'othr'; the store has other, sma"
    ):
        exported(store, tmp_path / "none", "othr")
    assert not (tmp_path / "none").exists()


def test_a_folder_that_is_not_empty_is_refused(store: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    exported(store, target)
    before = {file: file.stat().st_mtime_ns for file in target.rglob("*")}

    with pytest.raises(BadFile, match="the folder is not empty"):
        exported(store, target)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadFile, match="it is there and no folder"):
        exported(store, tmp_path / "file")
    with pytest.raises(NoStore):
        exported(tmp_path, tmp_path / "none")

    assert {file: file.stat().st_mtime_ns for file in target.rglob("*")} == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "out"]


FULL = """
import sys
from pathlib import Path
from store.errors import BadFile
from tests.store.export_for_tests import exported
from tests.store.filling_for_tests import full_beyond
full_beyond(int(sys.argv[3]))
try:
    exported(Path(sys.argv[1]), Path(sys.argv[2]))
except BadFile as error:
    print(str(error).count("\\n"), error)
"""


@pytest.mark.parametrize("size_bytes", [0, 2_000, 20_000])
def test_a_full_disk_is_one_line_and_leaves_nothing(
    store: Path, tmp_path: Path, size_bytes: int
) -> None:
    target = tmp_path / "out"

    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(store), str(target), str(size_bytes)],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(f"0 {target}: cannot be written ("), ran.stdout
    assert list(tmp_path.iterdir()) == []


def test_what_is_exported_while_a_run_writes_is_of_one_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run commits before every table that is read: none of it is in any of them."""
    read_table = Reader.write_parquet
    with owning(tmp_path / "store") as owner:

        def after_a_commit(reader: Reader, query: str, path: Path) -> None:
            owner.do("put")
            read_table(reader, query, path)

        monkeypatch.setattr(Reader, "write_parquet", after_a_commit)
        export(tmp_path / "store", tmp_path / "out", wanted())

    assert read(tmp_path / "out", "SELECT count(*) FROM {replies}") == [(CELLS,)]
    assert read(tmp_path / "out", "SELECT count(reply) FROM {results}") == [(CELLS,)]


def test_the_same_store_gives_the_same_bytes(store: Path, tmp_path: Path) -> None:
    first = exported(store, tmp_path / "a")
    second = exported(store, tmp_path / "b")

    assert (first / "SHA256SUMS").read_text() == (second / "SHA256SUMS").read_text()
