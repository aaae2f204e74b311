-- What the present version of each task's parser reads otherwise than the version before it, by condition. Of the tasks
-- `$tasks`, whose present versions are `$versions`; of the cells of `$plans`, if there are any. `changed` are replies
-- that another answer was found in, or that score otherwise: `$most` of each condition, the same ones every time.
WITH wanted AS (SELECT unnest($tasks::VARCHAR[]) AS task, unnest($versions::BIGINT[]) AS version),
read AS (
    SELECT i.task, i.dataset, p.choices, coalesce(p.wording, 'own') AS wording,
           coalesce(p.descriptions, 'none') AS descriptions, p.names, p.prompt, w.version AS present, s.*
    FROM scores AS s
    JOIN prompts AS p USING (prompt_hash)
    JOIN items AS i USING (item_hash)
    JOIN wanted AS w ON w.task = i.task AND s.version <= w.version
    WHERE len($plans) = 0 OR s.key IN (SELECT key FROM cells WHERE list_contains($plans::VARCHAR[], experiment_id))
),
earlier AS (SELECT key, prompt_hash, max(version) AS version FROM read WHERE version < present GROUP BY ALL),
twice AS (
    SELECT n.task, n.dataset, n.choices, n.wording, n.descriptions, n.names, n.prompt, o.version AS "from",
           n.version AS "to", n.key, n.prompt_hash,
           o.answer IS DISTINCT FROM n.answer AS other_answer,
           (o.units_right, o.units, o.measures) IS DISTINCT FROM (n.units_right, n.units, n.measures) AS other_score,
           o.unparsed IS NULL AS was_parsed,
           n.unparsed IS NULL AS is_parsed,
           CASE WHEN o.measures IS NULL THEN o.units_right / nullif(o.units, 0)
                ELSE list_avg(list_transform(list_filter(measured(o.measures), lambda m: m.headline),
                                             lambda m: pooled(m.num, m.den, m.recall_num, m.recall_den)))
           END AS score_before,
           CASE WHEN n.measures IS NULL THEN n.units_right / nullif(n.units, 0)
                ELSE list_avg(list_transform(list_filter(measured(n.measures), lambda m: m.headline),
                                             lambda m: pooled(m.num, m.den, m.recall_num, m.recall_den)))
           END AS score_after
    FROM read AS n
    JOIN earlier USING (key, prompt_hash)
    JOIN read AS o ON o.key = n.key AND o.prompt_hash = n.prompt_hash AND o.version = earlier.version
    WHERE n.version = n.present
)
SELECT task, dataset, choices, wording, descriptions, names, prompt, "from", "to",
       count(*) AS replies,
       count(*) FILTER (other_answer) AS answers,
       count(*) FILTER (other_score) AS scores,
       count(*) FILTER (score_after > score_before) AS better,
       count(*) FILTER (score_after < score_before) AS worse,
       count(*) FILTER (was_parsed AND NOT is_parsed) AS lost,
       count(*) FILTER (is_parsed AND NOT was_parsed) AS gained,
       avg(score_before) AS score_before,
       avg(score_after) AS score_after,
       coalesce(min_by({'key': key, 'prompt_hash': prompt_hash}, md5(key || prompt_hash), $most)
                FILTER (other_answer OR other_score OR was_parsed <> is_parsed), []) AS changed
FROM twice
GROUP BY task, dataset, choices, wording, descriptions, names, prompt, "from", "to"
ORDER BY task, "from", dataset, choices, wording, descriptions,
         list_position(['original', 'masked', 'same_culture', 'cross_culture'], names), names,
         list_position(['baseline', 'verbatim', 'gist'], prompt)
