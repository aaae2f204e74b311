"""Strategies by name, the paper's own maps held against it, a user's maps and their errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from prompts import Character, DatasetError, SetAside, UnknownName
from prompts.datasets.works import works
from prompts.names import replace, undo
from prompts.names.audit import audit
from prompts.names.maps import built_in_maps, read_maps
from prompts.names.planning import NameOptions, plan_map
from prompts.names.strategies import STRATEGIES, strategy_named
from tests.prompts.names_for_tests import item_of, planned

PAPER = Path(__file__).parents[2].parent / "shared" / "papers" / "memorization-over-reasoning.txt"
FRIENDS = works()["friends"].cast
SIX = ["Monica", "Joey", "Chandler", "Phoebe", "Ross", "Rachel"]


def listed(name: str, work: str = "Friends") -> list[tuple[str, str]]:
    entry = built_in_maps()[name].for_work(work)
    assert entry is not None
    return list(entry.names)


def lists_of(text: str) -> list[str]:
    """A printed list, parted at its commas."""
    return [name.strip() for name in text.split(",")]


def test_the_papers_maps_are_the_papers() -> None:
    """Read off appendix E: both lists of E.1, both of E.2, E.3, and Table 7."""
    if not PAPER.exists():
        pytest.skip("needs shared/papers/memorization-over-reasoning.txt beside the repository")
    text = PAPER.read_text(encoding="utf-8")
    e1 = re.search(r"With gender swap:\[(.*?)\] Without gender swap:\[(.*?)\]", text)
    e2 = re.search(r"with\n\[(Sally.*?)\]\.\n\nWith Gender Swap as well, we got \[(.*?)\]", text)
    e3 = re.search(r"with\n\[(Speaker 0.*?)\]", text)
    assert e1
    assert e2
    assert e3
    printed = {
        "paper_cross_culture_swapped": e1[1],
        "paper_cross_culture": e1[2],
        "paper_same_culture": e2[1],
        "paper_same_culture_swapped": e2[2],
        "paper_speakers": e3[1],
    }
    rows = {
        (row := line.split("\t"))[0]: dict(zip(lists_of(row[1]), lists_of(row[2]), strict=True))
        for line in text.splitlines()
        if line.startswith(("TVShow\t", "CSI\t", "PERSONET\t"))
    }

    assert set(printed) == set(built_in_maps())
    for name, new in printed.items():
        assert listed(name) == list(zip(SIX, lists_of(new), strict=True))
    assert rows["TVShow"] == dict(listed("paper_cross_culture_swapped"))
    assert rows["CSI"] == dict(listed("paper_cross_culture", "CSI"))
    assert rows["PERSONET"] == dict(listed("paper_cross_culture", "The Count of Monte Cristo"))


def test_every_built_in_strategy_is_found_by_its_name() -> None:
    assert len(set(STRATEGIES)) == len(STRATEGIES) == 12
    assert set(built_in_maps()) < set(STRATEGIES)
    for name in STRATEGIES:
        strategy = strategy_named(name)
        assert strategy.name == name
        assert strategy.swapped == (name.endswith("_swapped") and not name.startswith("paper"))
        assert (strategy.base == "named_map") == (strategy.named_map is not None)
    with pytest.raises(UnknownName, match="unknown name strategy 'same_cultur'; did you mean"):
        strategy_named("same_cultur")
    with pytest.raises(UnknownName, match="unknown name strategy 'masked_swapped'"):
        strategy_named("masked_swapped")


def test_a_named_map_replaces_its_names_and_leaves_the_others_to_the_audit() -> None:
    """Speakers' labels, possessives and capitals as for every strategy; nobody else."""
    text = "Monica Geller: Hi, Rach.\nJOEY: Rachel's out.\nmr. geller : Gunther? Mr. Geller!"
    for name in ("paper_speakers", "paper_same_culture"):
        name_map = planned(text, names=name, cast=FRIENDS, work="friends")
        changed = replace(text, name_map)
        new = dict(listed(name))

        assert changed.text == (
            f"{new['Monica']} Geller: Hi, Rach.\n{new['Joey'].upper()}: {new['Rachel']}'s out.\n"
            "mr. geller : Gunther? Mr. Geller!"
        )
        assert name_map.people["Monica Geller"] == f"{new['Monica']} Geller"
        assert "Gunther" not in name_map.people
        assert undo(changed.text, changed.edits) == text
        assert replace(changed.text, name_map).text == changed.text
        assert audit(changed, name_map, FRIENDS).leaks == {"Geller": 2, "Gunther": 1, "Rach": 1}


