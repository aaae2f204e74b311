-- What is known of the items that both conditions of a contrast ask, and what is missing: the sums of the scores there
-- are, the cells without a score, and what their answers would add to the denominators. An answer is that of a cell, or
-- of a whole text for `$joined` tasks, whose windows are answered as one. It would add what the item's other answers
-- have, under any condition: in an F1 what there is to find, which stands for what is said as well. Where the item has
-- none, the mean over items does. The parameters are else those of pairs.sql.
WITH contrasts AS (
    SELECT unnest(range(len($names_a))) AS contrast,
           unnest($names_a) AS names_a, unnest($prompt_a) AS prompt_a,
           unnest($names_b) AS names_b, unnest($prompt_b) AS prompt_b
),
answers AS (
    SELECT task, dataset, choices, model, wording, descriptions, names, prompt, sample,
           CASE WHEN list_contains($joined, task) THEN document ELSE item_id END AS item,
           count(*) FILTER (units IS NULL) AS unscored
    FROM results
    WHERE experiment = $experiment
    GROUP BY ALL
),
asked AS (
    SELECT task, dataset, choices, model, wording, descriptions, names, prompt, item,
           sum(unscored) AS cells,
           count(*) FILTER (unscored > 0) AS missing
    FROM answers
    GROUP BY ALL
),
known AS (
    SELECT task, dataset, choices, model, wording, descriptions, names, prompt, headline, metric,
           CASE WHEN list_contains($joined, task) THEN document ELSE item_id END AS item,
           sum(num) AS num,
           sum(den) AS den,
           sum(recall_num) AS recall_num,
           sum(recall_den) AS recall_den,
           sum(coalesce(recall_den, den)) AS size,
           count(*) AS scores,
           bool_and(num BETWEEN 0 AND den AND coalesce(recall_num BETWEEN 0 AND recall_den, true)) AS bounded
    FROM measures
    WHERE experiment = $experiment AND (headline OR $every_metric)
    GROUP BY ALL
),
sizes AS (
    SELECT task, dataset, choices, model, wording, descriptions, metric, item,
           sum(size) / sum(scores) AS size
    FROM known
    GROUP BY ALL
),
metrics AS (
    SELECT task, dataset, choices, model, wording, descriptions, headline, metric,
           sum(size) / sum(scores) AS size,
           bool_and(bounded) AS bounded,
           bool_or(recall_den IS NOT NULL) AS with_recall
    FROM known
    GROUP BY ALL
),
items AS (
    SELECT contrast, a.* EXCLUDE (names, prompt, missing, cells), names_a, prompt_a, names_b, prompt_b,
           a.cells + b.cells AS cells, a.missing AS missing_a, b.missing AS missing_b
    FROM contrasts
    JOIN asked AS a ON a.names = names_a AND a.prompt = prompt_a
    JOIN asked AS b ON b.names = names_b AND b.prompt = prompt_b
         AND (a.task, a.dataset, a.choices, a.model, a.wording, a.descriptions, a.item)
           = (b.task, b.dataset, b.choices, b.model, b.wording, b.descriptions, b.item)
)
SELECT task, dataset, choices, model, wording, descriptions, contrast,
       m.headline, m.metric, m.with_recall, m.bounded,
       sum(i.cells)::BIGINT AS missing,
       coalesce(sum(a.num), 0) AS num_a,
       coalesce(sum(a.den), 0) AS den_a,
       coalesce(sum(a.recall_num), 0) AS recall_num_a,
       coalesce(sum(a.recall_den), 0) AS recall_den_a,
       coalesce(sum(b.num), 0) AS num_b,
       coalesce(sum(b.den), 0) AS den_b,
       coalesce(sum(b.recall_num), 0) AS recall_num_b,
       coalesce(sum(b.recall_den), 0) AS recall_den_b,
       sum(i.missing_a * coalesce(s.size, m.size)) AS open_a,
       sum(i.missing_b * coalesce(s.size, m.size)) AS open_b
FROM items AS i
JOIN metrics AS m USING (task, dataset, choices, model, wording, descriptions)
LEFT JOIN sizes AS s USING (task, dataset, choices, model, wording, descriptions, metric, item)
LEFT JOIN known AS a ON a.names = names_a AND a.prompt = prompt_a
     AND (i.task, i.dataset, i.choices, i.model, i.wording, i.descriptions, i.item, m.metric)
       = (a.task, a.dataset, a.choices, a.model, a.wording, a.descriptions, a.item, a.metric)
LEFT JOIN known AS b ON b.names = names_b AND b.prompt = prompt_b
     AND (i.task, i.dataset, i.choices, i.model, i.wording, i.descriptions, i.item, m.metric)
       = (b.task, b.dataset, b.choices, b.model, b.wording, b.descriptions, b.item, b.metric)
GROUP BY ALL
ORDER BY task, dataset, choices, model, wording, descriptions, contrast, m.headline DESC, m.metric
