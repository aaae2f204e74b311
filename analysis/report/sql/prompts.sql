-- What each condition of some items (`$items`, by hash) sends.
SELECT DISTINCT p.item_hash, p.prompt_hash, p.names, p.prompt, coalesce(p.wording, 'own') AS wording,
       coalesce(p.descriptions, 'none') AS descriptions, p.choices, p.text, readable(p.gold) AS gold,
       p.name_map::VARCHAR AS name_map
FROM current_plans AS plan
JOIN cells AS c USING (experiment_id)
JOIN prompts AS p USING (prompt_hash)
WHERE plan.experiment = $experiment AND list_contains($items, p.item_hash)
ORDER BY p.item_hash, p.prompt_hash
