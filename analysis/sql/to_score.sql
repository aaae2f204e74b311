-- Replies of one task that its parser's version `$version` has not read yet, to cells in the stretch of rows
-- from `$start` up to `$end`; to those of `$keys` (parted by spaces) only, if given, and of `$plans`, if there are any.
-- Cells that share a key share its reply, but each prompt has a gold answer of its own. Where `$joined`, the
-- windows of longer texts are left out: to_join.sql reads those, all windows of a text together.
WITH asked AS (
    SELECT DISTINCT key, prompt_hash FROM cells
    WHERE rowid >= $start AND rowid < $end AND ($keys IS NULL OR key IN (SELECT unnest(string_split($keys, ' '))))
      AND (len($plans) = 0 OR list_contains($plans::VARCHAR[], experiment_id))
),
unread AS (
    SELECT key, prompt_hash FROM asked
    ANTI JOIN (SELECT key, prompt_hash FROM scores WHERE version >= $version) AS s USING (key, prompt_hash)
)
SELECT unread.prompt_hash, r.key, r.outcome, r.text, p.gold, p.options, p.accepted
FROM unread
JOIN replies AS r USING (key)
JOIN prompts AS p USING (prompt_hash)
JOIN items AS i USING (item_hash)
WHERE i.task = $task AND NOT ($joined AND coalesce(i.parts, 1) > 1) AND r.text IS NOT NULL AND r.outcome <> 'filtered'
LIMIT $most
