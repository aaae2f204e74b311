"""Passage, options, gold and labels are shown together, or the item is set aside."""

from __future__ import annotations

import dataclasses

import pytest

from prompts import (
    NAMES,
    PROMPTS,
    Character,
    Item,
    Manner,
    NamePolicy,
    Names,
    Prompt,
    PromptName,
    SetAside,
    Shown,
    Wording,
    render,
    show,
)
from prompts.names.lists import name_list
from prompts.tasks import TASKS

POLICY = NamePolicy(seed=3)
CAST = (
    Character(name="Rachel Green", aliases=("Rachel",), gender="female"),
    Character(name="Monica Geller", aliases=("Monica",), gender="female"),
    Character(name="Ross Geller", aliases=("Ross",), gender="male"),
    Character(name="Nurse", proper=False),
)
SCENE = Item(
    item_id="s1",
    task="character_guessing",
    dataset="made",
    work="A Show",
    text="P0: Hi, Ross.\nP1: Monica! RACHEL is late.\nP2: Who is Geller?",
    gold={"P0": "Rachel", "P1": "Ross", "P2": "Nurse"},
    options=("Monica", "Nurse", "Rachel", "Ross"),
    cast=CAST,
)
PASSAGE = Item(
    item_id="p1",
    task="source_identification",
    dataset="made",
    work="Emma",
    text="Emma spoke to Mr. Knightley, and Mr. Knightley to Harriet.",
    gold={"title": "Emma"},
    accepted=("Emma: A Novel",),
    options=("Persuasion", "Emma"),
    cast=(
        Character(name="Emma Woodhouse", aliases=("Emma",), gender="female"),
        Character(name="Harriet Smith", aliases=("Harriet",), gender="female"),
        Character(name="George Knightley", aliases=("Mr. Knightley",), gender="male"),
    ),
)


def render_prompt(shown: Shown, prompt: PromptName) -> Prompt:
    """In the tasks' own wording, without descriptions."""
    return render(shown, Manner(prompt=prompt))


REPLACING: tuple[Names, ...] = ("masked", "same_culture", "cross_culture")


def test_the_original_strategy_leaves_the_item_as_it_is() -> None:
    for item in (SCENE, PASSAGE):
        assert show(item, "original", POLICY).item == item


@pytest.mark.parametrize("names", REPLACING)
def test_gold_options_and_text_are_mapped_together(names: Names) -> None:
    """Whoever answered with the old name's option is right with the new one at the same place."""
    shown = show(SCENE, names, POLICY)
    ross = shown.item.options[3]

    for label, name in SCENE.gold.items():
        place = SCENE.options.index(name)
        assert shown.item.gold[label] == shown.item.options[place]
    assert f"P0: Hi, {ross}." in shown.item.text
    assert not {"Rachel", "Monica", "Ross", "RACHEL", "Geller"} & set(shown.item.text.split())
    assert len(set(shown.item.options)) == len(SCENE.options)
    assert shown.item.options[1] == "Nurse"
    assert shown.audit.replaced == 4
    assert shown.audit.leaks == {}


@pytest.mark.parametrize("names", REPLACING)
def test_titles_are_not_names(names: Names) -> None:
    """Source identification asks about the same works, though a title is a name of the cast."""
    shown = show(PASSAGE, names, POLICY).item

    assert shown.options == PASSAGE.options
    assert shown.gold == PASSAGE.gold
    assert shown.accepted == PASSAGE.accepted
    assert "Emma" not in shown.text
    assert shown.text.count("Mr. ") == 2


def test_masks_of_an_excerpt_are_numbered_by_appearance() -> None:
    assert show(PASSAGE, "masked", POLICY).item.text == "P0 spoke to Mr. P1, and Mr. P1 to P2."


def test_masks_of_speakers_do_not_reveal_the_order_of_speaking() -> None:
    """They are N-masks (the speakers are P-labels), and their order is drawn item by item."""
    orders = set()
    for number in range(40):
        item = dataclasses.replace(SCENE, item_id=f"s{number}")
        masks = [show(item, "masked", POLICY).item.options[place] for place in (0, 2, 3)]
        assert set(masks) == {"N0", "N1", "N2"}
        orders.add(tuple(masks))

    assert len(orders) == 6


