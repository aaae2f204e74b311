-- Items that a name strategy could not show, with the reason.
SELECT s.task, s.dataset, s.names, s.reason, count(DISTINCT s.item_id) AS items
FROM current_plans AS plan
JOIN set_aside AS s USING (experiment_id)
WHERE plan.experiment = $experiment
GROUP BY ALL
ORDER BY items DESC, s.task, s.dataset, s.names, s.reason
