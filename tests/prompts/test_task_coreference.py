"""Coreference: how mentions are shown, how groups of them are read, and what they are worth."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts.item import PROMPTS, Item, TextSpan
from prompts.tasks.base import Answer, GoldIs, Marked, Task, Unparsed
from prompts.tasks.coreference import COREFERENCE

# Anna is 1, 4 and 7, Tom is 2 and 3, the guard is 5 alone, and the twins are 6 and 8.
GOLD = {"1": "0", "2": "1", "3": "1", "4": "0", "5": "2", "6": "3", "7": "0", "8": "3"}
RIGHT = [[1, 4, 7], [2, 3], [5], [6, 8]]
HEADLINE = {"muc", "b_cubed", "ceaf_e"}
METRICS = [*sorted(HEADLINE), "lea", "b_cubed_plural", "ceaf_e_plural", "lea_plural"]
moderate = settings(max_examples=200, deadline=None)

ITEM = Item(
    item_id="x",
    task="coreference",
    dataset="own",
    work="own",
    text="Mira kept her brother's coat.",
    gold={"1": "0", "2": "1", "3": "0"},
    spans=(
        TextSpan(label="1", start=0, end=4),
        TextSpan(label="2", start=10, end=21),
        TextSpan(label="3", start=10, end=13),
    ),
)


def grouped(reply: str, gold: dict[str, str] = GOLD) -> list[list[int]] | str:
    """The clusters of a reply, each sorted and in order; the reason where there are none."""
    answer = COREFERENCE.parse(reply, gold, ())
    if isinstance(answer, Unparsed):
        return answer.reason
    clusters: dict[str, list[int]] = {}
    for label, cluster in answer.value.items():
        clusters.setdefault(cluster, []).append(int(label))
    return sorted(sorted(cluster) for cluster in clusters.values())


def marked(reply: str, gold: dict[str, str] = GOLD) -> dict[str, float]:
    """Each metric's F1."""
    found = COREFERENCE.mark(COREFERENCE.parse(reply, gold, ()), gold, ())
    return {measure.metric: f1_of(found, measure.metric) for measure in found.measures}


def f1_of(found: Marked, metric: str) -> float:
    (measure,) = (measure for measure in found.measures if measure.metric == metric)
    assert measure.recall_num is not None
    assert measure.recall_den is not None
    precision = measure.num / measure.den if measure.den else 0
    recall = measure.recall_num / measure.recall_den if measure.recall_den else 0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0


