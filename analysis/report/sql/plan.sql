-- The experiment's current plan: its file, seed, items and cells, and when the first and the last reply came.
SELECT x.seed, x.spec, x.cells, x.items, x.planned_at, r.first_reply, r.last_reply
FROM current_plans AS plan
JOIN experiments AS x USING (experiment, experiment_id)
CROSS JOIN (
    SELECT min(received_at) AS first_reply, max(received_at) AS last_reply
    FROM results WHERE experiment = $experiment
) AS r
WHERE plan.experiment = $experiment
