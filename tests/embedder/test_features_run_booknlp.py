"""Running BookNLP: what it is called with, what lacks, and that nothing is left half there.

BookNLP itself is not installed for the tests. A package of its name with its interface (version
1.0.8: `BookNLP(language, model_params).process(input file, folder, id)`) stands in its place.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from embedder.errors import PipelineError
from embedder.features import BookNLPJob, read_booknlp, run_booknlp
from store.errors import BadFile
from tests.embedder.features_for_tests import NOVEL, QUOTES_HEADER, Native, alias_map

STAND_IN = """
import json, os, sys, time
class BookNLP:
    def __init__(self, language, model_params):
        self.given = [language, model_params]
    def process(self, inputFile, outputFolder, idd):
        print("--- spacy: 0.1 seconds ---")
        time.sleep(float(os.environ.get("STAND_IN_SLEEPS_S", "0")))
        with open(inputFile) as file:
            text = file.read()
        told = {"given": self.given, "text": text, "utf8": sys.flags.utf8_mode}
        for ending, content in json.loads(os.environ["STAND_IN_FILES"]).items():
            with open(os.path.join(outputFolder, idd + "." + ending), "w", encoding="utf-8") as out:
                out.write(content)
        with open(os.environ["STAND_IN_TOLD"], "w", encoding="utf-8") as out:
            json.dump(told, out)
        if "STAND_IN_FAILS" in os.environ:
            raise RuntimeError(os.environ["STAND_IN_FAILS"])
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts the stand-ins where the process finds them; returns where it tells what it was given."""
    packages, native = tmp_path / "packages", Native()
    (packages / "booknlp").mkdir(parents=True)
    (packages / "booknlp" / "__init__.py").touch()
    (packages / "booknlp" / "booknlp.py").write_text(STAND_IN)
    for module in ("pkg_resources", "tiny_model"):
        (packages / f"{module}.py").touch()
    files = {
        "tokens": native.tokens,
        "entities": "COREF\tstart_token\tend_token\tprop\tcat\ttext\n",
        "supersense": "start_token\tend_token\tsupersense_category\ttext\n",
        "quotes": QUOTES_HEADER + "\n",
        "book": native.book,
        "book.html": "<html>",
    }
    monkeypatch.setenv("PYTHONPATH", str(packages))
    monkeypatch.setenv("STAND_IN_FILES", json.dumps(files))
    monkeypatch.setenv("STAND_IN_TOLD", str(tmp_path / "told.json"))
    # A system whose own encoding is not UTF-8, in which BookNLP would misread the text.
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("PYTHONCOERCECLOCALE", "0")
    monkeypatch.setenv("PYTHONUTF8", "0")
    return tmp_path / "told.json"


def job(tmp_path: Path, **changes: object) -> BookNLPJob:
    text = tmp_path / "novel.txt"
    if not text.exists():
        text.write_text("\ufeff" + "\n".join(NOVEL), encoding="utf-8")
    given: dict[str, object] = {
        "text": text,
        "folder": tmp_path / "out",
        "book_id": "novel",
        "size": "small",
        "spacy_model": "tiny_model",
        **changes,
    }
    return BookNLPJob(**given)  # type: ignore[arg-type]  # a test changes any of them


def test_booknlp_is_called_with_its_own_parameters(tmp_path: Path, stand_in: Path) -> None:
    """In UTF-8 whatever the system's encoding; what it writes can be read at once."""
    said: list[str] = []

    book = run_booknlp(job(tmp_path, model_folder=tmp_path / "m"), say=said.append)

    told = json.loads(stand_in.read_text("utf-8"))
    assert told["given"] == [
        "en",
        {
            "pipeline": "entity,quote,supersense,event,coref",
            "model": "small",
            "spacy_model": "tiny_model",
            "model_path": str(tmp_path / "m"),
        },
    ]
    assert told["text"] == "\n".join(NOVEL)
    assert told["utf8"] == 1
    assert said == ["--- spacy: 0.1 seconds ---"]
    assert book == tmp_path / "out" / "novel.book"
    assert sorted(path.name for path in book.parent.iterdir()) == sorted(
        f"novel.{ending}"
        for ending in ("tokens", "entities", "supersense", "quotes", "book", "book.html")
    )
    reading = read_booknlp(book.parent, work="ONE", aliases=alias_map(tmp_path))
    assert reading.report.without_context == 0


