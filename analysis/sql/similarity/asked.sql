-- How often each model was asked for characters that are like one: questions as planned now, replies that have
-- come to them, and replies in which an answer could be read.
SELECT r.experiment, r.dataset, r.work, r.task, r.model, r.names, r.prompt, r.item_id AS character,
       count(*) AS questions,
       count(*) FILTER (r.outcome NOT IN ('pending', 'failed', 'unavailable')) AS replies,
       count(r.answer) AS answers
FROM results AS r
WHERE r.task IN ('most_similar_character', 'most_similar_character_reasoned', 'ten_most_similar_characters')
GROUP BY ALL
ORDER BY ALL
