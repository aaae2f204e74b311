-- The audit of name replacement by strategy: prompts, names replaced, names of the cast left standing
-- (and in how many prompts), possible names nobody listed, and items set aside.
WITH shown AS (
    SELECT DISTINCT p.names, p.item_hash, p.replaced, p.leaks, p.suspects
    FROM current_plans AS plan
    JOIN cells AS c USING (experiment_id)
    JOIN prompts AS p USING (prompt_hash)
    WHERE plan.experiment = $experiment AND p.names <> 'original'
),
counted AS (
    SELECT names,
           count(*) AS items,
           sum(replaced)::BIGINT AS replaced,
           coalesce(sum(list_sum(map_values(leaks::MAP(VARCHAR, BIGINT)))), 0)::BIGINT AS leaks,
           coalesce(sum(list_sum(map_values(suspects::MAP(VARCHAR, BIGINT)))), 0)::BIGINT AS suspects
    FROM shown GROUP BY ALL
),
aside AS (
    SELECT s.names, count(*) AS set_aside
    FROM current_plans AS plan
    JOIN set_aside AS s USING (experiment_id)
    WHERE plan.experiment = $experiment
    GROUP BY ALL
)
SELECT names,
       coalesce(items, 0) AS items,
       coalesce(replaced, 0) AS replaced,
       coalesce(leaks, 0) AS leaks,
       coalesce(suspects, 0) AS suspects,
       coalesce(set_aside, 0) AS set_aside
FROM counted
FULL JOIN aside USING (names)
ORDER BY list_position(['masked', 'same_culture', 'cross_culture'], names)