def test_what_is_not_installed_is_named_with_the_command_that_brings_it(tmp_path: Path) -> None:
    """The package and the spaCy model, for the Python that would run them; nothing is made."""
    asked = job(tmp_path, spacy_model="no_such_spacy_model")

    with pytest.raises(PipelineError) as caught:
        run_booknlp(asked, say=print)

    message = str(caught.value)
    python = sys.executable
    assert message.startswith("BookNLP: booknlp, ")
    assert f"no_such_spacy_model not installed in {python}; run `{python} -m pip install" in message
    assert f'{python} -m pip install booknlp "transformers<4.31"' in message
    assert f"`{python} -m spacy download no_such_spacy_model`" in message
    assert message.endswith("or name the Python that has it")
    assert "\n" not in message
    assert not (tmp_path / "out").exists()


def test_only_what_lacks_is_named(
    tmp_path: Path, stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the package there, the spaCy model alone."""
    assert not stand_in.exists()
    with pytest.raises(
        PipelineError, match=r"^BookNLP: other_model not installed in .*; run `.* -m"
    ):
        run_booknlp(job(tmp_path, spacy_model="other_model"), say=print)
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny_model.py").touch()  # the working folder is not where packages are
    with pytest.raises(PipelineError, match=r"tiny_model not installed"):
        run_booknlp(job(tmp_path), say=print)


@pytest.mark.parametrize(
    ("error", "fix"),
    [
        ('Unexpected key(s) in state_dict: "bert.embeddings.position_ids"', r"older transformers"),
        ("urllib.error.URLError: no network", r"first run fetches .* run it once with a network"),
        ("something else", r"see what it printed above"),
    ],
)
@pytest.mark.usefixtures("stand_in")
def test_a_run_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: str, fix: str
) -> None:
    """Its last line is the error's, and the fix is of that error."""
    monkeypatch.setenv("STAND_IN_FAILS", error)
    said: list[str] = []

    with pytest.raises(PipelineError, match=rf"^BookNLP: it ended with RuntimeError: .*; .*{fix}"):
        run_booknlp(job(tmp_path), say=said.append)

    assert list((tmp_path / "out").iterdir()) == []
    assert said[-1] == f"RuntimeError: {error}"


@pytest.mark.usefixtures("stand_in")
def test_a_run_without_its_output_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_FILES", json.dumps({"tokens": "x"}))

    with pytest.raises(PipelineError, match=r"it wrote no \.entities; check .*novel\.txt"):
        run_booknlp(job(tmp_path), say=print)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.usefixtures("stand_in")
def test_output_that_is_there_already_stays(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "novel.quotes").write_text("mine")

    with pytest.raises(PipelineError, match=r"novel\.quotes is there already; give another folder"):
        run_booknlp(job(tmp_path), say=print)
    assert (tmp_path / "out" / "novel.quotes").read_text() == "mine"


@pytest.mark.usefixtures("stand_in")
def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")

    with pytest.raises(PipelineError, match=r"out: File exists; check the folder"):
        run_booknlp(job(tmp_path), say=print)


@pytest.mark.usefixtures("stand_in")
def test_texts_that_cannot_be_read(tmp_path: Path) -> None:
    blank, latin = tmp_path / "blank.txt", tmp_path / "latin.txt"
    blank.write_text(" \n")
    latin.write_bytes("Zoë ran".encode("latin-1"))

    with pytest.raises(BadFile, match=r"blank\.txt: no words; name the file of the novel"):
        run_booknlp(job(tmp_path, text=blank), say=print)
    with pytest.raises(BadFile, match=r"latin\.txt, line 1: byte 0xeb is not UTF-8"):
        run_booknlp(job(tmp_path, text=latin), say=print)
    with pytest.raises(BadFile, match=r"none\.txt: no such file"):
        run_booknlp(job(tmp_path, text=tmp_path / "none.txt"), say=print)


def test_a_python_that_is_none(tmp_path: Path) -> None:
    """One that is not there, and a program that is something else."""
    fails = tmp_path / "fails"
    fails.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    fails.chmod(0o755)

    with pytest.raises(PipelineError, match=r"away: No such file or directory; name the Python"):
        run_booknlp(job(tmp_path, python=tmp_path / "away"), say=print)
    with pytest.raises(PipelineError, match=r"fails ends with broken; name another"):
        run_booknlp(job(tmp_path, python=fails), say=print)


@pytest.mark.parametrize("book_id", ["", "a/b", "..", "."])
def test_a_book_id_is_the_beginning_of_a_files_name(tmp_path: Path, book_id: str) -> None:
    with pytest.raises(PipelineError, match=r"book_id is .*; give a name that a file can begin"):
        job(tmp_path, book_id=book_id)


@pytest.mark.usefixtures("stand_in")
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stops the listener stops the process too, however long it would have gone on."""
    monkeypatch.setenv("STAND_IN_SLEEPS_S", "3600")

    def stop(_line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_booknlp(job(tmp_path), say=stop)
    assert list((tmp_path / "out").iterdir()) == []
