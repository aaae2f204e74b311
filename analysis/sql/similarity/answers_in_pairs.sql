-- For each character about whom a model was asked and whom experts pair with someone: how well its answers agree
-- with the ten whom experts name most. Only characters on the model's list are ranked, and only pairs that are named
-- at all. Its answers go by how often they are given, then by which came first; never the character itself.
-- jaccard: size of the intersection of its ten and the experts' over that of the union. Where several share the
-- tenth place, each of them counts as the part of the places that are left for them.
-- top_share: the part of those whom experts name most that is among its ten.
-- choice_share: whether its first is among the experts' ten; the same part where several share the tenth place.
WITH counted AS (
    SELECT corpus, part, least(a, b) AS a, greatest(a, b) AS b, sum("count")::BIGINT AS "count"
    FROM character_pairs WHERE a <> b GROUP BY ALL HAVING sum("count") > 0),
both_ways AS (
    SELECT corpus, part, a AS character, b AS other, "count" FROM counted
    UNION ALL SELECT corpus, part, b, a, "count" FROM counted),
answered AS (SELECT DISTINCT corpus, system, character FROM character_choices),
placed AS (
    SELECT corpus, system, character, chosen AS other,
           row_number() OVER (
               PARTITION BY corpus, system, character ORDER BY count(*) DESC, min((sample, rank))) AS place
    FROM character_choices WHERE chosen <> character GROUP BY corpus, system, character, chosen),
by_experts AS (
    SELECT e.corpus, a.system, e.part, e.character, e.other,
           rank() OVER (PARTITION BY e.corpus, a.system, e.part, e.character ORDER BY e."count" DESC) AS best_place,
           count(*) OVER (PARTITION BY e.corpus, a.system, e.part, e.character, e."count") AS sharing
    FROM answered AS a
    JOIN both_ways AS e USING (corpus, character)
    JOIN offered AS o ON o.corpus = a.corpus AND o.system = a.system AND o.name = e.other),
weighed AS (
    SELECT e.*, greatest(0, least(1, (11 - best_place) / sharing)) AS weight, coalesce(p.place, 11) AS place
    FROM by_experts AS e LEFT JOIN placed AS p USING (corpus, system, character, other)),
listed AS (
    SELECT corpus, system, character, count(*) AS listed FROM placed WHERE place <= 10 GROUP BY ALL),
agreement AS (
    SELECT corpus, system, part, character,
           count(*) FILTER (place <= 10 AND weight = 1)
               + coalesce(sum(DISTINCT weight) FILTER (place <= 10 AND weight < 1), 0)
               * count(*) FILTER (place <= 10 AND weight > 0 AND weight < 1) AS common,
           least(10, count(*)) AS wanted,
           avg((place <= 10)::INTEGER) FILTER (best_place = 1) AS top_share,
           coalesce(max(weight) FILTER (place = 1), 0) AS choice_share
    FROM weighed GROUP BY ALL)
SELECT a.* EXCLUDE (common, wanted), common / (wanted + coalesce(listed, 0) - common) AS jaccard
FROM agreement AS a LEFT JOIN listed AS l USING (corpus, system, character)
ORDER BY ALL
