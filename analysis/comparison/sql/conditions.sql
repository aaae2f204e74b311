-- By condition how the two sides differ: counts of cells, and of those that are compared what changed.
SELECT place, task, dataset, choices, wording, descriptions, model, names, prompt,
       count(*) FILTER (in_a) AS cells_a,
       count(*) FILTER (in_b) AS cells_b,
       count(*) FILTER (NOT in_b) AS only_a,
       count(*) FILTER (NOT in_a) AS only_b,
       count(*) FILTER (NOT same_prompt) AS other_prompts,
       count(*) FILTER (NOT same_gold) AS other_gold,
       count(*) FILTER (key_a = key_b) AS same_requests,
       count(*) FILTER (compared) AS compared,
       count(*) FILTER (compared AND NOT scored_a) AS missing_a,
       count(*) FILTER (compared AND NOT scored_b) AS missing_b,
       count(*) FILTER (compared AND scored_a AND scored_b) AS scored,
       count(*) FILTER (compared AND same_reply) AS same_replies,
       count(*) FILTER (compared AND scored_a AND scored_b AND other_answer) AS other_answers,
       count(*) FILTER (change = 'right to wrong') AS right_to_wrong,
       count(*) FILTER (change = 'wrong to right') AS wrong_to_right,
       count(*) FILTER (change IS NOT NULL AND score_b < score_a) AS worse,
       count(*) FILTER (change IS NOT NULL AND score_b > score_a) AS better
FROM matched
JOIN places USING (place)
GROUP BY ALL
ORDER BY place
