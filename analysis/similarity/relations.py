"""What a study of similar characters is worked out from, read from a store once.

The views of a store take seconds; here they are tables of the same names in memory, cut down to one
corpus and to one encoder for each representation. So the queries of `analysis/sql/similarity` run
on them as they run on the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from analysis.errors import BadRequest, NoVectors
from analysis.similarity.own import Own, OwnSystem, find_own
from analysis.sql import query
from store.gate import with_literals
from store.read import Connection, Source, ask
from store.scratch import scratch


@dataclass(frozen=True, slots=True, kw_only=True)
class Representation:
    """Characters' vectors of one kind of feature from one pipeline, by one encoder."""

    pipeline: str
    kind: str
    encoder: str
    encoder_id: str

    @property
    def name(self) -> str:
        """As tables call it."""
        return representation_name(self.pipeline, self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A representation that is not compared, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Relations:
    """A corpus's similarities and benchmarks in memory.

    Attributes:
        connection: Has the tables similarity, characters, character_groups, character_pairs and
            character_choices, with the columns of the views of these names. Answers of the user's
            own models are among the choices, and the names on each one's list in the table offered
            (corpus, system, name).
        representations: Those that `similarity` holds, in the order of their names.
        left_out: Those of the corpus that it does not hold.
        own: The user's own models that were asked about the corpus's characters.
    """

    connection: Connection
    corpus: str
    representations: tuple[Representation, ...]
    left_out: tuple[LeftOut, ...]
    own: Own = field(default_factory=Own)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vectors:
    """What one encoder has made of a representation; counts are None where it made it elsewhere."""

    pipeline: str
    kind: str
    encoder: str | None
    encoder_id: str | None
    features: int | None
    embedded: int | None


def representation_name(pipeline: object, kind: object) -> str:
    """What tables call a representation: its pipeline and what it is made of."""
    return f"{pipeline}_{kind}s"


def load(source: Source, corpus: str, encoders: Sequence[str]) -> Relations:
    """Read a corpus's similarities and benchmarks.

    Args:
        source: The store.
        corpus: Which of its corpora.
        encoders: Names or ids of encoders; a representation is taken by the first of them that has
            vectors of it. With none, each by the only one that has.

    Raises:
        NoVectors: No representation can be taken.
        BadRequest: A name stands for several encoders, or none is given where there are several.
        QueryError: The store refuses a query.
    """
    found = sorted(_coverage(source, corpus), key=lambda each: (each.pipeline, each.kind))
    taken: list[Representation] = []
    left_out: list[LeftOut] = []
    for _, own in groupby(found, key=lambda each: (each.pipeline, each.kind)):
        decided = _decide(list(own), encoders)
        if isinstance(decided, Representation):
            taken.append(decided)
        else:
            left_out.append(decided)
    if not taken:
        by_reason: dict[str, list[str]] = {}
        for each in left_out:
            by_reason.setdefault(each.reason, []).append(each.name)
        reasons = tuple(f"{', '.join(names)}: {why}" for why, names in by_reason.items())
        fix = "make vectors with `probe embed`, or name another encoder with --vectors"
        raise NoVectors(corpus, reasons, fix)
    asked = find_own(source, corpus)
    return Relations(
        connection=scratch(source, _queries(corpus, taken) | own_queries(corpus, asked.systems)),
        corpus=corpus,
        representations=tuple(taken),
        left_out=tuple(left_out),
        own=asked,
    )


def _coverage(source: Source, corpus: str) -> list[_Vectors]:
    text = f"SELECT * FROM (\n{query('similarity/coverage')}\n) WHERE corpus = $corpus"

    def name(value: object) -> str | None:
        return None if value is None else str(value)

    def count(value: object) -> int | None:
        return None if value is None else int(str(value))

    return [
        _Vectors(
            pipeline=str(row["pipeline"]),
            kind=str(row["kind"]),
            encoder=name(row["encoder"]),
            encoder_id=name(row["encoder_id"]),
            features=count(row["features"]),
            embedded=count(row["embedded"]),
        )
        for row in ask(source, text, {"corpus": corpus}).records()
    ]


def _decide(own: Sequence[_Vectors], encoders: Sequence[str]) -> Representation | LeftOut:
    """Which encoder's vectors of a representation are taken, or why none are."""
    name = representation_name(own[0].pipeline, own[0].kind)
    made = {each.encoder_id: each for each in own if each.encoder_id is not None}
    if not made:
        return LeftOut(name=name, reason=f"none of its {own[0].features} features has a vector")
    matched = _matched(name, list(made.values()), encoders)
    if matched is None:
        has = ", ".join(sorted({str(each.encoder) for each in made.values()}))
        return LeftOut(name=name, reason=f"no vectors by {' or '.join(encoders)}, only by {has}")
    if matched.features is not None and matched.embedded != matched.features:
        missing = matched.features - (matched.embedded or 0)
        reason = (
            f"{missing} of its {matched.features} features have no vector by {matched.encoder} yet"
        )
        return LeftOut(name=name, reason=reason)
    return Representation(
        pipeline=matched.pipeline,
        kind=matched.kind,
        encoder=str(matched.encoder),
        encoder_id=str(matched.encoder_id),
    )


def _matched(name: str, made: Sequence[_Vectors], encoders: Sequence[str]) -> _Vectors | None:
    if not encoders:
        if len(made) > 1:
            has = ", ".join(sorted(_called(each, made) for each in made))
            raise BadRequest(f"{name} has vectors by {has}; name one with --vectors")
        return made[0]
    for encoder in encoders:
        own = [each for each in made if encoder in (each.encoder, each.encoder_id)]
        if len(own) > 1:
            ids = ", ".join(sorted(str(each.encoder_id) for each in own))
            raise BadRequest(
                f"{encoder!r} stands for {len(own)} encoders that differ in what makes a vector;"
                f" give --vectors one of their ids: {ids}"
            )
        if own:
            return own[0]
    return None


def _called(each: _Vectors, made: Sequence[_Vectors]) -> str:
    """An encoder's name, or its id where another has the same name."""
    alone = [other.encoder for other in made].count(each.encoder) == 1
    return str(each.encoder if alone else each.encoder_id)


def _queries(corpus: str, taken: Sequence[Representation]) -> dict[str, str]:
    own = " OR ".join(
        f"(pipeline = $p{at} AND kind = $k{at} AND encoder_id = $e{at})" for at in range(len(taken))
    )
    named: dict[str, object] = {"corpus": corpus}
    for at, each in enumerate(taken):
        named |= {f"p{at}": each.pipeline, f"k{at}": each.kind, f"e{at}": each.encoder_id}
    similarity = f"SELECT * FROM similarity WHERE corpus = $corpus AND ({own})"
    queries = {"similarity": with_literals(similarity, named)}
    for view in ("characters", "character_groups", "character_pairs", "character_choices"):
        queries[view] = with_literals(f"SELECT * FROM {view} WHERE corpus = $corpus", named)
    return queries


def own_queries(corpus: str, systems: Sequence[OwnSystem]) -> dict[str, str]:
    """The choices with those of the user's own models among them, and what these chose from."""
    if not systems:
        return {}
    named: dict[str, object] = {"corpus": corpus}
    rows = []
    for at, each in enumerate(systems):
        place = (each.name, each.experiment, each.dataset, each.work, each.task, each.model)
        values = {f"s{at}v{n}": value for n, value in enumerate((*place, each.names, each.prompt))}
        rows.append(f"({', '.join(f'${name}' for name in values)})")
        named |= values
    columns = "system, experiment, dataset, work, task, model, names, prompt"
    own = f"(VALUES {', '.join(rows)}) AS own({columns})"
    choices = f"""
        SELECT * FROM main.character_choices WHERE corpus = $corpus
        UNION ALL BY NAME
        SELECT $corpus AS corpus, own.system, a.character, a.sample, a.rank, a.chosen
        FROM answered_choices AS a
        JOIN {own} USING (experiment, dataset, work, task, model, names, prompt)"""
    offered = f"""
        SELECT $corpus AS corpus, own.system, o.name
        FROM ({query("similarity/offered")}) AS o JOIN {own} USING (experiment, dataset, work)"""
    return {
        "character_choices": with_literals(choices, named),
        "offered": with_literals(offered, named),
    }
