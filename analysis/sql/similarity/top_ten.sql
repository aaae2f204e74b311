-- For each character whom experts pair with someone: how well the ten most similar by cosine agree with the ten
-- whom experts name most. Only characters that have a vector are ranked, and only pairs that are named at all.
-- jaccard: size of the intersection over that of the union. Where several share the tenth place, each of them
-- counts as the part of the places that are left for them.
-- top_share: the part of those whom experts name most that is among the ten by cosine.
WITH counted AS (
    SELECT corpus, part, least(a, b) AS a, greatest(a, b) AS b, sum("count")::BIGINT AS "count"
    FROM character_pairs WHERE a <> b GROUP BY ALL HAVING sum("count") > 0),
both_ways AS (
    SELECT corpus, part, a AS character, b AS other, "count" FROM counted
    UNION ALL SELECT corpus, part, b, a, "count" FROM counted),
by_cosine AS (
    SELECT *,
           row_number() OVER (
               PARTITION BY corpus, pipeline, kind, encoder_id, character
               ORDER BY cosine DESC, other DESC) AS place,
           count(*) OVER (PARTITION BY corpus, pipeline, kind, encoder_id, character) AS candidates
    FROM similarity),
by_experts AS (
    SELECT c.corpus, c.pipeline, c.kind, c.encoder, c.encoder_id, e.part, c.character, c.work,
           c.other, c.place, c.candidates, e."count",
           rank() OVER same_character AS best_place,
           count(*) OVER (
               PARTITION BY c.corpus, c.pipeline, c.kind, c.encoder_id, e.part, c.character, e."count") AS sharing,
           count(*) OVER (PARTITION BY c.corpus, c.pipeline, c.kind, c.encoder_id, e.part, c.character) AS named
    FROM by_cosine AS c JOIN both_ways AS e USING (corpus, character, other)
    WINDOW same_character AS (
        PARTITION BY c.corpus, c.pipeline, c.kind, c.encoder_id, e.part, c.character ORDER BY e."count" DESC)),
weighed AS (SELECT *, greatest(0, least(1, (11 - best_place) / sharing)) AS weight FROM by_experts),
agreement AS (
    SELECT corpus, pipeline, kind, encoder, encoder_id, part, character, work,
           count(*) FILTER (place <= 10 AND weight = 1)
               + coalesce(sum(DISTINCT weight) FILTER (place <= 10 AND weight < 1), 0)
               * count(*) FILTER (place <= 10 AND weight > 0 AND weight < 1) AS common,
           least(10, any_value(named)) + least(10, any_value(candidates)) AS sizes,
           avg((place <= 10)::INTEGER) FILTER (best_place = 1) AS top_share,
           string_agg(other, '; ' ORDER BY other) FILTER (best_place = 1) AS expert_top
    FROM weighed
    GROUP BY ALL)
SELECT * EXCLUDE (common, sizes), common / (sizes - common) AS jaccard FROM agreement ORDER BY ALL
