-- Every cell of either side once, beside the other side's cell of the same place, item and sample. `compared` are those
-- that both ask; if `$same_prompts`, only where both ask the same words and have the same right answers.
WITH a AS (SELECT place, c.* FROM cells_a AS c JOIN places USING (task, dataset, choices, wording, descriptions, model, names, prompt)),
b AS (SELECT place, c.* FROM cells_b AS c JOIN places USING (task, dataset, choices, wording, descriptions, model, names, prompt)),
paired AS (
    SELECT coalesce(a.place, b.place) AS place,
           coalesce(a.item_id, b.item_id) AS item_id,
           coalesce(a.sample, b.sample) AS sample,
           coalesce(a.document, b.document) AS document,
           coalesce(a.work, b.work) AS work,
           coalesce(a.scene, b.scene) AS scene,
           a.place IS NOT NULL AS in_a,
           b.place IS NOT NULL AS in_b,
           a.key AS key_a, b.key AS key_b, a.prompt_hash AS prompt_a, b.prompt_hash AS prompt_b,
           a.asked = b.asked AS same_prompt,
           a.gold = b.gold AS same_gold,
           a.reply = b.reply AS same_reply,
           a.answer IS DISTINCT FROM b.answer AS other_answer,
           a.scored AS scored_a, b.scored AS scored_b,
           a.is_right AS right_a, b.is_right AS right_b,
           a.score AS score_a, b.score AS score_b,
           a.measures AS measures_a, b.measures AS measures_b
    FROM a FULL JOIN b ON a.place = b.place AND a.item_id = b.item_id AND a.sample = b.sample
)
SELECT *,
       in_a AND in_b AND (NOT $same_prompts OR (same_prompt AND same_gold)) AS compared,
       CASE WHEN NOT coalesce(compared, false) OR score_a IS NULL OR score_b IS NULL THEN NULL
            WHEN right_a AND NOT right_b THEN 'right to wrong'
            WHEN right_b AND NOT right_a THEN 'wrong to right'
            WHEN score_b < score_a THEN 'worse'
            WHEN score_b > score_a THEN 'better'
            ELSE 'same'
       END AS change
FROM paired
