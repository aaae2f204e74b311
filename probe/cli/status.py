"""`probe status`: how far a store's experiments are."""

from __future__ import annotations

from pathlib import Path

import click

from probe.cli import format_option, store_option


@click.command("status")
@store_option
@format_option
def command(store: Path, form: str) -> None:
    """Show how far the experiments of a store are, and how their last runs ended."""
    from probe.cli.show import show_answered  # noqa: PLC0415 - keeps `probe --help` fast
    from store.read import ask, open_read  # noqa: PLC0415

    query = """
        SELECT p.experiment, p.model, p.cells, p.replies, p.failed, p.pending, p.prompt_tokens,
               p.reply_tokens, p.last_reply_at, last.started_at AS last_run_at,
               coalesce(last.how, 'not started') AS last_run
        FROM progress AS p
        LEFT JOIN (
            SELECT e.experiment, max(e.started_at) AS started_at,
                   arg_max(e.how, e.started_at) AS how
            FROM (SELECT x.experiment, r.started_at, coalesce(z.how, 'killed') AS how
                  FROM runs AS r
                  JOIN experiments AS x USING (experiment_id)
                  LEFT JOIN run_ends AS z USING (run_id)) AS e
            GROUP BY e.experiment
        ) AS last USING (experiment)
        ORDER BY p.experiment, p.model"""
    show_answered(ask(open_read(store), query), form)
