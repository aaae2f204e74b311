-- Likelihoods of passages, token by token, under every strategy of names and in lower case; one row a passage, model and
-- text, of several that say the same the first in the order of asking.
SELECT r.model, r.task, r.names, r.dataset, r.item_id, r.work, r.scene, r.prompt_text AS text, p.names_at,
       list_contains(from_json(r.flags, '["VARCHAR"]'), 'well_known') AS member,
       l.offsets, l.logprobs, l.token_ids, l.ranks, l.means, l.variances, l.exact
FROM results AS r
JOIN likelihoods AS l USING (key)
JOIN prompts AS p USING (prompt_hash)
WHERE r.experiment = $experiment AND list_contains(['passage_likelihood', 'lowercase_likelihood'], r.task)
      AND list_contains(from_json(r.flags, '["VARCHAR"]'), 'well_known')
          <> list_contains(from_json(r.flags, '["VARCHAR"]'), 'little_known')
QUALIFY row_number() OVER (PARTITION BY r.model, r.task, r.names, r.dataset, r.item_id ORDER BY r.sample, r.key) = 1
ORDER BY r.model, r.dataset, r.work, r.item_id, r.task, r.names
