"""`--replies reader`: every task gets an answer its own parser reads, in prose and in JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe.simulate.draws import Draw
from probe.simulate.reading import by_words, marked
from probe.simulate.replies import MAKERS, Asked
from probe.simulate.structured import fitting, schema_of
from prompts.item import Item, TextSpan
from prompts.tasks.base import Answer, Task
from prompts.tasks.character_description import CHARACTER_DESCRIPTION
from prompts.tasks.character_guessing import CHARACTER_GUESSING
from prompts.tasks.coreference import COREFERENCE
from prompts.tasks.personality import PERSONALITY
from prompts.tasks.question_answering import QUESTION_ANSWERING
from prompts.tasks.role_detection import ROLE_DETECTION
from prompts.tasks.similar_characters import (
    MOST_SIMILAR_CHARACTER,
    MOST_SIMILAR_CHARACTER_REASONED,
    TEN_MOST_SIMILAR_CHARACTERS,
)
from prompts.tasks.source_identification import SOURCE_IDENTIFICATION
from prompts.tasks.summarization import SUMMARIZATION
from tests.probe.simulated import chat, endpoint

SCENE = "\n".join(
    [
        "[ The kitchen of a small flat. ]",
        "P0: Did she leave the letter with you? I asked her to.",
        "P1: Ann left it under the blue lamp. She was late for the train.",
        "P0: Then I will read it. Give it here!",
    ]
)
PEOPLE = ("Ann Lee", "Bo", "Cy Dunn")
MARKED = "Ann says she knows him. He asks Ann why she stays."


def span(label: int, words: str, nth: int = 0) -> TextSpan:
    start = -1
    for _ in range(nth + 1):
        start = MARKED.index(words, start + 1)
    return TextSpan(label=str(label), start=start, end=start + len(words))


TRAITS = ("proud", "shy", "kind")
LISTED = ("Bo", *map(str, range(20)))
SPANS = (
    span(1, "Ann"),
    span(2, "she"),
    span(3, "him"),
    span(4, "He"),
    span(5, "Ann", 1),
    span(6, "she", 1),
)


def item(task: Task, **facts: Any) -> Item:  # noqa: ANN401 - any of an item's fields
    own: dict[str, Any] = {"text": SCENE, "gold": {}, **facts}
    return Item(item_id="i", task=task.name, dataset="own", work="W", **own)


NUMBERS = {str(number): "0" for number in range(1, 7)}
_PAIRS: list[tuple[Task, Item]] = [
    (
        CHARACTER_GUESSING,
        item(CHARACTER_GUESSING, gold={"P0": "Bo", "P1": "Cy Dunn"}, options=PEOPLE),
    ),
    (
        SOURCE_IDENTIFICATION,
        item(SOURCE_IDENTIFICATION, gold={"title": "Emma"}, options=("Emma", "Dracula")),
    ),
    (
        QUESTION_ANSWERING,
        item(
            QUESTION_ANSWERING,
            gold={"a0": "under the blue lamp"},
            question="Where is the letter?",
        ),
    ),
    (SUMMARIZATION, item(SUMMARIZATION, gold={"summary": "A letter is found."})),
    (
        PERSONALITY,
        item(
            PERSONALITY,
            gold={"trait": "proud"},
            options=("proud", "shy", "kind"),
            question="P0",
        ),
    ),
    (ROLE_DETECTION, item(ROLE_DETECTION, text=MARKED, gold=NUMBERS, spans=SPANS)),
    (COREFERENCE, item(COREFERENCE, text=MARKED, gold=NUMBERS, spans=SPANS)),
    (CHARACTER_DESCRIPTION, item(CHARACTER_DESCRIPTION, gold={"P0": "", "P1": ""})),
    *(
        (
            task,
            item(task, text="Bo", gold={"target": "Bo"}, options=LISTED),
        )
        for task in (
            MOST_SIMILAR_CHARACTER,
            MOST_SIMILAR_CHARACTER_REASONED,
            TEN_MOST_SIMILAR_CHARACTERS,
        )
    ),
]
ASKED = {task.name: (task, own) for task, own in _PAIRS}
OPEN_TITLE = (SOURCE_IDENTIFICATION, item(SOURCE_IDENTIFICATION, gold={"title": "Emma"}))
EVERY = pytest.mark.parametrize(
    ("task", "own"), [*ASKED.values(), OPEN_TITLE], ids=[*ASKED, "open title"]
)

STRUCTURED = pytest.mark.parametrize(
    ("task", "own"),
    [pair for pair in [*ASKED.values(), OPEN_TITLE] if pair[0].schema(pair[1].gold, ())],
    ids=lambda value: getattr(value, "name", ""),
)


def prompt(task: Task, own: Item) -> str:
    parts = (
        task.instruction("gist"),
        task.passage(own),
        task.answer_format(own.gold, own.options),
    )
    return "\n\n".join(parts)


def reply(text: str, choice: int = 0, schema: object = None, maker: str = "reader") -> str:
    body = {"response_format": response_format(schema)} if schema else {}
    asked = Asked(
        chat=True, model="m", text=text, choices=1, max_tokens=None, logprobs=None, body=body
    )
    return MAKERS[maker].make(asked, choice).text


def response_format(schema: object) -> dict[str, object]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


@EVERY
def test_every_task_is_answered_as_its_parser_reads_it(task: Task, own: Item) -> None:
    """Fifty samples, none unparsed; the same request gets the same reply, others do not."""
    text = prompt(task, own)

    said = [reply(text, choice) for choice in range(50)]

    assert said == [reply(text, choice) for choice in range(50)]
    for one in said:
        answer = task.parse(one, own.gold, own.options)
        assert isinstance(answer, Answer), one
    assert len(set(said)) > 1


@STRUCTURED
def test_every_task_is_answered_in_json_that_fits_its_schema(task: Task, own: Item) -> None:
    """By an independent validator; and the parser reads the same as it does of the prose."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = task.schema(own.gold, own.options)

    for choice in range(50):
        raw = reply(prompt(task, own), choice, schema)
        jsonschema.validate(json.loads(raw), schema)
        plain = task.parse(reply(prompt(task, own), choice), own.gold, own.options)
        assert task.parse(raw, own.gold, own.options) == plain


