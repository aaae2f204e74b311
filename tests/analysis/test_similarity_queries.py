"""The generic queries against the same worked out in plain Python, on corpora drawn by chance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

from analysis.errors import BadRequest, NoVectors
from analysis.similarity import Relations, load
from analysis.similarity.rows import answered, in_out, nearest, pairs, top_ten
from analysis.sql import query
from store.read import ask, open_read
from tests.analysis import corpora_for_tests as toys

NAMES = [f"N{number:02}" for number in range(24)]
QUERIES = ("nearest", "in_out", "pairs", "top_ten", "answers_in_groups")


@dataclass(frozen=True)
class Drawn:
    """A corpus, as plain Python has it and as the store does."""

    store: Path
    works: dict[str, str]
    members: list[tuple[str, str, str]]
    counts: dict[tuple[str, str], int]
    answers: list[tuple[str, int, int, str]]
    cosine: dict[tuple[str, str], float]

    def relations(self) -> Relations:
        return load(open_read(self.store), toys.CORPUS, ["made"])

    def others(self, name: str, works: str) -> list[str]:
        return [
            other
            for other in NAMES
            if other != name and (works == "all" or self.works[other] != self.works[name])
        ]

    def group(self, attribute: str, group: str) -> set[str]:
        return {name for a, g, name in self.members if (a, g) == (attribute, group)}


@pytest.fixture(scope="module", params=[1, 2, 3])
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    rng = np.random.default_rng(int(request.param))
    works = {name: f"W{rng.integers(3)}" for name in NAMES}
    members = [
        (attribute, f"g{rng.integers(3)}", name)
        for attribute in ("role", "age")
        for name in NAMES
        if rng.random() < 0.7
    ]
    members += [("role", "alone", NAMES[0])]
    counts = {
        (a, b): int(rng.integers(0, 4))
        for at, a in enumerate(NAMES[:20])
        for b in NAMES[at + 1 : 20]
        if rng.random() < 0.6
    }
    answers = [
        (name, sample, 1, NAMES[int(rng.integers(12))]) for name in NAMES for sample in range(5)
    ]
    answers += [("N23", sample, 1, "N23") for sample in range(5)]
    answers = [a for a in answers if a[0] != "N23" or a[3] == "N23"]
    matrix = rng.normal(size=(len(NAMES), 6)).astype(np.float32)
    centred = matrix.astype(float) - matrix.astype(float).mean(axis=0)
    unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    cosine = {
        (a, b): round(float(unit[i] @ unit[j]), 6)
        for i, a in enumerate(NAMES)
        for j, b in enumerate(NAMES)
    }
    store = toys.hold(
        tmp_path_factory.mktemp("toys"),
        toys.cast(works),
        toys.groups(members),
        toys.pairs((a, b, n) if n % 2 else (b, a, n) for (a, b), n in counts.items()),
        toys.choices("asked", answers),
        toys.vectors(NAMES, matrix),
    )
    return Drawn(store, works, members, counts, answers, cosine)


def test_the_most_similar_is_the_one_with_the_highest_cosine(drawn: Drawn) -> None:
    """Among all and among other works; a hit where it is in the same group of the attribute."""
    rows = nearest(drawn.relations().connection)

    assert len(rows) == 2 * len(drawn.members)
    for row in rows:
        name = row.member.character
        best = max(drawn.others(name, row.works), key=lambda other: drawn.cosine[name, other])
        assert row.chosen == best
        assert row.chosen_work == drawn.works[best]
        assert row.hit == (best in drawn.group(row.member.attribute, row.member.group))


def test_mean_cosines_are_to_the_group_and_to_everyone_else(drawn: Drawn) -> None:
    """None, and not 0, where nobody is there."""
    rows = in_out(drawn.relations().connection)

    assert len(rows) == 2 * len(drawn.members)
    for row in rows:
        name, own = row.member.character, drawn.group(row.member.attribute, row.member.group)
        inside = [drawn.cosine[name, o] for o in drawn.others(name, row.works) if o in own]
        outside = [drawn.cosine[name, o] for o in drawn.others(name, row.works) if o not in own]
        for found, wanted in ((row.mean_in, inside), (row.mean_out, outside)):
            assert (found is None) == (not wanted)
            assert not wanted or found == pytest.approx(mean(wanted), abs=1e-6)
    assert any(row.mean_in is None for row in rows)


def test_every_pair_stands_once_with_its_count_or_0(drawn: Drawn) -> None:
    rows = pairs(drawn.relations().connection, "")

    assert len(rows) == len(NAMES) * (len(NAMES) - 1) // 2
    for row in rows:
        assert row.a < row.b
        assert row.cosine == pytest.approx(drawn.cosine[row.a, row.b], abs=1.5e-6)
        assert row.count == drawn.counts.get((row.a, row.b), 0)


def test_lists_of_ten_share_ties(drawn: Drawn) -> None:
    """The tenth place counts in parts where several share it, and so does the first."""
    rows = {row.character: row for row in top_ten(drawn.relations().connection, "")}

    both = {**drawn.counts, **{(b, a): n for (a, b), n in drawn.counts.items()}}
    for name in NAMES:
        named = {b: n for (a, b), n in both.items() if a == name and n > 0}
        assert (name in rows) == bool(named)
        if not named:
            continue
        ten = sorted(drawn.others(name, "all"), key=lambda o: -drawn.cosine[name, o])[:10]
        weights = {
            other: min(1.0, max(0.0, (10 - sum(m > n for m in named.values())) / _ties(named, n)))
            for other, n in named.items()
        }
        common = sum(weight for other, weight in weights.items() if other in ten)
        size = 10 + min(10, len(named))
        assert rows[name].jaccard == pytest.approx(common / (size - common))
        most = [other for other, n in named.items() if n == max(named.values())]
        assert rows[name].top_share == pytest.approx(mean(other in ten for other in most))
    assert any(0 < row.top_share < 1 for row in rows.values())


def _ties(named: dict[str, int], count: int) -> int:
    return sum(other == count for other in named.values())


def test_an_answer_is_the_first_of_the_most_common_other_names(drawn: Drawn) -> None:
    """Never the character itself; nobody where it was the only one."""
    rows = answered(drawn.relations().connection)

    assert len(rows) == len(drawn.members)
    for row in rows:
        name = row.member.character
        said = [who for asked, _, _, who in drawn.answers if asked == name and who != name]
        best = max(said, key=said.count) if said else None
        assert row.chosen == best
        own = drawn.group(row.member.attribute, row.member.group)
        assert row.hit == (None if best is None else best in own)
    assert any(row.hit is None for row in rows) == any(m[2] == "N23" for m in drawn.members)


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_answers_alike_on_the_store_and_in_memory(name: str, drawn: Drawn) -> None:
    """So that a number of a table can be traced by hand with `probe sql`."""
    text = query(f"similarity/{name}")

    here = drawn.relations().connection.execute(text).fetchall()

    assert open_read(drawn.store).answer(text).rows == here
    assert here


def test_an_encoder_must_be_named_where_there_are_several(tmp_path: Path) -> None:
    """By name, or by id where two have the same name; the first named that has vectors counts."""
    texts = [("Ann", "one"), ("Bob", "two"), ("Cid", "three")]
    store = toys.hold(
        tmp_path, toys.cast({"Ann": "A", "Bob": "A", "Cid": "B"}), toys.features(texts)
    )
    for encoder, revision in (("small", "1"), ("large", "1"), ("large", "2")):
        toys.embed(store, encoder, [text for _, text in texts], revision)
    toys.hold(store)
    reader = open_read(store)

    with pytest.raises(BadRequest, match=r"booknlp_quotes has vectors by \w+, \w+, small; name"):
        load(reader, toys.CORPUS, [])
    with pytest.raises(BadRequest, match="'large' stands for 2 encoders that differ"):
        load(reader, toys.CORPUS, ["large"])
    with pytest.raises(NoVectors, match="no vectors by t5, only by large, small; make vectors"):
        load(reader, toys.CORPUS, ["t5"])
    ids = [
        str(row[0])
        for row in ask(reader, "SELECT encoder_id FROM encoders WHERE encoder = 'large'").rows
    ]
    for given, wanted in ((["small"], "small"), (["t5", "small", ids[0]], "small"), (ids, ids[0])):
        (taken,) = load(reader, toys.CORPUS, given).representations
        assert wanted in {taken.encoder, taken.encoder_id}


def test_a_representation_that_is_partly_embedded_is_not_compared(tmp_path: Path) -> None:
    """Its means would leave features out: it is named, with how many are missing."""
    texts = [("Ann", "one"), ("Bob", "two"), ("Cid", "three")]
    store = toys.hold(
        tmp_path,
        toys.cast({"Ann": "A", "Bob": "A", "Cid": "B"}),
        toys.features(texts),
        toys.features(texts, kind="assertion"),
        toys.features([*texts, ("Ann", "four"), ("Ann", "four")], kind="event"),
    )
    toys.embed(store, "small", ["one", "two", "three"])
    toys.hold(store)

    relations = load(open_read(store), toys.CORPUS, ["small"])

    assert [each.kind for each in relations.representations] == ["assertion", "quote"]
    (left,) = relations.left_out
    assert (left.name, left.reason) == (
        "booknlp_events",
        "2 of its 5 features have no vector by small yet",
    )


def test_a_corpus_without_vectors_is_refused(tmp_path: Path) -> None:
    store = toys.hold(
        tmp_path, toys.cast({"Ann": "A", "Bob": "A"}), toys.features([("Ann", "x"), ("Bob", "y")])
    )

    with pytest.raises(NoVectors, match="booknlp_quotes: none of its 2 features has a vector;"):
        load(open_read(store), toys.CORPUS, [])
    with pytest.raises(NoVectors, match="the store has neither features nor vectors of it;"):
        load(open_read(store), "other", [])
