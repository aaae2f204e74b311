-- Likelihoods of one task that its version `$version` has not measured yet; of `$keys` (parted by spaces) only, if given,
-- and of `$plans`, if there are any.
SELECT i.task, c.prompt_hash, l.key, p.text, p.names_at, l.offsets, l.logprobs, l.token_ids, l.ranks, l.means, l.variances, l.exact
FROM (SELECT DISTINCT key, prompt_hash FROM cells
      WHERE ($keys IS NULL OR key IN (SELECT unnest(string_split($keys, ' '))))
        AND (len($plans) = 0 OR list_contains($plans::VARCHAR[], experiment_id))) AS c
JOIN prompts AS p USING (prompt_hash)
JOIN items AS i USING (item_hash)
JOIN replies AS r USING (key)
JOIN likelihoods AS l USING (key, run_id)
ANTI JOIN (SELECT key, prompt_hash FROM scores WHERE version >= $version) AS s
    ON s.key = l.key AND s.prompt_hash = c.prompt_hash
WHERE i.task = $task
LIMIT $most
