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

-- A metric of pooled sums: a ratio, or the F1 of two; a precision or recall over nothing counts as 0 as long as the
-- other is over something.
CREATE OR REPLACE MACRO share(num, den) AS coalesce(num / nullif(den, 0), 0);
CREATE OR REPLACE MACRO pooled(num, den, recall_num, recall_den) AS
    CASE WHEN recall_den IS NULL THEN num / nullif(den, 0)
         WHEN den > 0 OR recall_den > 0 THEN
             coalesce(2 * share(num, den) * share(recall_num, recall_den)
                      / nullif(share(num, den) + share(recall_num, recall_den), 0), 0)
    END;
CREATE OR REPLACE MACRO measured(j) AS
    from_json(j, '[{"metric": "VARCHAR", "num": "DOUBLE", "den": "DOUBLE", "recall_num": "DOUBLE", "recall_den": "DOUBLE", "headline": "BOOLEAN"}]');

-- The parts an item is in: the whole, '', and for each flag of `wanted` those that have it, or behind a minus those that
-- have it not.
CREATE OR REPLACE MACRO parts_by(flags, wanted) AS
    [''] || list_transform(wanted, lambda f:
        CASE WHEN list_contains(from_json(flags, '["VARCHAR"]'), f) THEN f ELSE '-' || f END);

-- The plan each experiment's file gave when it was last run. By the order of rows: clocks jump.
CREATE OR REPLACE VIEW current_plans AS
    SELECT e.experiment, e.experiment_id
    FROM (SELECT rowid AS place, experiment, experiment_id FROM experiments) AS e
    LEFT JOIN (SELECT experiment_id, max(rowid) AS run FROM runs GROUP BY ALL) AS r USING (experiment_id)
    QUALIFY row_number() OVER (PARTITION BY e.experiment ORDER BY r.run DESC NULLS LAST, e.place DESC) = 1;

-- What the newest version of each task's parser has read. While a new version goes through old replies, what it
-- has not come to has no score: numbers of two versions are never mixed.
CREATE OR REPLACE VIEW current_scores AS
    WITH tasks AS (SELECT p.prompt_hash, i.task FROM prompts AS p JOIN items AS i USING (item_hash)),
    newest AS (SELECT task, max(version) AS version FROM scores JOIN tasks USING (prompt_hash) GROUP BY task)
    SELECT s.*
    FROM scores AS s
    JOIN tasks USING (prompt_hash)
    JOIN newest USING (task, version);

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
           coalesce(r.outcome,
                    CASE WHEN f.kind = 'unavailable' THEN 'unavailable' WHEN f.key IS NOT NULL THEN 'failed' ELSE 'pending' END
           ) AS outcome,
           r.text AS reply,
           readable(s.answer) AS answer,
           readable(p.gold) AS gold,
           CASE WHEN s.measures IS NULL THEN s.units_right / nullif(s.units, 0)
                ELSE list_avg(list_transform(list_filter(measured(s.measures), lambda m: m.headline),
                                             lambda m: pooled(m.num, m.den, m.recall_num, m.recall_den)))
           END AS score,
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
           c.key,
           coalesce(c.is_first, true) AS is_first,
           coalesce(p.wording, 'own') AS wording,
           coalesce(p.descriptions, 'none') AS descriptions,
           coalesce(nullif(i.scene, ''), i.item_id) AS scene,
           coalesce(nullif(i.document, ''), i.item_id) AS document,
           coalesce(i.flags, '[]') AS flags,
           s.measures
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
           wording,
           descriptions,
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

CREATE OR REPLACE VIEW measures AS
    WITH each AS (
        SELECT experiment, task, dataset, choices, wording, descriptions, model, names, prompt, work, scene, document,
               item_id, flags, sample, outcome, unparsed, unnest(measured(measures)) AS m
        FROM results WHERE measures IS NOT NULL)
    SELECT * EXCLUDE (m), m.metric, m.num, m.den, m.recall_num, m.recall_den, coalesce(m.headline, false) AS headline
    FROM each;

