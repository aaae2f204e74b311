-- What name strategies left in the passages, over the current plan: names of the cast, possible names of nobody listed,
-- and what gives the work away, such as its title. A passage counts once under each strategy, whatever the prompt.
WITH shown AS (
    SELECT DISTINCT p.names, p.item_hash, p.leaks, p.suspects, p.titles, p.places, p.phrases
    FROM current_plans AS plan
    JOIN cells AS c USING (experiment_id)
    JOIN prompts AS p USING (prompt_hash)
    WHERE plan.experiment = $experiment AND p.names <> 'original'
),
found AS (
    SELECT names, 'name left standing' AS kind, unnest(map_entries(leaks::JSON::MAP(VARCHAR, BIGINT))) AS e FROM shown
    UNION ALL
    SELECT names, 'possible name of nobody listed', unnest(map_entries(suspects::JSON::MAP(VARCHAR, BIGINT))) FROM shown
    UNION ALL
    SELECT names, 'title of the work', unnest(map_entries(titles::JSON::MAP(VARCHAR, BIGINT))) FROM shown
    UNION ALL
    SELECT names, 'place known from the work', unnest(map_entries(places::JSON::MAP(VARCHAR, BIGINT))) FROM shown
    UNION ALL
    SELECT names, 'phrase known from the work', unnest(map_entries(phrases::JSON::MAP(VARCHAR, BIGINT))) FROM shown
)
SELECT kind, e.key AS found, count(*) AS passages, sum(e.value)::BIGINT AS times
FROM found
GROUP BY kind, e.key
QUALIFY row_number() OVER (PARTITION BY kind ORDER BY sum(e.value) DESC, e.key) <= $most
ORDER BY kind, times DESC, found