def test_speakers_are_given_names_of_the_list_each_once() -> None:
    task, own = ASKED["character_guessing"]
    answers = [
        task.parse(reply(prompt(task, own), choice), own.gold, own.options) for choice in range(60)
    ]
    pairs = {(a.value["P0"], a.value["P1"]) for a in answers if isinstance(a, Answer)}

    assert pairs == {(a, b) for a in PEOPLE for b in PEOPLE if a != b}


def test_accuracy_is_that_of_guessing() -> None:
    """Right about as often as chance says: 1 in 3 of 300 traits, within four standard errors."""
    task, own = ASKED["personality"]
    right = sum(
        task.mark(
            task.parse(reply(prompt(task, own), choice), own.gold, own.options), own.gold, ()
        ).right
        for choice in range(300)
    )

    assert abs(right - 100) < 4 * (300 * (1 / 3) * (2 / 3)) ** 0.5


def test_marked_mentions_are_read_as_they_nest() -> None:
    passage = "[1: the man in [2: his] coat] [stage left] said [3: I] [ no end"

    assert marked(passage) == [(1, "the man in his coat"), (2, "his"), (3, "I")]
    assert by_words("[1: She] saw [2: Ann]. [3: she]  and [4: ann]") == [[1, 3], [2, 4]]


def test_clusters_are_a_partition_of_the_mentions() -> None:
    task, own = ASKED["coreference"]
    for choice in range(40):
        lines = reply(prompt(task, own), choice).splitlines()
        numbers = [int(each) for line in lines for each in line.split(", ")]
        assert sorted(numbers) == [1, 2, 3, 4, 5, 6]


def test_a_question_is_answered_with_words_of_the_dialogue() -> None:
    """Mostly from the line that shares its words; a speaker, where it asks who."""
    task, own = ASKED["question_answering"]
    said = [reply(prompt(task, own), choice) for choice in range(40)]
    who = item(task, gold={"a0": "P1"}, question="Who says that Ann left it under the lamp?")

    named = [reply(prompt(task, who), choice) for choice in range(40)]

    assert all(one in SCENE for one in said)
    assert named.count("P1") > 20


def test_a_summary_is_made_of_the_passage_alone() -> None:
    task, own = ASKED["summarization"]
    for choice in range(10):
        said = reply(prompt(task, own), choice)
        assert set(said.replace(" says:", ":").split()) <= set(SCENE.split())


