-- Replies that can be read, by task, by the version of its parser that read them last and the version there is now:
-- `held` is NULL where none has. Of the tasks `$tasks`, whose versions are `$versions`; `$joined` says of each whether the
-- windows of a text are read together, which they are once all are answered. Of the cells of `$plans`, if there are any.
WITH wanted AS (
    SELECT unnest($tasks::VARCHAR[]) AS task, unnest($versions::BIGINT[]) AS version, unnest($joined::BOOLEAN[]) AS joined
),
answered AS (
    SELECT c.experiment_id, c.model, c.sample, c.key, c.prompt_hash, p.names, p.prompt, p.wording, p.descriptions,
           p.choices, i.task, i.dataset, i.document, i.parts, w.version, w.joined AND coalesce(i.parts, 1) > 1 AS windowed
    FROM cells AS c
    JOIN prompts AS p USING (prompt_hash)
    JOIN items AS i USING (item_hash)
    JOIN wanted AS w ON w.task = i.task
    JOIN (SELECT key FROM replies WHERE text IS NOT NULL AND outcome <> 'filtered'
          UNION
          SELECT r.key FROM replies AS r JOIN likelihoods AS l USING (key, run_id)) AS r USING (key)
    WHERE len($plans) = 0 OR list_contains($plans::VARCHAR[], c.experiment_id)
),
whole AS (
    SELECT task, version, unnest(keys, recursive := true)
    FROM (SELECT task, version, list({'key': key, 'prompt_hash': prompt_hash}) AS keys
          FROM answered
          WHERE windowed
          GROUP BY experiment_id, model, sample, names, prompt, wording, descriptions, choices, task, version, dataset,
                   document
          HAVING count(*) = max(parts))
),
readable AS (
    SELECT DISTINCT task, version, key, prompt_hash FROM answered WHERE NOT windowed
    UNION
    SELECT task, version, key, prompt_hash FROM whole
)
SELECT task, held, version, count(*) AS replies
FROM readable
LEFT JOIN (SELECT key, prompt_hash, max(version) AS held FROM scores GROUP BY ALL) USING (key, prompt_hash)
GROUP BY task, held, version
ORDER BY task, held NULLS FIRST
