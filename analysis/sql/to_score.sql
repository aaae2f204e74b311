-- Replies of one task that its parser's version `$version` has not read yet; of `$keys` only (parted by spaces), if given.
-- Cells that share a key share its reply, but each prompt has a gold answer of its own.
WITH wanted AS (
    SELECT key, outcome, text FROM replies
    WHERE text IS NOT NULL AND outcome <> 'filtered' AND ($keys IS NULL OR key IN (SELECT unnest(string_split($keys, ' '))))
),
asked AS (
    SELECT DISTINCT c.key, c.prompt_hash FROM cells AS c WHERE c.key IN (SELECT key FROM wanted)
)
SELECT asked.prompt_hash, wanted.key, wanted.outcome, wanted.text, p.gold, p.options, p.accepted
FROM wanted
JOIN asked USING (key)
JOIN prompts AS p USING (prompt_hash)
JOIN items AS i USING (item_hash)
ANTI JOIN (SELECT prompt_hash, key FROM scores WHERE version >= $version) AS s
    ON s.prompt_hash = asked.prompt_hash AND s.key = wanted.key
WHERE i.task = $task
