-- Accuracy by condition for one experiment, in the order of the tables.
SELECT * EXCLUDE (experiment)
FROM accuracy
WHERE experiment = $experiment
ORDER BY task, dataset, choices, wording, descriptions, model,
         list_position(['original', 'masked', 'same_culture', 'cross_culture'], names), names,
         list_position(['baseline', 'verbatim', 'gist'], prompt)
