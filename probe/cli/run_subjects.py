"""Runs an experiment on simulated subjects: the endpoint as a child, the engine of `probe run`."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import uvloop
from rich.text import Text

from analysis.calibration import Expected, Group, Planted, Where
from analysis.contrasts import Contrast, contrasts
from analysis.pairs import Condition
from analysis.scoring import score_replies
from probe.conduct import Conductor
from probe.ended import Ended
from probe.errors import ProviderDown
from probe.progress import Display, FetchDisplay
from probe.resolve import find, provider_for
from probe.simulate.gold import Asked, asked, known
from probe.simulate.memory import Memory, kind_of
from probe.simulate.subjects import nr_of, with_subjects
from probe.snapshot import RunState
from store.database import Database
from store.read import open_read

if TYPE_CHECKING:
    from probe.plan import Plan
    from probe.spec import Spec
    from store.read import Connection

BATCH: Final = 100
"""Subjects of one run (count): each has a connection of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Subjects to be asked.

    Attributes:
        name: Of the kind; their names begin with it.
        count: How many.
    """

    name: str
    count: int
    memory: Memory
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """An experiment to be run on subjects.

    Attributes:
        spec: As its file has it.
        path: Of the file.
        text: Of the file.
        store: The folder of the store.
        limits: Numbers of items to be asked of each task and dataset; 0 is as the file says.
    """

    spec: Spec
    path: Path
    text: str
    store: Path
    limits: Sequence[int]
    _asked: dict[int, list[Asked]] = field(default_factory=dict)

    def groups(self, kind: Kind) -> Iterator[Group]:
        """Subjects of one kind with each number of items, the most first: others are among them.

        Raises:
            ProviderDown: The endpoint cannot be asked.
            KeyboardInterrupt: It was interrupted; what was answered is kept.
        """
        known(self._all_asked(max(self.limits)))  # refuses here what the endpoint would refuse
        with self._playing(kind, max(self.limits)) as url:
            for limit in sorted(self.limits, reverse=True):
                found: list[Contrast] = []
                for first in range(1, kind.count + 1, BATCH):
                    last = min(first + BATCH - 1, kind.count)
                    found += self._run(kind, (first, last), url, limit)
                yield Group(
                    name=kind.name,
                    limit=limit or None,
                    planted=Planted.of(expected(self._all_asked(limit), kind.memory)),
                    contrasts=found,
                )

    def _run(self, kind: Kind, of: tuple[int, int], url: str, limit: int) -> list[Contrast]:
        """Ask a batch of subjects what the store does not hold, and compare."""
        first, last = of
        spec = with_subjects(
            self.spec,
            [f"{kind.name}-{number:03d}" for number in range(first, last + 1)],
            base_url=url,
            kind=kind_of(kind.memory, kind.seed),
            items=limit,
        )
        name = f"{self.spec.name}-{kind.name}-{limit or 'all'}-{first:03d}"
        plan = self._found(spec.model_copy(update={"name": name}))
        with Database(self.store, after_replies=_score) as database:
            ended = _run(database, plan, self.text, self.path)
        if ended.interrupted:
            raise KeyboardInterrupt
        if ended.down:
            raise ended.down[0]
        if ended.failed:
            click.echo(f"probe: {ended.failed} cells of {name} failed; they are missing", err=True)
        reader = open_read(self.store)  # which has more memory than the store's owner
        try:
            return contrasts(reader, name, self.spec.seed, nr=nr_of(self.spec))
        finally:
            reader.close()

    def unreadable(self) -> int:
        """Prompts whose right answer its task's parser does not read as right (count)."""
        return sum(each.readable < each.units for each in self._all_asked(max(self.limits)))

    def _all_asked(self, limit: int) -> list[Asked]:
        """All that is asked with so many items."""
        if limit not in self._asked:
            plan = self._found(with_subjects(self.spec, ["subject"], items=limit))
            self._asked[limit] = list(asked(plan))
        return self._asked[limit]

    def _found(self, spec: Spec) -> Plan:
        fetching = FetchDisplay()
        try:
            return find(spec, self.path, fetching)
        finally:
            fetching.close()

    @contextmanager
    def _playing(self, kind: Kind, limit: int) -> Iterator[str]:
        """The endpoint that plays subjects, in a process of its own; its base URL."""
        words = [sys.executable, "-m", "probe", "simulate", "--until-stdin-closes"]
        words += ["--replies", "planted", "--experiment", str(self.path), "--seed", f"{kind.seed}"]
        words += ["--items", str(limit)] if limit else []
        for name, value in asdict(kind.memory).items():
            words += [f"--{name.replace('_', '-')}", repr(value)]
        with subprocess.Popen(  # noqa: S603 - our own command
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the run, which ends gently, and then ends this
        ) as child:
            if child.stdin is None or child.stdout is None:
                raise RuntimeError("started without pipes")
            try:
                url = child.stdout.readline().decode().strip()
                if not url:
                    found = f"the simulated endpoint ended with code {child.wait()}"
                    raise ProviderDown(kind.name, found, f"see why: probe {' '.join(words[3:])}")
                yield url
            finally:
                child.stdin.close()
                child.wait()


def expected(everything: Iterable[Asked], memory: Memory) -> Iterator[Expected]:
    """What subjects of a kind are expected to score, item by item.

    A unit whose right answer its task's parser does not read as right is never right.
    """
    for each in everything:
        condition, passage = each.condition, each.question.passage
        item, manner = condition.item, condition.prompt.manner
        score = memory.expected(names_kept=passage.names_kept, prompt=passage.prompt)
        yield Expected(
            where=Where(
                item.task, item.dataset, condition.choices, manner.wording.name, manner.descriptions
            ),
            condition=Condition(condition.prompt.shown.names, passage.prompt),
            item_id=item.item_id,
            units=each.units,
            right=each.readable * score,
        )


def _run(database: Database, plan: Plan, spec_text: str, path: Path) -> Ended:
    """Ask what the store does not hold, score it, and say how it ended."""
    conductor = Conductor(
        plan=plan,
        spec_text=f"# Simulated subjects stand in the place of these models.\n{spec_text}",
        database=database,
        make_provider=lambda model, log: provider_for(model.spec, path, log, FetchDisplay()),
        _display=Display(_picture, _lines),
    )
    prepared = conductor.prepare()
    gc.freeze()
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            ended = runner.run(conductor.run(prepared))
    finally:
        gc.unfreeze()
    database.call_for_all(score_replies)
    return ended


def _score(connection: Connection, keys: Sequence[str]) -> None:
    score_replies(connection, keys)


def _lines(state: RunState) -> list[str]:
    """A run in one line, however many subjects."""
    done = sum(model.done + model.failed for model in state.models)
    to_ask = sum(model.to_ask or 0 for model in state.models)
    known = bool(state.models) and all(model.to_ask is not None for model in state.models)
    of = f"{done:,} of {to_ask:,}" if known else f"{done:,}"
    return [f"{state.experiment}: {of} replies"]


def _picture(state: RunState) -> Text:
    return Text("\n".join(_lines(state)))
