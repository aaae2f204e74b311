-- Answers of whoever was asked about each character against the ten whom experts pair with it most, in the order of
-- the matrix. Characters that a system has no answer about have NULLs.
-- choice: its most common answer, the first named of those equally common; it may be the character itself.
-- other_choice: the same without the character itself.
-- same_ranks, common, listed: of its ten most common answers without the character itself, as in expert_lists.sql.
WITH answers AS (
    SELECT corpus, system, character, chosen, count(*) AS times, min((sample, rank)) AS first_time
    FROM character_choices GROUP BY ALL),
choices AS (
    SELECT corpus, system, character, first(chosen ORDER BY times DESC, first_time) AS choice
    FROM answers GROUP BY ALL),
listed AS (
    SELECT *, row_number() OVER (
        PARTITION BY corpus, system, character ORDER BY times DESC, first_time) AS place
    FROM answers WHERE chosen <> character),
experts AS (
    SELECT corpus, a AS character, b AS chosen, min(ordinal) OVER (PARTITION BY corpus, a) AS ordinal,
           row_number() OVER (PARTITION BY corpus, a ORDER BY "count" DESC, ordinal) AS expert_place
    FROM character_pairs WHERE part = 'mapped'),
asked AS (
    SELECT s.corpus, s.system, e.character, e.ordinal, any_value(e.chosen) FILTER (e.expert_place = 1) AS expert_top
    FROM experts AS e JOIN (SELECT DISTINCT corpus, system FROM choices) AS s USING (corpus) GROUP BY ALL)
SELECT a.corpus, a.system, a.character, a.ordinal, c.choice,
       any_value(l.chosen) FILTER (l.place = 1) AS other_choice,
       any_value(e.expert_place) FILTER (e.chosen = c.choice) AS choice_place,
       any_value(e.expert_place) FILTER (l.place = 1) AS other_choice_place,
       count(*) FILTER (l.place <= 10 AND e.expert_place = l.place) AS same_ranks,
       count(*) FILTER (l.place <= 10 AND e.expert_place <= 10) AS common,
       count(*) FILTER (l.place <= 10) AS listed,
       coalesce(bool_or(l.place <= 10 AND e.expert_place = 1), false) AS top_in_ten
FROM asked AS a
LEFT JOIN choices AS c USING (corpus, system, character)
LEFT JOIN listed AS l USING (corpus, system, character)
LEFT JOIN experts AS e ON e.corpus = a.corpus AND e.character = a.character AND e.chosen = l.chosen
GROUP BY ALL
ORDER BY ALL
