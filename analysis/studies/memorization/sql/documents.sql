-- What each document adds to each headline metric under each condition: the sums of its windows and samples. Of source
-- identification also by each of `$flags`, as in levels.sql.
WITH each AS (
    SELECT task, dataset, choices, wording, descriptions, model, names, prompt, work, scene, document, metric,
           num, den, recall_num, recall_den,
           unnest(parts_by(flags, CASE WHEN task = 'source_identification' THEN $flags ELSE [] END)) AS flag
    FROM measures
    WHERE experiment = $experiment AND list_contains($tasks, task) AND headline)
SELECT task, dataset, choices, flag, wording, descriptions, model, names, prompt, document, metric,
       min(work) AS work,
       min(scene) AS scene,
       sum(recall_den) IS NOT NULL AS with_recall,
       sum(num) AS num,
       sum(den) AS den,
       coalesce(sum(recall_num), 0) AS recall_num,
       coalesce(sum(recall_den), 0) AS recall_den
FROM each
GROUP BY ALL
ORDER BY ALL
