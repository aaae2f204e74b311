-- How often two samples of the same question have the same answer, of those that hold an answer: the mean over
-- questions of the share of pairs that agree.
WITH answers AS (
    SELECT task, dataset, choices, model, prompt_hash, answer, count(*) AS n
    FROM results
    WHERE experiment = $experiment AND answer IS NOT NULL
    GROUP BY ALL
),
questions AS (
    SELECT task, dataset, choices, model, prompt_hash,
           sum(n * (n - 1)) AS alike,
           sum(n) * (sum(n) - 1) AS pairs
    FROM answers
    GROUP BY ALL
)
SELECT task, dataset, choices, model,
       count(*) AS questions,
       avg(alike / pairs) AS agreement
FROM questions
WHERE pairs > 0
GROUP BY ALL
ORDER BY task, dataset, choices, model
