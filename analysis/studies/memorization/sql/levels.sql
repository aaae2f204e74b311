-- Every condition of an experiment that was asked, with its headline; NULL where no reply could be scored yet. Of
-- source identification also by each of `$flags`: the items that have it, and behind a minus those that have it not.
WITH asked AS (
    SELECT experiment, task, dataset, choices, wording, descriptions, model, names, prompt, units,
           unnest(parts_by(flags, CASE WHEN task = 'source_identification' THEN $flags ELSE [] END)) AS flag
    FROM results
    WHERE experiment = $experiment AND list_contains($tasks, task)),
counted AS (
    SELECT * EXCLUDE (units), count(*) AS cells, count(*) FILTER (units IS NULL) AS missing
    FROM asked GROUP BY ALL)
SELECT a.task, a.dataset, a.choices, a.flag, a.wording, a.descriptions, a.model, a.names, a.prompt,
       a.cells, a.missing,
       CASE WHEN a.flag = '' THEN h.metric END AS metric,
       CASE WHEN a.flag = '' THEN h.value END AS value
FROM counted AS a
LEFT JOIN headlines AS h USING (experiment, task, dataset, choices, wording, descriptions, model, names, prompt)
ORDER BY ALL
