"""What is read out of replies to the three tasks that ask which characters are alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts.tasks import TASKS, Answer, Marked, Ranking, Unparsed, ranking

ONE, REASONED, TEN = (
    TASKS[name]
    for name in (
        "most_similar_character",
        "most_similar_character_reasoned",
        "ten_most_similar_characters",
    )
)
PEOPLE = (
    "Viola",  # 1
    "Mr. Page",
    "Mrs. Page",
    "Anne Page",
    "Sir John Falstaff",  # 5
    "Lady Percy",
    "Percy",
    "Chloë",
    "Jean-Luc O'Brien",
    "First Clown",  # 10
    "Orlando",
    "Duke Frederick",
    "Rosalind",
    "Celia",
    "Touchstone",  # 15
)
GOLD = {"target": "Viola"}
moderate = settings(max_examples=200, deadline=None)


def chosen(reply: str) -> str | None:
    answer = ONE.parse(reply, GOLD, PEOPLE)
    return answer.value["1"] if isinstance(answer, Answer) else None


def concluded(reply: str) -> str | None:
    answer = REASONED.parse(reply, GOLD, PEOPLE)
    return answer.value["1"] if isinstance(answer, Answer) else None


def listed(reply: str) -> list[str] | None:
    answer = TEN.parse(reply, GOLD, PEOPLE)
    return list(answer.value.values()) if isinstance(answer, Answer) else None


def people(*numbers: int) -> list[str]:
    return [PEOPLE[number - 1] for number in numbers]


def reason(task: str, reply: str) -> str:
    answer = TASKS[task].parse(reply, GOLD, PEOPLE)
    assert isinstance(answer, Unparsed)
    return answer.reason


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("13", 13),
        (" 13.\n", 13),
        ("**13**", 13),
        ("(13)", 13),
        ("#13", 13),
        ("No. 13", 13),
        ("Number: 13", 13),
        ("`13`", 13),
        ("Answer: 13", 13),
        ("**Answer:** 13", 13),
        ("The answer is 13.", 13),
        ("My choice is number 13.", 13),
        ("I would choose 13.", 13),
        ("13. Rosalind", 13),
        ("13: Rosalind", 13),
        ("13 - Rosalind", 13),
        ("13 (Rosalind)", 13),
        ("13\nRosalind", 13),
        ("Rosalind (13)", 13),
        ("Rosalind, who is number 13", 13),
        ("Rosalind", 13),
        ("rosalind.", 13),
        ("“Rosalind”", 13),
        ("ROSALIND", 13),
        ("13. Rosalind: both go dressed as men.", 13),
        ("13, because both go dressed as men.", 13),
        ("13\n\nBoth go dressed as men, at 20 or so.", 13),
        ("Here is my answer:\n\n13", 13),
        ("Viola:\n13", 13),
        ("Answer: 14\nOn second thoughts:\nFinal answer: 13", 13),
        ("The most similar to this one is the character of the number 13.", 13),
        ("The most similar to this one is Rosalind, who is number 13.", 13),
        ("The character most similar to Viola is Rosalind.", 13),
        ("Rosalind is the most similar to Viola.", 13),
        ("Viola is most similar to Rosalind, as both go dressed as men.", 13),
        (r"\boxed{13}", 13),
        ('{"answer": 13}', 13),
        ("1. 13", 13),
        ("1. Rosalind", 13),
        ("Chloe", 8),
        ("Chloe\u0308", 8),
        ("Jean-Luc O’Brien", 9),
        ("Jean Luc O'Brien", 9),
        ("Falstaff", 5),
        ("John Falstaff", 5),
        ("Mrs. Page", 3),
        ("Mrs Page", 3),
        ("Percy", 7),
        ("Lady Percy", 6),
        ("6. Lady Percy", 6),
        ("5. Sir John", 5),
        ("The most similar to this one is Viola.", 1),
        ("1", 1),
        ("1. Viola", 1),
    ],
)
def test_one_choice_is_read_from_the_forms_replies_take(reply: str, number: int) -> None:
    """By number, name or both; the target itself is an answer like any other."""
    assert chosen(reply) == PEOPLE[number - 1]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "the reply is empty"),
        (" \n***\n", "the reply is empty"),
        ("I'm sorry, but I cannot compare these characters.", "says that it cannot choose"),
        ("I don't know.", "says that it cannot choose"),
        ("16", "a number or name that is not on the list"),
        ("0", "a number or name that is not on the list"),
        ("1. Mr. Ford", "a number or name that is not on the list"),
        ("13. Celia", "a number beside the name of another character"),
        ("Celia (13)", "a number beside the name of another character"),
        ("13. Miss Ford", "a number beside the name of another character"),
        ("13. Olivia", "a number beside the name of another character"),
        ("Rosalind (14) is the most similar.", "a number beside the name of another character"),
        ("13, 14", "gives several characters"),
        ("13, 99", "a number or name that is not on the list"),
        ("13\n14", "gives several characters"),
        ("1. Rosalind\n2. Celia", "gives several characters"),
        ("13. Rosalind: a duke's daughter\n14. Celia: another", "gives several characters"),
        ("Viola is most similar to Rosalind and Celia.", "gives several characters"),
        ("Viola is number 1.", "no line gives a number or a name of the list"),
        ("Both are 13 years old.", "no line gives a number or a name of the list"),
        ("13 years ago they were young.", "no line gives a number or a name of the list"),
        ("13th", "no line gives a number or a name of the list"),
        ("1.3", "no line gives a number or a name of the list"),
        ("Character 13 is like Viola in her wit.", "no line gives a number or a name of the list"),
        ("The answer is not 13.", "no line gives a number or a name of the list"),
        ("I would not choose 13.", "no line gives a number or a name of the list"),
        ("Page", "no line gives a number or a name of the list"),
        ("Miss Page", "no line gives a number or a name of the list"),
        ("Olivia", "no line gives a number or a name of the list"),
        ("Rosalinda", "no line gives a number or a name of the list"),
        ("Rosalind's cousin", "no line gives a number or a name of the list"),
        ("Rosalind is not similar to Viola.", "no line gives a number or a name of the list"),
        ("Rosalind runs away with her.", "no line gives a number or a name of the list"),
    ],
)
def test_one_choice_is_never_guessed(reply: str, why: str) -> None:
    """Numbers inside sentences, several choices and what does not agree are no answer."""
    assert reason("most_similar_character", reply) == why


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("Both go dressed as men.\n\nAnswer: 13", 13),
        ("Both are about 20, like 4 and 14.\n**Answer: 13**", 13),
        ("1. Celia is loyal.\n2. Rosalind is witty.\n\nAnswer: 13. Rosalind", 13),
        ("Answer: 14 comes to mind.\nOn second thoughts, no.\nFinal answer: 13", 13),
        ("Celia is close.\nAnswer:\n13", 13),
        ("Celia and Rosalind both are.\n\nTherefore, the answer is 13.", 13),
        ("Celia is loyal, 14 in all.\n\n13", 13),
        ("Celia is loyal.\n\nThe most similar character is Rosalind.", 13),
        ("Celia is loyal.\n\nSo Viola is most similar to Rosalind, as both are witty.", 13),
        ("Both are witty.\nAnswer: 13\n\nI hope this helps!", 13),
        ("Both are witty.\n\n13\n\nI hope this helps!", 13),
        ("Answer: number 13", 13),
        ("Answer: 14\nOn second thoughts:\nAnswer: 13", 13),
        ("Answer: Rosalind", 13),
        ("Answer: Rosalind (13)", 13),
        ("Answer: 13, since both are witty.", 13),
        ("13. Rosalind - both are witty.", 13),
        ("She is most like herself.\nAnswer: 1", 1),
    ],
)
def test_the_choice_at_the_end_of_the_reasons_counts(reply: str, number: int) -> None:
    """The last line that begins with "Answer", or else the last line, whatever stands before."""
    assert concluded(reply) == PEOPLE[number - 1]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Answer:",
        "Answer: number",
        "Answer: none of them",
        "Answer: 13 or 14",
        "Answer: 13, 14",
        "Answer: 16",
        "Answer: 13. Celia",
        "Both are witty, and 13 is her number, which",
        "Rosalind is witty. Celia is loyal. Both are similar",
        "I will go through them:\n1. Viola: a twin.\n2. Mr. Page: a husband.\n3",
        "I will go through them:\n1. Viola\n2. Mr. Page\n3. Mrs. Page",
        "13. Rosalind is witty, and Viola too.\nThey share much",
        "Celia is loyal.\n13. Both are witty, and that is so for each of them.",
    ],
)
def test_reasons_without_a_conclusion_are_no_answer(reply: str) -> None:
    """A reply that was cut inside its list ends in a number, which is none of its choice."""
    assert isinstance(REASONED.parse(reply, GOLD, PEOPLE), Unparsed)


TEN_OF_THEM = (13, 14, 4, 11, 12, 9, 8, 5, 3, 15)


@pytest.mark.parametrize(
    "reply",
    [
        "13, 14, 4, 11, 12, 9, 8, 5, 3, 15",
        "13,14,4,11,12,9,8,5,3,15.",
        "13 14 4 11 12 9 8 5 3 15",
        "[13, 14, 4, 11, 12, 9, 8, 5, 3, 15]",
        "13\n14\n4\n11\n12\n9\n8\n5\n3\n15",
        "- 13\n- 14\n- 4\n- 11\n- 12\n- 9\n- 8\n- 5\n- 3\n- 15\n",
        "13, 14, 4, 11, 12, 9, 8, 5, 3 and 15",
        "The 10 most similar characters are: 13, 14, 4, 11, 12, 9, 8, 5, 3, 15.",
        "Answer: 13, 14, 4, 11, 12, 9, 8, 5, 3, 15",
        "Here is the list:\n\n13, 14, 4, 11, 12, 9, 8, 5, 3, 15\n\nThey are 10 in all.",
        "\n".join(f"{at}. {number}" for at, number in enumerate(TEN_OF_THEM, start=1)),
        "\n".join(f"{at}) {number}" for at, number in enumerate(TEN_OF_THEM, start=1)),
        "\n".join(f"1. {number}" for number in TEN_OF_THEM),
        " ".join(f"{at}. {number}," for at, number in enumerate(TEN_OF_THEM, start=1)),
        "Here: " + ", ".join(f"{at}. {n}" for at, n in enumerate(TEN_OF_THEM, start=1)),
        "\n".join(f"{at}. {PEOPLE[n - 1]}" for at, n in enumerate(TEN_OF_THEM, start=1)),
        "\n".join(f"**{at}.** *{PEOPLE[n - 1]}*" for at, n in enumerate(TEN_OF_THEM, start=1)),
        "\n".join(f"{at}. {n}. {PEOPLE[n - 1]}" for at, n in enumerate(TEN_OF_THEM, start=1)),
        "\n".join(f"{at}. {PEOPLE[n - 1]} ({n})" for at, n in enumerate(TEN_OF_THEM, start=1)),
        "\n".join(
            f"{at}. {PEOPLE[n - 1]}: so is she." for at, n in enumerate(TEN_OF_THEM, start=1)
        ),
        "\n".join(f"| {at} | {PEOPLE[n - 1]} |" for at, n in enumerate(TEN_OF_THEM, start=1)),
        "{" + ", ".join(f'"{at}": "{PEOPLE[n - 1]}"' for at, n in enumerate(TEN_OF_THEM, 1)) + "}",
        "\n".join(f"{n}. {PEOPLE[n - 1]}" for n in TEN_OF_THEM),
        "\n".join(f"{n}. {PEOPLE[n - 1]} - both are 20." for n in TEN_OF_THEM),
        "\n".join(f"{n} - a character like her." for n in TEN_OF_THEM),
        ", ".join(f"{n} ({PEOPLE[n - 1]})" for n in TEN_OF_THEM),
        ", ".join(PEOPLE[n - 1].upper() for n in TEN_OF_THEM),
        "Viola\n" + "\n".join(f"{at}. {n}" for at, n in enumerate(TEN_OF_THEM, start=1)),
        "13, 14, 4, 11, 12, 9, 8, 5, 3, 15\n\n1. Both are 20.\n2. Both are clever.",
        "13, 13, 14, 4, 11, 14, 12, 9, 8, 5, 3, 15",
        "13, 14, 4, 11, 12, 9, 8, 5, 3, 15, 7, 6",
    ],
)
def test_ten_choices_are_read_in_order_whatever_numbers_the_lines_have(reply: str) -> None:
    """A reply's own count of its lines is no choice; repeats and what comes after ten go."""
    assert listed(reply) == people(*TEN_OF_THEM)


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ("13, 14, 1", (13, 14, 1)),
        ("13, 99, 14", (13, 14)),
        ("1. Rosalind\n2.Olivia\n3. Celia", (13, 14)),
        ("2. Mr. Page\n3. Celia", (2,)),
        ("1. Rosalind\nCelia", (13, 14)),
        ("1. Rosalind (14)\n2. Celia (14)", (14,)),
        ("1. 14. Rosalind\n2. 14. Celia", (14,)),
        ("1. Rosalind (20 years old)\n2. Celia: she is 19", (13, 14)),
        ("1. Rosalind (20)\n2. Celia", (14,)),
        ("1, 3, 5\n7. Percy", (1, 3, 5, 7)),
        ("Celia\nPercy\nAnswer: 13, 5", (13, 5)),
        ("13, 14\n\n1. Both go dressed as men for a while.\n2. Both are of high birth.", (13, 14)),
        ("My ranking: 1. Rosalind\n2. Celia", (13, 14)),
        ("\n".join(f"{n}. {'Celia' if n % 2 else 'Olivia'}" for n in range(1, 40)) + "\n3", (14,)),
        ("1. Rosalind\n2. Olivia\n3. Celia\n4", (13, 14)),
        ("1. Rosalind\n2. Olivia of Illyria, a lady\n3. Celia\n4.", (13, 14)),
        ("The list: 1. Rosalind, 2. I, Claudius, 3. Celia, 4. I", (13, 14)),
        ("The list: 1. Rosalind\n2. Olivia\n3. Celia\n\nThe list:\n1. Percy", (13, 14, 7)),
        ("13. Rosalind\n14. Touchstone\n4. Anne Page", (13, 4)),
        ("The most similar one is: 13.", (13,)),
        ("1, 2, 3, 4, 5, 6, 7, 8, 9, 10", tuple(range(1, 11))),
        ("1. Viola\n2. Mr. Page\n3. Mrs. Page", (1, 2, 3)),
    ],
)
def test_a_ragged_list_keeps_what_it_gives(reply: str, numbers: tuple[int, ...]) -> None:
    """Fewer than ten are kept as they are, the target among them; nothing is filled up."""
    assert listed(reply) == people(*numbers)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "the reply is empty"),
        ("I cannot rank them.", "says that it cannot choose"),
        ("Rosalind and Celia are 2 of those who are like her", "no line gives a number or a name"),
        ("16, 17, 18", "a number or name that is not on the list"),
        ("1. Olivia\n2. Orsino", "a number or name that is not on the list"),
        (", ".join(map(str, range(1, 16))), "goes through the list"),
        (", ".join(map(str, range(2, 16))), "goes through the list"),
        (", ".join(map(str, (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12))), "goes through the list"),
        ("\n".join(f"{at}. {name}" for at, name in enumerate(PEOPLE, 1)), "goes through the list"),
    ],
)
def test_a_list_is_never_made_up(reply: str, why: str) -> None:
    assert reason("ten_most_similar_characters", reply).startswith(why)


