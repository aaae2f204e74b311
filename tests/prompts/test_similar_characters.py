"""A list of characters as a dataset, and the prompts that ask which of them are alike."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from probe.spec import TaskSpec, dataset_path, read_spec
from prompts import NAMES, DatasetError, Item, Manner, NamePolicy, Names, UnknownName, render, show
from prompts.datasets import Selection, dataset_named
from prompts.tasks import TASKS, Answer, Ranking, ranking

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "data" / "austenalike"
PEOPLE = (
    "Viola",
    "Mr. Page",
    "Mrs. Page",
    "Anne Page",
    "Sir John Falstaff",
    "Lady Percy",
    "Percy",
    "Chloë",
    "Jean-Luc O'Brien",
    "First Clown",
    "Orlando",
    "Duke Frederick",
)
# Masks of a whole name and of that name with a title are not told apart in the passage.
MASKABLE = tuple(name for name in PEOPLE if name != "Percy")


def a_list(folder: Path, text: str | bytes) -> Path:
    path = folder / "people.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def items(path: Path, task: str = "most_similar_character", **changes: object) -> list[Item]:
    selection = Selection(task=task, **changes)  # type: ignore[arg-type]
    return list(dataset_named("characters").read(path, selection))


def test_each_name_is_an_item_and_the_list_stays_whole(tmp_path: Path) -> None:
    path = a_list(tmp_path, "\ufeffViola\r\n Sir Toby Belch \r\nMaria\tfemale\r\nOlivia")
    found = items(path, options=10)

    assert [item.item_id for item in found] == ["Viola", "Sir Toby Belch", "Maria", "Olivia"]
    assert {item.options for item in found} == {("Viola", "Sir Toby Belch", "Maria", "Olivia")}
    assert [item.text for item in found] == [item.item_id for item in found]
    assert [item.gold for item in found] == [{"target": item.item_id} for item in found]
    assert [each.gender for each in found[0].cast] == ["unknown", "male", "female", "unknown"]
    assert {(item.work, item.dataset) for item in found} == {("people", "characters")}
    assert items(path, works=("People",)) == items(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: no name; take empty lines out"),
        ("Viola", "1 name; most_similar_character needs at least 2"),
        ("Viola\n\nOrsino\n", "line 2: no name"),
        ("Viola\nOrsino\n\n", "line 3: no name"),
        ("Viola\nOrsino\nViola\n", "line 3: 'Viola' reads like 'Viola' on line 1"),
        ("Chloë\nCHLOE", "line 2: 'CHLOE' reads like 'Chloë' on line 1"),
        ("Viola\nOrsino\tduke\n", "line 2: 'duke' after a tab; write female or male"),
        ("Viola\nOrsino\t\n", "line 2: '' after a tab"),
        ("Viola\rOrsino", "line 1: the control character '\\r'; end each line in LF"),
        ("Viola\n12\n", "line 2: '12' is no name"),
        ("Viola\n" + "x" * 201, "line 2: "),
        (b"Viola\nChlo\xeb\n", "byte 10: not UTF-8"),
        ("\n".join(f"Name {n} x" for n in range(1001)), "line 1001: more than 1000 names"),
    ],
)
def test_a_list_with_a_fault_is_refused_at_its_line(
    tmp_path: Path, text: str | bytes, said: str
) -> None:
    with pytest.raises(DatasetError) as caught:
        items(a_list(tmp_path, text))

    assert str(caught.value).startswith(str(tmp_path / "people.txt"))
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_what_a_list_cannot_serve_is_refused(tmp_path: Path) -> None:
    """Too few names for ten, other works, and settings of passages and titles."""
    path = a_list(tmp_path, "\n".join(PEOPLE[:10]))

    with pytest.raises(DatasetError, match="10 names; ten_most_similar_characters needs at leas"):
        items(path, "ten_most_similar_characters")
    with pytest.raises(DatasetError, match="excerpt_words = 120 for a list of names; leave"):
        items(path, excerpt_words=120)
    with pytest.raises(DatasetError, match="options = 4, but all names of the list are offered"):
        items(path, options=4)
    with pytest.raises(UnknownName, match="unknown work 'Emma'; known: people"):
        items(path, works=("Emma",))


def test_an_experiment_that_says_nothing_of_titles_passes(tmp_path: Path) -> None:
    """The numbers that a file without those settings gives are the ones a list ignores."""
    task = TaskSpec(name="most_similar_character", dataset="characters", path="x")
    path = a_list(tmp_path, "Viola\nOrsino")

    assert items(path, options=task.options, excerpt_words=task.excerpt_words) == items(path)


def test_the_prompt_shows_the_numbered_list_and_forbids_the_target(tmp_path: Path) -> None:
    path = a_list(tmp_path, "\n".join(PEOPLE))
    texts = {
        task: render(
            show(items(path, task)[6], "original", NamePolicy()), Manner(prompt="baseline")
        ).text
        for task in TASKS
        if "similar" in task
    }

    assert texts["most_similar_character"] == (
        "Here is the name of a character. Which character of the numbered list below is the most "
        "similar to this one?\n\nPercy\n\nThe list:\n1. Viola\n2. Mr. Page\n3. Mrs. Page\n"
        "4. Anne Page\n5. Sir John Falstaff\n6. Lady Percy\n7. Percy\n8. Chloë\n"
        "9. Jean-Luc O'Brien\n10. First Clown\n11. Orlando\n12. Duke Frederick\n\n"
        "Do not choose 7, which is Percy. Reply with the number of the character you choose and "
        "nothing else."
    )
    assert texts["most_similar_character_reasoned"].endswith("in the form\nAnswer: number")
    assert "Which ten characters" in texts["ten_most_similar_characters"]
    assert "ten different numbers" in texts["ten_most_similar_characters"]


@pytest.mark.parametrize("task", [task for task in TASKS if "similar" in task])
def test_the_three_prompts_are_worded_apart(task: str) -> None:
    baseline, verbatim, gist = (
        TASKS[task].instruction(p) for p in ("baseline", "verbatim", "gist")
    )

    assert verbatim.startswith(baseline)
    assert gist.startswith(baseline)
    assert "recall" in verbatim
    assert "Work it out" in gist


def shown_right(path: Path, names: Names, seed: int) -> None:
    """The list stays a list of as many people, and the target stands in its own place."""
    for place, item in enumerate(items(path)):
        shown = show(item, names, NamePolicy(seed=seed))
        people_map = shown.name_map.people
        target = shown.item.gold["target"]

        assert len(set(shown.item.options)) == len(item.options)
        assert shown.item.options.index(target) == place
        assert shown.item.text.endswith(target)  # a mask may keep the title: "Mrs. N3"
        assert [people_map.get(name, name) for name in item.options] == list(shown.item.options)
        assert render(shown, Manner(prompt="gist")).text.count(f"\n{place + 1}. {target}\n") == 1


@pytest.mark.parametrize("names", NAMES)
def test_names_target_and_list_are_replaced_together(tmp_path: Path, names: Names) -> None:
    """`name_map` leads from every name that is shown back to the character."""
    shown_right(a_list(tmp_path, "\n".join(MASKABLE)), names, 7)


@pytest.mark.parametrize("names", ["masked"])
def test_masks_do_not_tell_the_target_by_their_number(tmp_path: Path, names: Names) -> None:
    """Numbered by appearance the target would always be the first."""
    path = a_list(tmp_path, "\n".join(MASKABLE))
    masks = {show(item, names, NamePolicy()).item.gold["target"] for item in items(path)}

    assert len(masks) > 5


def test_the_experiment_that_ships_is_read() -> None:
    path = ROOT / "experiments" / "similar-characters.toml"
    tasks = read_spec(path).tasks

    assert [task.name for task in tasks] == [name for name in TASKS if "similar" in name]
    for task in tasks:
        root = dataset_path(task, path)
        assert root
        assert len(items(root, task.name)) == 23
        assert all(person.gender != "unknown" for person in items(root)[0].cast)


def published(name: str) -> Path:
    if not (SHARED / name).exists():
        pytest.skip(f"needs shared/data/austenalike/{name} beside the repository")
    return SHARED / name


@pytest.mark.parametrize("names", NAMES)
def test_the_papers_list_is_shown_whole_under_every_strategy(names: Names) -> None:
    """109 people with families and titles; nobody is set aside."""
    path = published("characters.tsv")

    assert len(items(path)) == 109
    shown_right(path, names, 7)


def test_every_name_of_the_papers_list_is_read_as_itself() -> None:
    """By number, by name, by both, and after the reply's own count."""
    one, reasoned = TASKS["most_similar_character"], TASKS["most_similar_character_reasoned"]
    options = items(published("characters.tsv"))[0].options
    for number, name in enumerate(options, start=1):
        gold = {"target": options[number % 109]}
        for form in (f"{number}", name, f"{number}. {name}", f"{name} ({number})", f"1. {name}"):
            assert one.parse(form, gold, options) == Answer({"1": name})
            assert reasoned.parse(f"Why.\nAnswer: {form}", gold, options) == Answer({"1": name})


@pytest.mark.parametrize("form", ["{number}", "{at}. {number}", "{at}. {name}", "{number}. {name}"])
def test_the_published_answers_are_read_back_from_the_forms_of_replies(form: str) -> None:
    """Fifty names a row, ten a reply: written as a reply and read again, each once, in order."""
    options = items(published("characters.tsv"))[0].options
    with published("gpt4/top10_results_t02.tsv").open(encoding="utf-8", newline="") as file:
        rows = [row[2:] for row in csv.reader(file, delimiter="\t")][1:]
    for row in rows:
        for start in range(0, len(row), 10):
            given = [name for name in row[start : start + 10] if name in options]
            reply = "\n".join(
                form.format(at=at, number=options.index(name) + 1, name=name)
                for at, name in enumerate(given, start=1)
            )
            read = ranking(reply, options)
            assert (list(read.names) if isinstance(read, Ranking) else []) == list(
                dict.fromkeys(given)
            )
