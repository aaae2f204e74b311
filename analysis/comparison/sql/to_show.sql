-- Cells that changed, `$most` of each condition and kind of change, the same ones every time. Cells that are neither right
-- nor wrong come after those that were, or are.
SELECT place, change, key_a, prompt_a, key_b, prompt_b, same_prompt, same_gold, sample, model,
       change IN ('right to wrong', 'wrong to right') AS flipped
FROM matched
JOIN places USING (place)
WHERE change <> 'same'
QUALIFY row_number() OVER (PARTITION BY place, change ORDER BY md5(item_id || ' ' || sample), item_id, sample) <= $most
ORDER BY flipped DESC, place, change, md5(item_id || ' ' || sample), item_id, sample
