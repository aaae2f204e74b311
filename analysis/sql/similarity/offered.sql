-- The names on the lists from which models choose characters that are like one, as the dataset has them.
WITH lists AS (
    SELECT DISTINCT plan.experiment, i.dataset, i.work, i.options
    FROM current_plans AS plan
    JOIN cells AS c USING (experiment_id)
    JOIN prompts AS p USING (prompt_hash)
    JOIN items AS i USING (item_hash)
    WHERE i.task IN ('most_similar_character', 'most_similar_character_reasoned', 'ten_most_similar_characters'))
SELECT DISTINCT experiment, dataset, work, unnest(options::VARCHAR[]) AS name FROM lists ORDER BY ALL
