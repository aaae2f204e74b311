"""Scenes of invented works, and experiments over them that planted subjects can play."""

from __future__ import annotations

import json
from pathlib import Path

from probe.plan import Plan
from probe.resolve import find
from probe.simulate.gold import Asked, asked, known
from probe.simulate.memory import Memory
from probe.simulate.planted import PlantedMaker
from probe.simulate.replies import Asked as Request
from probe.simulate.subjects import with_subjects
from probe.spec import read_spec
from prompts.tasks import task_named

_FIRST = ("Ines", "Tomas", "Clara", "Bruno", "Flora", "Edgar", "Harriet", "Gideon")
_LAST = ("Rowan", "Marsh", "Teller", "Quist", "Harrow", "Penrose", "Lund", "Ashby", "Varga", "Moss")
_THINGS = ("lamp", "ladder", "kettle", "letter", "ribbon", "saddle", "mirror", "barrel")
_PLACES = ("mill", "quay", "attic", "orchard", "stable", "chapel", "cellar", "ferry")
_TRAITS = ("Curious", "Idle", "Sly", "Brave")


def write_scenes(path: Path, *, works: int, scenes: int) -> Path:
    """A dialogue file: scenes of four people, with a question and a trait each."""
    rows = [_scene(work, scene) for work in range(works) for scene in range(scenes)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _scene(work: int, scene: int) -> dict[str, object]:
    cast = [
        f"{_FIRST[(work + 2 * at) % 8]} {_LAST[(work + 3 * at + work // 8) % 10]}"
        for at in range(4)
    ]
    thing, place = _THINGS[(work + scene) % 8], _PLACES[(work // 3 + scene) % 8]
    lines = [
        {"speaker": cast[0], "text": f"Who left the {thing} by the {place} on day {work}?"},
        {"speaker": cast[1], "text": f"{cast[2]} carried it there, {scene + 2} hours ago."},
        {"speaker": cast[2], "text": f"The carter took it out of the {place} first."},
        {"speaker": cast[3], "text": f"Then {cast[0]} must mend it before night."},
    ]
    qa = [{"question": "Who took it out first?", "answers": [{"text": "The carter"}]}]
    trait = {
        "character": cast[0],
        "options": list(_TRAITS),
        "answer": _TRAITS[(work + scene) % 4],
    }
    people = [{"name": name, "gender": "female"} for name in cast]
    own = {"id": f"w{work}-s{scene}", "work": f"The {_LAST[work % 10]} Papers, volume {work}"}
    return {**own, "cast": people, "lines": lines, "qa": qa, "traits": [trait]}


def write_planted(
    folder: Path,
    tasks: str = "character_guessing",
    *,
    works: int = 40,
    scenes: int = 3,
    prompts: str = '"baseline"',
    tail: str = "",
) -> Path:
    """An experiment over such scenes, under kept and changed names.

    Args:
        folder: Where its files go.
        tasks: Their names, parted by commas.
        works: Invented (count).
        scenes: Of each work (count).
        prompts: The prompts, as TOML.
        tail: Further lines of the conditions.
    """
    write_scenes(folder / "scenes.jsonl", works=works, scenes=scenes)
    tables = "".join(
        f'[[tasks]]\nname = "{task}"\ndataset = "dialogue"\npath = "scenes.jsonl"\n\n'
        for task in tasks.split(",")
    )
    path = folder / "planted.toml"
    path.write_text(
        f"""
name = "planted"
seed = 3

[[models]]
name = "stand-in"
provider = "openai"
model = "stand-in"
base_url = "http://127.0.0.1:9/v1"

{tables}
[conditions]
names = ["original", "cross_culture"]
prompts = [{prompts}]
{tail}
""",
        encoding="utf-8",
    )
    return path


def plan_of(path: Path) -> Plan:
    """The plan of an experiment, asked of one subject."""
    return find(with_subjects(read_spec(path), ["subject"]), path, lambda *_: None)


def everything_of(path: Path) -> list[Asked]:
    """All that an experiment asks."""
    return list(asked(plan_of(path)))


def maker_of(everything: list[Asked], memory: Memory, seed: int = 0) -> PlantedMaker:
    return PlantedMaker(known(everything), "planted", memory, seed)


def request(each: Asked, subject: str = "subject-1", **body: object) -> Request:
    """A condition of an item as a subject is asked it."""
    return Request(
        chat=True,
        model=subject,
        text=each.condition.prompt.text,
        choices=1,
        max_tokens=None,
        logprobs=None,
        body=body,
    )


def right_in(each: Asked, reply: str) -> int:
    """Units that the task's own parser and marking find right in a reply."""
    item = each.condition.prompt.item
    task = task_named(item.task)
    return task.mark(task.parse(reply, item.gold, item.options), item.gold, item.accepted).right
