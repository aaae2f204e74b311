-- The conditions of an experiment by task, dataset and model: how many cells each has, and how many of them hold a
-- score that adds something to a metric. Tasks in which nothing is right or wrong have no such scores.
SELECT task, dataset, choices, model, wording, descriptions, names, prompt,
       count(*) AS cells,
       count(*) FILTER (json_array_length(measures) > 0) AS measured
FROM results
WHERE experiment = $experiment
GROUP BY ALL
ORDER BY ALL
