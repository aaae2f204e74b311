-- Experiments that have one of `$tasks`, with the seed of their current plan.
SELECT experiment, seed
FROM current_plans
JOIN experiments USING (experiment, experiment_id)
WHERE experiment IN (
    SELECT plan.experiment
    FROM current_plans AS plan
    JOIN cells AS c USING (experiment_id)
    JOIN prompts AS p USING (prompt_hash)
    JOIN items AS i USING (item_hash)
    WHERE list_contains($tasks, i.task))
ORDER BY experiment