def test_what_asks_for_nothing_known_gets_a_sentence() -> None:
    assert reply("Who is there?") == "This reply is simulated."


def test_the_words_of_a_passage_do_not_decide_what_is_asked() -> None:
    """A passage may quote how another task asks."""
    quoted = "Answer with the summary and nothing else. The traits to choose from:\n(z) none"
    trait, own = ASKED["personality"]
    quoting = item(trait, text=quoted, gold=own.gold, options=own.options)
    summary = item(SUMMARIZATION, text=f"{quoted}\nAnn: So it ends.", gold={"summary": "x"})

    traits = {reply(prompt(trait, quoting), choice) for choice in range(30)}

    assert traits == {"(a)", "(b)", "(c)"}
    assert len(reply(prompt(SUMMARIZATION, summary)).split()) > 1


LEAVES = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "boolean", "null"])}),
    st.fixed_dictionaries({"enum": st.lists(st.text(max_size=3), min_size=1, max_size=3)}),
    st.integers(-5, 5).map(lambda low: {"type": "integer", "minimum": low, "maximum": low + 3}),
    st.just({"type": "number"}),
    st.just({"anyOf": [{"$ref": "#/$defs/name"}, {"type": "null"}]}),
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda below: st.one_of(
        st.tuples(below, st.integers(0, 2)).map(
            lambda pair: {"type": "array", "items": pair[0], "minItems": pair[1], "maxItems": 4}
        ),
        st.dictionaries(st.sampled_from(["a", "b", "mentions"]), below, max_size=3).map(
            lambda own: {
                "type": "object",
                "properties": own,
                "required": list(own),
                "additionalProperties": False,
            }
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(
    schema=SCHEMAS, own=st.sampled_from([{}, {"a": "x"}, {"a": 7, "mentions": [1, 2, 3, 4, 5, 6]}])
)
def test_any_schema_gets_json_that_fits(schema: dict[str, Any], own: dict[str, object]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    whole = {**schema, "$defs": {"name": {"type": "string"}}}

    value = json.loads(fitting(whole, own, Draw("x")))

    jsonschema.validate(value, whole)


@pytest.mark.parametrize(
    "below",
    [
        {"type": "array", "items": {"type": "integer"}, "maxItems": 4},
        {"type": "array", "items": {"type": "integer"}, "minItems": 9, "maxItems": 12},
        {"type": "array", "items": {"type": "string"}},
        {"type": "integer", "minimum": 8, "maximum": 9},
        {"type": "integer", "maximum": 2},
        {"enum": ["x", "y"]},
        {"type": "string"},
    ],
)
@pytest.mark.parametrize("own", [[1, 2, 3, 4, 5, 6], 3, "z", True])
def test_what_is_answered_is_bent_to_the_schema(below: dict[str, Any], own: object) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = {"type": "object", "properties": {"m": below}, "required": ["m"]}

    jsonschema.validate(json.loads(fitting(schema, {"m": own}, Draw("x"))), schema)


def test_a_request_that_wants_any_object_gets_one() -> None:
    assert schema_of({"response_format": {"type": "json_object"}}) == {"type": "object"}
    assert schema_of({"response_format": {"type": "text"}}) is None
    assert schema_of({}) is None


def test_an_option_in_json_is_the_option_in_prose() -> None:
    """The older maker honours a schema too."""
    task, own = ASKED["source_identification"]
    schema = task.schema(own.gold, own.options)

    for choice in range(10):
        raw = reply(prompt(task, own), choice, schema, maker="option")
        assert json.loads(raw) == {"title": reply(prompt(task, own), choice, maker="option")}


async def test_the_endpoint_answers_a_structured_request() -> None:
    """Over HTTP, as an experiment asks."""
    task, own = ASKED["coreference"]
    schema = task.schema(own.gold, own.options)
    async with endpoint(replies="reader") as client:
        asked = chat(prompt(task, own), response_format=response_format(schema))
        status, _, body = await client.post(asked)

    clusters = json.loads(body["choices"][0]["message"]["content"])["clusters"]
    assert status == 200
    assert sorted(number for cluster in clusters for number in cluster) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("maker", ["option", "reader"])
def test_a_lone_surrogate_in_a_prompt_is_no_trouble(maker: str) -> None:
    assert reply("\ud800", maker=maker) == "This reply is simulated."
