"""`probe score`: read and mark stored replies again where a parser has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from probe.cli import format_option, store_option
from store.address import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analysis.comparison.rescoring import Unread
    from analysis.scoring import Page
    from store.read import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    """What is read: the names of tasks, and plans (experiment_id); of all, if there are none."""

    tasks: tuple[str, ...]
    plans: tuple[str, ...]


@click.command("score")
@click.option("--task", "tasks", multiple=True, help="Only this task's replies; may be repeated.")
@click.option(
    "--experiment",
    "experiments",
    multiple=True,
    help="Only replies to this experiment's cells; may be repeated.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be read, and read nothing.")
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many replies to show that are read otherwise than before.",
)
@store_option
@format_option
def command(
    tasks: tuple[str, ...],
    experiments: tuple[str, ...],
    *,
    dry_run: bool,
    examples: int,
    store: Place,
    form: str,
) -> None:
    """Read and mark stored replies that their task's present parser has not read; asks nobody.

    Prints what that parser reads otherwise than the version before it, by task and condition.
    Scores of earlier versions are kept. Stopped in the middle, the same command goes on.
    """
    from analysis.comparison.rescoring import plans_of, rescored, unread  # noqa: PLC0415
    from probe.cli.show_rescored import show_rescored, show_unread  # noqa: PLC0415
    from prompts.tasks import TASKS, task_named  # noqa: PLC0415
    from store.read import open_read  # noqa: PLC0415

    names = tuple(task_named(name).name for name in tasks) or tuple(TASKS)
    reader = open_read(store)
    try:
        scope = _Scope(tasks=names, plans=tuple(plans_of(reader, experiments)))
        waiting = unread(reader, tasks=scope.tasks, plans=scope.plans)
        if dry_run:
            show_unread(waiting, form)
            return
    finally:
        reader.close()
    interrupted = _read_all(store, scope, waiting)
    reader = open_read(store)
    try:
        found = rescored(reader, tasks=scope.tasks, plans=scope.plans, examples=examples)
        left = unread(reader, tasks=scope.tasks)
    finally:
        reader.close()
    show_rescored(found, form)
    _say_what_is_left(left, interrupted=interrupted)
    if interrupted:
        click.get_current_context().exit(130)


def _read_all(store: Place, scope: _Scope, waiting: Sequence[Unread]) -> bool:
    """Read what is to be read; return whether that was interrupted."""
    from probe.cli.show_rescored import Reading  # noqa: PLC0415 - keeps --help fast
    from store.opening import open_write  # noqa: PLC0415

    read = Counter[str]()
    to_read = sum(each.replies for each in waiting if each.to_read)
    interrupted = False
    with open_write(store) as database, Reading(to_read) as shown:
        try:
            pages = _Pages(scope)
            while page := database.call_for_all(pages.next):
                read.update(page.by_task)
                shown.show(", ".join(page.by_task), sum(read.values()))
        except KeyboardInterrupt:  # the page that is being read is finished and kept
            interrupted = True
    for task, replies in read.items():
        click.echo(f"{task}: {replies:,} replies read by version {_version(task)}", err=True)
    if not read and not interrupted:
        click.echo("every reply has been read by its task's present parser", err=True)
    return interrupted


@dataclass(slots=True)
class _Pages:
    """What is read, a page a call; after one that failed the next begins anew with what is left."""

    scope: _Scope
    _going: Iterator[Page] | None = None

    def next(self, owner: Connection) -> Page | None:
        """Read the next page; None where all is read."""
        from analysis.scoring import score_pages  # noqa: PLC0415 - keeps --help fast

        going = self._going or score_pages(owner, tasks=self.scope.tasks, plans=self.scope.plans)
        self._going = None
        page = next(going, None)
        self._going = going
        return page


def _version(task: str) -> int:
    from prompts.tasks import TASKS  # noqa: PLC0415 - keeps --help fast

    return TASKS[task].version


def _say_what_is_left(left: Sequence[Unread], *, interrupted: bool) -> None:
    """Say which replies have no score yet: tables show those of a task's newest version alone."""
    waiting: dict[str, int] = {}
    for each in left:
        if each.to_read:
            waiting[each.task] = waiting.get(each.task, 0) + each.replies
        elif each.read_by_a_later:
            click.echo(
                f"{each.task}: {each.replies:,} replies were read by version {each.held}, later "
                f"than the {each.version} of this gistprobe; their scores stand",
                err=True,
            )
    for task, replies in waiting.items():
        click.echo(
            f"{task}: {replies:,} replies are still to be read by version {_version(task)}, and "
            f"tables leave them out until then; go on with: probe score --task {task}",
            err=True,
        )
    if interrupted:
        click.echo("interrupted; the same command goes on", err=True)
