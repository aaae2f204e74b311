"""Runs BookNLP over a novel of the user's own, where it is installed.

BookNLP runs in a process of its own, in this Python or in another. Another is the rule: version
1.0.8 loads its models strictly, and they hold a buffer (`position_ids`) that transformers no longer
has from 4.31 on, while the encoders here need a later one. The process is put into UTF-8 mode, as
BookNLP opens the text in the system's encoding. Its files appear in the folder only when all of
them are there.

What it needs besides the package: a spaCy model, and at its first run a network, to fetch its own
three models into `~/booknlp_models` and the BERT models under them from the model hub.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from embedder.errors import PipelineError
from store.errors import BadFile
from store.files import read_text

Size = Literal["big", "small"]
NAME = "BookNLP"
PIPELINE = "entity,quote,supersense,event,coref"
WRITTEN = ("tokens", "entities", "supersense", "quotes", "book")
LAST_LINES = 40

# No module of ours is imported by what follows, so that any Python from 3.7 on can run it. The
# empty entry of sys.path is the working folder, where a stray booknlp.py would be taken for the
# package; the second runs in a folder that has none.
LOOK = (
    "import importlib.util, json, sys\n"
    "sys.path[:] = [entry for entry in sys.path if entry]\n"
    "missing = [name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]\n"
    "print(json.dumps(missing))\n"
)
RUN = (
    "import json, sys\n"
    "from booknlp.booknlp import BookNLP\n"
    "job = json.loads(sys.argv[1])\n"
    'BookNLP("en", job["model_params"]).process(job["text"], job["folder"], job["book_id"])\n'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookNLPJob:
    """One novel to read.

    Attributes:
        text: The novel, UTF-8, plain or `.gz`.
        folder: Where the output goes; made where it is not there.
        book_id: What the output's files are called.
        size: BookNLP's models: "big" is better and wants a GPU or many cores, "small" is faster.
        python: The Python in which BookNLP is installed; None for this one.
        spacy_model: The spaCy model's package.
        model_folder: Where BookNLP keeps its own models; None for `~/booknlp_models`.
    """

    text: Path
    folder: Path
    book_id: str
    size: Size
    python: Path | None = None
    spacy_model: str = "en_core_web_sm"
    model_folder: Path | None = None

    def __post_init__(self) -> None:
        name = self.book_id
        if not name or name.startswith(".") or Path(name).name != name:
            raise PipelineError(
                NAME, f"book_id is {self.book_id!r}", "give a name that a file can begin with"
            )

    @property
    def interpreter(self) -> str:
        """The Python that runs BookNLP."""
        return sys.executable if self.python is None else str(self.python)

    @property
    def model_params(self) -> dict[str, str]:
        """BookNLP's own parameters."""
        params = {"pipeline": PIPELINE, "model": self.size, "spacy_model": self.spacy_model}
        if self.model_folder is not None:
            params["model_path"] = str(self.model_folder.absolute())
        return params

    def path(self, ending: str) -> Path:
        """Where one of the output's files goes."""
        return self.folder / f"{self.book_id}.{ending}"


def run_booknlp(job: BookNLPJob, *, say: Callable[[str], None]) -> Path:
    """Read a novel with BookNLP; return the `.book` file, whose folder `read_booknlp` takes.

    Args:
        job: What to read, and how.
        say: Called with each line that BookNLP prints while it works.

    Raises:
        PipelineError: BookNLP or a part that it needs is not installed, output of that name is
            there already, or it ended without its output.
        BadFile: The text cannot be read, is not UTF-8 or has no words.
    """
    text = read_text(job.text)
    if not text.strip():
        raise BadFile(job.text, "", "no words", "name the file of the novel's text")
    there = [job.path(ending) for ending in WRITTEN if job.path(ending).exists()]
    if there:
        raise PipelineError(
            NAME, f"{there[0]} is there already", "give another folder or book_id, or delete it"
        )
    check_installed(job)
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".booknlp-", dir=job.folder) as made:
            staging = Path(made)
            source = staging / "text.txt"
            source.write_bytes(text.encode("utf-8"))
            run(job, source, staging, say)
            for ending in ("book.html", *WRITTEN):  # .book last: where it is, all are
                written = staging / f"{job.book_id}.{ending}"
                if written.exists():
                    written.replace(job.folder / written.name)
    except OSError as error:
        reason = error.strerror or str(error)
        raise PipelineError(NAME, f"{job.folder}: {reason}", "check the folder") from None
    return job.path("book")


def check_installed(job: BookNLPJob) -> None:
    """Whether the job's Python has what BookNLP needs.

    Raises:
        PipelineError: It cannot be started, or lacks something; names all of it, with the commands
            that bring it.
    """
    python = job.interpreter
    needed = {
        "booknlp": f'{python} -m pip install booknlp "transformers<4.31"',
        "pkg_resources": f'{python} -m pip install "setuptools<81"',
        job.spacy_model: f"{python} -m spacy download {job.spacy_model}",
    }
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and a program of our own
            [python, "-c", LOOK, *needed], capture_output=True, text=True, check=False
        )
    except OSError as error:
        reason = error.strerror or str(error)
        raise PipelineError(NAME, f"{python}: {reason}", "name the Python it is in") from None
    if done.returncode != 0:
        raise PipelineError(NAME, f"{python} ends with {last_line(done.stderr)}", "name another")
    missing: list[str] = json.loads(done.stdout)
    if missing:
        commands = "; ".join(f"`{needed[name]}`" for name in missing)
        raise PipelineError(
            NAME,
            f"{', '.join(missing)} not installed in {python}",
            f"run {commands} (an environment of its own is best), or name the Python that has it",
        )


def run(job: BookNLPJob, source: Path, staging: Path, say: Callable[[str], None]) -> None:
    """Run BookNLP over `source` into `staging`.

    Raises:
        PipelineError: It failed, or a file of its output is not there.
    """
    request = {
        "model_params": job.model_params,
        "text": str(source.absolute()),
        "folder": str(staging.absolute()),
        "book_id": job.book_id,
    }
    tail: deque[str] = deque(maxlen=LAST_LINES)
    process = subprocess.Popen(  # noqa: S603 - no shell, and a program of our own
        [job.interpreter, "-X", "utf8", "-u", "-c", RUN, json.dumps(request)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        cwd=staging,
        encoding="utf-8",
        errors="replace",
    )
    with process:
        try:
            for line in process.stdout or ():
                tail.append(line.rstrip("\n"))
                say(tail[-1])
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        printed = "\n".join(tail)
        raise PipelineError(NAME, f"it ended with {last_line(printed)}", remedy(printed))
    for ending in WRITTEN:
        if not (staging / f"{job.book_id}.{ending}").is_file():
            raise PipelineError(NAME, f"it wrote no .{ending}", f"check {job.text}")


def remedy(printed: str) -> str:
    """What to do about a run whose last lines were these."""
    if "position_ids" in printed:
        return 'its models need an older transformers: pip install "transformers<4.31" beside it'
    if any(sign in printed for sign in ("URLError", "HTTPError", "ConnectionError", "OSError")):
        return (
            "its first run fetches its own models, and those under them from the model hub: "
            "run it once with a network, or name the model_folder that has them"
        )
    return "see what it printed above"


def last_line(text: str) -> str:
    """The last line that is not blank, which of a Python traceback is the error."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"