@pytest.mark.parametrize(
    "reply",
    [
        "1, 4, 7\n2, 3\n5\n6, 8",
        "1,4,7\r\n2,3\r\n5\r\n6,8\r\n",
        "1 4 7\n2 3\n5\n6 8",
        "1, 4 and 7\n2 and 3\n5\n6 and 8.",
        "1; 4; 7\n2; 3\n5\n6; 8",
        "[1, 4, 7]\n[2, 3]\n[5]\n[6, 8]",
        "[1], [4], [7]\n[2], [3]\n[5]\n[6], [8]",
        "{1, 4, 7}\n{2, 3}\n{5}\n{6, 8}",
        "- 1, 4, 7\n- 2, 3\n- 5\n- 6, 8",
        "* #1, #4, #7\n* #2, #3\n* #5\n* #6, #8",
        "Anna: 1, 4, 7\nTom: 2, 3\nThe guard: 5\nThe twins: 6, 8",
        "**Anna:** 1, 4, 7\n**Tom:** 2, 3\n**The guard:** 5\n**The twins:** 6, 8",
        "**Anna**: 1, 4, 7\n\n**Tom**: 2, 3\n\n**Guard**: 5\n\n**Twins**: 6, 8",
        "Anna - 1, 4, 7\nTom - 2, 3\nGuard - 5\nTwins - 6, 8",
        "Anna → 1, 4, 7\nTom → 2, 3\nGuard → 5\nTwins → 6, 8",
        "Anna = 1, 4, 7\nTom = 2, 3\nGuard = 5\nTwins = 6, 8",
        "Anna (1, 4, 7)\nTom (2, 3)\nGuard (5)\nTwins (6, 8)",
        "Anna: mentions 1, 4, 7\nTom: mentions 2, 3\nGuard: mention 5\nTwins: mentions 6, 8",
        "1, 4, 7 (Anna)\n2, 3 (Tom, her brother)\n5 (a guard)\n6, 8 (the twins)",
        "1, 4, 7: Anna\n2, 3: Tom\n5: a guard\n6, 8: the twins",
        "1, 4, 7 - Anna\n2, 3 - Tom\n5 - a guard\n6, 8 - the twins",
        "1 (she), 4 (Anna), 7 (her)\n2 (Tom), 3 (he)\n5 (the guard)\n6 (they), 8 (them)",
        "[1: she], [4: Anna], [7: her]\n[2: Tom], [3: he]\n5\n[6: they], [8: them]",
        "Cluster 1: 1, 4, 7\nCluster 2: 2, 3\nCluster 3: 5\nCluster 4: 6, 8",
        "Cluster 1: [1, 4, 7]\nCluster 2: [2, 3]\nCluster 3: [5]\nCluster 4: [6, 8]",
        "Cluster 0 (Anna): 1, 4, 7\nCluster 1 (Tom): 2, 3\nCluster 2: 5\nCluster 3: 6, 8",
        "**Character 1**\n1, 4, 7\n**Character 2**\n2, 3\n**Character 3**\n5\n"
        "**Character 4**\n6, 8",
        "Character 1\n1, 4, 7\n\nCharacter 2\n2, 3\n\nCharacter 3\n5\n\nCharacter 4\n6, 8",
        "## Anna\n1, 4, 7\n## Tom\n2, 3\n## Guard\n5\n## Twins\n6, 8",
        "1. 1, 4, 7\n2. 2, 3\n3. 5\n4. 6, 8",
        "1) 1, 4, 7\n2) 2, 3\n3) 5\n4) 6, 8",
        "1: 1, 4, 7\n2: 2, 3\n3: 5\n4: 6, 8",
        "1. Anna: 1, 4, 7\n2. Tom: 2, 3\n3. A guard: 5\n4. Twins: 6, 8",
        "1. **Anna**\n   1, 4, 7\n2. **Tom**\n   2, 3\n3. **Guard**\n   5\n4. **Twins**\n   6, 8",
        "1: 4, 7\n2: 3\n5\n6: 8",
        "| Character | Mentions |\n|---|---|\n| Anna | 1, 4, 7 |\n| Tom | 2, 3 |\n| Guard | 5 |\n"
        "| Twins | 6, 8 |",
        "| No. | Who | Mentions |\n|---|---|---|\n| 1 | Anna | 1, 4, 7 |\n| 2 | Tom | 2, 3 |\n"
        "| 3 | Guard | 5 |\n| 4 | Twins | 6, 8 |",
        "1, 4, 7; 2, 3; 5; 6, 8",
        "[1, 4, 7], [2, 3], [5], [6, 8]",
        "(1, 4, 7), (2, 3), (5), (6, 8)",
        "Clusters: [1, 4, 7], [2, 3], [5], [6, 8]",
        "Anna: 1, 4, 7; Tom: 2, 3; Guard: 5; Twins: 6, 8",
        "Anna (1, 4, 7), Tom (2, 3), Guard (5), Twins (6, 8)",
        "Anna:\n- 1\n- 4\n- 7\nTom:\n- 2\n- 3\nGuard:\n- 5\nTwins:\n- 6\n- 8",
        "Anna\n- [1: she]\n- [4: Anna]\n- [7: her]\nTom\n- [2: Tom]\n- [3: he]\nGuard\n"
        "- [5: guard]\nTwins\n- [6: they]\n- [8: them]",
        "1: Anna\n2: Tom\n3: Tom\n4: Anna\n5: guard\n6: twins\n7: Anna\n8: twins",
        "1. Anna\n2. Tom\n3. Tom\n4. Anna\n5. Guard\n6. Twins\n7. Anna\n8. Twins",
        "1 refers to Anna.\n2 refers to Tom.\n3 refers to Tom.\n4 refers to Anna.\n"
        "5 refers to a guard.\n6 refers to the twins.\n7 refers to Anna.\n8 refers to the twins.",
        "Mentions 1, 4, and 7 refer to Anna.\nMentions 2 and 3 refer to Tom.\n"
        "Mention 5 is a guard.\nMentions 6 and 8 are the twins.",
        "1. Mentions 1, 4, 7 refer to Anna.\n2. Mentions 2, 3 refer to Tom.\n"
        "3. Mention 5 is a guard.\n4. Mentions 6, 8 are the twins.",
        "Mentions 1, 4 and 7 all refer to the same character: Anna.\n2 and 3 are both Tom.\n"
        "5 is the guard.\n6 and 8 are the twins.",
        "Here are the groups:\n\n1, 4, 7\n2, 3\n5\n6, 8\n\nThere are 4 characters in 8 mentions.",
        "Anna speaks first, so 1 must be her; 4 may be Tom.\nAnswer:\n1, 4, 7\n2, 3\n5\n6, 8",
        "First try:\n1, 2\n4, 7\n\n**Final answer:**\n1, 4, 7\n2, 3\n5\n6, 8",
        "1, 4, 7\n2, 3\n5\n6, 8\n\nTotal: 4",
        "```\n1, 4, 7\n2, 3\n5\n6, 8\n```",
        "1, 4, 7\n2, 3\n6, 8\nSingletons: 5",
        '{"clusters": [[1, 4, 7], [2, 3], [5], [6, 8]]}',
        '```json\n{\n  "clusters": [\n    [1, 4, 7],\n    [2, 3],\n    [5],\n    [6, 8]\n'
        "  ]\n}\n```",
        'Sure! {"clusters": [["1", "4", "7"], ["2", "3"], ["5"], ["6", "8"]]} as you asked.',
        "[[1, 4, 7], [2, 3], [5], [6, 8]]",
        '["1, 4, 7", "2, 3", "5", "6, 8"]',
        '{"Anna": [1, 4, 7], "Tom": [2, 3], "Guard": 5, "Twins": [6, 8]}',
        '{"Anna": "1, 4, 7", "Tom": "2, 3", "Guard": "5", "Twins": "6, 8"}',
        '{"1": [1, 4, 7], "2": [2, 3], "3": [5], "4": [6, 8]}',
        '{"cluster_1": [1, 4, 7], "cluster_2": [2, 3], "cluster_3": [5], "cluster_4": [6, 8]}',
        '{"clusters": [{"id": 1, "name": "Anna", "mentions": [1, 4, 7]}, {"id": 2, "mentions": '
        '[2, 3]}, {"id": 3, "mentions": 5}, {"id": 4, "mentions": "6, 8"}]}',
        '{"name": "Anna", "mentions": [1, 4, 7]}\n{"name": "Tom", "mentions": [2, 3]}\n'
        '{"name": "guard", "mentions": [5]}\n{"name": "twins", "mentions": [6, 8]}',
        '{"1": "a", "2": "b", "3": "b", "4": "a", "5": "c", "6": "d", "7": "a", "8": "d"}',
        '{"1": 0, "2": 1, "3": 1, "4": 0, "5": 2, "6": 3, "7": 0, "8": 3}',
        "{'Anna': [1, 4, 7], 'Tom': [2, 3], 'Guard': [5], 'Twins': [6, 8]}",
        '{"clusters": [\n  [\n    1,\n    4,\n    7\n  ],\n  [\n    2,\n    3\n  ],\n'
        "  [5],\n  [\n    6,\n    8",
    ],
)
def test_groups_are_read_from_the_forms_replies_take(reply: str) -> None:
    assert grouped(reply) == RIGHT


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("1, 4\n4, 2", [[1, 4], [2]]),  # a mention stays where it comes first
        ("1, 4\n1, 4\n2, 3", [[1, 4], [2, 3]]),
        ("1, 4, 99\n100, 101", [[1, 4]]),  # what is no mention is passed over
        ("01, 04", [[1, 4]]),
        ("1, 4, 7", [[1, 4, 7]]),  # what is left out is in no cluster
        ("5-8\n1-3, 4", [[1, 2, 3, 4], [5, 6, 7, 8]]),
        ("5–8", [[5, 6, 7, 8]]),
        ("1-4-7", [[1, 4, 7]]),
        ("1 = 4 = 7", [[1, 4, 7]]),
        ("Singletons: 5, 6, 8", [[5], [6], [8]]),
        ("1: 4, 7", [[1, 4, 7]]),  # no list holds 1, so it is a mention
        ("1: 4, 7\n4: 1, 2", [[1, 2], [4, 7]]),  # here lists hold both
        ("1: 2, 3\n2: 1, 4", [[1, 4], [2, 3]]),
        ("[1: 4, 7]", [[1, 4, 7]]),
        ("Agent 5: 1, 4", [[1, 4]]),
        ("Cluster 2 (1, 4)", [[1, 4]]),
        ("Anna: 1 4; Tom: 2 3", [[1, 4], [2, 3]]),
        ("1 (Anna)\n2 (Tom)\n4 (Anna)", [[1, 4], [2]]),
        ("Singleton: 5\nSingleton: 6", [[5], [6]]),
        ("The groups:\n1\n4", [[1], [4]]),
        ("**The man in the very tall hat**\n- 1\n- 4\n**Tom**\n- 2\n- 3", [[1, 4], [2, 3]]),
        ("Cluster 1: 2, 3", [[2, 3]]),
        ("Anna: 1, 4\nConfidence: 90%", [[1, 4]]),
        ("Anna: 1, 4\nDoubt: 5%", [[1, 4]]),
        ("Number of characters: 5\n1, 4", [[1, 4]]),
        ("(Anna) 1, 4", [[1, 4]]),
        ("1, 4\n2, 3\n\nA note on the answer: Anna was hard.", [[1, 4], [2, 3]]),
        ("1, 4\nThe final two were hard\n2, 3", [[1, 4], [2, 3]]),
        ("1, 4\n2 and 3 are not the same.", [[1, 4]]),
        ("1, 4\n5: a guard", [[1, 4], [5]]),
        ("[1: the man with [2: his] dog], 4\n2, 3", [[1, 4], [2, 3]]),
        ('{"clusters": [[1, 4], [1, 2]]}', [[1, 4], [2]]),
        ('{"clusters": [[1, 4, 400, -2, 2.5, true, null]]}', [[1, 4]]),
        ('{"id": 2, "mentions": [1, 4]}\n{"id": 5, "mentions": [2, 3]}', [[1, 4], [2, 3]]),
        ('[{"who": "Anna", "lines": 5, "mentions": [1, 4]}]', [[1, 4]]),
        ('{"1": "a", "4": "a", "2": null, "3": null}', [[1, 4]]),
        ('{"1": [4, 7], "2": [3]}', [[1, 4, 7], [2, 3]]),
        ('{"1": "4, 7", "2": "3"}', [[1, 4, 7], [2, 3]]),
        ('{"clusters": []}\n1, 4', [[1, 4]]),
        ('{"clusters": [[1, 4, 7], [2, 3', [[1, 4, 7], [2, 3]]),  # cut short
    ],
)
def test_what_is_said_counts_and_nothing_else(reply: str, read: list[list[int]]) -> None:
    assert grouped(reply) == read


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "the reply is empty"),
        (" \n ", "the reply is empty"),
        ("I cannot tell who is who.", "no line is a list of numbers"),
        ("There are 5 characters here.", "no line is a list of numbers"),
        ("It seems that 1 and 4 may go with 7, unlike 2.", "no line is a list of numbers"),
        ("1 and 4 are not the same.", "no line is a list of numbers"),
        ("1: Anna, 2: Tom, 4: Anna", "no line is a list of numbers"),
        ("It may well be that the man in the hat is both (1, 4)", "no line is a list of numbers"),
        ("She (1) and Anna (4)", "no line is a list of numbers"),
        ("Anna, Tom, a guard", "no line is a list of numbers"),
        ("| Anna | 1, 4, 7 | 3 |", "no line is a list of numbers"),
        ("1.5, 2.5", "no line is a list of numbers"),
        ("P1: Anna", "no line is a list of numbers"),
        ('{"clusters": "none"}', "no line is a list of numbers"),
        ("99, 100", "no list holds the number of a mention"),
        ("[1: ANNA]\nWhere is [2: he]?\n[3: TOM]\nHere.", "lists the mentions and groups none"),
        ("1: she\n2: Tom\n3: he\n4: Anna", "lists the mentions and groups none"),
    ],
)
def test_a_reply_without_groups_says_why(reply: str, reason: str) -> None:
    assert grouped(reply) == reason


