"""`probe status`: how far a store's experiments are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from probe.cli import format_option, store_option
from store.address import Place

if TYPE_CHECKING:
    from probe.snapshot import RunState

_QUERY: Final = """
    SELECT p.experiment, p.model, p.cells, p.replies, p.failed, p.pending, p.prompt_tokens,
           p.reply_tokens, p.last_reply_at, last.started_at AS last_run_at,
           coalesce(last.how, 'not started') AS last_run
    FROM progress AS p
    LEFT JOIN (
        SELECT e.experiment, arg_max(e.started_at, e.place) AS started_at,
               arg_max(e.how, e.place) AS how
        FROM (SELECT x.experiment, r.started_at, r.place,
                     coalesce(z.how, if(list_contains($runs::VARCHAR[], r.run_id), 'running',
                                        'killed')) AS how
              FROM (SELECT rowid AS place, * FROM runs) AS r
              JOIN experiments AS x USING (experiment_id)
              LEFT JOIN run_ends AS z USING (run_id)) AS e
        GROUP BY e.experiment
    ) AS last USING (experiment)
    ORDER BY p.experiment, p.model"""


@click.command("status")
@store_option
@format_option
def command(store: Place, form: str) -> None:
    """Show how far the experiments of a store are, and how their last runs ended.

    While a run is on, also what the terminal it runs in shows: rates against limits, what is open,
    what was refused, what it has cost and how long it will take.
    """
    from probe.batch.records import WAITING  # noqa: PLC0415 - keeps --help fast
    from probe.cli.show import show_answered, stdout  # noqa: PLC0415
    from probe.progress import picture  # noqa: PLC0415
    from probe.snapshot import read_state  # noqa: PLC0415
    from store.places import runs_elsewhere, state_folders  # noqa: PLC0415
    from store.read import Answered, ask, open_read  # noqa: PLC0415

    found = [state for folder in state_folders(store) if (state := read_state(folder))]
    state = found[0] if found else None
    runs = [each.run_id for each in found] + runs_elsewhere(store)
    reader = open_read(store)
    answered = ask(reader, _QUERY, {"runs": runs})
    batched = {(str(row[0]), str(row[1])): row[2:] for row in ask(reader, WAITING).rows}
    if form == "table":
        if state is not None:
            stdout().print(f"{state.experiment}, run {state.run_id}", markup=False)
            stdout().print(picture(state))
        show_answered(answered, form)
        for (experiment, model), (cells, batches, since) in batched.items():
            click.echo(
                f"{experiment}, {model}: {cells} cells are in {batches} open batches, the first"
                f" since {since:%Y-%m-%d %H:%M} UTC",
                err=True,
            )
        return
    live = _live(state)
    rows = []
    for row in answered.rows:
        named = str(row[0]), str(row[1])
        rows.append((*row, *live.get(named, _NOTHING), *batched.get(named, _UNBATCHED)))
    show_answered(Answered((*answered.columns, *_LIVE, *_BATCHED), rows), form)


_LIVE: Final = (
    "in_flight",
    "requests_per_min",
    "tokens_per_min",
    "refusals",
    "retries",
    "pause_s",
    "left_s",
    "limited_by",
)
_NOTHING: Final = (None,) * len(_LIVE)
_BATCHED: Final = ("in_batches", "open_batches", "batched_since")
_UNBATCHED: Final = (0, 0, None)


def _live(state: RunState | None) -> dict[tuple[str, str], tuple[object, ...]]:
    """By experiment and model, what the run that is on says of itself."""
    if state is None:
        return {}
    return {
        (state.experiment, model.model): tuple(getattr(model, name) for name in _LIVE)
        for model in state.models
    }
