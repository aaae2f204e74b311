"""Files in the batch format, without an endpoint: written for `vllm run-batch`, and read back.

A line is named by the first key it asks for, so that a file can be read at any time, more than
once, and beside others: what the store holds already is passed over.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final
from uuid import uuid4

from probe.batch.records import Asked, Line
from probe.batch.take import Sent, put_down
from probe.budget import Budget, Ceiling
from probe.errors import NoBatch
from probe.feed import PAGE, Recording, StoreCells, jobs
from probe.gate import Pause
from probe.ledger import Ledger
from probe.plan import Drawn, Model, Plan
from probe.provenance import provenance
from probe.providers import OpenAIChat
from probe.providers.base import Reply
from probe.providers.batches import LineResult
from probe.providers.openai_batches import batch_line, read_line
from probe.record import Scope, plan_rows, recorded
from probe.run import ModelRun
from store.database import Database
from store.journal import Journal
from store.keys import as_one
from store.read import JOURNAL, Connection, ask
from store.rows import RunEndRow, RunRow

_TOGETHER: Final = 4_000
_TAKES_FILES: Final = frozenset({"openai", "vllm"})
_KEY_LENGTH: Final = 64


@dataclass(slots=True, kw_only=True)
class ReadBack:
    """What a file brought.

    Attributes:
        replies: Cells that got one (count).
        held: Lines that had been read before, or whose cells have a reply (count).
        failed: Cells given up (count).
        problems: What is wrong with single lines, in words.
    """

    replies: int = 0
    held: int = 0
    failed: int = 0
    problems: list[str] = field(default_factory=list)


def model_named(plan: Plan, name: str) -> Model:
    """The model whose cells a file is of.

    Raises:
        NoBatch: There is none of the name, or none that is asked as OpenAI's API has it.
    """
    known = {model.spec.name: model for model in plan.models}
    if name not in known:
        raise NoBatch(
            f"model {name}", "the experiment has none of that name", f"it has {', '.join(known)}"
        )
    if known[name].spec.provider not in _TAKES_FILES:
        found = f"provider {known[name].spec.provider} takes no files in OpenAI's format"
        raise NoBatch(f"model {name}", found, "name one with provider openai or vllm")
    return known[name]


async def write_lines(
    plan: Plan, spec_text: str, database: Database, model: Model, out: Path
) -> int:
    """Write a line for every request that is to be sent still; return how many.

    The plan is recorded first, as a run does. The file is there whole or not at all.

    Raises:
        NoBatch: The file cannot be written.
    """
    run_id = _run_id()
    with plan.draw() as drawn, closing(Journal(database.path / JOURNAL, run_id)) as journal:
        ledger = Ledger(run_id=run_id, journal=journal, database=database)
        recording = await _recorded(plan, drawn, spec_text, ledger, database)
        cells = StoreCells(
            recording=recording,
            scope=Scope(experiment_id=drawn.experiment_id, run_id=run_id),
            model=model.spec.name,
            samples=model.spec.request_samples,
        )
        try:
            return await _write(_model_run(model, ledger), cells, out)
        except OSError as error:
            found = f"cannot be written ({error.strerror})"
            raise NoBatch(str(out), found, "name another --out") from None


async def _recorded(
    plan: Plan, drawn: Drawn, spec_text: str, ledger: Ledger, database: Database
) -> Recording:
    act = partial(recorded, experiment_id=drawn.experiment_id)
    done = await asyncio.to_thread(database.call, act)
    if not done.known:
        await ledger.keep(*plan_rows(plan, drawn, spec_text))
    recording = Recording(database=database, drawn=drawn, done=done)
    await recording.run()
    return recording


async def _write(run: ModelRun, cells: StoreCells, out: Path) -> int:
    new, lines = out.with_name(f"{out.name}.new"), 0
    with new.open("wb") as file:
        while page := await cells.take(PAGE):
            for job in jobs(page, run):
                file.write(batch_line(run.model.spec, job.keys[0], job.body) + b"\n")
                lines += 1
    new.replace(out)
    return lines


def _run_id() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"


def _model_run(model: Model, ledger: Ledger) -> ModelRun:
    """What makes bodies and takes replies; it asks nobody."""
    clock = asyncio.get_running_loop()
    return ModelRun(
        model=model,
        provider=OpenAIChat(model.spec, model.spec.base_url or ""),
        ledger=ledger,
        budget=Budget(ceiling=Ceiling()),
        pause=Pause(clock),
        clock=clock,
    )


async def read_lines(
    plan: Plan, spec_text: str, database: Database, model: Model, file: Path
) -> ReadBack:
    """Take in what came of a file's lines.

    Raises:
        NoBatch: The file cannot be read, or the store has no plan of the experiment.
    """
    experiment_id = await asyncio.to_thread(database.call, partial(_plan_of, plan=plan))
    run_id = _run_id()
    with closing(Journal(database.path / JOURNAL, run_id)) as journal:
        ledger = Ledger(run_id=run_id, journal=journal, database=database)
        await ledger.keep(
            RunRow(
                run_id=run_id,
                experiment_id=experiment_id,
                started_at=datetime.now(UTC),
                provenance=provenance(spec_text),
            )
        )
        reading = _Reading(_model_run(model, ledger), database, plan.spec.name, file)
        try:
            back = await reading.read()
        except OSError as error:
            found = f"cannot be read ({error.strerror})"
            raise NoBatch(str(file), found, "name what `vllm run-batch -o` wrote") from None
        await ledger.keep(
            RunEndRow(
                run_id=run_id,
                ended_at=datetime.now(UTC),
                how="done",
                asked=back.replies,
                failed=back.failed,
            )
        )
    return back


def _plan_of(connection: Connection, plan: Plan) -> str:
    """The last plan of an experiment that the store has."""
    rows = ask(
        connection,
        """
        SELECT experiment_id FROM experiments WHERE experiment = $name
        ORDER BY planned_at DESC LIMIT 1""",
        {"name": plan.spec.name},
    ).rows
    if not rows:
        fix = "name the store that `probe batch write` was given"
        raise NoBatch(f"experiment {plan.spec.name}", "the store has no plan of it", fix)
    return str(rows[0][0])


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A line's result, and its number in the file."""

    number: int
    result: LineResult