def test_the_passage_shows_every_mention_with_its_number() -> None:
    assert COREFERENCE.passage(ITEM) == "[1: Mira] kept [2: [3: her] brother]'s coat."


def test_the_prompts_differ_and_say_how_to_answer() -> None:
    wordings = {COREFERENCE.instruction(prompt) for prompt in PROMPTS}

    assert len(wordings) == 3
    assert "8 marked mentions" in COREFERENCE.answer_format(GOLD, ())


def test_neither_prompt_nor_schema_gives_the_gold_away() -> None:
    """They depend on which mentions there are, not on their clusters."""
    alone = {label: label for label in GOLD}

    assert COREFERENCE.answer_format(GOLD, ()) == COREFERENCE.answer_format(alone, ())
    assert COREFERENCE.schema(GOLD, ()) == COREFERENCE.schema(alone, ())
    assert COREFERENCE.parse("1, 4", GOLD, ()) == COREFERENCE.parse("1, 4", alone, ())


def test_an_answer_that_keeps_to_the_schema_is_read() -> None:
    schema = COREFERENCE.schema(GOLD, ())
    clusters = schema["properties"]

    number = {"type": "integer", "enum": [int(label) for label in GOLD]}
    cluster = {"type": "array", "items": number, "minItems": 1}
    assert clusters == {"clusters": {"type": "array", "items": cluster, "minItems": 1}}
    assert grouped(json.dumps({"clusters": RIGHT})) == RIGHT


