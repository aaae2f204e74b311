"""Personality: one trait is chosen, by letter or in words, and nothing is guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts import Item
from prompts.tasks import Answer, Marked, Unparsed
from prompts.tasks.base import Measure, Task
from prompts.tasks.personality import PERSONALITY

TRAITS = ("calm", "kind", "hard-working", "stubborn", "self-centered")
ASKED = {"trait": ""}
# Some lie within others, some differ by a letter or a mark.
POOL = ("good", "good-natured", "kind", "unkind", "very kind", "self-centered", "centered",
        "Naïve", "brave", "cold", "cold-hearted", "full of pride",
        "O'Brien-like", "ill at ease")  # fmt: skip
moderate = settings(max_examples=200, deadline=None)


def chosen(reply: str, options: tuple[str, ...] = TRAITS) -> str | None:
    answer = PERSONALITY.parse(reply, ASKED, options)
    return answer.value["trait"] if isinstance(answer, Answer) else None


def accuracy(right: int) -> Marked:
    measure = Measure(metric="accuracy", num=right, den=1, headline=True)
    return Marked(right=right, units=1, measures=(measure,))


def test_the_prompt_gives_each_trait_a_letter() -> None:
    task: Task = PERSONALITY
    item = Item(
        item_id="1",
        task="personality",
        dataset="d",
        work="w",
        text="Ann would not move.",
        gold={"trait": "stubborn"},
        question="The character is Ann.",
    )

    assert task.passage(item) == "Ann would not move.\n\nThe character is Ann."
    assert "\n(a) calm\n(b) kind\n(c) hard-working\n(d) stubborn\n(e) self-centered\n" in (
        task.answer_format(item.gold, TRAITS)
    )
    assert len({task.instruction(prompt) for prompt in ("baseline", "verbatim", "gist")}) == 3


def test_more_traits_than_letters_are_refused() -> None:
    with pytest.raises(ValueError, match="27 traits are offered; letters reach to 26"):
        PERSONALITY.answer_format(ASKED, [f"trait {n}" for n in range(27)])


@pytest.mark.parametrize(
    "reply",
    [
        "(d)", "(D)", "[d]", "d)", "(d", "d", "D", "d.", "d:", "`d`", "**d**", "**(d)**", "(d).",
        "d. stubborn", "(d) stubborn", "(d): stubborn", "(d) Stubborn.", "d - stubborn",
        "**(d) stubborn**", "(**d**) stubborn", "d) stubborn: he will not move",
        "d because he will not move",
        "Option d", "Option (d): stubborn", "Answer: d", "Answer: (d) stubborn", "**Answer:** (d)",
        "**Answer**: stubborn", "Answer:\n(d)", "The answer is (d).", "The answer is D",
        "The correct answer is: **(d) stubborn**", "The most fitting trait is (d) stubborn.",
        "The answer is (d), since the man is not calm.", "I would choose (d).",
        "It is (d), not (a).", "(d), not (a)", "Answer: (a)? No.\nAnswer: (d)",
        "The answer is not (a); the answer is (d)",
        "stubborn", "Stubborn.", "STUBBORN", '"stubborn"', "“stubborn”", "*stubborn*",
        "The trait is stubborn.", 'The trait shown here is "stubborn".', "He is stubborn.",
        "Stubborn - he will not yield", "stubborn (d)", "Stubborn. Kind words do not move him.",
        "He shows that he is stubborn, not calm.", "He is not calm but stubborn.",
        "Which of the traits does he show?\n(d) stubborn",
        "Based on the passage, the best trait is:\n\n(d) stubborn",
        "(d) stubborn\n\nHe refuses every kind offer.",
        "He is calm at first. But (a) does not fit.\n\nAnswer: (d)",
        "(a) calm\n(b) kind\n(c) hard-working\n(d) stubborn\n(e) self-centered\n\n(d)",
        "<think>(a)? No.</think>(d)", r"$\boxed{d}$", "```\n(d)\n```",
        '{"trait": "stubborn"}', '{"trait": "Stubborn"}', '{"Trait": "d"}', '{"trait": ["(d)"]}',
        '```json\n{"trait": "(d) stubborn"}\n```', 'It is {"trait": "stubborn"}.',
    ],
)  # fmt: skip
def test_a_trait_is_read_from_the_forms_replies_take(reply: str) -> None:
    assert chosen(reply) == "stubborn"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("***", "empty"),
        ("<think>(d)", "empty"),
        ("I cannot say.", "none"),
        ("I think so.", "none"),
        ("f", "none"),
        ("(z)", "none"),
        ("4", "none"),
        ("brave", "none"),
        ("unkind", "none"),
        ("kind-hearted", "none"),
        ("He is kind-hearted, if all-too-calm", "none"),
        ("calmly", "none"),
        ("A man of honour", "none"),
        ("He is not stubborn.", "none"),
        ("He isn’t stubborn.", "none"),
        ("I don't think he is calm", "none"),
        ("neither calm nor kind", "none"),
        ("calm and stubborn", "several"),
        ("calm or stubborn", "several"),
        ("calm, stubborn", "several"),
        ("(a) or (d)", "several"),
        ("(a), (d)", "several"),
        ("(a) calm\n(d) stubborn", "several"),
        ("**Traits:**\n- (a) calm\n- (b) kind", "several"),
        ("This kind of man is stubborn", "several"),
        ("(a) calm (b) kind (c) hard-working (d) stubborn (e) self-centered", "several"),
        ("(a) calm\n(b) kind\n(c) hard-working\n(d) stubborn\n(e) self-centered", "none"),
        ("(d) calm", "two traits"),
        ("Answer: (d) calm", "two traits"),
        ('{"trait": "brave"}', "none"),
        ('{"trait": ""}', "empty"),
        ('{"trait": null}', "null"),
        ('{"trait": ["calm", "kind"]}', "no text"),
        ('{"answer": "calm"}', "without 'trait'"),
        ('{"trait": "stub', "breaks off"),
    ],
)
def test_a_trait_is_never_guessed(reply: str, reason: str) -> None:
    """Two traits, a denied one, an echo of the list and a letter at odds with its words."""
    read = PERSONALITY.parse(reply, ASKED, TRAITS)

    assert isinstance(read, Unparsed)
    assert reason in read.reason
    assert PERSONALITY.mark(read, {"trait": "stubborn"}, ()) == accuracy(0)


def test_equal_options_are_the_same_trait() -> None:
    """Either letter is right, the schema offers the trait once, and chance counts it twice."""
    options, gold = ("calm", "Stubborn", "kind", "stubborn", "brave"), {"trait": "stubborn"}

    for reply in ("(b)", "(d)", "stubborn", "(d) stubborn", "(b) Stubborn", "(b) and (d)"):
        answer = PERSONALITY.parse(reply, gold, options)
        assert PERSONALITY.mark(answer, gold, ("Stubborn",)) == accuracy(1)
        assert PERSONALITY.mark(answer, {"trait": "calm"}, ()) == accuracy(0)
    assert PERSONALITY.chance(gold, options) == 2 / 5
    assert PERSONALITY.chance({"trait": "calm"}, options) == 1 / 5
    assert PERSONALITY.chance(gold, ()) is None


def test_the_schema_offers_each_trait_once() -> None:
    schema = PERSONALITY.schema(ASKED, ("calm", "kind", "calm"))

    assert schema["properties"] == {"trait": {"type": "string", "enum": ["calm", "kind"]}}


@pytest.mark.parametrize(
    ("reply", "trait"),
    [
        ("He is, all in all, a very kind soul", "very kind"),
        ("very kind people live here", "very kind"),
        ("cold-hearted people live here", "cold-hearted"),
        ("kind, gentle people live here", "kind, gentle"),
        ("Kind.", "kind"),
        ("The answer is cold", "cold"),
        ("(c) very kind", "very kind"),
    ],
)
def test_a_trait_within_another_is_not_taken_for_it(reply: str, trait: str) -> None:
    assert chosen(reply, ("cold", "kind", "very kind", "cold-hearted", "kind, gentle")) == trait


def test_an_accepted_trait_is_right() -> None:
    answer = Answer({"trait": "Obstinate"})

    assert PERSONALITY.mark(answer, {"trait": "stubborn"}, ("obstinate",)) == accuracy(1)


@moderate
@given(
    st.lists(st.sampled_from(POOL), min_size=2, max_size=5, unique=True),
    st.data(),
    st.sampled_from(
        ["({})", "{}", "{})", "({}) {}", "{}. {}", "**({})**", "Answer: ({})", "{}: {}", "[{}]"]
    ),
)
def test_the_gold_trait_given_as_asked_has_full_marks(
    options: list[str], data: st.DataObject, form: str
) -> None:
    """By letter, in words and in JSON, though options may lie within one another."""
    place = data.draw(st.integers(0, len(options) - 1))
    trait = options[place]
    for reply in (
        form.format("abcde"[place], trait),
        trait,
        f"{trait}.",
        f"The answer is {trait}.",
        f"Answer: **{trait}**",
        json.dumps({"trait": trait}),
        json.dumps({"trait": f"({'abcde'[place]})"}),
    ):
        answer = PERSONALITY.parse(reply, ASKED, options)
        assert PERSONALITY.mark(answer, {"trait": trait}, ()) == accuracy(1)


@moderate
@given(
    st.text() | st.text(alphabet='(abd) calmstubor\n:."*{}'),
    st.lists(st.text(max_size=5), max_size=4),
)
def test_no_reply_makes_the_parser_fail_or_invent(reply: str, options: list[str]) -> None:
    for offered in (tuple(options), TRAITS):
        answer = PERSONALITY.parse(reply, ASKED, offered)

        assert isinstance(answer, Answer | Unparsed)
        assert isinstance(answer, Unparsed) or answer.value["trait"] in offered
