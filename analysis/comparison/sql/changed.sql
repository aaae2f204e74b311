-- Every compared cell that scores otherwise on the other side.
SELECT task, dataset, item_id, work, choices, wording, descriptions, model, names, prompt, sample, change, score_a, score_b,
       same_prompt, same_gold, key_a, key_b
FROM matched
JOIN places USING (place)
WHERE change <> 'same'
ORDER BY place, item_id, sample