def test_it_is_a_task_whose_answers_are_marked_by_the_sums_of_metrics() -> None:
    task: Task = COREFERENCE
    gold_is: GoldIs = "label"

    found = task.mark(Unparsed(""), GOLD, ())

    assert (task.name, task.gold_is, task.joined) == ("coreference", gold_is, False)
    assert (found.right, found.units) == (0, 0)
    assert task.chance(GOLD, ()) is None
    assert sorted(measure.metric for measure in found.measures) == sorted(METRICS)
    assert {measure.metric for measure in found.measures if measure.headline} == HEADLINE


def test_an_unparsed_reply_misses_everything_and_claims_nothing() -> None:
    for measure in COREFERENCE.mark(Unparsed("no line"), GOLD, ()).measures:
        assert (measure.num, measure.den, measure.recall_num) == (0, 0, 0), measure.metric
        assert measure.recall_den, measure.metric


def test_a_small_answer_is_worth_what_its_definition_gives() -> None:
    """Gold {1,4,7} {2,3} {5} {6,8}; the reply {1,4} {2,3,7} {5}, without 6 and 8.

    MUC: links kept 1 + 1 of 2 + 1 + 1 and of 1 + 2, so F1 = 2 * 2 / (4 + 3).
    B-cubed: recall (4/3 + 1/3 + 4/2 + 1)/8 = 7/12, precision (4/2 + 4/3 + 1/3 + 1)/6 = 7/9.
    CEAF-e: 4/5 + 4/5 + 1 = 13/5 over 4 and over 3.
    LEA: recall (3 * 1/3 + 2 * 1 + 1 + 0)/8 = 1/2, precision (2 * 1 + 3 * 1/3 + 1)/6 = 2/3.
    Without {5}: B-cubed (11/3)/7 and (11/3)/5; CEAF-e 8/5 over 3 and 2; LEA 3/7 and 3/5.
    """
    f1 = marked("1, 4\n2, 3, 7\n5")

    assert f1["muc"] == pytest.approx(4 / 7)
    assert f1["b_cubed"] == pytest.approx(2 * (7 / 12) * (7 / 9) / (7 / 12 + 7 / 9))
    assert f1["ceaf_e"] == pytest.approx(2 * (13 / 5) / (4 + 3))
    assert f1["lea"] == pytest.approx(2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3))
    assert f1["b_cubed_plural"] == pytest.approx(2 * (11 / 3) / (7 + 5))
    assert f1["ceaf_e_plural"] == pytest.approx(2 * (8 / 5) / (3 + 2))
    assert f1["lea_plural"] == pytest.approx(2 * 3 / (7 + 5))


