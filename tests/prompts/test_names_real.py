"""On the datasets as published: every text under every strategy leads back, and who is replaced.

The files are not part of the project; without them these tests are skipped and say what is missing.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from prompts import Character, Names, SetAside
from prompts.datasets.works import work_titled
from prompts.names import Replaced, replace, undo
from prompts.names.audit import audit
from prompts.names.maps import built_in_maps
from prompts.names.strategies import STRATEGIES
from prompts.names.words import words
from tests.prompts.names_for_tests import planned

DATA = Path(__file__).parents[2].parent / "shared" / "data"
Text = tuple[str, str]
"""A work and a text of it."""


def shared(path: str) -> Path:
    if not (DATA / path).exists():
        pytest.skip(f"needs shared/data/{path} beside the repository")
    return DATA / path


def friendsqa() -> list[Text]:
    """Dialogues with their speakers, tokenised, and every question."""
    texts = []
    for part in ("dev", "tst"):
        raw = json.loads(shared(f"friendsqa/dat/friendsqa_{part}.json").read_text(encoding="utf-8"))
        for dialogue in raw["data"]:
            for paragraph in dialogue["paragraphs"]:
                lines = [
                    f"{', '.join(line['speakers'])}: {line['utterance']}"
                    for line in paragraph["utterances:"]
                ]
                texts += ["\n".join(lines), *(asked["question"] for asked in paragraph["qas"])]
    return [("Friends", text) for text in texts]


def character_identification() -> list[Text]:
    path = shared("character-identification/json/character-identification-tst.json")
    raw = json.loads(path.read_text(encoding="utf-8"))
    scenes = [scene for episode in raw["episodes"] for scene in episode["scenes"]]
    return [
        (
            "Friends",
            "\n".join(f"{'/'.join(u['speakers'])}: {u['transcript']}" for u in scene["utterances"]),
        )
        for scene in scenes
    ]


def tvshowguess() -> list[Text]:
    """The scenes as they are in the file, with labels in lower case and CR between lines."""
    texts = []
    for show, title in (("friends", "Friends"), ("tbbt", "The Big Bang Theory")):
        path = shared(f"tvshowguess/human_annotation/{show}.raw")
        with path.open(encoding="utf-8", newline="") as file:
            texts += [(title, record["Scene"]) for record in csv.DictReader(file)]
    return texts


def litbank() -> list[Text]:
    stems = {
        "158_emma": "Emma",
        "1342_pride_and_prejudice": "Pride and Prejudice",
        "11_alices_adventures_in_wonderland": "Alice's Adventures in Wonderland",
    }
    return [
        (title, shared(f"litbank/coref/tsv/{stem}_brat.txt").read_text(encoding="utf-8"))
        for stem, title in stems.items()
    ]


def excerpts() -> list[Text]:
    with shared("source-id-pd/excerpts.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [(row["source"], row["text"]) for row in rows]


FILES = {
    "friendsqa": friendsqa,
    "character-identification": character_identification,
    "tvshowguess": tvshowguess,
    "litbank": litbank,
    "source-id-pd": excerpts,
}
COUNTS = {
    "friendsqa": 82,
    "character-identification": 2,
    "tvshowguess": 50,
    "litbank": 3,
    "source-id-pd": 100,
}


def cast_for(title: str) -> tuple[Character, ...]:
    work = work_titled(title)
    return work.cast if work else ()


def under(text: Text, names: Names) -> Replaced | None:
    """The text under a strategy; None where it is set aside."""
    try:
        name_map = planned(text[1], names=names, cast=cast_for(text[0]), work=text[0])
    except SetAside:
        return None
    changed = replace(text[1], name_map)
    assert replace(changed.text, name_map).text == changed.text
    return changed


def served(text: Text, names: Names) -> bool:
    """Whether one of the paper's maps can serve a text: its work, and none of its new names."""
    entry = built_in_maps()[names].for_work(text[0])
    return entry is not None and not any(
        re.search(rf"\b{re.escape(new)}\b", text[1]) for _, new in entry.names
    )


@pytest.mark.parametrize("names", STRATEGIES)
@pytest.mark.parametrize("file", FILES)
def test_every_text_leads_back_to_the_character(file: str, names: Names) -> None:
    """Replaced, undone, replaced twice; set aside only where a map or a cast cannot serve it."""
    texts = FILES[file]()
    changed = [under(text, names) for text in texts]
    aside = sum(one is None for one in changed)

    assert len(texts) == COUNTS[file]
    for (_, text), one in zip(texts, changed, strict=True):
        assert one is None or undo(one.text, one.edits) == text
    if names.startswith("paper_"):
        assert aside == sum(not served(text, names) for text in texts)
    else:
        assert aside <= (len(texts) / 20 if names == "other_cast" else 0)


@pytest.mark.parametrize("names", ["masked", "same_culture", "cross_culture"])
def test_the_six_friends_are_gone_from_every_scene(names: Names) -> None:
    """In labels of any case, tokenised possessives and speech; a count by another means."""
    six = ("Monica", "Rachel", "Phoebe", "Chandler", "Joey", "Ross")
    # A raw scene begins with a list of options in lower case, which the reader parts off.
    scenes = [(work, scene.split("]", 1)[1]) for work, scene in tvshowguess()]
    texts = [text for text in friendsqa() + scenes if text[0] == "Friends"]
    before = Counter(
        name for _, text in texts for name in six for _ in range(text.lower().count(name.lower()))
    )
    after = [set(words(one.text.lower())) for text in texts if (one := under(text, names))]

    assert min(before.values()) > 10
    assert not [(name, own) for own in after for name in six if name.lower() in own]


def test_the_audit_sees_what_gives_the_real_texts_away() -> None:
    """Known places of Emma and Pride and Prejudice stand in their first chapters."""
    found: Counter[str] = Counter()
    for title, text in litbank():
        cast = cast_for(title)
        name_map = planned(text, cast=cast, work=title)
        account = audit(replace(text, name_map), name_map, cast, work=title)
        found.update(account.places)
        assert sum(account.leaks.values()) <= account.replaced / 50

    assert found["Hartfield"] > 3
    assert found["Netherfield"] > 0
