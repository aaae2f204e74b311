"""What the parsers make of replies: an answer, or the reason there is none; never a guess."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts import UnknownName
from prompts.tasks import TASKS, Answer, Unparsed, task_named
from prompts.tasks.base import counted
from prompts.tasks.titles import accepted, same_title

GUESS = TASKS["character_guessing"]
SOURCE = TASKS["source_identification"]
PEOPLE = ("Hamlet", "Queen Gertrude", "Horatio", "Jean-Luc", "O'Brien", "First Clown", "Nüxia")
LABELS = {"P0": "", "P1": ""}
BOTH = {"P0": "Hamlet", "P1": "Horatio"}
TITLES = ("Henry VI, Part 1", "Hamlet", "Henry VI, Part 2", "The Tempest", "Emma", "Henry V")
moderate = settings(max_examples=150, deadline=None)


def guessed(reply: str) -> dict[str, str] | None:
    answer = GUESS.parse(reply, LABELS, PEOPLE)
    return dict(answer.value) if isinstance(answer, Answer) else None


def titled(reply: str, options: tuple[str, ...] = ()) -> str | None:
    answer = SOURCE.parse(reply, {"title": ""}, options)
    return answer.value["title"] if isinstance(answer, Answer) else None


@pytest.mark.parametrize(
    "reply",
    [
        "P0: Hamlet\nP1: Horatio",
        "P0: Hamlet, P1: Horatio",
        "P0: Hamlet; P1: Horatio.",
        "P0 is Hamlet and P1 is Horatio.",
        "P0 is Hamlet. P1 is Horatio.",
        "P0 was Hamlet, and P1 was Horatio",
        "P0 = Hamlet\r\nP1 = Horatio\r\n",
        "P0 - Hamlet\nP1 - Horatio",
        "P0 → Hamlet\nP1 → Horatio",
        "- P0: Hamlet\n- P1: Horatio",
        "1. P0: Hamlet\n2. P1: Horatio",
        "**P0:** Hamlet\n**P1:** Horatio",
        "**P0**: **Hamlet**\n**P1**: **Horatio**",
        "_P0_: _Hamlet_\n_P1_: _Horatio_",
        "`P0`: `Hamlet`\n`P1`: `Horatio`",
        "[P0]: [Hamlet]\n[P1]: [Horatio]",
        "P0: Name: Hamlet\nP1: name: Horatio",
        "P0: “Hamlet”\nP1: 'Horatio'",
        '{"P0": "Hamlet", "P1": "Horatio"}',
        '```json\n{\n  "P0": "Hamlet",\n  "P1": "Horatio"\n}\n```',
        "| P0 | Hamlet |\n| P1 | Horatio |",
        "P0:\nHamlet\n\nP1:\nHoratio",
        "The speakers are:\n\nP0: Hamlet (Prince of Denmark)\nP1: Horatio — his friend",
        "P0: Hamlet - he speaks of his father\nP1: Horatio - he answers",
        "P0: Hamlet Hamletson\nP1: Horatio O'Dane.",
        "P0 is probably Hamlet\nP1 is most likely Horatio",
        "P0: hamlet\nP1: HORATIO",
        "P0: Hamlet\nP1: Horatio\nP0: Horatio",
        "P0: Hamlet\nP1: Horatio\nP7: Queen Gertrude",
    ],
)
def test_speakers_are_read_from_the_forms_replies_take(reply: str) -> None:
    """The first answer for a label counts; labels nobody asked for do not."""
    assert guessed(reply) == BOTH


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("P0: Gertrude", {"P0": "Queen Gertrude"}),
        ("P0: Jean-Luc", {"P0": "Jean-Luc"}),
        ("P0: O'Brien", {"P0": "O'Brien"}),
        ("P0: O’Brien", {"P0": "O'Brien"}),
        ("P0: Nu\u0308xia", {"P0": "Nüxia"}),
        ("P0: First Clown", {"P0": "First Clown"}),
        ("P0:\nP1: Horatio", {"P1": "Horatio"}),
        ("P0: Ophelia\nP1: Horatio", {"P1": "Horatio"}),
        ("P0: I cannot say\nP1: Horatio", {"P1": "Horatio"}),
        ("P0: Hamlet, thou hast thy father much offended\nP1: Horatio", {"P1": "Horatio"}),
    ],
)
def test_names_are_matched_to_the_options(reply: str, read: dict[str, str]) -> None:
    """Title-less forms and typing differences count; unknown names and dialogue do not."""
    assert guessed(reply) == read


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   \n",
        "I don't know who the speakers are.",
        "P0: Hamlet, thou hast thy father much offended.",
        "P0: Hamlet! What say you?",
        "P0: Hamlet's mother",
        "P0: Hamlet or Horatio",
        "P0: Hamletta",
        "P0: Jean-Paul",
        "P0: Ophelia\nP1: Laertes",
        "P0: ???",
        "P10: Hamlet",
        "XP0: Hamlet",
        "P0 Hamlet",
        "Hamlet and Horatio",
    ],
)
def test_no_speaker_is_made_up(reply: str) -> None:
    assert GUESS.parse(reply, LABELS, PEOPLE) == Unparsed(
        "no line gives a speaker one of the names"
    )


def test_a_form_without_title_counts_only_where_it_is_no_one_elses() -> None:
    """Henry is neither the king nor the prince; Percy alone is the option Percy."""
    options = ("King Henry", "Prince Henry", "Percy", "Lady Percy")

    assert isinstance(GUESS.parse("P0: Henry", {"P0": ""}, options), Unparsed)
    assert GUESS.parse("P0: Percy", {"P0": ""}, options) == Answer({"P0": "Percy"})
    assert GUESS.parse("P0: Lady Percy", {"P0": ""}, options) == Answer({"P0": "Lady Percy"})


def test_a_name_that_begins_another_is_not_taken_for_it() -> None:
    options = ("Jean", "Mary", "Mary Jane")

    assert isinstance(GUESS.parse("P0: Jean-Luc", {"P0": ""}, options), Unparsed)
    assert GUESS.parse("P0: Mary Jane", {"P0": ""}, options) == Answer({"P0": "Mary Jane"})


def test_every_speaker_is_marked_once() -> None:
    gold = {"P0": "Hamlet", "P1": "Horatio", "P2": "Hamlet"}

    assert GUESS.mark(Answer({"P0": "Hamlet", "P1": "Hamlet"}), gold, ()) == counted(1, 3)
    assert GUESS.mark(Unparsed(""), gold, ()) == counted(0, 3)


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("2", "Hamlet"),
        ("2.", "Hamlet"),
        ("(2)", "Hamlet"),
        ("Answer: 2", "Hamlet"),
        ("**2**", "Hamlet"),
        ("2. Hamlet", "Hamlet"),
        ("Hamlet", "Hamlet"),
        ("hamlet.", "Hamlet"),
        ("_Hamlet_", "Hamlet"),
        ("**Hamlet** by William Shakespeare", "Hamlet"),
        ('The passage is from "Hamlet", of course.', "Hamlet"),
        ("It comes from Tempest", "The Tempest"),
        ("Henry VI, Part 1", "Henry VI, Part 1"),
        ("Henry VI Part Two", "Henry VI, Part 2"),
        ("Henry VI, Part II, Act 3", "Henry VI, Part 2"),
        ("Henry V", "Henry V"),
        ("The answer is:\n\nEmma", "Emma"),
        ("Hamlet\n\nIt is not Emma, since a ghost walks.", "Hamlet"),
        ("It has a ghost in it.\nSo it must be Hamlet.", "Hamlet"),
    ],
)
def test_a_choice_is_read_by_number_or_by_title(reply: str, title: str) -> None:
    assert titled(reply, TITLES) == title


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "7",
        "0",
        "Macbeth",
        "Henry VI",
        "Hamlet or Emma",
        "I cannot tell.",
        "1. Henry VI, Part 1\n2. Hamlet\n3. Henry VI, Part 2",
        "It is one of these:\n1. Henry VI, Part 1\n2. Hamlet",
        "- Hamlet\n- Emma",
    ],
)
def test_a_choice_is_never_guessed(reply: str) -> None:
    """An echo of the list, two titles and titles not offered are no answer."""
    assert isinstance(SOURCE.parse(reply, {"title": ""}, TITLES), Unparsed)


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("Emma", "Emma"),
        ("  emma.\n", "emma"),
        ("Emma by Jane Austen", "Emma"),
        ("Hamlet, by William Shakespeare", "Hamlet"),
        ("Hamlet (Act III, Scene 1)", "Hamlet"),
        ("Emma (1815)", "Emma"),
        ("1984", "1984"),
        ('It is from "Emma".', "Emma"),
        ("The passage comes from *Jane Eyre* by Charlotte Brontë.", "Jane Eyre"),
        ("**Title:** Emma", "Emma"),
        ("Title: Emma\nAuthor: Jane Austen", "Emma"),
        ("The title is:\n\nEmma", "Emma"),
        ("The passage is from Emma.", "Emma"),
        ("This passage is most likely from the novel Emma by Jane Austen.", "Emma"),
        ("The title of the work is Emma.", "Emma"),
        ("I think it is Emma.", "Emma"),
        ("From Here to Eternity", "From Here to Eternity"),
        ("This Is Our Youth", "This Is Our Youth"),
        ("The Passage", "The Passage"),
        ("I Am Legend", "I Am Legend"),
    ],
)
def test_an_open_answer_is_the_title_a_reply_gives(reply: str, title: str) -> None:
    assert titled(reply) == title


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " \n ",
        "***",
        "&",
        "I'm not sure.",
        "I do not know.",
        "I cannot determine which work this is from.",
        "Sorry, I can’t help with that.",
        "Unfortunately, the title escapes me.",
        "As an AI, I have no idea.",
        "Unknown",
        "N/A",
        "It is unclear.",
        "The answer is unknown.",
        "The passage describes a ball at a country house.",
        "This is a passage about whales.",
        "A young woman walks with her sister through the fields to a neighbour's house where she "
        "stays for some days.",
    ],
)
def test_a_sentence_without_a_title_is_no_answer(reply: str) -> None:
    assert isinstance(SOURCE.parse(reply, {"title": ""}, ()), Unparsed)


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("Moby-Dick", 1),
        ("moby dick", 1),
        ('"Moby-Dick; or, The Whale" by Herman Melville', 1),
        ("From Moby Dick", 1),
        ("The Whale", 0),
        ("Emma", 0),
        ("I do not know.", 0),
    ],
)
def test_every_accepted_title_is_right(reply: str, right: int) -> None:
    gold, also = {"title": "Moby Dick"}, ("Moby Dick; Or, The Whale",)

    assert SOURCE.mark(SOURCE.parse(reply, gold, ()), gold, also) == counted(right, 1)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The Winter's Tale", "A WINTER’S TALE", True),
        ("Henry VI, Part 1", "Henry VI: Part One", True),
        ("Henry VI, Part 1", "Henry VI, Part 2", False),
        ("Henry V", "Henry VI", False),
        ("Romeo & Juliet", "Romeo and Juliet", True),
        ("Les Misérables", "Les Miserables", True),
        ("Emma", "Emmas", False),
    ],
)
def test_titles_are_compared_without_typography(one: str, other: str, same: bool) -> None:  # noqa: FBT001
    assert same_title(one, other) is same


def test_an_empty_title_is_never_accepted() -> None:
    assert not accepted("?!", ("...", "Emma"))


@moderate
@given(st.text() | st.text(alphabet="P01:=-, *_\"'\nHamlet|Horatio."))
def test_guesses_stay_within_the_labels_and_the_options(reply: str) -> None:
    """Whatever the reply, nothing is raised and nothing invented."""
    for options in (PEOPLE, (), ("?", "…", "Hamlet")):
        answer = GUESS.parse(reply, LABELS, options)

        assert isinstance(answer, Answer | Unparsed)
        if isinstance(answer, Answer):
            assert answer.value
            assert set(answer.value) <= set(LABELS)
            assert set(answer.value.values()) <= set(options)


@moderate
@given(st.text() | st.text(alphabet="12. \nHamletEmyrV,“”*_:"))
def test_a_choice_is_one_of_the_options_and_an_open_title_has_words(reply: str) -> None:
    choice = titled(reply, TITLES)
    open_title = titled(reply)

    assert choice is None or choice in TITLES
    assert open_title is None or any(char.isalnum() for char in open_title)


@given(st.sampled_from(TITLES), st.sampled_from(["{}", '"{}"', "*{}*", "It is from {}.", "{}\n"]))
def test_the_title_given_as_asked_is_always_read(title: str, form: str) -> None:
    """With options or without, the answer format we ask for is never lost."""
    assert titled(form.format(title), TITLES) == title
    assert same_title(titled(form.format(title)) or "", title)


def test_an_unknown_task_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"did you mean 'character_guessing'\?"):
        task_named("character_gessing")
