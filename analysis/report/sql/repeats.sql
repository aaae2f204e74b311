-- Cells asked again through the run, and the builds that the servers named.
SELECT model, repeats, same, builds
FROM repeat_rates
WHERE experiment = $experiment
ORDER BY model
