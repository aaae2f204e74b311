-- Replies as the version `$from` of their parser read them and as the version `$to` does: `$keys` and `$prompts` name them,
-- one by one.
WITH wanted AS (
    SELECT unnest(range(len($keys))) AS number, unnest($keys) AS key, unnest($prompts) AS prompt_hash,
           unnest($from) AS "from", unnest($to) AS "to"
)
SELECT i.task, i.dataset, i.item_id, p.names, p.prompt, w."from", w."to", readable(p.gold) AS gold, r.text AS reply,
       readable(o.answer) AS answer_before, o.unparsed AS unparsed_before,
       CASE WHEN o.measures IS NULL THEN o.units_right / nullif(o.units, 0)
                ELSE list_avg(list_transform(list_filter(measured(o.measures), lambda m: m.headline),
                                             lambda m: pooled(m.num, m.den, m.recall_num, m.recall_den)))
           END AS score_before,
       readable(n.answer) AS answer_after, n.unparsed AS unparsed_after,
       CASE WHEN n.measures IS NULL THEN n.units_right / nullif(n.units, 0)
                ELSE list_avg(list_transform(list_filter(measured(n.measures), lambda m: m.headline),
                                             lambda m: pooled(m.num, m.den, m.recall_num, m.recall_den)))
           END AS score_after
FROM wanted AS w
JOIN scores AS o ON o.key = w.key AND o.prompt_hash = w.prompt_hash AND o.version = w."from"
JOIN scores AS n ON n.key = w.key AND n.prompt_hash = w.prompt_hash AND n.version = w."to"
JOIN prompts AS p ON p.prompt_hash = w.prompt_hash
JOIN items AS i USING (item_hash)
LEFT JOIN replies AS r ON r.key = w.key
ORDER BY w.number