@st.composite
def golds(draw: st.DrawFn) -> dict[str, str]:
    """Two mentions or more, two at least of them one person's: MUC is defined."""
    clusters = draw(st.lists(st.integers(0, 5), max_size=25))
    return {str(at): str(cluster) for at, cluster in enumerate([0, 0, *clusters], start=1)}


def clusters_of(gold: dict[str, str]) -> list[list[int]]:
    found: dict[str, list[int]] = {}
    for label, cluster in gold.items():
        found.setdefault(cluster, []).append(int(label))
    return list(found.values())


@moderate
@given(golds(), st.sampled_from(["{}", "[{}]", "- {}", "Someone: {}", "{} (someone)"]))
def test_gold_given_back_is_worth_one_in_every_metric(gold: dict[str, str], form: str) -> None:
    """As asked, in other forms and as JSON."""
    lists = [", ".join(map(str, cluster)) for cluster in clusters_of(gold)]
    plain = "\n".join(form.format(numbers) for numbers in lists)

    for reply in (plain, json.dumps({"clusters": clusters_of(gold)})):
        assert marked(reply, gold) == pytest.approx(dict.fromkeys(METRICS, 1.0)), reply


@moderate
@given(golds(), golds(), st.randoms(use_true_random=False))
def test_the_numbers_of_clusters_mean_nothing(
    gold: dict[str, str], said: dict[str, str], rng: random.Random
) -> None:
    """Nor does their order."""
    others = dict(zip("012345", rng.sample([f"{n}" for n in range(90)], 6), strict=True))
    shuffled = rng.sample(sorted(said.items()), len(said))
    renamed = {label: others[cluster] for label, cluster in shuffled}

    one = COREFERENCE.mark(Answer(said), gold, ())
    other = COREFERENCE.mark(Answer(renamed), gold, ())

    for metric in METRICS:
        assert f1_of(one, metric) == pytest.approx(f1_of(other, metric), abs=1e-12)


