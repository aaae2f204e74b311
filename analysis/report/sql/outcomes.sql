-- How the cells of each task, model and condition ended, and what their replies lack.
WITH ended AS (
    SELECT task, dataset, choices, model, names, prompt,
           count(*) AS cells,
           count(*) FILTER (outcome = 'ok') AS ok,
           count(*) FILTER (outcome = 'truncated') AS truncated,
           count(*) FILTER (outcome = 'refused') AS refused,
           count(*) FILTER (outcome = 'filtered') AS filtered,
           count(*) FILTER (outcome = 'failed') AS failed,
           count(*) FILTER (outcome = 'unavailable') AS unavailable,
           count(*) FILTER (outcome = 'pending') AS pending,
           count(*) FILTER (unparsed IS NOT NULL) AS unparsed
    FROM results
    WHERE experiment = $experiment
    GROUP BY ALL
)
SELECT * FROM ended
ORDER BY task, dataset, choices, model,
         list_position(['original', 'masked', 'same_culture', 'cross_culture'], names), names,
         list_position(['baseline', 'verbatim', 'gist'], prompt)
