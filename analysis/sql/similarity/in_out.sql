-- Mean cosine of each member of a group to its other members and to everyone else, among all characters
-- (works = 'all') and among those of other works (works = 'other'). NULL where there is nobody to compare with.
-- Cosines have six decimals: added up as such, their sum does not depend on the order in which they come.
SELECT s.corpus, s.pipeline, s.kind, s.encoder, s.encoder_id, g.part, g.attribute, g."group", works,
       g.ordinal, g.character, s.work,
       avg(s.cosine::DECIMAL(9, 6)) FILTER (h.character IS NOT NULL) AS mean_in,
       avg(s.cosine::DECIMAL(9, 6)) FILTER (h.character IS NULL) AS mean_out,
       count(h.character) AS n_in,
       count(*) - count(h.character) AS n_out
FROM similarity AS s
CROSS JOIN (VALUES ('all'), ('other')) AS scope(works)
JOIN character_groups AS g USING (corpus, character)
LEFT JOIN character_groups AS h
    ON h.corpus = g.corpus AND h.part = g.part AND h.attribute = g.attribute AND h."group" = g."group"
    AND h.character = s.other
WHERE works = 'all' OR s.work <> s.other_work
GROUP BY ALL
ORDER BY ALL
