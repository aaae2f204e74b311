-- Whom a system names most often for each member of a group, and whether that one is in the group too. Of those
-- named equally often the one that was named first; never the member itself, so that chosen is NULL where the
-- system names nobody else.
WITH named AS (
    SELECT corpus, system, character, chosen, count(*) AS times, min((sample, rank)) AS first_time
    FROM character_choices WHERE chosen <> character GROUP BY corpus, system, character, chosen
    QUALIFY row_number() OVER (PARTITION BY corpus, system, character ORDER BY times DESC, first_time) = 1)
SELECT a.corpus, a.system, g.part, g.attribute, g."group", g.ordinal, g.character, c.work,
       n.chosen, d.work AS chosen_work,
       CASE WHEN n.chosen IS NOT NULL THEN h.character IS NOT NULL END AS hit
FROM (SELECT DISTINCT corpus, system, character FROM character_choices) AS a
JOIN character_groups AS g USING (corpus, character)
JOIN characters AS c USING (corpus, character)
LEFT JOIN named AS n USING (corpus, system, character)
LEFT JOIN characters AS d ON d.corpus = a.corpus AND d.character = n.chosen
LEFT JOIN character_groups AS h
    ON h.corpus = g.corpus AND h.part = g.part AND h.attribute = g.attribute AND h."group" = g."group"
    AND h.character = n.chosen
ORDER BY ALL
