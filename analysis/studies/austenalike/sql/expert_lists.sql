-- The ten characters whom experts pair most with a character against the ten most similar by cosine. Experts' lists
-- hold only characters with a vector; those paired equally often stand as in the matrix, and those never paired
-- fill up.
-- same_ranks: ranks at which both lists hold the same name. common: names in both lists, wherever they stand.
-- top_in_ten: whether the first of the experts' list is in the other one.
WITH by_cosine AS (
    SELECT *, row_number() OVER (
        PARTITION BY corpus, pipeline, kind, encoder_id, character ORDER BY cosine DESC, other DESC) AS place
    FROM similarity),
by_experts AS (
    SELECT s.*, row_number() OVER (
        PARTITION BY s.corpus, s.pipeline, s.kind, s.encoder_id, s.character
        ORDER BY p."count" DESC, p.ordinal) AS expert_place
    FROM by_cosine AS s
    JOIN character_pairs AS p ON p.corpus = s.corpus AND p.a = s.character AND p.b = s.other AND p.part = 'mapped')
SELECT corpus, pipeline, kind, encoder, encoder_id, character,
       count(*) FILTER (expert_place = place AND place <= 10) AS same_ranks,
       count(*) FILTER (expert_place <= 10 AND place <= 10) AS common,
       least(10, count(*)) AS listed,
       bool_or(expert_place = 1 AND place <= 10) AS top_in_ten,
       any_value(other) FILTER (expert_place = 1) AS expert_top
FROM by_experts
GROUP BY ALL
ORDER BY ALL
