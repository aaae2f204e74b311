-- Replies that their task's parser has not read yet in its present version, to cells in the stretch of rows from
-- `$start` up to `$end`; to those of `$keys` (parted by spaces) only, if given, and of `$plans`, if there are any.
-- `$tasks` are read, each by the version that stands at the same place in `$versions`.
-- Cells that share a key share its reply, but each prompt has a gold answer of its own. Of the tasks that `$joined`
-- marks, the windows of longer texts are left out: to_join.sql reads those, all windows of a text together.
WITH asked AS (
    SELECT DISTINCT key, prompt_hash FROM cells
    WHERE rowid >= $start AND rowid < $end AND ($keys IS NULL OR key IN (SELECT unnest(string_split($keys, ' '))))
      AND (len($plans) = 0 OR list_contains($plans::VARCHAR[], experiment_id))
),
parsers AS (
    SELECT unnest($tasks::VARCHAR[]) AS task, unnest($versions::BIGINT[]) AS version, unnest($joined::BOOLEAN[]) AS joined
),
read_by AS (
    SELECT a.key, a.prompt_hash, task, w.version
    FROM asked AS a
    JOIN (SELECT prompt_hash, item_hash FROM prompts) AS p USING (prompt_hash)
    JOIN (SELECT item_hash, task, coalesce(parts, 1) AS parts FROM items) AS i USING (item_hash)
    JOIN parsers AS w USING (task)
    WHERE NOT (w.joined AND i.parts > 1)
),
unread AS (
    SELECT key, prompt_hash, task FROM read_by
    ANTI JOIN (SELECT key, prompt_hash, version FROM scores) AS s
        ON s.key = read_by.key AND s.prompt_hash = read_by.prompt_hash AND s.version >= read_by.version
)
SELECT unread.task, unread.prompt_hash, r.key, r.outcome, r.text, p.gold, p.options, p.accepted
FROM unread
JOIN replies AS r USING (key)
JOIN prompts AS p USING (prompt_hash)
WHERE r.text IS NOT NULL AND r.outcome <> 'filtered'
LIMIT $most
