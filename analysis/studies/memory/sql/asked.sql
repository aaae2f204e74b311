-- By model and probe: cells asked of passages of either kind, those without a score, and those of neither kind, which the
-- tables leave out.
SELECT model, task,
       count(*) AS cells,
       count(*) FILTER (measures IS NULL) AS missing,
       count(*) FILTER (list_contains(from_json(flags, '["VARCHAR"]'), 'well_known')
                        = list_contains(from_json(flags, '["VARCHAR"]'), 'little_known')) AS of_no_kind
FROM results
WHERE experiment = $experiment AND list_contains($tasks, task)
GROUP BY ALL
ORDER BY ALL
