-- Each model of the current plan: how it is asked, and what its server last said of itself.
SELECT m.model, m.provider, m.identity::VARCHAR AS identity, m.note,
       arg_max(s.facts::VARCHAR, s.opened_at) AS facts,
       arg_max(s.unavailable::VARCHAR, s.opened_at) AS unavailable
FROM current_plans AS plan
JOIN models AS m USING (experiment_id)
LEFT JOIN runs AS r USING (experiment_id)
LEFT JOIN served AS s ON s.run_id = r.run_id AND s.model = m.model
WHERE plan.experiment = $experiment
GROUP BY ALL
ORDER BY m.model
