-- How many items an experiment asks about; one that is asked both with answers offered and without counts as two.
SELECT count(*) AS items
FROM (
    SELECT DISTINCT p.item_hash, p.choices
    FROM current_plans AS plan
    JOIN cells AS c USING (experiment_id)
    JOIN prompts AS p USING (prompt_hash)
    WHERE plan.experiment = $experiment
)
