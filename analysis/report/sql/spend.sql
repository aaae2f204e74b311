-- What an experiment's models cost, over all its runs.
SELECT coalesce(s.model, 'cells of an earlier plan') AS model, s.requests, s.troubles, s.usd, s.uncertain_usd,
       p.prompt_tokens, p.reply_tokens
FROM spend AS s
LEFT JOIN progress AS p ON p.experiment = s.experiment AND p.model = s.model
WHERE s.experiment = $experiment
ORDER BY s.model NULLS LAST
