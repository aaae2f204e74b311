-- Texts whose windows have all been answered, and whose answer the parser's version `$version` has not made yet: the
-- replies to all windows, in order, by condition, model and sample. Of texts that `$keys` (parted by spaces) belong to
-- only, if given, and of `$plans`, if there are any. Texts are chosen before what was replied is read: all would be too
-- much for memory.
WITH asked AS (
    SELECT c.experiment_id, c.model, c.sample, c.key, c.prompt_hash, p.names, p.prompt, p.wording, p.descriptions,
           p.choices, i.dataset, i.document, i.part, i.parts
    FROM cells AS c
    JOIN prompts AS p USING (prompt_hash)
    JOIN items AS i USING (item_hash)
    WHERE i.task = $task AND i.parts > 1 AND (len($plans) = 0 OR list_contains($plans::VARCHAR[], c.experiment_id))
),
wanted AS (
    SELECT DISTINCT dataset, document FROM asked
    WHERE $keys IS NULL OR key IN (SELECT unnest(string_split($keys, ' ')))
),
answered AS (
    SELECT a.*, s.key IS NULL AS unread
    FROM asked AS a
    JOIN wanted USING (dataset, document)
    JOIN replies AS r USING (key)
    LEFT JOIN (SELECT DISTINCT key, prompt_hash FROM scores WHERE version >= $version) AS s USING (key, prompt_hash)
    WHERE r.text IS NOT NULL AND r.outcome <> 'filtered'
),
texts AS (
    SELECT min(key) AS first_key, list({'key': key, 'prompt_hash': prompt_hash, 'part': part} ORDER BY part) AS windows
    FROM answered
    GROUP BY experiment_id, model, sample, names, prompt, wording, descriptions, choices, dataset, document
    HAVING count(*) = max(parts) AND bool_or(unread)
    ORDER BY first_key, windows
    LIMIT $most
),
each AS (SELECT number, unnest(windows, recursive := true) FROM (SELECT row_number() OVER () AS number, windows FROM texts))
SELECT $task AS task,
       list({'key': e.key, 'prompt_hash': e.prompt_hash, 'text': r.text, 'outcome': r.outcome} ORDER BY e.part) AS windows,
       arg_min(p.gold, e.part) AS gold, arg_min(p.options, e.part) AS options, arg_min(p.accepted, e.part) AS accepted
FROM each AS e
JOIN replies AS r USING (key)
JOIN prompts AS p USING (prompt_hash)
GROUP BY e.number
ORDER BY e.number