@settings(max_examples=400, deadline=None)
@given(
    st.text()
    | st.text(alphabet="1234567890,;:. \n-[](){}\"'=|#*and")
    | st.lists(
        st.sampled_from(["1", "4", "12", "[", "]", "{", "}", ":", ", ", "\n", "Anna", '"x"', ". "])
    ).map("".join)
)
def test_no_reply_makes_the_parser_fail(reply: str) -> None:
    """Whatever comes, each mention is in one cluster at most, and clusters count from 0."""
    answer = COREFERENCE.parse(reply, GOLD, ())

    if isinstance(answer, Answer):
        assert answer.value.keys() <= GOLD.keys()
        assert answer.value
        numbers = {int(cluster) for cluster in answer.value.values()}
        assert numbers == set(range(len(numbers)))
        COREFERENCE.mark(answer, GOLD, ())


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "reply",
    [
        "[" * 50_000,
        "{" * 50_000,
        '{"a":' * 5_000,
        "[" * 900 + "1" + "]" * 900,
        '{"a":' * 900 + "1" + "}" * 900,
        "[1: " * 20_000,
        "(" * 20_000 + "1",
        " " * 50_000 + "1",
        "1 " * 50_000,
        "1, " * 50_000 + "x",
        "1 the same " * 10_000,
        '{"clusters": [[' + "9" * 5_000 + "]]}",
        "1 = " * 20_000,
        "a b " * 20_000,
        '1 "' * 20_000,
    ],
)
def test_long_nonsense_is_read_in_no_time(reply: str) -> None:
    assert isinstance(COREFERENCE.parse(reply, GOLD, ()), Answer | Unparsed)
