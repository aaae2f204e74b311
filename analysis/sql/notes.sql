-- What a reader of an experiment's table must know, by model: replies that hold no answer, cut
-- replies, cells without a reply, and names that replacement left standing.
SELECT model,
       count(*) AS cells,
       count(*) FILTER (outcome NOT IN ('pending', 'failed')) AS replies,
       count(*) FILTER (unparsed IS NOT NULL) AS unparsed,
       count(*) FILTER (
           unparsed IS NOT NULL AND (units > 0 OR json_array_length(measures) > 0)
       ) AS wrong_unparsed,
       mode(unparsed) AS most_common_reason,
       count(*) FILTER (outcome = 'truncated') AS truncated,
       count(*) FILTER (outcome = 'failed') AS failed,
       mode(error) AS most_common_error,
       count(*) FILTER (outcome = 'filtered') AS filtered,
       count(*) FILTER (outcome = 'pending') AS pending,
       any_value(models.note) AS note
FROM results
JOIN current_plans USING (experiment)
LEFT JOIN models USING (experiment_id, model)
WHERE experiment = $experiment
GROUP BY model
ORDER BY model
