-- The same documents under two conditions that may also differ in descriptions: what each adds to each headline metric.
-- Windows without a score under one of the two are left out. Of source identification also by each of `$flags`, as in
-- levels.sql.
WITH sides AS (
    SELECT *,
           names = $names_a AND prompt = $prompt_a AND descriptions = $descriptions_a AS is_a,
           names = $names_b AND prompt = $prompt_b AND descriptions = $descriptions_b AS is_b
    FROM measures
    WHERE experiment = $experiment AND list_contains($tasks, task) AND wording = $wording AND headline),
windows AS (
    SELECT task, dataset, choices, model, document, item_id, metric,
           min(work) AS work,
           min(scene) AS scene,
           min(flags) AS flags,
           sum(num) FILTER (is_a) AS num_a,
           sum(den) FILTER (is_a) AS den_a,
           sum(recall_num) FILTER (is_a) AS recall_num_a,
           sum(recall_den) FILTER (is_a) AS recall_den_a,
           sum(num) FILTER (is_b) AS num_b,
           sum(den) FILTER (is_b) AS den_b,
           sum(recall_num) FILTER (is_b) AS recall_num_b,
           sum(recall_den) FILTER (is_b) AS recall_den_b
    FROM sides
    WHERE is_a OR is_b
    GROUP BY ALL
    HAVING count(*) FILTER (is_a) > 0 AND count(*) FILTER (is_b) > 0),
parts AS (
    SELECT *,
           unnest(parts_by(flags, CASE WHEN task = 'source_identification' THEN $flags ELSE [] END)) AS flag
    FROM windows)
SELECT task, dataset, choices, flag, model, $wording AS wording, document, metric,
       min(work) AS work,
       min(scene) AS scene,
       sum(recall_den_a) IS NOT NULL AS with_recall,
       sum(num_a) AS num_a,
       sum(den_a) AS den_a,
       coalesce(sum(recall_num_a), 0) AS recall_num_a,
       coalesce(sum(recall_den_a), 0) AS recall_den_a,
       sum(num_b) AS num_b,
       sum(den_b) AS den_b,
       coalesce(sum(recall_num_b), 0) AS recall_num_b,
       coalesce(sum(recall_den_b), 0) AS recall_den_b
FROM parts
GROUP BY ALL
ORDER BY ALL
