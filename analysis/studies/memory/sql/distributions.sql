-- Continuations of each passage under its own names, the greedy one first, then the draws in order.
SELECT model, dataset, document,
       CASE WHEN bool_or(list_contains(from_json(flags, '["VARCHAR"]'), 'well_known')) THEN 'well_known'
            ELSE 'little_known' END AS kind,
       min(work) AS work,
       min(scene) AS scene,
       list(reply ORDER BY sample) AS replies
FROM results
WHERE experiment = $experiment AND task = 'output_distribution' AND names = 'original' AND reply IS NOT NULL
      AND list_contains(from_json(flags, '["VARCHAR"]'), 'well_known')
          <> list_contains(from_json(flags, '["VARCHAR"]'), 'little_known')
GROUP BY model, dataset, document
HAVING min(sample) = 0 AND count(*) > 1
ORDER BY ALL