def test_a_map_finds_names_with_articles_accents_and_titles() -> None:
    text = "The Count met Dantes; the Count of Monte Cristo was Edmond Dantès, or Abbé Busoni."
    name_map = planned(text, names="paper_cross_culture", cast=(), work="Count of Monte Cristo")

    assert replace(text, name_map).text == (
        "Nüxia met Danqing; Nüxia of Mingxia was Edmond Danqing, or Busu."
    )


def test_an_item_of_a_work_that_the_map_does_not_know_is_set_aside() -> None:
    reason = "item i1: the name map 'paper_speakers' does not know the work 'Emma'"
    with pytest.raises(SetAside, match=reason):
        planned("Emma", names="paper_speakers", work="Emma")


def test_a_text_that_has_a_new_name_already_is_set_aside() -> None:
    """Two people would be one; the verb in lower case is no name."""
    reason = (
        "item i1: the name map 'paper_same_culture' makes 'Monica' into 'Sally', which the text"
    )
    with pytest.raises(SetAside, match=reason):
        planned("Monica met Sally.", names="paper_same_culture", work="Friends")
    planned("Monica may sally forth.", names="paper_same_culture", work="Friends")


def test_people_who_become_one_are_set_aside(tmp_path: Path) -> None:
    maps = read_maps(written(tmp_path, '[own.Emma]\nWeston = "Liu"\nTaylor = "Zhang"'))
    cast = (Character(name="Mrs. Weston"), Character(name="Mrs. Liu"))
    text = "Mrs. Weston, mrs. liu"
    with pytest.raises(SetAside, match="two people of the cast become the same name"):
        plan_map(
            item_of(text, cast, "Emma"),
            strategy_named("own", maps),
            texts=(text,),
            options=NameOptions(cross_culture="chinese", seed=1),
            placeholder="P",
        )


def written(folder: Path, text: str) -> Path:
    path = folder / "maps.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_users_map_may_let_names_change_places(tmp_path: Path) -> None:
    """Then replacing twice goes back, which the map says of itself."""
    path = written(tmp_path, '[swap.friends]\nRoss = "Joey"\nJoey = "Ross"\nMonica = "Meilin"')
    maps = read_maps(path)
    entry = maps["swap"].for_work("Friends")
    text = "Ross and JOEY's Monica"
    name_map = plan_map(
        item_of(text, FRIENDS, "Friends"),
        strategy_named("swap", maps),
        texts=(text,),
        options=NameOptions(cross_culture="chinese", seed=1),
        placeholder="P",
    )
    once = replace(text, name_map)

    assert entry is not None
    assert entry.permutes
    assert once.text == "Joey and ROSS's Meilin"
    assert replace(once.text, name_map).text == "Ross and JOEY's Meilin"
    assert undo(once.text, once.edits) == text
    assert audit(once, name_map, FRIENDS).leaks == {}
    assert not any(named.works[0].permutes for named in built_in_maps().values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"maps\.toml: no map; begin one with a line \[my_map"),
        ("[a", r"maps\.toml: not TOML \(.*; mend the line"),
        ('[a.Emma]\nEmma = "X"\nEmma = "Y"', "not TOML"),
        ("a = 1", r"maps\.toml, \[a\]: 1 instead of a table; write a table for each work"),
        ("[a]", r"\[a\]: empty; write a table for each work"),
        ('[a]\nEmma = "X"', r"\[a\.'Emma'\]: 'X' instead of a table; write a line for each name"),
        ("[a.Emma]", r"\[a\.'Emma'\]: empty; write a line for each name"),
        ("[a.Emma]\nJane = 3", r"\[a\.'Emma'\], 'Jane': 3 for 'Jane'; write a name"),
        ('[a.Emma]\nJane = " "', r"'Jane': ' ' for 'Jane'; write a name and its new name"),
        ('[a.Emma]\nJane = "JANE"', r"'Jane': becomes itself; take the line out"),
        ('[a.Emma]\nJane = "X"\nANN = "x"', r"'ANN': 'x' is what 'Jane' becomes too; give each"),
        ('[a.Emma]\nJane = "X"\njane = "Y"', r"'jane': the same name as 'Jane'; write it once"),
        ('[a.Emma]\nJane = "Ann"\nAnn = "Y"', r"'Jane': becomes 'Ann', which is another name of"),
        ('[masked.Emma]\nJane = "X"', r"\[masked\]: the name of a built-in strategy; choose"),
        ('[a.friends]\nRoss = "X"\n[a.Friends]\nJoey = "Y"', r"the same work as 'friends'; join"),
    ],
)
def test_a_map_that_is_none_says_where_and_what_to_do(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(DatasetError, match=message):
        read_maps(written(tmp_path, text))


def test_a_missing_file_of_maps_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"none\.toml: no such file"):
        read_maps(tmp_path / "none.toml")
