-- What items of source identification are told apart by.
SELECT DISTINCT unnest(from_json(flags, '["VARCHAR"]')) AS flag
FROM results
WHERE experiment = $experiment AND task = 'source_identification'
ORDER BY flag
