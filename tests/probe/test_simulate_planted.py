"""Subjects with planted memory are as they are set: what they know, recognise, reason and refuse.

The counts are held against binomial chance at four standard errors, with other settings than the
defaults, and marked by the tasks' own parsers.
"""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.simulate.errors import NotPlanted, SettingsError, UnknownPrompt
from probe.simulate.gold import Asked, known
from probe.simulate.memory import Memory, Passage, Subject, kind_of
from probe.simulate.planted import GARBLED, REFUSAL
from tests.probe.planted_for_tests import (
    everything_of,
    maker_of,
    plan_of,
    request,
    right_in,
    write_planted,
)

SUBJECTS = [f"subject-{number:03d}" for number in range(1, 16)]
ALL_TASKS = "character_guessing,source_identification,question_answering,personality"
SURE = Memory(known=1, by_names=1, by_wording=1, skill=0, refuse=0, garble=0)
BLANK = Memory(known=0, by_names=1, by_wording=1, skill=0, refuse=0, garble=0)


@pytest.fixture(scope="module")
def speakers(tmp_path_factory: pytest.TempPathFactory) -> list[Asked]:
    """Speakers to name in 80 scenes of 40 works, under every prompt."""
    folder = tmp_path_factory.mktemp("speakers")
    path = write_planted(folder, scenes=2, prompts='"baseline", "verbatim", "gist"')
    return everything_of(path)


def under(everything: list[Asked], names: str, prompt: str = "baseline") -> list[Asked]:
    return [
        each
        for each in everything
        if each.condition.prompt.shown.names == names and each.condition.prompt.prompt == prompt
    ]


def near(count: int, of: int, share: float) -> bool:
    """Whether a count is within four standard errors of a share."""
    return abs(count - of * share) <= 4 * math.sqrt(of * share * (1 - share)) + 1e-9


def recognised(everything: list[Asked], memory: Memory) -> tuple[int, int]:
    """Replies that have everything right, and replies."""
    maker = maker_of(everything, memory)
    right = [
        right_in(each, maker.make(request(each, subject), 0).text) == each.units
        for subject in SUBJECTS
        for each in everything
    ]
    return sum(right), len(right)


@pytest.mark.parametrize(
    ("names", "prompt", "share"),
    [
        ("original", "baseline", 1 - (1 - 0.7) * (1 - 0.2)),
        ("cross_culture", "baseline", 0.2),
        ("original", "verbatim", 1 - (1 - 0.7) * (1 - 0.2) * (1 - 0.5)),
        ("cross_culture", "verbatim", 1 - (1 - 0.2) * (1 - 0.5)),
        ("original", "gist", (1 - (1 - 0.7) * (1 - 0.2)) * (1 - 0.4)),
        ("cross_culture", "gist", 0.2 * (1 - 0.4)),
    ],
)
def test_known_works_are_recognised_to_the_degrees_set(
    speakers: list[Asked], names: str, prompt: str, share: float
) -> None:
    """Changed names leave the wording alone; without skill nothing else is right."""
    memory = Memory(
        known=1, by_names=0.7, by_wording=0.2, skill=0, verbatim=0.5, gist=0.4, refuse=0, garble=0
    )
    right, of = recognised(under(speakers, names, prompt), memory)

    assert of == 40 * 2 * len(SUBJECTS)
    assert near(right, of, share)
    assert memory.recognition(names_kept=names == "original", prompt=prompt) == pytest.approx(share)


def test_a_share_of_works_is_known_and_each_as_a_whole(speakers: list[Asked]) -> None:
    """All scenes of a work are known or none; which works, differs by subject."""
    memory = Memory(known=0.3, by_names=1, by_wording=1, skill=0, refuse=0, garble=0)
    maker = maker_of(speakers, memory)
    right: dict[tuple[str, str], set[bool]] = defaultdict(set)
    for subject in SUBJECTS:
        for each in under(speakers, "cross_culture"):
            reply = maker.make(request(each, subject), 0).text
            right[subject, each.condition.item.work].add(right_in(each, reply) == each.units)

    assert all(len(found) == 1 for found in right.values())
    assert near(sum(True in found for found in right.values()), 40 * len(SUBJECTS), 0.3)
    known_works = {
        frozenset(
            work for (name, work), found in right.items() if name == subject and True in found
        )
        for subject in SUBJECTS
    }
    assert len(known_works) == len(SUBJECTS)


def test_skill_is_the_chance_of_each_unit_by_itself(speakers: list[Asked]) -> None:
    memory = Memory(known=0, skill=0.35, refuse=0, garble=0)
    maker = maker_of(speakers, memory)
    asked = under(speakers, "original")
    rights = [
        right_in(each, maker.make(request(each, subject), 0).text)
        for subject in SUBJECTS
        for each in asked
    ]
    units = 4 * len(rights)

    assert near(sum(rights), units, 0.35)
    assert near(sum(right == 4 for right in rights), len(rights), 0.35**4)


def test_refusals_and_garbled_replies_come_at_their_rates_and_have_nothing_right(
    speakers: list[Asked],
) -> None:
    maker = maker_of(speakers, Memory(known=1, by_wording=1, refuse=0.1, garble=0.25))
    asked = under(speakers, "cross_culture")
    made = [(each, maker.make(request(each, subject), 0)) for subject in SUBJECTS for each in asked]
    refused = [(each, reply) for each, reply in made if reply.refused]
    garbled = [(each, reply) for each, reply in made if reply.text == GARBLED]

    assert near(len(refused), len(made), 0.1)
    assert near(len(garbled), len(made), 0.25)
    assert {reply.text for _, reply in refused} == {REFUSAL}
    assert sum(right_in(each, reply.text) for each, reply in refused + garbled) == 0


