-- What was asked and answered in some cells: `$keys` and `$prompts` name them, one by one.
WITH wanted AS (
    SELECT unnest(range(len($keys))) AS number, unnest($keys) AS key, unnest($prompts) AS prompt_hash
)
SELECT i.task, i.dataset, i.item_id, p.names, p.prompt, p.text AS prompt_text, readable(p.gold) AS gold, r.text AS reply,
       readable(s.answer) AS answer, s.unparsed
FROM wanted AS w
JOIN prompts AS p ON p.prompt_hash = w.prompt_hash
JOIN items AS i USING (item_hash)
LEFT JOIN replies AS r ON r.key = w.key
LEFT JOIN (FROM current_scores WHERE list_contains($keys, key)) AS s ON s.key = w.key AND s.prompt_hash = w.prompt_hash
ORDER BY w.number
