-- What an experiment's models said of each character of a work, under original names; of several replies the one to
-- the item that comes first in the order of asking, each with the key of the reply it stands in.
WITH said AS (
    SELECT i.work, c.model, c.ordinal, c.sample, c.key, i.item_id, i.dataset,
           unnest(map_entries(s.answer::JSON::MAP(VARCHAR, VARCHAR))) AS entry
    FROM current_plans AS plan
    JOIN cells AS c USING (experiment_id)
    JOIN prompts AS p USING (prompt_hash)
    JOIN items AS i USING (item_hash)
    JOIN current_scores AS s ON s.key = c.key AND s.prompt_hash = c.prompt_hash
    WHERE plan.experiment = $experiment AND i.task = 'character_description' AND p.names = 'original'
      AND s.answer IS NOT NULL AND ($model IS NULL OR c.model = $model)
)
SELECT work, entry.key AS character, entry.value AS description, model, dataset, item_id, key
FROM said
QUALIFY row_number() OVER (PARTITION BY work, entry.key ORDER BY ordinal) = 1
ORDER BY work, character
