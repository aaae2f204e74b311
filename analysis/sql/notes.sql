-- What a reader of an experiment's table must know, by model: replies that hold no answer, cut
-- replies, cells without a reply, whether the server repeats itself, and the model's own note.
SELECT model,
       count(*) AS cells,
       count(*) FILTER (outcome NOT IN ('pending', 'failed', 'unavailable')) AS replies,
       count(*) FILTER (unparsed IS NOT NULL) AS unparsed,
       count(*) FILTER (
           unparsed IS NOT NULL AND (units > 0 OR json_array_length(measures) > 0)
       ) AS wrong_unparsed,
       mode(unparsed) AS most_common_reason,
       -- A continuation always ends at its limit.
       count(*) FILTER (outcome = 'truncated' AND list_contains($replying, task)) AS truncated,
       count(*) FILTER (outcome = 'failed') AS failed,
       mode(error) FILTER (outcome = 'failed') AS most_common_error,
       count(*) FILTER (outcome = 'unavailable') AS unavailable,
       any_value(error) FILTER (outcome = 'unavailable') AS why_unavailable,
       count(*) FILTER (outcome = 'filtered') AS filtered,
       count(*) FILTER (outcome = 'pending') AS pending,
       any_value(models.note) AS note,
       any_value(repeats) AS repeats,
       any_value(same) AS same,
       any_value(builds) AS builds
FROM results
JOIN current_plans USING (experiment)
LEFT JOIN models USING (experiment_id, model)
LEFT JOIN repeat_rates USING (experiment, model)
WHERE experiment = $experiment
GROUP BY model
ORDER BY model