def test_a_ranking_counts_what_the_answer_leaves_out() -> None:
    """For who wants to know how ragged replies are; the answer itself keeps ten names at most."""
    reply = "13, 13, 99, 14, 4, 11, 12, 9, 8, 5, 3, 15, 7, 6"
    read = ranking(reply, PEOPLE)

    assert read == Ranking(
        names=tuple(people(*TEN_OF_THEM, 7, 6)), given=14, off_list=1, disagreeing=0
    )
    assert ranking("13. Rosalind\n14. Percy", PEOPLE) == Ranking(
        names=("Rosalind",), given=2, off_list=0, disagreeing=1
    )


def test_masks_are_names_and_not_numbers() -> None:
    """Of masked names "N3" is the one so called, and "3" the third."""
    masks = ("N3", "N1", "N0", "N2")

    assert ONE.parse("N3", {"target": "N0"}, masks) == Answer({"1": "N3"})
    assert ONE.parse("3", {"target": "N0"}, masks) == Answer({"1": "N0"})
    assert isinstance(ONE.parse("N4", {"target": "N0"}, masks), Unparsed)


def test_a_name_without_its_title_counts_where_it_is_no_one_elses() -> None:
    options = ("Duke Frederick Stone", "Sir Frederick Stone", "Lady Anne Stone", "Anne Stone")

    assert isinstance(ONE.parse("Frederick Stone", GOLD, options), Unparsed)
    assert isinstance(ONE.parse("Anne", GOLD, options), Unparsed)
    assert ONE.parse("Anne Stone", GOLD, options) == Answer({"1": "Anne Stone"})
    assert ONE.parse("Duke Frederick Stone", GOLD, options) == Answer({"1": options[0]})


