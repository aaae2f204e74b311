"""The six tasks and source identification on real samples, end to end, as a user runs them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.probe.simulated import simulated
from tests.probe.warm_for_tests import warm

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "data"
TASKS = {
    "character_guessing",
    "coreference",
    "personality",
    "question_answering",
    "role_detection",
    "source_identification",
    "summarization",
}
MODELS = """[[models]]
name = "prose"
provider = "openai"
base_url = "{url}"
model = "prose"

[[models]]
name = "schemas"
provider = "openai"
base_url = "{url}"
model = "schemas"
structured = true

"""


def probe(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """The command in a folder of one's own."""
    return warm(words, within_s=110, cwd=folder)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the file of the six tasks was run, of two simulated models."""
    if not SHARED.is_dir():
        pytest.skip("the shared sample data is not here")
    folder = tmp_path_factory.mktemp("six")
    (folder / "data").symlink_to(SHARED)
    (folder / "tests").symlink_to(ROOT / "tests")
    text = (ROOT / "experiments" / "six-tasks.toml").read_text(encoding="utf-8")
    before, rest = text.split("[[models]]", 1)
    tasks = rest[rest.index("[[tasks]]") :]
    with simulated("--replies", "reader") as url:
        experiment = folder / "six-tasks.toml"
        experiment.write_text(before + MODELS.format(url=url) + tasks, encoding="utf-8")
        ran = probe(folder, "run", experiment, "--store", "store")
    assert ran.returncode == 0, ran.stderr
    return folder


def rows(folder: Path, query: str) -> list[dict[str, object]]:
    ran = probe(folder, "sql", query, "--store", "store", "--format", "json")
    assert ran.returncode == 0, ran.stderr
    found: list[dict[str, object]] = json.loads(ran.stdout)
    return found


def test_every_cell_of_every_task_has_a_reply_that_is_read(done: Path) -> None:
    """Twelve conditions of each task, in prose and by schema, which the reader keeps to."""
    found = rows(
        done,
        "SELECT task, count(DISTINCT (names, prompt, model)) AS conditions,"
        " count(unparsed) AS unread, count(*) FILTER (outcome <> 'ok') AS without"
        " FROM results GROUP BY task",
    )

    assert {str(row["task"]) for row in found} == TASKS
    assert {row["conditions"] for row in found} == {24}
    assert {(row["unread"], row["without"]) for row in found} == {(0, 0)}


def test_every_task_has_its_headline_under_every_condition(done: Path) -> None:
    found = rows(done, "SELECT task, metric, count(value) AS n FROM headlines GROUP BY ALL")

    assert {(row["task"], row["metric"]) for row in found} == {
        ("character_guessing", "accuracy"),
        ("coreference", "b_cubed + ceaf_e + muc"),
        ("personality", "accuracy"),
        ("question_answering", "exact_match"),
        ("role_detection", "perpetrator"),
        ("source_identification", "accuracy"),
        ("summarization", "rouge1"),
    }
    assert {row["n"] for row in found} == {24}


def test_the_papers_table_and_figures_come_of_it(done: Path) -> None:
    ran = probe(done, "table", "memorization", "--store", "store", "--figures", "figures")

    assert ran.returncode == 0, ran.stderr
    assert "Table 3. Origin, NR and NR+GIST by task" in ran.stdout
    assert "All tasks" in ran.stdout
    drawn = {path.name for path in (done / "figures").iterdir()}
    assert drawn == {
        f"memorization-figure-{n}.{kind}" for n in (2, 3, 4, 5) for kind in ("png", "svg")
    }


def test_no_name_of_the_cast_is_left_in_what_was_sent(done: Path) -> None:
    """Of whole words; what may be an ordinary word is counted as a leak."""
    found = rows(
        done,
        "SELECT names, sum(list_sum(map_values(leaks::MAP(VARCHAR, BIGINT)))) AS leaks"
        " FROM prompts WHERE names <> 'original' GROUP BY names",
    )

    assert {row["names"] for row in found} == {"masked", "same_culture", "cross_culture"}
    assert all(int(str(row["leaks"] or 0)) <= 3 for row in found)


def test_the_audit_counts_items_by_dataset_and_strategy(done: Path) -> None:
    ran = probe(done, "names", "audit", "six-tasks.toml", "--format", "json")

    assert ran.returncode == 0, ran.stderr
    audited = json.loads(ran.stdout)
    assert {row["dataset"] for row in audited} == {
        "csi", "excerpts", "friendsqa", "litbank", "personet", "summscreen", "tvshowguess",
    }  # fmt: skip