CREATE OR REPLACE VIEW metrics AS
    WITH sums AS (
        SELECT experiment, task, dataset, choices, wording, descriptions, model, names, prompt, metric, headline,
               sum(num) AS num, sum(den) AS den, sum(recall_num) AS recall_num, sum(recall_den) AS recall_den,
               count(DISTINCT document) AS items, count(*) AS replies,
               count(*) FILTER (unparsed IS NOT NULL) AS unparsed
        FROM measures GROUP BY ALL),
    asked AS (
        SELECT experiment, task, dataset, choices, wording, descriptions, model, names, prompt,
               count(*) AS cells, count(*) FILTER (units IS NULL) AS missing
        FROM results GROUP BY ALL)
    SELECT experiment, task, dataset, choices, wording, descriptions, model, names, prompt, metric, headline,
           pooled(num, den, recall_num, recall_den) AS value,
           CASE WHEN recall_den IS NOT NULL THEN num / nullif(den, 0) END AS "precision",
           recall_num / nullif(recall_den, 0) AS recall,
           items, replies, unparsed, missing, cells
    FROM sums JOIN asked USING (experiment, task, dataset, choices, wording, descriptions, model, names, prompt);

CREATE OR REPLACE VIEW headlines AS
    SELECT experiment, task, dataset, choices, wording, descriptions, model, names, prompt,
           string_agg(metric, ' + ' ORDER BY metric) AS metric,
           CASE WHEN count(value) = count(*) THEN avg(value) END AS value,
           any_value(items) AS items, any_value(replies) AS replies, any_value(unparsed) AS unparsed,
           any_value(missing) AS missing, any_value(cells) AS cells
    FROM metrics WHERE headline
    GROUP BY ALL;

-- Cells that share a key share its reply, and its tokens were bought once: they count for the first of them.
CREATE OR REPLACE VIEW progress AS
    SELECT experiment,
           model,
           count(*) AS cells,
           count(*) FILTER (outcome NOT IN ('pending', 'failed', 'unavailable')) AS replies,
           count(*) FILTER (outcome = 'failed') AS failed,
           count(*) FILTER (outcome = 'pending') AS pending,
           count(*) FILTER (is_first) AS keys,
           (sum(prompt_tokens) FILTER (is_first))::BIGINT AS prompt_tokens,
           (sum(reply_tokens) FILTER (is_first))::BIGINT AS reply_tokens,
           max(received_at) AS last_reply_at
    FROM results
    GROUP BY experiment, model;

-- One row a token of every text whose likelihood is held: the token's place, its words, its log-probability.
CREATE OR REPLACE VIEW tokens AS
    WITH likely AS (
        SELECT p.experiment, i.task, i.dataset, i.work, i.item_id, c.model, t.names, c.key, t.text, t.names_at, l.*
            EXCLUDE (key, run_id), i.flags
        FROM current_plans AS p
        JOIN cells AS c USING (experiment_id)
        JOIN prompts AS t USING (prompt_hash)
        JOIN items AS i USING (item_hash)
        JOIN replies AS r ON r.key = c.key
        JOIN likelihoods AS l ON l.key = c.key AND l.run_id = r.run_id
        WHERE c.sample = 0),
    each AS (SELECT *, unnest(range(len(offsets))) + 1 AS place FROM likely)
    SELECT experiment, task, dataset, work, item_id, model, names, place,
           substr(text, offsets[place] + 1, coalesce(offsets[place + 1], length(text)) - offsets[place]) AS token,
           offsets[place] AS start,
           coalesce(offsets[place + 1], length(text)) AS "end",
           token_ids[place] AS token_id,
           logprobs[place] AS logprob,
           ranks[place] AS rank,
           len(list_filter(from_json(names_at, '[["INTEGER"]]'),
                           lambda n: n[1] < coalesce(offsets[place + 1], length(text)) AND n[2] > offsets[place])) > 0 AS in_name,
           key
    FROM each;

-- A key that several models share counts for one of them: it was bought once.
CREATE OR REPLACE VIEW spend AS
    SELECT e.experiment,
           m.model,
           count(*) AS requests,
           count(*) FILTER (a.error_kind IS NOT NULL) AS troubles,
           sum(a.usd) AS usd,
           sum(a.usd_at_most) AS uncertain_usd
    FROM attempts AS a
    JOIN runs AS r USING (run_id)
    JOIN experiments AS e USING (experiment_id)
    LEFT JOIN cells AS m ON m.experiment_id = r.experiment_id AND m.key = a.key AND m.is_first
    GROUP BY ALL;

