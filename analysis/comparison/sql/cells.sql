-- The cells of an experiment for holding them against another's: what was asked and what is right by their digests, what
-- was answered and what it is worth. Of the models `$models`, by the names `$called` that the other side knows them by.
-- As the view `results` has them; but texts are made digests before they are joined, which takes far less memory.
WITH plan AS (SELECT experiment_id FROM current_plans WHERE experiment = $experiment),
cell AS (SELECT * FROM cells WHERE experiment_id = (SELECT experiment_id FROM plan) AND list_contains($models, model)),
question AS (
    SELECT p.prompt_hash, i.task, i.dataset, p.choices, coalesce(p.wording, 'own') AS wording,
           coalesce(p.descriptions, 'none') AS descriptions, p.names, p.prompt, i.item_id,
           coalesce(nullif(i.document, ''), i.item_id) AS document, i.work,
           coalesce(nullif(i.scene, ''), i.item_id) AS scene,
           md5_number_lower(p.text) AS asked,
           md5_number_lower(concat_ws(chr(0), p.gold, p.accepted, p.options)) AS gold
    FROM (SELECT * FROM prompts WHERE prompt_hash IN (SELECT prompt_hash FROM cell)) AS p
    JOIN (SELECT item_hash, task, dataset, item_id, document, work, scene FROM items) AS i USING (item_hash)
),
said AS (SELECT key, md5_number_lower(text) AS reply FROM replies),
read AS (
    SELECT key, prompt_hash, md5_number_lower(readable(answer)) AS answer, units_right, units, measures::VARCHAR AS measures,
           CASE WHEN measures IS NULL THEN units_right / nullif(units, 0)
                ELSE list_avg(list_transform(list_filter(measured(measures), lambda m: m.headline),
                                             lambda m: pooled(m.num, m.den, m.recall_num, m.recall_den)))
           END AS score
    FROM current_scores
)
SELECT q.task, q.dataset, q.choices, q.wording, q.descriptions, $called[list_position($models, c.model)] AS model, q.names,
       q.prompt, q.item_id, c.sample, q.document, q.work, q.scene, c.key, c.prompt_hash, q.asked, q.gold, said.reply,
       read.answer,
       read.units IS NOT NULL AS scored,
       CASE WHEN read.units > 0 THEN read.units_right = read.units END AS is_right,
       read.score, read.measures
FROM cell AS c
JOIN question AS q USING (prompt_hash)
LEFT JOIN said ON said.key = c.key
LEFT JOIN read ON read.key = c.key AND read.prompt_hash = c.prompt_hash