@moderate
@given(
    st.text()
    | st.text(alphabet="0123456789.,:()[]-*|#\"'\n answerRosalindPgMVy")
    | st.lists(
        st.sampled_from([*PEOPLE, "13", "1.", "2.", "99", "Answer:", "\n", ", ", " is "])
    ).map(" ".join)
)
def test_whatever_the_reply_nothing_is_raised_or_invented(reply: str) -> None:
    for task in (ONE, REASONED, TEN):
        for options in (PEOPLE, ("A", "B"), ("Ye", "Ye Olde")):
            answer = task.parse(reply, {"target": options[0]}, options)

            assert isinstance(answer, Answer | Unparsed)
            if isinstance(answer, Answer):
                names = list(answer.value.values())
                assert set(names) <= set(options)
                assert len(set(names)) == len(names) <= (10 if task is TEN else 1)
                assert list(answer.value) == [str(at + 1) for at in range(len(names))]


def test_nothing_is_marked_and_nothing_left_to_chance() -> None:
    """No unit, so that no reply counts as right or wrong."""
    for task in (ONE, REASONED, TEN):
        assert task.mark(Answer({"1": "Rosalind"}), GOLD, ()) == Marked(0, 0)
        assert task.mark(Unparsed(""), GOLD, ()) == Marked(0, 0)
        assert task.chance(GOLD, PEOPLE) is None
