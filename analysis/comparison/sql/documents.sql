-- What each document adds to each headline metric on both sides: the sums of its windows and samples that both sides have
-- a score of.
WITH each AS (
    SELECT place, document, work, scene, unnest(measured(measures_a)) AS a, measures_b
    FROM matched
    WHERE compared AND scored_a AND scored_b
),
paired AS (
    SELECT place, document, work, scene, a, list_filter(measured(measures_b), lambda m: m.metric = a.metric)[1] AS b
    FROM each
    WHERE a.headline
)
SELECT place, document, a.metric AS metric, min(work) AS work, min(scene) AS scene,
       sum(a.recall_den) IS NOT NULL AS with_recall,
       bool_and(a.num BETWEEN 0 AND a.den AND b.num BETWEEN 0 AND b.den
                AND coalesce(a.recall_num BETWEEN 0 AND a.recall_den, true)
                AND coalesce(b.recall_num BETWEEN 0 AND b.recall_den, true)) AS bounded,
       sum(a.num) AS num_a, sum(a.den) AS den_a,
       coalesce(sum(a.recall_num), 0) AS recall_num_a, coalesce(sum(a.recall_den), 0) AS recall_den_a,
       sum(b.num) AS num_b, sum(b.den) AS den_b,
       coalesce(sum(b.recall_num), 0) AS recall_num_b, coalesce(sum(b.recall_den), 0) AS recall_den_b
FROM paired
WHERE b IS NOT NULL
GROUP BY place, document, a.metric
ORDER BY place, document, metric
