-- Right and asked units of every item that has replies under both conditions of a contrast.
SELECT task, dataset, choices, model, item_id,
       sum(units_right) FILTER (names = $names_a AND prompt = $prompt_a)::BIGINT AS right_a,
       sum(units) FILTER (names = $names_a AND prompt = $prompt_a)::BIGINT AS units_a,
       sum(units_right) FILTER (names = $names_b AND prompt = $prompt_b)::BIGINT AS right_b,
       sum(units) FILTER (names = $names_b AND prompt = $prompt_b)::BIGINT AS units_b
FROM results
WHERE experiment = $experiment
GROUP BY ALL
HAVING units_a > 0 AND units_b > 0
ORDER BY ALL
