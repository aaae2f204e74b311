-- Which builds answered for each model of an experiment, as the server says, and how many cells it has.
SELECT model, count(*) AS cells,
       list(DISTINCT concat_ws(' ', r.served_model, a.fingerprint) ORDER BY concat_ws(' ', r.served_model, a.fingerprint))
           FILTER (concat_ws(' ', r.served_model, a.fingerprint) <> '') AS builds
FROM results AS r
LEFT JOIN replies AS a USING (key)
WHERE experiment = $experiment
GROUP BY model
ORDER BY model
