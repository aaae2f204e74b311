-- Why replies hold no answer and why cells have no reply, by task and model, the commonest first.
WITH said AS (
    SELECT task, model, 'unparsed' AS what, left(unparsed, 300) AS reason FROM results
    WHERE experiment = $experiment AND unparsed IS NOT NULL
    UNION ALL
    SELECT task, model, outcome AS what, left(error, 300) AS reason FROM results
    WHERE experiment = $experiment AND outcome IN ('failed', 'unavailable')
)
SELECT task, model, what, reason, count(*) AS cells
FROM said
GROUP BY task, model, what, reason
QUALIFY row_number() OVER (PARTITION BY task, model, what ORDER BY count(*) DESC, reason) <= $most
ORDER BY cells DESC, task, model, what, reason
