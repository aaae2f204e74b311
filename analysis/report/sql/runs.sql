-- Every run of an experiment, under whichever plan, in order: when it began and how it ended.
SELECT r.run_id, r.started_at, e.ended_at, e.how, e.asked, e.failed, r.provenance::VARCHAR AS provenance
FROM runs AS r
JOIN experiments AS x USING (experiment_id)
LEFT JOIN run_ends AS e USING (run_id)
WHERE x.experiment = $experiment
ORDER BY r.started_at, r.run_id