-- Sentinels of the current plans. Builds are what the server called itself in all its replies to the plan's cells.
CREATE OR REPLACE VIEW repeat_rates AS
    WITH cell AS (SELECT DISTINCT p.experiment, c.model, c.key
                  FROM current_plans AS p JOIN cells AS c USING (experiment_id)),
    builds AS (
        SELECT experiment, model, list(DISTINCT build ORDER BY build) AS builds
        FROM (SELECT experiment, model, concat_ws(' ', served_model, fingerprint) AS build FROM cell JOIN replies USING (key)
              UNION ALL
              SELECT experiment, model, concat_ws(' ', served_model, fingerprint) FROM cell JOIN repeats USING (key))
        WHERE build <> ''
        GROUP BY ALL),
    asked AS (SELECT experiment, model, count(*) AS repeats, count(*) FILTER (same) AS same
              FROM cell JOIN repeats USING (key) GROUP BY ALL)
    SELECT experiment, model, coalesce(repeats, 0) AS repeats, coalesce(same, 0) AS same, same / repeats AS rate, builds
    FROM builds FULL JOIN asked USING (experiment, model);

-- Of each part of a corpus, the import that was made last.
CREATE OR REPLACE VIEW current_imports AS
    SELECT * FROM imports
    QUALIFY row_number() OVER (PARTITION BY corpus, relation, part ORDER BY rowid DESC) = 1;

CREATE OR REPLACE VIEW features AS
    SELECT i.corpus, f.* FROM feature_rows AS f JOIN current_imports AS i USING (import_id);
-- Where a corpus has no list of its characters, those with features are it.
CREATE OR REPLACE VIEW characters AS
    WITH listed AS (
        SELECT i.corpus, c.character, c.work, c.ordinal
        FROM cast_rows AS c JOIN current_imports AS i USING (import_id))
    FROM listed
    UNION ALL BY NAME
    SELECT corpus, character, min(work) AS work, row_number() OVER (PARTITION BY corpus ORDER BY character) - 1 AS ordinal
    FROM features WHERE corpus NOT IN (SELECT corpus FROM listed) GROUP BY corpus, character;
CREATE OR REPLACE VIEW character_groups AS
    SELECT i.corpus, i.part, g.attribute, g."group", g.character, g.ordinal
    FROM group_rows AS g JOIN current_imports AS i USING (import_id);
CREATE OR REPLACE VIEW character_pairs AS
    SELECT i.corpus, i.part, p.a, p.b, p."count", p.ordinal
    FROM pair_rows AS p JOIN current_imports AS i USING (import_id);
CREATE OR REPLACE VIEW character_choices AS
    SELECT i.corpus, c.system, c.character, c.sample, c.rank, c.chosen
    FROM choice_rows AS c JOIN current_imports AS i USING (import_id);

-- From replies to the tasks that ask for similar characters, with replaced names read backwards.
CREATE OR REPLACE VIEW answered_choices AS
    WITH entries AS (
        SELECT plan.experiment, i.dataset, i.work, i.task, c.model, p.names, p.prompt, i.item_id AS character,
               c.sample, unnest(map_entries(s.answer::JSON::MAP(VARCHAR, VARCHAR))) AS entry,
               map_entries(p.name_map::JSON::MAP(VARCHAR, VARCHAR)) AS shown
        FROM current_plans AS plan
        JOIN cells AS c USING (experiment_id)
        JOIN prompts AS p USING (prompt_hash)
        JOIN items AS i USING (item_hash)
        JOIN current_scores AS s ON s.key = c.key AND s.prompt_hash = c.prompt_hash
        WHERE s.answer IS NOT NULL AND json_keys(p.gold) = ['target'])
    SELECT * EXCLUDE (entry, shown), entry.key::BIGINT AS rank,
           coalesce(list_filter(shown, lambda e: e.value = entry.value)[1].key, entry.value) AS chosen
    FROM entries;

