-- The most similar character of each member of a group, among all characters (works = 'all') and among
-- those of other works (works = 'other'), and whether that one is in the group too.
-- Of characters that are equally similar the last in the alphabet is taken.
WITH nearest AS (
    SELECT corpus, pipeline, kind, encoder, encoder_id, works, character, work,
           max({'cosine': cosine, 'chosen': other, 'chosen_work': other_work}) AS top
    FROM similarity CROSS JOIN (VALUES ('all'), ('other')) AS scope(works)
    WHERE works = 'all' OR work <> other_work
    GROUP BY ALL)
SELECT n.corpus, n.pipeline, n.kind, n.encoder, n.encoder_id, g.part, g.attribute, g."group", n.works,
       g.ordinal, n.character, n.work, n.top.chosen, n.top.chosen_work, h.character IS NOT NULL AS hit
FROM nearest AS n
JOIN character_groups AS g USING (corpus, character)
LEFT JOIN character_groups AS h
    ON h.corpus = g.corpus AND h.part = g.part AND h.attribute = g.attribute AND h."group" = g."group"
    AND h.character = n.top.chosen
ORDER BY ALL
