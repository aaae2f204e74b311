"""What has been spent, read from the attempts a store holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.keys import as_one
from store.read import Connection, ask


@dataclass(frozen=True, slots=True)
class Spent:
    """What an experiment's attempts have cost so far.

    Attributes:
        usd: By the usage servers gave (US dollars).
        uncertain_usd: At most, of attempts without a usage (US dollars).
        requests: Attempts (count).
    """

    usd: float
    uncertain_usd: float
    requests: int


def spent(connection: Connection, experiment: str) -> Spent:
    """What all runs of an experiment have spent."""
    row = ask(
        connection,
        """
        SELECT coalesce(sum(a.usd), 0), coalesce(sum(a.usd_at_most), 0), count(*)
        FROM attempts AS a JOIN runs USING (run_id) JOIN experiments AS e USING (experiment_id)
        WHERE e.experiment = ?""",
        [experiment],
    ).rows[0]
    return Spent(float(str(row[0])), float(str(row[1])), int(str(row[2])))


def spent_by_run(connection: Connection, runs: Sequence[str]) -> dict[str, Spent]:
    """What each of some runs has spent; those without an attempt are left out."""
    rows = ask(
        connection,
        """
        SELECT run_id, coalesce(sum(usd), 0), coalesce(sum(usd_at_most), 0), count(*)
        FROM attempts WHERE run_id IN (SELECT unnest(string_split($runs, ' '))) GROUP BY run_id""",
        {"runs": as_one(runs)},
    ).rows
    return {
        str(run): Spent(float(str(usd)), float(str(perhaps)), int(str(requests)))
        for run, usd, perhaps, requests in rows
    }