-- Means in double precision, each feature counted once; with the pooling `published` each of its sub-word pieces,
-- which is the paper's flat mean over pieces. The groups are numbered before their vectors are taken
-- apart: hundreds of numbers a feature would each carry the names otherwise. A character of whom one half is
-- missing (agent or patient) has no vector: it could not be compared with the others.
CREATE OR REPLACE VIEW character_vectors AS
    WITH counted AS (
        SELECT corpus, pipeline, kind, character, coalesce(role, '') AS role, target_id, count(*) AS n
        FROM features GROUP BY ALL),
    weighted AS (
        SELECT c.*, v.encoder, v.encoder_id, v.vector,
               CASE WHEN v.pooling = 'published' THEN greatest(v.pieces, 1) ELSE 1 END AS weight,
               dense_rank() OVER (ORDER BY corpus, pipeline, kind, v.encoder_id, character, role) AS half
        FROM counted AS c JOIN vectors AS v USING (target_id)),
    components AS (SELECT half, n * weight AS n, unnest(vector)::DOUBLE AS x, generate_subscripts(vector, 1) AS place FROM weighted),
    means AS (SELECT half, place, sum(n * x) / sum(n) AS x FROM components GROUP BY half, place),
    halves AS (SELECT half, list(x ORDER BY place) AS vector FROM means GROUP BY half),
    named AS (
        SELECT half, corpus, pipeline, kind, encoder, encoder_id, character, role, sum(n)::BIGINT AS n
        FROM weighted GROUP BY ALL),
    computed AS (
        SELECT corpus, pipeline, kind, encoder, encoder_id, character,
               flatten(list(vector ORDER BY role)) AS vector, sum(n)::BIGINT AS features
        FROM named JOIN halves USING (half) GROUP BY ALL)
    SELECT * FROM computed
    QUALIFY len(vector) = max(len(vector)) OVER (PARTITION BY corpus, pipeline, kind, encoder_id)
    UNION ALL BY NAME
    SELECT i.corpus, v.pipeline, v.kind, v.encoder, v.encoder AS encoder_id, v.character,
           v.vector::DOUBLE[] AS vector, NULL::BIGINT AS features
    FROM imported_vectors AS v JOIN current_imports AS i USING (import_id);

-- The mean that is taken off is that of all characters with a vector, each counted once, also of those who are
-- left out then because they belong to no work of the corpus. A vector that is the mean itself has no direction.
CREATE OR REPLACE VIEW similarity AS
    WITH spread AS (
        SELECT corpus, pipeline, kind, encoder, encoder_id, character,
               unnest(vector) AS x, generate_subscripts(vector, 1) AS place
        FROM character_vectors),
    centred AS (
        SELECT * EXCLUDE (x), x - avg(x) OVER (PARTITION BY corpus, pipeline, kind, encoder_id, place) AS x
        FROM spread),
    known AS (
        SELECT s.corpus, s.pipeline, s.kind, s.encoder, s.encoder_id, s.character, c.work,
               list(s.x ORDER BY s.place) AS vector
        FROM centred AS s JOIN characters AS c USING (corpus, character)
        GROUP BY ALL
        HAVING bool_or(s.x <> 0))
    SELECT a.corpus, a.pipeline, a.kind, a.encoder, a.encoder_id, a.character, a.work,
           b.character AS other, b.work AS other_work,
           round(list_cosine_similarity(a.vector, b.vector), 6) AS cosine
    FROM known AS a JOIN known AS b USING (corpus, pipeline, kind, encoder_id)
    WHERE a.character <> b.character;

COMMENT ON VIEW features IS 'Events, modifiers, quotes and assertions of characters, as last imported.';
COMMENT ON VIEW characters IS 'The characters of each corpus, and the work each belongs to.';
COMMENT ON VIEW character_groups IS 'Which characters are alike in an attribute: the benchmarks of groups.';
COMMENT ON VIEW character_pairs IS 'How often experts call two characters alike: the benchmarks of pairs.';
COMMENT ON VIEW character_choices IS 'Whom a system names as most like a character.';
COMMENT ON VIEW answered_choices IS 'Whom models name as like a character, one row a rank of a reply; names as the dataset has them.';
COMMENT ON VIEW character_vectors IS 'The mean of a character''s vectors, agent and patient halves one after the other; or an imported vector.';
COMMENT ON VIEW similarity IS 'Cosine of two characters'' centred vectors (rounded to 6 decimals), both ways round.';
COMMENT ON VIEW results IS 'One readable row a cell of every experiment''s current plan.';
COMMENT ON VIEW measures IS 'What each scored reply adds to each metric of its task: sums that pool over any set of replies.';
COMMENT ON VIEW metrics IS 'Every metric by condition: sum(num) / sum(den), or the F1 of that and of sum(recall_num) / sum(recall_den).';
COMMENT ON VIEW headlines IS 'Each task''s number in tables by condition: the mean of its headline metrics.';
COMMENT ON VIEW accuracy IS 'Right units over asked units by condition, with 95 % Wilson intervals in which an item counts once, whatever its samples; unparsed replies count as wrong and are shown.';
COMMENT ON VIEW progress IS 'Cells held, failed and still to ask, by experiment and model.';
COMMENT ON VIEW spend IS 'Requests and their cost in US dollars over all runs of an experiment; uncertain_usd is what attempts without a bill cost at most.';
COMMENT ON VIEW repeat_rates IS 'How often cells that were asked again got the reply they had, and the builds that served a model.';
COMMENT ON VIEW tokens IS 'Every token of the texts whose likelihood is held: where it stands, how likely it was, whether it is part of a name.';
