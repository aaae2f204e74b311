-- What each passage, under its own names, adds to each metric of the probes that continue it: `prefix_continuation`,
-- which is a reply, and `extraction`, which is read off likelihoods.
SELECT task, dataset, model, metric, document,
       CASE WHEN bool_or(list_contains(from_json(flags, '["VARCHAR"]'), 'well_known')) THEN 'well_known'
            ELSE 'little_known' END AS kind,
       min(work) AS work,
       min(scene) AS scene,
       sum(num) AS num,
       sum(den) AS den
FROM measures
WHERE experiment = $experiment AND list_contains(['prefix_continuation', 'extraction'], task)
      AND names = 'original' AND prompt = 'baseline'
      AND list_contains(from_json(flags, '["VARCHAR"]'), 'well_known')
          <> list_contains(from_json(flags, '["VARCHAR"]'), 'little_known')
GROUP BY task, dataset, model, metric, document
ORDER BY ALL
