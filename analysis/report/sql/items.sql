-- The items that the browser holds: as many as `$most`, of each task alike, those whose score changes most between
-- original and changed names first (prompt baseline, any model), and then in an order drawn by `$seed`. With the size of
-- the change.
WITH asked AS (
    SELECT p.item_hash, p.choices, r.model, r.names, r.prompt, r.score
    FROM results AS r
    JOIN prompts AS p USING (prompt_hash)
    WHERE r.experiment = $experiment
),
under AS (
    SELECT item_hash, choices, model,
           avg(score) FILTER (names = 'original' AND prompt = 'baseline') AS a,
           avg(score) FILTER (names = $nr AND prompt = 'baseline') AS b
    FROM asked
    GROUP BY ALL
),
each AS (
    SELECT item_hash, choices, coalesce(max((a > 0.5) <> (b > 0.5)), false) AS flips, max(abs(a - b)) AS change
    FROM under
    GROUP BY ALL
),
ranked AS (
    SELECT i.task, i.dataset, e.choices, i.item_hash, i.item_id, i.work, i.document, i.part, i.parts,
           i.notes::VARCHAR AS notes, e.flips, e.change,
           row_number() OVER (PARTITION BY i.task, i.dataset, e.choices
                              ORDER BY e.flips DESC, md5($seed || i.item_hash)) AS place
    FROM each AS e
    JOIN items AS i USING (item_hash)
),
kept AS (
    SELECT *, row_number() OVER (ORDER BY place, task, dataset, choices) AS taken FROM ranked
)
SELECT task, dataset, choices, item_hash, item_id, work, document, part, parts, notes, flips, change
FROM kept
WHERE taken <= $most
ORDER BY task, dataset, choices, work, item_id, item_hash
