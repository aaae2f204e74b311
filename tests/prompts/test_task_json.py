"""JSON replies: the two tasks with names and titles read them too, and every schema is strict."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts.tasks import Answer, Unparsed
from prompts.tasks.base import Task
from prompts.tasks.character_guessing import CHARACTER_GUESSING
from prompts.tasks.personality import PERSONALITY
from prompts.tasks.question_answering import QUESTION_ANSWERING
from prompts.tasks.role_detection import ROLE_DETECTION
from prompts.tasks.source_identification import SOURCE_IDENTIFICATION
from prompts.tasks.summarization import SUMMARIZATION

TASKS: tuple[Task, ...] = (
    CHARACTER_GUESSING,
    PERSONALITY,
    QUESTION_ANSWERING,
    ROLE_DETECTION,
    SOURCE_IDENTIFICATION,
    SUMMARIZATION,
)
PEOPLE = ("Hamlet", "Queen Gertrude", "Smith, John", "Hamlet")
SPEAKERS = {"P0": "", "P1": ""}
TITLES = ("Henry VI, Part 1", "Emma", "2")


def guessed(reply: str) -> Mapping[str, str] | None:
    answer = CHARACTER_GUESSING.parse(reply, SPEAKERS, PEOPLE)
    return answer.value if isinstance(answer, Answer) else None


def titled(reply: str, options: tuple[str, ...] = ()) -> str:
    answer = SOURCE_IDENTIFICATION.parse(reply, {"title": ""}, options)
    return answer.value["title"] if isinstance(answer, Answer) else answer.reason


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
@pytest.mark.parametrize("options", [(), PEOPLE])
def test_a_schema_asks_for_everything_and_allows_no_more(
    task: Task, options: tuple[str, ...]
) -> None:
    """What endpoints with strict schemas take; none holds an answer, or an option twice."""
    labels = ("1", "2") if task is ROLE_DETECTION else ("P0", "P1")
    gold = dict.fromkeys(labels, "secret")

    schema = task.schema(gold, options)

    assert schema is not None
    assert schema["additionalProperties"] is False
    assert isinstance(schema["properties"], dict)
    assert schema["required"] == list(schema["properties"])
    assert "secret" not in json.dumps(schema)
    for value in schema["properties"].values():
        assert len(value.get("enum", options)) == (
            len(set(options)) if "enum" in value else len(options)
        )


def test_speakers_and_titles_are_chosen_from_what_is_offered() -> None:
    unique = ["Hamlet", "Queen Gertrude", "Smith, John"]

    assert CHARACTER_GUESSING.schema(SPEAKERS, PEOPLE)["properties"] == {
        "P0": {"type": "string", "enum": unique},
        "P1": {"type": "string", "enum": unique},
    }
    assert SOURCE_IDENTIFICATION.schema({}, ())["properties"] == {"title": {"type": "string"}}


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ('{"P0": "Smith, John", "P1": "Gertrude"}', {"P0": "Smith, John", "P1": "Queen Gertrude"}),
        ('```json\n{"P0": "Hamlet"}\n```', {"P0": "Hamlet"}),
        ('P0 is P1\'s son.\n{" P0 ": " hamlet ", "P7": "Hamlet"}', {"P0": "Hamlet"}),
        ('{"P0": "Hamlet (a prince)", "P1": null}', {"P0": "Hamlet"}),
        ('{"speakers": {"P0": "Hamlet"}}', {"P0": "Hamlet"}),
        ('{"P0": "Hamlet", "P1": "Smi', {"P0": "Hamlet"}),
        ('{"why": "He mourns."}\nP0: Hamlet', {"P0": "Hamlet"}),
        ('{"P0": "Ophelia"}', None),
        ('{"P0": "Hamlet or Smith, John"}', None),
        ('{"P0": ["Hamlet", "Gertrude"]}', None),
        ("{}", None),
    ],
)
def test_speakers_are_read_from_json(reply: str, read: Mapping[str, str] | None) -> None:
    """An object that gives a label a name decides; else the lines are read as before."""
    assert guessed(reply) == read


@pytest.mark.parametrize(
    ("reply", "options", "read"),
    [
        ('{"title": "Henry VI, Part 1"}', TITLES, "Henry VI, Part 1"),
        ('{"title": "emma"}', TITLES, "Emma"),
        ('{"title": 1}', TITLES, "Henry VI, Part 1"),
        ('{"title": "Macbeth"}', TITLES, "names none of the options"),
        ('{"title": "Emma or Henry VI, Part 1"}', TITLES, "names 2 of the options"),
        ('{"title": "Emma", "author": "Jane Austen"}', (), "Emma"),
        ('```json\n{"title": "This Is Our Youth"}\n```', (), "This Is Our Youth"),
        ('{"title": 1984}', (), "1984"),
        ('{"title": "Unknown"}', (), "no title: the first line is a sentence"),
        ('{"title": ""}', (), "the reply is empty"),
        ('{"title": null}', (), "JSON whose 'title' is null"),
        ('{"author": "Jane Austen"}', (), "JSON without 'title'"),
        ('{"title": "Em', (), "JSON that cannot be read, or breaks off"),
        ("It is from *Emma* {1815}.", (), "Emma"),
    ],
)
def test_titles_are_read_from_json(reply: str, options: tuple[str, ...], read: str) -> None:
    assert titled(reply, options) == read


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(TASKS), JSON, JSON)
def test_no_json_makes_a_parser_fail(task: Task, value: object, other: object) -> None:
    """Whatever stands where the answer should; what is read can be written as UTF-8."""
    asked = {"P0": "", "1": ""}
    names = ("answer", "summary", "trait", "mentions", "title", "P0")
    for reply in (json.dumps(dict.fromkeys(names, value) | {"x": other}), json.dumps(value)):
        for options in ((), PEOPLE):
            read = task.parse(reply, asked, options)

            assert isinstance(read, Answer | Unparsed)
            json.dumps(dict(read.value) if isinstance(read, Answer) else "").encode()
            assert isinstance(read, Unparsed) or all(
                text.encode() is not None for text in read.value.values()
            )
