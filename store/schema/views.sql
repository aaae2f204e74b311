-- Views hold no data, so they are made anew whenever a store is opened for writing.

-- Through a map, not by key: a key that starts with $ or / would be read as a JSON path.
CREATE OR REPLACE MACRO readable(j) AS
    CASE WHEN j IS NULL THEN NULL
         WHEN json_keys(j) = ['title'] THEN j ->> 'title'
         ELSE array_to_string(list_transform(map_entries(j::JSON::MAP(VARCHAR, VARCHAR)), lambda e: e.key || ': ' || e.value), '; ')
    END;

-- 95 % Wilson score interval for `r` right out of `n`; NULL where n is 0.
CREATE OR REPLACE MACRO wilson_low(r, n) AS
    CASE WHEN n > 0 THEN greatest(0, (r + 1.920729 - 1.959964 * sqrt(r * (n - r) / n + 0.960365)) / (n + 3.841459)) END;
CREATE OR REPLACE MACRO wilson_high(r, n) AS
    CASE WHEN n > 0 THEN least(1, (r + 1.920729 + 1.959964 * sqrt(r * (n - r) / n + 0.960365)) / (n + 3.841459)) END;

-- The plan each experiment's file gave when it was last run.
CREATE OR REPLACE VIEW current_plans AS
    SELECT experiment, experiment_id
    FROM (
        SELECT e.experiment, e.experiment_id,
               row_number() OVER (PARTITION BY e.experiment ORDER BY coalesce(r.started_at, e.planned_at) DESC) AS place
        FROM experiments AS e
        LEFT JOIN (SELECT experiment_id, max(started_at) AS started_at FROM runs GROUP BY ALL) AS r USING (experiment_id)
    )
    WHERE place = 1;

CREATE OR REPLACE VIEW current_scores AS
    SELECT * FROM scores
    QUALIFY row_number() OVER (PARTITION BY prompt_hash, key ORDER BY version DESC, scored_at DESC) = 1;

CREATE OR REPLACE VIEW last_failures AS
    SELECT key, arg_max(kind, failed_at) AS kind, arg_max(error, failed_at) AS error,
           bool_or(permanent) AS permanent
    FROM failures GROUP BY key;

CREATE OR REPLACE VIEW results AS
    SELECT c.cell_id,
           plan.experiment,
           i.task,
           i.dataset,
           i.work,
           i.item_id,
           c.model,
           p.names,
           p.prompt,
           c.sample,
           coalesce(r.outcome, CASE WHEN f.key IS NOT NULL THEN 'failed' ELSE 'pending' END) AS outcome,
           r.text AS reply,
           readable(s.answer) AS answer,
           readable(p.gold) AS gold,
           CASE WHEN s.units > 0 THEN s.units_right / s.units END AS score,
           s.units_right,
           s.units,
           s.unparsed,
           f.error,
           p.choices,
           p.chance,
           p.text AS prompt_text,
           p.replaced,
           r.served_model,
           r.prompt_tokens,
           r.reply_tokens,
           r.attempts,
           r.latency_s,
           r.received_at,
           p.prompt_hash,
           c.key
    FROM current_plans AS plan
    JOIN cells AS c USING (experiment_id)
    JOIN prompts AS p USING (prompt_hash)
    JOIN items AS i USING (item_hash)
    LEFT JOIN replies AS r USING (key)
    LEFT JOIN last_failures AS f ON f.key = c.key AND r.key IS NULL
    LEFT JOIN current_scores AS s ON s.key = c.key AND s.prompt_hash = c.prompt_hash;

CREATE OR REPLACE VIEW accuracy AS
    SELECT experiment,
           task,
           dataset,
           choices,
           model,
           names,
           prompt,
           coalesce(sum(units), 0)::BIGINT AS n,
           count(DISTINCT item_id) FILTER (units IS NOT NULL) AS items,
           count(units) AS replies,
           sum(units_right) / nullif(sum(units), 0) AS accuracy,
           -- Samples of an item are not independent: for the interval an item counts once, by its mean.
           wilson_low(sum(units_right) * items / replies, sum(units) * items / replies) AS low,
           wilson_high(sum(units_right) * items / replies, sum(units) * items / replies) AS high,
           sum(chance * units) / nullif(sum(units) FILTER (chance IS NOT NULL), 0) AS chance,
           count(*) FILTER (unparsed IS NOT NULL) AS unparsed,
           count(*) FILTER (outcome = 'truncated') AS truncated,
           count(*) FILTER (units IS NULL) AS missing,
           count(*) AS cells
    FROM results
    GROUP BY ALL;

CREATE OR REPLACE VIEW progress AS
    SELECT experiment,
           model,
           count(*) AS cells,
           count(*) FILTER (outcome NOT IN ('pending', 'failed')) AS replies,
           count(*) FILTER (outcome = 'failed') AS failed,
           count(*) FILTER (outcome = 'pending') AS pending,
           count(DISTINCT key) AS keys,
           -- Cells that share a key share its reply, and its tokens were bought once.
           sum(prompt_tokens / sharing)::BIGINT AS prompt_tokens,
           sum(reply_tokens / sharing)::BIGINT AS reply_tokens,
           max(received_at) AS last_reply_at
    FROM (SELECT *, count(*) OVER (PARTITION BY experiment, model, key) AS sharing FROM results)
    GROUP BY experiment, model;

COMMENT ON VIEW results IS 'One readable row a cell of every experiment''s current plan.';
COMMENT ON VIEW accuracy IS 'Right units over asked units by condition, with 95 % Wilson intervals in which an item counts once, whatever its samples; unparsed replies count as wrong and are shown.';
COMMENT ON VIEW progress IS 'Cells held, failed and still to ask, by experiment and model.';
