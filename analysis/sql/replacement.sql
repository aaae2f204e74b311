-- The audit of name replacement by strategy: prompts, names replaced, names of the cast left standing
-- (and in how many prompts), possible names nobody listed, and items set aside.
WITH shown AS (
    SELECT DISTINCT plan.experiment_id, p.names, p.item_hash, p.replaced, p.leaks, p.suspects
    FROM current_plans AS plan
    JOIN cells AS c USING (experiment_id)
    JOIN prompts AS p USING (prompt_hash)
    WHERE plan.experiment = $experiment AND p.names <> 'original'
),
counted AS (
    SELECT experiment_id, names,
           count(*) AS items,
           sum(replaced)::BIGINT AS replaced,
           coalesce(sum(list_sum(list_transform(json_keys(leaks), lambda k: (leaks ->> k)::BIGINT))), 0)::BIGINT AS leaks,
           coalesce(sum(list_sum(list_transform(json_keys(suspects), lambda k: (suspects ->> k)::BIGINT))), 0)::BIGINT AS suspects
    FROM shown GROUP BY ALL
)
SELECT names, items, replaced, leaks, suspects,
       (SELECT count(*) FROM set_aside AS s
        WHERE s.experiment_id = counted.experiment_id AND s.names = counted.names) AS set_aside
FROM counted
ORDER BY list_position(['masked', 'same_culture', 'cross_culture'], names)
