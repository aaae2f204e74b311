-- Every cell of some items (`$items`, by hash): its reply, its answer and its score.
SELECT r.prompt_hash, r.model, r.sample, r.outcome, r.reply, r.answer, r.score, r.unparsed, r.error
FROM results AS r
JOIN prompts AS p USING (prompt_hash)
WHERE r.experiment = $experiment AND list_contains($items, p.item_hash)
ORDER BY r.prompt_hash, r.model, r.sample, r.cell_id
