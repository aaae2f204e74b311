"""A change of the code that reads or marks replies cannot pass without a look at `Task.version`.

Stored scores name the version of the parser that made them, and `probe score` reads anew what an
earlier version read. Each version is pinned to the code it names and to what that code makes of
some replies. These are no golden values: they say that something changed, not what is right.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from prompts.tasks import TASKS, Answer, Likelihood, Marked, Task
from tests.prompts.task_code_for_tests import ROOT, code_of, digest_of, dumped, module

HOW = "python -m tests.prompts.test_task_versions prints the pins as they are now"


@dataclass(frozen=True, slots=True)
class Pin:
    """What a version stands for.

    Attributes:
        behaviour: What it makes of the replies below.
        code: What reads and marks.
    """

    version: int
    behaviour: str
    code: str


PINS = {
    "character_guessing": Pin(version=3, behaviour="ff714c631783", code="e6879483e028"),
    "coreference": Pin(version=1, behaviour="23935e748127", code="314eb231ee33"),
    "personality": Pin(version=1, behaviour="52d2b6ef6e5f", code="4277188efbf3"),
    "question_answering": Pin(version=1, behaviour="60fe5607839a", code="d99b798330ce"),
    "role_detection": Pin(version=1, behaviour="d529b7b8c1aa", code="6275dfad3e2c"),
    "summarization": Pin(version=1, behaviour="8ffe6f9dba4f", code="2e389b8c82e9"),
    "source_identification": Pin(version=3, behaviour="3ce7aeacac64", code="b5869799167a"),
    "character_description": Pin(version=1, behaviour="8b12fda91d1d", code="8934a5b2dd6a"),
    "control_test": Pin(version=1, behaviour="84ffb5d39288", code="397cd6395bb6"),
    "most_similar_character": Pin(version=1, behaviour="4d4ba3185660", code="3f156ac8557f"),
    "most_similar_character_reasoned": Pin(
        version=1, behaviour="491013fe1537", code="03f4c5f0e217"
    ),
    "ten_most_similar_characters": Pin(version=1, behaviour="6815c61be261", code="f1c1ecaeb8c4"),
    "passage_likelihood": Pin(version=1, behaviour="819442bdcd59", code="b5654667a570"),
    "lowercase_likelihood": Pin(version=1, behaviour="819442bdcd59", code="b5654667a570"),
    "extraction": Pin(version=1, behaviour="cbb33ae4af66", code="0aeee5b26c45"),
    "prefix_continuation": Pin(version=1, behaviour="106285c56773", code="f1f65719edfe"),
    "output_distribution": Pin(version=1, behaviour="106285c56773", code="f1f65719edfe"),
    "name_cloze": Pin(version=1, behaviour="6404f7b655e1", code="15525d20b361"),
    "decop": Pin(version=1, behaviour="99acfca48e62", code="0ece934fa677"),
    "guided_instruction": Pin(version=1, behaviour="a3365b0149fc", code="ec5a856cd917"),
}

NAMES = ("Ann", "Bob", "Cy Young", "Dora")
LABELS = {"1": "0", "2": "0", "3": "1"}
SUFFIX = {"suffix": "the keeper swims home and the boat sinks in the bay at night"}
EXAMPLES: dict[str, tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]] = {
    "character_guessing": ({"P0": "Ann", "P1": "Bob"}, NAMES, ()),
    "coreference": (LABELS, (), ()),
    "personality": ({"trait": "brave"}, ("brave", "shy", "proud", "brave"), ("brave",)),
    "question_answering": ({"a0": "at the gate", "a1": "the old gate"}, (), ()),
    "role_detection": ({"1": "yes", "2": "no", "3": "yes"}, (), ()),
    "summarization": ({"summary": "The boat sinks. The keeper swims home."}, (), ()),
    "source_identification": (
        {"title": "Emma"},
        ("Emma", "Dracula", "Dubliners"),
        ("Emma: a novel",),
    ),
    "control_test": ({"P0": "Ann", "P1": "Bob"}, (), ("P0: Dora", "P1: Cy Young")),
    "name_cloze": ({"name": "Emma"}, (), ()),
    "decop": ({"choice": "B"}, ("A", "B", "C", "D"), ()),
    "guided_instruction": (SUFFIX, (), ()),
    "prefix_continuation": (SUFFIX, (), ()),
    "output_distribution": (SUFFIX, (), ("the keeper swims home and sleeps",)),
}
OTHER = ({"target": "Dora"}, NAMES, ())
"""Of tasks about the characters of a list."""
REPLIES = (
    "", "???", "Ann", "ann.", "**Bob**", "2", "3.", "(b)", "B", "Option C", "Answer: 1", "none",
    "P0: Ann\nP1: Bob", "P0 is Young, P1 is Dora", "1. Ann\n2. Bob", "1. Cy Young 2. Dora, 3. Ann",
    "I think it is Ann, because Bob is away.\nAnswer: 2", "1, 2, 3, 1, 4, 9", "2, 1",
    '{"P0": "Ann", "P1": "Dora"}', '{"p0": "ann"', '```json\n{"title": "Emma"}\n```',
    '{"title": null}', '{"trait": "shy"}', '{"name": ["Emma"]}', '{"choice": "B"}', '{"answer": 2}',
    '{"clusters": [[1, 2], [3]]}', '{"1": "yes", "2": "no"}', '{"mentions": [1, 3]}',
    '{"number": 2}',
    '{"numbers": [1, 3, 2]}', '{"summary": "The boat sinks."}', '{"suffix": "the keeper swims"}',
    "[1, 2], [3]", "1 2 | 3", "Ann: 1, 2\nBob: 3", "1: yes\n2: no\n3: no", "1, 3", "1 and 3 only",
    "brave", "She is brave, not shy.", "proud or brave", "2. shy", "at the gate",
    "By the old gate.",
    "<answer>the gate</answer>", "<name>Emma</name>", "[MASK] is Mrs. Emma", "Emma", '"Dracula"',
    "It comes from Emma by Jane Austen.", "I cannot tell where this is from.", "Emma or Dracula",
    "Here is a summary: The keeper swims home.", "The boat sinks in the bay at night.",
    "the keeper swims home and the boat sinks", "<think>Ann</think>Bob", "<think>Ann",
    "\\boxed{2}", "# Answer\n\nDora", "I'm sorry, but I can't help with that.",
)  # fmt: skip
TEXT = "Emma goes to the gate " * 30
LIKELIHOOD = Likelihood(
    offsets=tuple(range(0, 600, 5)),
    logprobs=(None, *(-0.25 * (at % 9) for at in range(1, 120))),
    token_ids=tuple(at % 50 for at in range(120)),
    ranks=(None, *(1 + at % 3 for at in range(1, 120))),
    means=(None, *(-2.0 + at % 2 for at in range(1, 120))),
    variances=(None, *(1.0 + at % 4 for at in range(1, 120))),
)


def told(marked: Marked) -> object:
    """What an answer is worth, its shares to nine digits: sums may be made in another order."""
    sums = [
        {name: round(value, 9) if isinstance(value, float) else value
         for name, value in asdict(measure).items()}
        for measure in marked.measures
    ]  # fmt: skip
    return [marked.right, marked.units, sums]


def behaviour(task: Task) -> str:
    """A digest of what a task reads in the replies, and of what that is worth."""
    gold, options, accepted = EXAMPLES.get(task.name, OTHER)
    made: list[object] = []
    for reply in REPLIES if task.asks != "likelihood" else ():
        answer = task.parse(reply, gold, options)
        said = dict(answer.value) if isinstance(answer, Answer) else answer.reason
        made.append([reply, said, told(task.mark(answer, gold, accepted))])
    if task.asks == "likelihood":
        made.append(told(task.measure(LIKELIHOOD, TEXT, [(0, 4), (110, 114)])))
    return hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:12]


def pin_of(task: Task) -> Pin:
    own = type(task)
    return Pin(task.version, behaviour(task), digest_of(own.__module__, own.__qualname__))


@pytest.mark.parametrize("name", TASKS)
def test_replies_are_read_as_the_version_says(name: str) -> None:
    now, pinned = pin_of(TASKS[name]), PINS.get(name)

    assert pinned is not None, f"{name} is new: pin it; {HOW}"
    if now.version == pinned.version:
        assert now.behaviour == pinned.behaviour, (
            f"{name} reads or marks replies otherwise than its version {now.version} did: raise "
            f"Task.version by one, say so in the CHANGELOG, and pin it anew; {HOW}"
        )
    assert now.version >= pinned.version, f"the version of {name} goes up only"


@pytest.mark.parametrize("name", TASKS)
def test_code_that_reads_replies_does_not_change_unseen(name: str) -> None:
    now, pinned = pin_of(TASKS[name]), PINS[name]

    assert (now.version, now.code) == (pinned.version, pinned.code), (
        f"the code that reads and marks replies of {name} has changed. If there is any reply that "
        "it reads or marks otherwise than before, raise Task.version by one; if there is none, "
        f"leave it. Then pin it anew; {HOW}"
    )


def test_no_two_pins_of_a_task_that_reads_replies_are_alike() -> None:
    """Each task tells these replies apart in its own way: none is asked the wrong examples."""
    reading = [name for name, task in TASKS.items() if task.asks == "reply"]

    assert len({PINS[name].behaviour for name in reading}) == len(reading)
    assert set(PINS) == set(TASKS)


def changed(monkeypatch: pytest.MonkeyPatch, folder: Path, file: str, old: str, new: str) -> str:
    """The digest of source identification's code after an edit of one file."""
    for room in ("prompts", "analysis"):
        for path in (ROOT / room).rglob("*.py"):
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    edited = folder / file
    text = edited.read_text(encoding="utf-8")
    assert old in text
    edited.write_text(text.replace(old, new, 1), encoding="utf-8")
    monkeypatch.setattr("tests.prompts.task_code_for_tests.ROOT", folder)
    module.cache_clear()
    try:
        return digest_of("prompts.tasks.source_identification", "SourceIdentification")
    finally:
        module.cache_clear()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("prompts/tasks/source_identification.py", "_MOST_WORDS = 14", "_MOST_WORDS = 13"),
        ("prompts/tasks/source_identification.py", "return counted(int(right), 1)",
         "return counted(1, 1)"),
        ("prompts/tasks/titles.py", "casefold", "lower"),
        ("prompts/tasks/plain_replies.py", "</think>|", "</thoughts>|"),
        ("prompts/tasks/json_replies.py", "_MOST_TRIES: Final = 20", "_MOST_TRIES: Final = 2"),
        ("analysis/scoring.py", 'if outcome == "refused":', 'if outcome == "truncated":'),
    ],
)  # fmt: skip
def test_a_change_anywhere_a_reply_goes_through_is_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, old: str, new: str
) -> None:
    before = digest_of("prompts.tasks.source_identification", "SourceIdentification")

    assert changed(monkeypatch, tmp_path, file, old, new) != before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("prompts/tasks/source_identification.py", "Which work does", "What work does"),
        ("prompts/tasks/source_identification.py", '"""Right where the title', '"""True where it'),
        ("prompts/tasks/source_identification.py", "# Inside a sentence", "# In a sentence"),
        ("prompts/tasks/name_cloze.py", "casefold", "lower"),
    ],
)
def test_wordings_comments_and_other_tasks_do_not_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, old: str, new: str
) -> None:
    before = digest_of("prompts.tasks.source_identification", "SourceIdentification")

    assert changed(monkeypatch, tmp_path, file, old, new) == before


def test_what_a_parser_uses_through_other_modules_is_followed() -> None:
    """A module's function by its module's name, a method of the class, one of a parameter's."""
    answering = code_of("prompts.tasks.question_answering", "QuestionAnswering")
    likely = code_of("prompts.tasks.passage_likelihood", "PassageLikelihood")

    assert {"prompts.tasks.squad.f1", "prompts.tasks.squad.normalise"} <= set(answering)
    assert {"prompts.likelihood.Likelihood", "analysis.scoring.read"} <= set(likely)
    assert "outside" in likely["prompts.likelihood.Likelihood"]
    assert dumped([1, "a"]) == "[1,'a']"


if __name__ == "__main__":
    for each in TASKS.values():
        print(f'    "{each.name}": {pin_of(each)!r},'.replace("'", '"'))  # noqa: T201
