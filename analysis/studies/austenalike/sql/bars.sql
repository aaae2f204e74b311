-- Mean cosines of each member to its group and to everyone else, as the figures take them: an empty group leaves
-- the mean of the row before in place. Rows go by attribute, then by works, then by group as the groups first
-- occur, then as in the file.
WITH members AS (
    SELECT s.corpus, s.pipeline, s.kind, s.encoder, s.encoder_id, g.part, g.attribute, g."group", works,
           g.ordinal, g.character, s.work,
           avg(s.cosine::DECIMAL(9, 6)) FILTER (h.character IS NOT NULL) AS mean_in,
           avg(s.cosine::DECIMAL(9, 6)) FILTER (h.character IS NULL) AS mean_out
    FROM similarity AS s
    CROSS JOIN (VALUES ('all'), ('other')) AS scope(works)
    JOIN character_groups AS g USING (corpus, character)
    LEFT JOIN character_groups AS h
        ON h.corpus = g.corpus AND h.part = g.part AND h.attribute = g.attribute AND h."group" = g."group"
        AND h.character = s.other
    WHERE works = 'all' OR s.work <> s.other_work
    GROUP BY ALL),
placed AS (
    SELECT corpus, part, attribute, "group", min(ordinal) AS place FROM character_groups GROUP BY ALL)
SELECT m.* REPLACE (
           last_value(mean_in IGNORE NULLS) OVER (
               PARTITION BY corpus, pipeline, kind, encoder_id, part, attribute, works
               ORDER BY place, ordinal) AS mean_in)
FROM members AS m JOIN placed USING (corpus, part, attribute, "group")
ORDER BY ALL
