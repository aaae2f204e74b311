-- By task of an experiment, the version of its parser whose scores are shown, and how many cells have one.
SELECT r.task, max(s.version) AS version, count(*) AS cells, count(s.version) AS scored
FROM results AS r
LEFT JOIN current_scores AS s ON s.key = r.key AND s.prompt_hash = r.prompt_hash
WHERE experiment = $experiment
GROUP BY r.task
ORDER BY r.task
