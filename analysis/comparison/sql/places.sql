-- The conditions of both sides by task, dataset and model, numbered from 0 in the order of the tables.
SELECT row_number() OVER (ORDER BY task, dataset, choices, wording, descriptions, model,
                                   list_position(['original', 'masked', 'same_culture', 'cross_culture'], names), names,
                                   list_position(['baseline', 'verbatim', 'gist'], prompt)) - 1 AS place, *
FROM (SELECT task, dataset, choices, wording, descriptions, model, names, prompt FROM cells_a
      UNION
      SELECT task, dataset, choices, wording, descriptions, model, names, prompt FROM cells_b)
