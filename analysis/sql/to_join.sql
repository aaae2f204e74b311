-- Texts whose windows have all been answered, and whose answer the parser's version `$version` has not made yet: the
-- replies to all windows, in order, by condition, model and sample. Of texts that `$keys` (parted by spaces) belong to
-- only, if given.
WITH asked AS (
    SELECT c.experiment_id, c.model, c.sample, c.key, c.prompt_hash, p.names, p.prompt, p.wording, p.descriptions,
           p.choices, p.gold, p.options, p.accepted, i.dataset, i.document, i.part, i.parts
    FROM cells AS c
    JOIN prompts AS p USING (prompt_hash)
    JOIN items AS i USING (item_hash)
    WHERE i.task = $task AND i.parts > 1
),
wanted AS (
    SELECT DISTINCT dataset, document FROM asked
    WHERE $keys IS NULL OR key IN (SELECT unnest(string_split($keys, ' ')))
),
answered AS (
    SELECT a.*, r.text, r.outcome, s.key IS NULL AS unread
    FROM asked AS a
    JOIN wanted USING (dataset, document)
    JOIN replies AS r USING (key)
    LEFT JOIN (SELECT DISTINCT key, prompt_hash FROM scores WHERE version >= $version) AS s USING (key, prompt_hash)
    WHERE r.text IS NOT NULL AND r.outcome <> 'filtered'
)
SELECT list({'key': key, 'prompt_hash': prompt_hash, 'text': text, 'outcome': outcome} ORDER BY part) AS windows,
       arg_min(gold, part) AS gold, arg_min(options, part) AS options, arg_min(accepted, part) AS accepted
FROM answered
GROUP BY experiment_id, model, sample, names, prompt, wording, descriptions, choices, dataset, document
HAVING count(*) = max(parts) AND bool_or(unread)
ORDER BY min(key)
