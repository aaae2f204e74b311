-- What vectors there are of each representation: of how many of its features each encoder has one, or NULL where
-- the characters' vectors were made elsewhere. A representation without any has one row without an encoder.
WITH counted AS (SELECT corpus, pipeline, kind, count(*) AS features FROM features GROUP BY ALL),
embedded AS (
    SELECT f.corpus, f.pipeline, f.kind, v.encoder, v.encoder_id, count(*) AS embedded
    FROM features AS f JOIN vectors AS v USING (target_id) GROUP BY ALL)
SELECT c.corpus, c.pipeline, c.kind, e.encoder, e.encoder_id, c.features, e.embedded
FROM counted AS c LEFT JOIN embedded AS e USING (corpus, pipeline, kind)
UNION ALL
SELECT DISTINCT i.corpus, v.pipeline, v.kind, v.encoder, v.encoder, NULL, NULL
FROM imported_vectors AS v JOIN current_imports AS i USING (import_id)
ORDER BY ALL