def test_samples_are_drawn_anew_but_what_is_recognised_is_not(speakers: list[Asked]) -> None:
    """A sample is a choice of a request, or its seed."""
    each = under(speakers, "original")[0]
    guessing = maker_of(speakers, Memory(known=0, skill=0.5, refuse=0, garble=0))
    choices = [guessing.make(request(each), choice).text for choice in range(20)]
    seeds = [guessing.make(request(each, seed=seed), 0).text for seed in range(20)]
    knowing = maker_of(speakers, SURE)

    assert len(set(choices)) > 5
    assert len(set(seeds)) > 5
    assert len({knowing.make(request(each), choice).text for choice in range(20)}) == 1


@pytest.mark.parametrize("prompt", ["baseline", "verbatim"])
def test_every_task_it_plays_is_answered_rightly_or_wrongly_in_prose_and_json(
    tmp_path: Path, prompt: str
) -> None:
    everything = everything_of(
        write_planted(tmp_path, ALL_TASKS, works=5, scenes=1, prompts=f'"{prompt}"')
    )
    sure, blank = maker_of(everything, SURE), maker_of(everything, BLANK)
    seen = set()
    for each in everything:
        schema = {"json_schema": {"schema": each.condition.prompt.schema}, "type": "json_schema"}
        for own in (request(each), request(each, response_format=schema)):
            seen.add(each.question.task)
            assert right_in(each, sure.make(own, 0).text) == each.units == each.readable
            assert right_in(each, blank.make(own, 0).text) == 0

    assert seen == set(ALL_TASKS.split(","))


def test_wrong_answers_are_drawn_from_the_options(speakers: list[Asked]) -> None:
    each = under(speakers, "original")[0]
    maker = maker_of(speakers, BLANK)
    lines = {
        line
        for subject in SUBJECTS
        for line in maker.make(request(each, subject), 0).text.splitlines()
    }
    gold, options = each.condition.prompt.item.gold, each.condition.prompt.item.options

    assert lines == {
        f"{label}: {name}" for label in gold for name in options if name != gold[label]
    }


def test_a_prompt_of_another_experiment_is_not_answered(speakers: list[Asked]) -> None:
    maker = maker_of(under(speakers, "original"), SURE)
    other = under(speakers, "cross_culture")[0]

    with pytest.raises(UnknownPrompt, match="none of the experiment 'planted'"):
        maker.make(request(other), 0)


def test_an_unchanged_prompt_keeps_its_names(tmp_path: Path) -> None:
    """With no cast nothing is replaced: both conditions send one text, and names stand in it."""
    path = write_planted(tmp_path, "source_identification", works=3, scenes=1)
    scenes = tmp_path / "scenes.jsonl"
    bare = scenes.read_text(encoding="utf-8").replace('"cast"', '"nobody"')
    scenes.write_text(bare, encoding="utf-8")
    everything = everything_of(path)

    assert len(everything) == 6
    assert len(known(everything)) == 3
    assert all(each.question.passage.names_kept for each in everything)


def test_a_task_without_right_and_wrong_units_is_refused(tmp_path: Path) -> None:
    path = write_planted(tmp_path, "character_guessing,summarization", works=2, scenes=1)

    with pytest.raises(NotPlanted, match="task summarization: its answers are not right or wrong"):
        plan_of(path)


@pytest.mark.parametrize(
    ("settings", "flag"),
    [
        ({"known": 1.5}, "--known is 1.5, it must be between 0 and 1"),
        ({"by_names": -0.1}, "--by-names is -0.1"),
        ({"skill": float("nan")}, "--skill is nan"),
        ({"refuse": 0.6, "garble": 0.6}, "--refuse and --garble in sum is 1.2"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, float], flag: str) -> None:
    with pytest.raises(SettingsError, match=flag):
        Memory(**settings)


chances = st.floats(min_value=0, max_value=1)


@given(chances, chances, chances, chances, st.text(), st.text())
def test_changed_names_never_help(
    known_share: float, by_names: float, by_wording: float, verbatim: float, name: str, work: str
) -> None:
    """What is recognised without its names is recognised with them; more so under verbatim."""
    memory = Memory(known=known_share, by_names=by_names, by_wording=by_wording, verbatim=verbatim)
    subject = Subject(memory=memory, seed=1, name=name)

    def recognises(*, kept: bool, prompt: str) -> bool:
        return subject.recognises(Passage(work, "an item", kept, prompt))

    for prompt in ("baseline", "verbatim", "gist"):
        assert recognises(kept=True, prompt=prompt) >= recognises(kept=False, prompt=prompt)
    for kept in (True, False):
        assert recognises(kept=kept, prompt="verbatim") >= recognises(kept=kept, prompt="baseline")
        assert memory.expected(names_kept=kept, prompt="baseline") <= 1


def test_every_setting_and_the_seed_make_another_kind() -> None:
    """What stands for a kind in keys differs wherever replies may."""
    kinds = {kind_of(Memory(), 0), kind_of(Memory(), 1)}
    kinds |= {kind_of(Memory(**{name: 0.11}), 0) for name in Memory.__slots__}

    assert len(kinds) == 2 + len(Memory.__slots__)
    assert kind_of(Memory(known=1), 0) == kind_of(Memory(known=1.0), 0)
