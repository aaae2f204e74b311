-- What each document adds to each metric under both conditions of each contrast: the sums of its windows and samples.
-- Windows without a score under one of the two are left out. A contrast is a number in the lists `$names_a`, `$prompt_a`,
-- `$names_b` and `$prompt_b`, from 0; metrics that are no headlines are there if `$every_metric` is true.
WITH contrasts AS (
    SELECT unnest(range(len($names_a))) AS contrast,
           unnest($names_a) AS names_a, unnest($prompt_a) AS prompt_a,
           unnest($names_b) AS names_b, unnest($prompt_b) AS prompt_b
),
windows AS (
    SELECT task, dataset, choices, model, wording, descriptions, document, item_id, headline, metric, names, prompt,
           min(work) AS work,
           min(scene) AS scene,
           sum(num) AS num,
           sum(den) AS den,
           sum(recall_num) AS recall_num,
           sum(recall_den) AS recall_den
    FROM measures
    WHERE experiment = $experiment AND (headline OR $every_metric)
    GROUP BY ALL
),
pairs AS (
    SELECT contrast, a.* EXCLUDE (names, prompt),
           b.num AS num_b, b.den AS den_b, b.recall_num AS recall_num_b, b.recall_den AS recall_den_b
    FROM contrasts
    JOIN windows AS a ON a.names = names_a AND a.prompt = prompt_a
    JOIN windows AS b ON b.names = names_b AND b.prompt = prompt_b
         AND (a.task, a.dataset, a.choices, a.model, a.wording, a.descriptions, a.item_id, a.metric)
           = (b.task, b.dataset, b.choices, b.model, b.wording, b.descriptions, b.item_id, b.metric)
)
SELECT task, dataset, choices, model, wording, descriptions, contrast, document,
       headline,
       metric,
       min(work) AS work,
       min(scene) AS scene,
       sum(recall_den) IS NOT NULL AS with_recall,
       sum(num) AS num_a,
       sum(den) AS den_a,
       coalesce(sum(recall_num), 0) AS recall_num_a,
       coalesce(sum(recall_den), 0) AS recall_den_a,
       sum(num_b) AS num_b,
       sum(den_b) AS den_b,
       coalesce(sum(recall_num_b), 0) AS recall_num_b,
       coalesce(sum(recall_den_b), 0) AS recall_den_b
FROM pairs
GROUP BY ALL
ORDER BY task, dataset, choices, model, wording, descriptions, contrast, document, headline DESC, metric
