"""From a pipeline's files to a table of similarities, as a user types it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from probe.cli import cli
from tests.embedder.features_for_tests import ALIASES, Native, fanfiction_files, write_folder
from tests.probe.experiments_for_tests import probe
from tests.probe.runs import query

GROUPS = "attribute\tgroup\tcharacter\n" + "".join(
    f"sort\t{group}\t{name}\n"
    for group, name in (("child", "Zoë Marsh"), ("child", "Thomas Hay"), ("lady", "Eliza Pell"))
)


def extract(folder: Path, native: Path, pipeline: str, *more: object) -> str:
    """Read a pipeline's output into `folder / "store"`; what is printed."""
    aliases = folder / "aliases.tsv"
    aliases.write_text(ALIASES, encoding="utf-8", newline="")
    done = probe(
        *("features", "extract", native, "--corpus", "tales", "--work", "one", "--code", "ONE"),
        *("--pipeline", pipeline, "--aliases", aliases, "--store", folder / "store", *more),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_features_of_both_pipelines_come_in_once(tmp_path: Path) -> None:
    """With a report of what was dropped; as feature files they come in again as they are."""
    booknlp = Native().write(tmp_path / "booknlp")
    fanfic = write_folder(tmp_path / "fanfic", fanfiction_files())
    tsv = tmp_path / "tsv"
    said = extract(tmp_path, booknlp, "booknlp", "--tsv", tsv)
    extract(tmp_path, fanfic, "fanfictionnlp", "--tsv", tsv)
    again = extract(tmp_path, booknlp, "booknlp")

    assert "brought in 12 features, already held 0" in said
    assert "map to nobody" in said
    assert "brought in 0 features, already held 12" in again
    found = "SELECT context[target_start + 1:target_end], text FROM features"
    rows = query(tmp_path / "store", f"{found} WHERE context IS NOT NULL")
    assert len(rows) == 10
    assert all(word == text for word, text in rows)

    done = probe("features", "import", tsv, "--corpus", "copy", "--store", tmp_path / "store")
    assert done.returncode == 0, done.stderr
    listed = probe("features", "list", "--store", tmp_path / "store", "--format", "json")
    # Feature files do not say which of two equal words of a sentence is meant.
    counts = [{**row, "corpus": "", "texts": 0} for row in json.loads(listed.stdout)]
    assert len(counts) == 10
    assert counts[:5] == counts[5:]


def test_vectors_of_words_and_sentences_make_a_table(tmp_path: Path) -> None:
    """With small models of the real architectures; a second call finds everything done."""
    pytest.importorskip("transformers", reason="needs the `embed` extra")
    from tests.embedder.models_for_tests import make_bert, make_t5  # noqa: PLC0415 - needs torch

    store = tmp_path / "store"
    extract(tmp_path, Native().write(tmp_path / "booknlp"), "booknlp")
    extract(tmp_path, write_folder(tmp_path / "fanfic", fanfiction_files()), "fanfictionnlp")
    words, sentences = make_t5(tmp_path / "t5"), make_bert(tmp_path / "bert")
    done = probe("embed", f"word:{words}", "--store", store, "--kind", "event")
    # In this process, which has loaded torch already.
    command = ["embed", f"sentence:{sentences}", "--store", str(store)]
    both, again = (CliRunner().invoke(cli, command) for _ in range(2))

    assert done.returncode == both.exit_code == 0, done.stderr + both.stderr
    assert "embedded 6, already held 0, for 7 features" in done.stdout
    assert "embedded 0, already held" in again.stdout
    groups = tmp_path / "groups.tsv"
    groups.write_text(GROUPS, encoding="utf-8")
    table = probe(
        *("table", "similarity", "--corpus", "tales", "--groups", groups, "--store", store),
        *("--vectors", f"sentence:{sentences}", "--format", "json"),
    )
    assert table.returncode == 0, table.stderr
    assert {row["row"] for row in json.loads(table.stdout)} >= {"fanfictionnlp_assertions"}
    identity = query(store, "SELECT identity ->> 'pooling', dim FROM encoders ORDER BY dim")
    assert [dim for _, dim in identity] == [32, 32]


def test_a_drafted_alias_map_is_one_that_extract_takes(tmp_path: Path) -> None:
    """Each name as itself, the most mentioned first; pronouns and small clusters are no rows."""
    native = Native().write(tmp_path / "booknlp")
    drafted = probe("features", "aliases", native, "--work", "ONE")
    aliases = tmp_path / "drafted.tsv"
    aliases.write_text(drafted.stdout, encoding="utf-8")
    done = probe(
        *("features", "extract", native, "--corpus", "tales", "--work", "ONE"),
        *("--aliases", aliases, "--store", tmp_path / "store"),
    )

    assert drafted.stdout.split("\n") == [
        "ONE\tZoë\tZoë",
        "ONE\tTam\tTam",
        "ONE\tNobody\tNobody",
        "",
    ]
    assert done.returncode == 0, done.stderr
    found = query(tmp_path / "store", "SELECT DISTINCT character FROM features ORDER BY ALL")
    assert found == [("Nobody",), ("Tam",), ("Zoë",)]


def test_a_novel_without_booknlp_says_what_to_install(tmp_path: Path) -> None:
    """And what BookNLP made before is taken in place of running it again."""
    novel = tmp_path / "novel.txt"
    novel.write_text("Zoë ran.", encoding="utf-8")
    missing = probe("features", "aliases", novel, "--work", "ONE", "--python", sys.executable)
    Native().write(tmp_path / "novel-booknlp")
    held = probe("features", "aliases", novel, "--work", "ONE")

    assert missing.returncode == 2
    assert "BookNLP: booknlp" in missing.stderr
    assert "pip install booknlp" in missing.stderr
    assert "taking what BookNLP made before" in held.stderr
    assert held.stdout.startswith("ONE\tZoë\tZoë\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("embed", "nobody"), "no encoder 'nobody'"),
        (("embed", "served:http://127.0.0.1:9"), "names no model"),
        (("features", "import", "."), "no folder of features in it"),
        (("features", "list"), "no store at"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_makes_no_store(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    more = ("--corpus", "x") if "import" in words else ()
    here = tuple(str(tmp_path) if word == "." else word for word in words)
    done = probe(*here, *more, "--store", tmp_path / "store")

    assert done.returncode != 0
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "store" / "probe.duckdb").exists()


def test_a_feature_file_that_is_wrong_changes_nothing(tmp_path: Path) -> None:
    """The other files of the folder do not come in either."""
    folder = tmp_path / "features" / "booknlp_quotes"
    folder.mkdir(parents=True)
    (folder / "a.tsv").write_text("Character\tQuote\r\nZoë\tHello\r\n", encoding="utf-8")
    (folder / "b.tsv").write_text("Character\tQuote\r\nZoë\tHello\r\nTam\r\n", encoding="utf-8")
    done = probe("features", "import", folder.parent, "--corpus", "x", "--store", tmp_path / "s")

    assert done.returncode == 2
    assert "b.tsv, line 3: " in done.stderr
    assert not (tmp_path / "s").exists()
