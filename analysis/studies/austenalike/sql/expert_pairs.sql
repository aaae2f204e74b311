-- The pairs that the published correlations rest on, with the cosine of each representation: both orders of a
-- pair, under the names as they stand in the matrix and only where these are characters' own; a second name of at
-- most two words, since a longer one was lost when columns were matched with rows; and both with a vector in
-- every representation there is. (On a store that holds vectors by several encoders, take one: see `encoder`.)
SELECT p.corpus, s.pipeline, s.kind, s.encoder, s.encoder_id,
       p.a, s.work AS a_work, p.b, s.other_work AS b_work, s.cosine, p."count", p.ordinal
FROM character_pairs AS p
JOIN similarity AS s ON s.corpus = p.corpus AND s.character = p.a AND s.other = p.b
WHERE p.part = 'raw' AND p."count" > 0 AND p.a <> p.b AND length(p.b) - length(replace(p.b, ' ', '')) <= 1
QUALIFY count(*) OVER (PARTITION BY p.ordinal)
        = (SELECT count(DISTINCT (pipeline, kind, encoder_id)) FROM similarity WHERE corpus = p.corpus)
ORDER BY ALL
