"""Prints how two runs differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from analysis.comparison.differences import Asked, Condition, Differences
from analysis.comparison.sides import Record, Side
from probe.cli.show import printable, stdout
from probe.cli.show_comparison import echo_tables, labelled, quoted
from prompts.tasks import TASKS

_SHOWN_CHANGED = 200


def show_diff(a: Side, b: Side, asked: Asked, found: Differences, *, form: str) -> None:
    """Print all that two sides differ in."""
    models, versions = list(_models(a, b, asked)), list(_versions(a, b))
    if form != "table":
        sides = [
            {"side": name, "label": own.label, "experiment": own.experiment}
            for name, own in (("a", a), ("b", b))
        ]
        tables: dict[str, Sequence[Record]] = {
            "sides": sides,
            "models": models,
            "versions": versions,
            "conditions": [each.record() for each in found.conditions],
            "changed": found.changed,
            "examples": found.examples,
        }
        echo_tables(tables, form)
        return
    console = stdout()
    for name, own in (("A", a), ("B", b)):
        console.print(Text.assemble((f"{name}: ", "bold"), printable(own.label)), end="")
        console.print(Text(f", experiment {printable(own.experiment)}"))
    _show_conditions(console, found.conditions)
    for line in _notes(models, versions, found.conditions):
        console.print(line)
    _show_changed(console, found.changed)
    for example in found.examples:
        _show_example(console, example)


def _models(a: Side, b: Side, asked: Asked) -> Iterator[Record]:
    builds = [{row["model"]: row["builds"] or [] for row in own.models} for own in (a, b)]
    for each in asked.models:
        yield {
            "model_a": each.a,
            "model_b": each.b,
            "builds_a": builds[0][each.a],
            "builds_b": builds[1][each.b],
        }


def _versions(a: Side, b: Side) -> Iterator[Record]:
    own = [{row["task"]: row["version"] for row in each.versions} for each in (a, b)]
    for task in dict.fromkeys([*own[0], *own[1]]):
        yield {"task": task, "version_a": own[0].get(task), "version_b": own[1].get(task)}


def _show_conditions(console: Console, conditions: Sequence[Condition]) -> None:
    compared = [each for each in conditions if each.counts["compared"]]
    for _, group in groupby(compared, key=_place):
        rows = list(group)
        cells = sum(row.counts["compared"] for row in rows)
        alike = all(not row.counts["worse"] and not row.counts["better"] for row in rows)
        if alike and all(row.counts["scored"] == row.counts["compared"] for row in rows):
            console.print(_title(rows[0]), f"no score differs in {cells:,} cells")
        else:
            console.print(_title(rows[0]))
            console.print(Padding(_table(rows), (0, 0, 1, 1), expand=False))


def _place(row: Condition) -> tuple[str, ...]:
    return row.task, row.dataset, row.choices, row.wording, row.descriptions, row.model


def _title(row: Condition) -> Text:
    text = Text.assemble((row.task, "bold"), f" on {printable(row.dataset)}")
    text.append(f", model {printable(row.model)}")
    if row.task == "source_identification":
        text.append(", answers offered" if row.choices == "options" else ", open answers")
    if row.wording != "own":
        text.append(f", wording {printable(row.wording)}")
    if row.descriptions != "none":
        text.append(f", descriptions {printable(row.descriptions)}")
    return text.append(":")


def _table(rows: Sequence[Condition]) -> Table:
    nats = rows[0].task in TASKS and TASKS[rows[0].task].unit == "nats"
    unit = "nats" if nats else "%"
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("names", "prompt"):
        table.add_column(name, no_wrap=True)
    for name in ("cells", f"A: {unit}", f"B: {unit}", "B - A", "95 % interval", "p"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("became\nwrong", "became\nright", "worse", "better"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        effect, counts = row.effect, row.counts
        table.add_row(
            printable(row.names), row.prompt, f"{counts['scored']:,}",
            _value(effect.value_b, nats=nats), _value(effect.value_a, nats=nats),
            _value(effect.difference, nats=nats, signed=True), _interval(row, nats=nats),
            _p(row.p_holm),
            *(f"{counts[name]:,}" for name in ("right_to_wrong", "wrong_to_right")),
            *(f"{counts[name]:,}" for name in ("worse", "better")),
        )  # fmt: skip
    return table


def _value(value: float | None, *, nats: bool, signed: bool = False) -> str:
    if value is None:
        return "–"
    sign = "+" if signed else ""
    return f"{value:{sign}.3f}" if nats else f"{100 * value:{sign}.1f}"


def _interval(row: Condition, *, nats: bool) -> Text:
    """The interval, or why there is none."""
    own = row.effect.interval
    if own is None:
        return Text(row.effect.undefined or "–", style="dim")
    low, high = (_value(each, nats=nats, signed=True) for each in (own.low, own.high))
    return Text(f"{low} to {high}")


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _notes(
    models: Iterable[Record], versions: Iterable[Record], conditions: Sequence[Condition]
) -> Iterator[Text]:
    """What else is not the same, and what was compared."""
    total = {name: sum(each.counts[name] for each in conditions) for name in conditions[0].counts}
    shared = total["cells_a"] - total["only_a"]
    yield Text(
        f"{shared:,} cells are in both, {total['only_a']:,} in A alone,"
        f" {total['only_b']:,} in B alone; {total['compared']:,} are compared, and"
        f" {total['same_replies']:,} of them have the same reply word for word"
    )
    yield from _unlike_questions(total, shared)
    for name, missing in (("A", total["missing_a"]), ("B", total["missing_b"])):
        if missing:
            yield Text(f"{missing:,} compared cells have no score in {name}", style="yellow")
    for row in versions:
        if None not in row.values() and row["version_a"] != row["version_b"]:
            yield Text(
                f"{row['task']}: version {row['version_a']} of the parser read A, version"
                f" {row['version_b']} read B; `probe score` reads both by the same",
                style="yellow",
            )
    for row in models:
        if row["builds_a"] != row["builds_b"]:
            served = (
                ", ".join(printable(str(each)) for each in row[f"builds_{side}"]) or "nothing said"
                for side in ("a", "b")
            )
            yield Text(f"{row['model_a']}: served as {next(served)} in A, as {next(served)} in B")


def _unlike_questions(total: Record, shared: int) -> Iterator[Text]:
    if total["other_prompts"]:
        yield Text(
            f"{total['other_prompts']:,} of {shared:,} cells were asked in other words; with"
            " --same-prompts they are left out",
            style="yellow",
        )
    if total["other_gold"]:
        yield Text(
            f"{total['other_gold']:,} of {shared:,} cells have other right answers", style="yellow"
        )
    if not total["other_prompts"] and not total["other_gold"]:
        yield Text("every cell that is in both was asked in the same words")


def _show_changed(console: Console, changed: Sequence[Record]) -> None:
    for row in changed[:_SHOWN_CHANGED]:
        sample = f", sample {row['sample']}" if row["sample"] else ""
        where = f"{row['task']} {row['item_id']}, {row['names']} {row['prompt']}, {row['model']}"
        console.print(Text(f"{row['change']}: {printable(where)}{sample}"))
    if len(changed) > _SHOWN_CHANGED:
        console.print(
            f"and {len(changed) - _SHOWN_CHANGED:,} more; --format csv or json lists them all"
        )


def _show_example(console: Console, row: Record) -> None:
    where = f"{row['dataset']} {row['item_id']}, {row['names']} {row['prompt']}, {row['model']}"
    sample = f", sample {row['sample']}" if row["sample"] else ""
    title = Text.assemble((str(row["change"]), "bold"), f": {row['task']}, {printable(where)}")
    console.print(title.append(sample))
    lines = [labelled("gold", quoted(row["gold_a"]))]
    if row["gold_b"] != row["gold_a"]:
        lines.append(labelled("gold in B", quoted(row["gold_b"])))
    for side in ("a", "b"):
        answer, why = row[f"answer_{side}"], row[f"unparsed_{side}"]
        read = f" (read as: {quoted(answer)})" if answer is not None else f" (no answer: {why})"
        lines.append(labelled(side.upper(), quoted(row[f"reply_{side}"]) + read))
    if not row["same_prompt"]:
        lines.append(Text("asked in other words", style="yellow"))
    for line in lines:
        console.print(Padding(line, (0, 0, 0, 2), expand=False))
