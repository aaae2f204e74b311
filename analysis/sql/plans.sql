-- Every experiment of the store, with the seed of its current plan.
SELECT experiment, seed
FROM current_plans
JOIN experiments USING (experiment, experiment_id)
ORDER BY experiment
