-- Every pair of characters once, with the cosine of its two vectors and how often experts call the two alike.
-- Counts of the two orders of a pair are added up; a pair that a benchmark does not name counts 0.
WITH counted AS (
    SELECT corpus, part, least(a, b) AS a, greatest(a, b) AS b, sum("count")::BIGINT AS "count"
    FROM character_pairs WHERE a <> b GROUP BY ALL)
SELECT s.corpus, s.pipeline, s.kind, s.encoder, s.encoder_id, parts.part,
       s.character AS a, s.work AS a_work, s.other AS b, s.other_work AS b_work, s.cosine,
       coalesce(c."count", 0) AS "count"
FROM similarity AS s
JOIN (SELECT DISTINCT corpus, part FROM character_pairs) AS parts USING (corpus)
LEFT JOIN counted AS c
    ON c.corpus = s.corpus AND c.part = parts.part AND c.a = s.character AND c.b = s.other
WHERE s.character < s.other
ORDER BY ALL
