-- Passages of the likelihood probe under their own names and under others: what each adds to the mean log-probability of
-- the tokens outside names. One row a document and strategy of names; windows without a score under one of the two are
-- left out, as are items that are neither well known nor little known, or both.
WITH windows AS (
    SELECT dataset, model, names, document, item_id,
           min(work) AS work,
           min(scene) AS scene,
           bool_or(list_contains(from_json(flags, '["VARCHAR"]'), 'well_known')) AS well_known,
           bool_or(list_contains(from_json(flags, '["VARCHAR"]'), 'little_known')) AS little_known,
           sum(num) AS num,
           sum(den) AS den
    FROM measures
    WHERE experiment = $experiment AND task = 'passage_likelihood' AND headline
    GROUP BY ALL
)
SELECT a.dataset, a.model, b.names, a.document,
       CASE WHEN min(a.well_known) THEN 'well_known' ELSE 'little_known' END AS kind,
       min(a.work) AS work,
       min(a.scene) AS scene,
       sum(a.num) AS num_a,
       sum(a.den) AS den_a,
       sum(b.num) AS num_b,
       sum(b.den) AS den_b
FROM windows AS a
JOIN windows AS b ON b.names <> 'original' AND (a.dataset, a.model, a.item_id) = (b.dataset, b.model, b.item_id)
WHERE a.names = 'original' AND a.well_known <> a.little_known
GROUP BY ALL
ORDER BY ALL