class _Reading:
    """One way through a file."""

    def __init__(self, run: ModelRun, database: Database, experiment: str, file: Path) -> None:
        self._run, self._database, self._experiment, self._file = run, database, experiment, file
        self._back = ReadBack()

    async def read(self) -> ReadBack:
        """Go through."""
        with self._file.open("rb") as lines:
            results = self._results(enumerate(lines, 1))
            while chunk := list(itertools.islice(results, _TOGETHER)):
                await self._take(chunk)
        self._back.replies = self._run.tally.replies
        self._back.failed = self._run.tally.failed
        return self._back

    def _results(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[_Numbered]:
        for number, line in lines:
            if not line.strip():
                continue
            result = read_line(line, self._run.model.spec.request_samples)
            if result is not None:
                yield _Numbered(number, result)
            elif not line.endswith(b"\n"):
                self._problem(number, "it is cut off; read the file again once it is whole")
            else:
                self._problem(number, "it is no line of a batch's output; it is passed over")

    def _problem(self, number: int, found: str) -> None:
        self._back.problems.append(f"{self._file}, line {number}: {found}")

    async def _take(self, chunk: list[_Numbered]) -> None:
        names = [each.result.custom_id for each in chunk]
        act = partial(self._lines, names=[name for name in names if _may_be_key(name)])
        lines = await asyncio.to_thread(self._database.call, act)
        act_tried = partial(_attempts, names=list(lines))
        tried = await asyncio.to_thread(self._database.call, act_tried)
        fresh: dict[str, LineResult] = {}
        for each in chunk:
            result = each.result
            line = lines.get(result.custom_id)
            if line is None:
                name = result.custom_id[:_KEY_LENGTH]
                said = f"custom_id {name!r} is none of {self._run.model.spec.name}'s cells"
                self._problem(each.number, f"{said}; was it written for another experiment?")
            elif self._is_new(line, result, tried) and result.custom_id not in fresh:
                fresh[result.custom_id] = result
                self._say_error(each)
            else:
                self._back.held += 1
        for _ in fresh:
            self._run.budget.adopt(0.0)
        by_name = {name: result.answered for name, result in fresh.items()}
        now = Sent(datetime.now(UTC), 0.0)  # when it was computed, and for how long, is not told
        await put_down(self._run, now, {name: lines[name] for name in fresh}, by_name)

    def _is_new(self, line: Line, result: LineResult, tried: set[tuple[str, str]]) -> bool:
        """Whether a line says anything that the store does not hold."""
        if all(asked.held for asked in line.asked):
            return False
        named = line.custom_id, result.answered.request_id or ""
        return isinstance(result.answered.result, Reply) or named not in tried

    def _say_error(self, each: _Numbered) -> None:
        trouble = each.result.answered.result
        if not isinstance(trouble, Reply):
            self._problem(each.number, f"no reply: {trouble.kind}: {trouble.message}")

    def _lines(self, connection: Connection, names: list[str]) -> dict[str, Line]:
        """The cells that lines of some names ask for, over all plans of the experiment."""
        rows = ask(
            connection,
            """
            WITH named AS (
                SELECT c.experiment_id, c.key, c.prompt_hash, c.sample // $each AS part
                FROM cells AS c JOIN experiments USING (experiment_id)
                WHERE experiment = $name AND model = $model
                  AND c.key IN (SELECT unnest(string_split($names, ' '))))
            SELECT DISTINCT n.key, c.key, c.sample % $each,
                   c.key IN (SELECT key FROM replies) AS held
            FROM named AS n
            JOIN cells AS c ON c.experiment_id = n.experiment_id AND c.model = $model
                AND c.prompt_hash = n.prompt_hash AND c.sample // $each = n.part
            ORDER BY ALL""",
            {
                "each": self._run.model.spec.request_samples,
                "name": self._experiment,
                "model": self._run.model.spec.name,
                "names": as_one(names),
            },
        ).rows
        found: dict[str, Line] = {}
        for custom_id, key, choice, held in rows:
            line = found.setdefault(str(custom_id), Line(str(custom_id), 1, 0.0))
            line.asked.append(Asked(str(key), int(str(choice)), bool(held)))
        return found


def _attempts(connection: Connection, names: list[str]) -> set[tuple[str, str]]:
    """Attempts that the store has of some keys, by key and the server's name for them."""
    query = """
        SELECT key, coalesce(request_id, '') FROM attempts
        WHERE key IN (SELECT unnest(string_split($names, ' ')))"""
    rows = ask(connection, query, {"names": as_one(names)}).rows
    return {(str(key), str(named)) for key, named in rows}


def _may_be_key(name: str) -> bool:
    return len(name) == _KEY_LENGTH and name.isalnum()