@pytest.mark.parametrize(("culture", "drawn"), [("english", "chinese"), ("chinese", "english")])
def test_cross_culture_draws_from_another_culture(culture: str, drawn: str) -> None:
    """A work of the policy's own culture gets English names, so that the names do change."""
    item = dataclasses.replace(SCENE, culture=culture)
    names = name_list(drawn)

    assert show(item, "cross_culture", POLICY).item.options[3] in names.male
    assert show(item, "same_culture", POLICY).item.options[3] in name_list(culture).male


def test_another_seed_shows_other_names() -> None:
    seen = {show(SCENE, "same_culture", NamePolicy(seed=seed)).item.options for seed in range(5)}

    assert len(seen) > 1


def test_a_name_only_an_option_bears_is_replaced_and_no_option_is_drawn_as_a_name() -> None:
    item = dataclasses.replace(
        SCENE,
        text="P0: Hi.\nP1: Hello.\nP2: _Rachel_?",
        options=("Monica", "Nurse", "Rachel", "Ross"),
    )
    shown = show(item, "same_culture", POLICY).item

    assert not {"Monica", "Rachel", "Ross"} & set(shown.options)
    assert shown.text == f"P0: Hi.\nP1: Hello.\nP2: _{shown.options[2]}_?"


def test_a_gold_name_that_is_not_offered_sets_the_item_aside() -> None:
    item = dataclasses.replace(SCENE, gold={"P0": "Phoebe"})

    with pytest.raises(SetAside, match="item s1: a gold name is not among the options"):
        show(item, "original", POLICY)


def test_options_that_become_one_name_set_the_item_aside() -> None:
    """Monica and Monica Geller are one person, so one mask cannot stand for two options."""
    item = dataclasses.replace(SCENE, options=(*SCENE.options, "Monica Geller"))

    with pytest.raises(SetAside, match="item s1: two options become the same name"):
        show(item, "masked", POLICY)


def test_an_item_set_aside_is_named_in_the_reason() -> None:
    item = dataclasses.replace(SCENE, cast=(*CAST, CAST[0]))

    with pytest.raises(SetAside, match="item s1: two people of the cast are called 'Rachel Green'"):
        show(item, "same_culture", POLICY)


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("item", [SCENE, PASSAGE])
def test_a_prompt_has_the_wording_the_passage_and_every_option(
    item: Item, names: Names, prompt: PromptName
) -> None:
    """And is the same, byte for byte, when it is made again."""
    shown = show(item, names, POLICY)
    made = render_prompt(shown, prompt)

    assert made.text.startswith(TASKS[item.task].instruction(prompt) + "\n\n" + shown.item.text)
    assert all(option in made.text.split(shown.item.text)[1] for option in shown.item.options)
    assert made == render_prompt(show(item, names, POLICY), prompt)
    assert made.item == shown.item


def test_the_three_prompts_differ_in_their_instruction_alone() -> None:
    shown = show(SCENE, "original", POLICY)
    tails = {render_prompt(shown, prompt).text.split("\n\n", 1)[1] for prompt in PROMPTS}
    heads = {render_prompt(shown, prompt).text.split("\n\n", 1)[0] for prompt in PROMPTS}

    assert len(tails) == 1
    assert len(heads) == 3


def test_an_experiment_may_word_a_prompt_itself() -> None:
    """With the words of the file it names; everything after them stays."""
    shown = show(PASSAGE, "original", POLICY)
    other = Wording(
        name="other", instructions={PASSAGE.task: {"gist": "Think, then name the book."}}
    )

    made = render(shown, Manner(prompt="gist", wording=other))

    assert made.text.split("\n\n", 1)[0] == "Think, then name the book."
    assert made.text.split("\n\n", 1)[1] == render_prompt(shown, "gist").text.split("\n\n", 1)[1]
    assert other.missing([PASSAGE.task], PROMPTS) == [
        "source_identification.baseline",
        "source_identification.verbatim",
    ]


def test_chance_is_one_in_the_options_and_undefined_for_an_open_question() -> None:
    """An open question has no chance level; it is not 0."""
    open_item = dataclasses.replace(PASSAGE, options=())

    assert render_prompt(show(SCENE, "masked", POLICY), "gist").chance == 1 / 4
    assert render_prompt(show(PASSAGE, "masked", POLICY), "gist").chance == 1 / 2
    assert render_prompt(show(open_item, "masked", POLICY), "gist").chance is None


def test_the_answer_format_asks_for_every_label() -> None:
    text = render_prompt(show(SCENE, "original", POLICY), "baseline").text

    assert "The speakers to name are P0, P1, P2." in text
    assert text.endswith("P0: name")
