-- Views hold no data, so they are made anew whenever a store is opened for writing.

-- Through a map, not by key: a key that starts with $ or / would be read as a JSON path.
CREATE OR REPLACE MACRO readable(j) AS
    CASE WHEN j IS NULL THEN NULL
         -- The most common case, without reading JSON twice.
         WHEN regexp_full_match(j, '\{"title":"[^"\\]*"\}') THEN substr(j, 11, length(j) - 12)
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
           CASE WHEN r.key IS NULL THEN f.error END AS error,
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
    LEFT JOIN last_failures AS f ON f.key = c.key
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

-- A cell counts once with no metric beside once a metric, so that one pass tells also how many are missing.
CREATE OR REPLACE VIEW metrics AS
    WITH plan AS (SELECT *, row_number() OVER () AS plan FROM current_plans),
    each AS (
        SELECT plan, c.model, c.prompt_hash, s.units IS NULL AS missing, s.unparsed IS NOT NULL AS unparsed,
               unnest(list_append(measured(s.measures), NULL)) AS m
        FROM plan JOIN cells AS c USING (experiment_id)
        LEFT JOIN current_scores AS s ON s.key = c.key AND s.prompt_hash = c.prompt_hash),
    shown AS (
        SELECT plan, model, prompt_hash, m.metric AS metric, coalesce(m.headline, false) AS headline,
               sum(m.num) AS num, sum(m.den) AS den, sum(m.recall_num) AS recall_num, sum(m.recall_den) AS recall_den,
               count(*) AS replies, count(*) FILTER (unparsed) AS unparsed, count(*) FILTER (missing) AS missing
        FROM each GROUP BY ALL),
    conditions AS (
        SELECT plan, i.task, i.dataset, p.choices, coalesce(p.wording, 'own') AS wording,
               coalesce(p.descriptions, 'none') AS descriptions, model, p.names, p.prompt, metric, headline,
               sum(num) AS num, sum(den) AS den, sum(recall_num) AS recall_num, sum(recall_den) AS recall_den,
               count(DISTINCT coalesce(nullif(i.document, ''), i.item_id)) AS items, sum(replies)::BIGINT AS replies,
               sum(unparsed)::BIGINT AS unparsed, sum(missing)::BIGINT AS missing
        FROM shown JOIN prompts AS p USING (prompt_hash) JOIN items AS i USING (item_hash)
        GROUP BY ALL),
    counted AS (
        SELECT *, sum(missing) OVER condition AS all_missing, sum(replies) FILTER (metric IS NULL) OVER condition AS cells
        FROM conditions
        WINDOW condition AS (PARTITION BY plan, task, dataset, choices, wording, descriptions, model, names, prompt))
    SELECT experiment, task, dataset, choices, wording, descriptions, model, names, prompt, metric, headline,
           pooled(num, den, recall_num, recall_den) AS value,
           CASE WHEN recall_den IS NOT NULL THEN num / nullif(den, 0) END AS "precision",
           recall_num / nullif(recall_den, 0) AS recall,
           items, replies, unparsed, all_missing::BIGINT AS missing, cells::BIGINT AS cells
    FROM counted JOIN plan USING (plan)
    WHERE metric IS NOT NULL;

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
    SELECT plan.experiment,
           c.model,
           count(*) AS cells,
           count(r.key) AS replies,
           count(f.key) FILTER (r.key IS NULL AND f.kind <> 'unavailable') AS failed,
           count(*) FILTER (r.key IS NULL AND f.key IS NULL) AS pending,
           count(*) FILTER (coalesce(c.is_first, true)) AS keys,
           (sum(r.prompt_tokens) FILTER (coalesce(c.is_first, true)))::BIGINT AS prompt_tokens,
           (sum(r.reply_tokens) FILTER (coalesce(c.is_first, true)))::BIGINT AS reply_tokens,
           max(r.received_at) AS last_reply_at
    FROM current_plans AS plan
    JOIN cells AS c USING (experiment_id)
    LEFT JOIN replies AS r USING (key)
    LEFT JOIN last_failures AS f ON f.key = c.key
    GROUP BY ALL;

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

-- Student's t that leaves 2.5 % above it, of any degrees of freedom from 1: a polynomial in their inverse, fitted to the
-- quantiles and never off by more than 0.001 %.
CREATE OR REPLACE MACRO t_95(freedom) AS
    exp(0.672921 + (1.210896 + (0.698876 + (0.205672 + (-0.390535 + (0.165655 - 0.02139
        / freedom) / freedom) / freedom) / freedom) / freedom) / freedom);

-- How much an F1 grows with one of its two ratios, of which `other` is the other; a ratio alone grows with itself.
CREATE OR REPLACE MACRO slope(with_recall, own, other) AS
    CASE WHEN with_recall THEN coalesce(2 * other ** 2 / nullif((own + other) ** 2, 0), 0) ELSE 1 END;

-- Macros that give rows are written as functions, which is the same: a reader that makes the macros its own, to read files
-- beside a served store, has none of the views that these stand on.

-- Of each pair of conditions in `wanted`, a list of {contrast, names_a, prompt_a, names_b, prompt_b}: the headline under
-- both over the items that have a score under both, as `probe table` has it, and an interval without resampling: each
-- cluster's own part in the difference, to first order, is squared. An F1 or a mean of metrics is taken by its
-- derivatives. What is left of a sum over nothing is 0, and the metric itself NULL, and so is what it is a part of.
CREATE OR REPLACE FUNCTION differences(wanted) AS TABLE
    WITH pair AS (
        SELECT *, row_number() OVER () AS pair FROM (SELECT unnest(wanted, max_depth := 2))),
    -- Numbers stand for names from here on: a million rows are grouped by them several times.
    plan AS (SELECT *, row_number() OVER () AS plan FROM current_plans),
    item AS (
        SELECT rowid AS item, item_hash, task, dataset,
               min(rowid) OVER (PARTITION BY task, dataset, coalesce(nullif(document, ''), item_id)) AS document,
               min(rowid) OVER (PARTITION BY work) AS work,
               min(rowid) OVER (PARTITION BY work, coalesce(nullif(scene, ''), item_id)) AS scene
        FROM items),
    sent AS (
        SELECT rowid AS sent, * FROM prompts
        WHERE (names, prompt) IN (SELECT (names_a, prompt_a) FROM pair UNION SELECT (names_b, prompt_b) FROM pair)),
    cell AS (
        SELECT plan, c.model, p.sent, unnest(measured(s.measures)) AS m
        FROM plan JOIN cells AS c USING (experiment_id)
        JOIN sent AS p USING (prompt_hash)
        JOIN current_scores AS s ON s.key = c.key AND s.prompt_hash = c.prompt_hash),
    asked AS (
        SELECT plan, model, sent, m.metric AS metric, sum(m.num) AS num, sum(m.den) AS den,
               coalesce(sum(m.recall_num), 0) AS recall_num, coalesce(sum(m.recall_den), 0) AS recall_den,
               bool_or(m.recall_den IS NOT NULL) AS with_recall,
               bool_and(m.num BETWEEN 0 AND m.den AND coalesce(m.recall_num BETWEEN 0 AND m.recall_den, true)) AS bounded
        FROM cell WHERE m.headline GROUP BY ALL),
    shown AS (
        SELECT a.* EXCLUDE (sent), p.choices, coalesce(p.wording, 'own') AS wording,
               coalesce(p.descriptions, 'none') AS descriptions, p.names, p.prompt, i.* EXCLUDE (item_hash)
        FROM asked AS a JOIN sent AS p USING (sent) JOIN item AS i USING (item_hash)),
    setting AS (
        SELECT *, row_number() OVER () AS setting
        FROM (SELECT DISTINCT plan, task, dataset, choices, wording, descriptions, model, metric FROM shown)),
    known AS (
        SELECT setting, names, prompt, item, document, work, scene,
               num, den, recall_num, recall_den, with_recall, bounded
        FROM shown JOIN setting USING (plan, task, dataset, choices, wording, descriptions, model, metric)),
    documents AS (
        SELECT setting, pair, document, min(work) AS work, min(scene) AS scene,
               bool_or(a.with_recall OR b.with_recall) AS with_recall, bool_and(a.bounded AND b.bounded) AS bounded,
               sum(a.num) AS num, sum(a.den) AS den, sum(a.recall_num) AS recall_num, sum(a.recall_den) AS recall_den,
               sum(b.num) AS num_b, sum(b.den) AS den_b, sum(b.recall_num) AS recall_num_b, sum(b.recall_den) AS recall_den_b
        FROM known AS a
        JOIN pair ON a.names = names_a AND a.prompt = prompt_a
        JOIN (SELECT * EXCLUDE (document, work, scene) FROM known) AS b USING (setting, item)
        WHERE b.names = names_b AND b.prompt = prompt_b
        GROUP BY ALL),
    place AS (
        SELECT *, row_number() OVER () AS place
        FROM (SELECT DISTINCT plan, task, dataset, choices, wording, descriptions, model FROM setting)),
    totals AS (
        SELECT setting, pair, bool_or(with_recall) AS with_recall,
               sum(num) AS num, sum(den) AS den, sum(recall_num) AS recall_num, sum(recall_den) AS recall_den,
               sum(num_b) AS num_b, sum(den_b) AS den_b, sum(recall_num_b) AS recall_num_b, sum(recall_den_b) AS recall_den_b
        FROM documents GROUP BY ALL),
    valued AS (
        SELECT t.*, place, metric, count(*) OVER (PARTITION BY place, pair) AS metrics,
               pooled(num, den, recall_num, CASE WHEN with_recall THEN recall_den END) AS value_a,
               pooled(num_b, den_b, recall_num_b, CASE WHEN with_recall THEN recall_den_b END) AS value_b,
               slope(with_recall, share(num, den), share(recall_num, recall_den)) AS slope_a,
               slope(with_recall, share(recall_num, recall_den), share(num, den)) AS recall_slope_a,
               slope(with_recall, share(num_b, den_b), share(recall_num_b, recall_den_b)) AS slope_b,
               slope(with_recall, share(recall_num_b, recall_den_b), share(num_b, den_b)) AS recall_slope_b
        FROM totals AS t JOIN setting USING (setting)
        JOIN place USING (plan, task, dataset, choices, wording, descriptions, model)),
    counted AS (
        SELECT place, pair, count(DISTINCT document) AS items, count(DISTINCT d.work) AS works, count(DISTINCT d.scene) AS scenes,
               bool_and(bounded) AS bounded,
               CASE WHEN works >= 6 THEN 'work' WHEN scenes >= 6 AND scenes < items THEN 'scene' ELSE 'item' END
                   AS clustered_by,
               bool_or(abs(share(d.num, d.den) - share(d.num_b, d.den_b)) > 1e-12
                       OR abs(share(d.recall_num, d.recall_den) - share(d.recall_num_b, d.recall_den_b)) > 1e-12) AS any_differs
        FROM documents AS d JOIN valued USING (setting, pair) GROUP BY ALL),
    parts AS (
        SELECT v.place, pair,
               CASE c.clustered_by WHEN 'work' THEN p.work WHEN 'scene' THEN p.scene ELSE p.document END AS cluster,
               (v.slope_a * share(p.num - share(v.num, v.den) * p.den, v.den)
                + v.recall_slope_a * share(p.recall_num - share(v.recall_num, v.recall_den) * p.recall_den, v.recall_den)
                - v.slope_b * share(p.num_b - share(v.num_b, v.den_b) * p.den_b, v.den_b)
                - v.recall_slope_b * share(p.recall_num_b - share(v.recall_num_b, v.recall_den_b) * p.recall_den_b,
                                           v.recall_den_b)) / v.metrics AS part,
               share(p.den + p.den_b, v.den + v.den_b)
               + share(p.recall_den + p.recall_den_b, v.recall_den + v.recall_den_b) AS size
        FROM documents AS p JOIN valued AS v USING (setting, pair) JOIN counted AS c USING (place, pair)),
    clusters AS (SELECT place, pair, cluster, sum(part) AS part, sum(size) AS size FROM parts GROUP BY ALL),
    spread AS (
        SELECT place, pair, count(*) AS clusters,
               sqrt(sum(part ** 2) * count(*) / nullif(count(*) - 1, 0)) AS error,
               greatest(1, sum(size) ** 2 / nullif(sum(size ** 2), 0) - 1) AS freedom
        FROM clusters GROUP BY ALL),
    headline AS (
        SELECT place, pair, string_agg(metric, ' + ' ORDER BY metric) AS metric,
               CASE WHEN count(value_a) = count(*) THEN avg(value_a) END AS value_a,
               CASE WHEN count(value_b) = count(*) THEN avg(value_b) END AS value_b
        FROM valued GROUP BY ALL)
    SELECT experiment, task, dataset, choices, wording, descriptions, model, contrast,
           names_a || ' ' || prompt_a AS a, names_b || ' ' || prompt_b AS b, metric, items,
           value_a, value_b, value_a - value_b AS difference,
           CASE WHEN any_differs AND error > 1e-12 AND difference IS NOT NULL
                THEN greatest(CASE WHEN bounded THEN -1 END, difference - t_95(freedom) * error) END AS low,
           CASE WHEN any_differs AND error > 1e-12 AND difference IS NOT NULL
                THEN least(CASE WHEN bounded THEN 1 END, difference + t_95(freedom) * error) END AS high,
           clusters, clustered_by
    FROM headline JOIN spread USING (place, pair) JOIN counted USING (place, pair)
    JOIN place USING (place) JOIN plan USING (plan) JOIN pair USING (pair);

CREATE OR REPLACE VIEW contrasts AS
    FROM differences((
        SELECT list({'contrast': contrast, 'names_a': names_a, 'prompt_a': prompt_a, 'names_b': names_b, 'prompt_b': prompt_b})
        FROM (VALUES ('origin - NR', 'original', 'baseline', 'cross_culture', 'baseline'),
                     ('NR - NR+GIST', 'cross_culture', 'baseline', 'cross_culture', 'gist')
              UNION ALL
              SELECT prompt || ' - baseline (' || names || ')', names, prompt, names, 'baseline'
              FROM (SELECT DISTINCT names FROM prompts), (VALUES ('verbatim'), ('gist')) AS _(prompt)
             ) AS _(contrast, names_a, prompt_a, names_b, prompt_b)));

-- Two conditions as the columns `a` and `b` of `contrasts` have them, such as 'masked gist': a name strategy and a prompt.
CREATE OR REPLACE FUNCTION paired(condition_a, condition_b) AS TABLE
    SELECT * EXCLUDE (contrast)
    FROM differences([{'contrast': '',
                       'names_a': regexp_extract(condition_a, '^(.*) ', 1),
                       'prompt_a': regexp_extract(condition_a, '([^ ]*)$', 1),
                       'names_b': regexp_extract(condition_b, '^(.*) ', 1),
                       'prompt_b': regexp_extract(condition_b, '([^ ]*)$', 1)}]);

-- Names of columns, as a part of a query's text. Nothing else may be: a served query passes its guard before this is put in.
CREATE OR REPLACE MACRO listed(columns) AS
    CASE WHEN regexp_full_match(columns, '\s*\w+\s*(,\s*\w+\s*)*') THEN columns
         ELSE error('give names of columns of results parted by commas, such as ''task, model, names''') END;

CREATE OR REPLACE FUNCTION accuracy_by(columns) AS TABLE
    FROM query('
        SELECT ' || listed(columns) || ',
               coalesce(sum(units), 0)::BIGINT AS n,
               count(DISTINCT (task, dataset, item_id)) FILTER (units IS NOT NULL) AS items,
               count(units) AS replies,
               sum(units_right) / nullif(sum(units), 0) AS accuracy,
               wilson_low(sum(units_right) * items / replies, sum(units) * items / replies) AS low,
               wilson_high(sum(units_right) * items / replies, sum(units) * items / replies) AS high,
               count(*) FILTER (units IS NULL) AS missing
        FROM results GROUP BY ALL ORDER BY ALL');

-- A struct of the columns is equal to another also where both hold NULL.
CREATE OR REPLACE FUNCTION agreement(columns) AS TABLE
    FROM query('
        WITH answers AS (
            SELECT ' || listed(columns) || ', row(' || listed(columns) || ') AS "own group", experiment AS "own experiment",
                   model AS "own model", prompt_hash AS "own prompt", answer AS "own answer", count(answer) AS times
            FROM results GROUP BY ALL),
        several AS (
            SELECT *, sum(times) OVER (PARTITION BY "own group", "own experiment", "own model", "own prompt") AS answered
            FROM answers WHERE times > 0 QUALIFY answered > 1),
        each AS (
            SELECT ' || listed(columns) || ', "own group", "own experiment", "own model", "own prompt", answered,
                   (count(*) = 1)::BIGINT AS unanimous,
                   sum(times * (times - 1)) / any_value(answered * (answered - 1)) AS alike
            FROM several GROUP BY ALL),
        shares AS (
            SELECT "own group", sum(times) / sum(sum(times)) OVER (PARTITION BY "own group") AS part
            FROM several GROUP BY "own group", "own answer"),
        by_chance AS (SELECT "own group", sum(part ** 2) AS chance FROM shares GROUP BY ALL)
        SELECT ' || listed(columns) || ', count(*) AS prompts, sum(answered)::BIGINT AS answers,
               avg(unanimous) AS unanimous, avg(alike) AS pairwise,
               (avg(alike) - any_value(chance)) / nullif(1 - any_value(chance), 0) AS kappa
        FROM each JOIN by_chance USING ("own group") GROUP BY ALL ORDER BY ALL');

CREATE OR REPLACE MACRO cosine(a, b) AS
    CASE WHEN len(a) = len(b) THEN list_cosine_similarity(a::DOUBLE[], b::DOUBLE[]) END;

CREATE OR REPLACE FUNCTION cosines(a, b) AS TABLE
    SELECT corpus, pipeline, kind, encoder, encoder_id, character, other, cosine
    FROM similarity WHERE character = a AND other = b;

-- As for spend, a key that several models share counts for one of them.
CREATE OR REPLACE VIEW attempts_by_error AS
    WITH tried AS (
        SELECT e.experiment, m.model, a.error_kind, a.status, count(*) AS attempts, count(DISTINCT a.key) AS keys,
               median(a.latency_s) AS median_latency_s, min(a.started_at) AS first_at, max(a.started_at) AS last_at,
               arg_max(a.error, a.started_at) AS last_error
        FROM attempts AS a
        JOIN runs AS r USING (run_id)
        JOIN experiments AS e USING (experiment_id)
        LEFT JOIN cells AS m ON m.experiment_id = r.experiment_id AND m.key = a.key AND m.is_first
        GROUP BY ALL)
    SELECT experiment, model, error_kind, status, attempts,
           attempts / sum(attempts) OVER (PARTITION BY experiment, model) AS share,
           keys, median_latency_s, first_at, last_at, last_error
    FROM tried;

CREATE OR REPLACE VIEW leaks AS
    WITH found AS (
        SELECT prompt_hash, item_hash, names, prompt, choices, coalesce(wording, 'own') AS wording,
               coalesce(descriptions, 'none') AS descriptions, replaced,
               unnest([{'kind': 'name', 'found': leaks}, {'kind': 'title', 'found': titles},
                       {'kind': 'place', 'found': places}, {'kind': 'phrase', 'found': phrases}], max_depth := 2)
        FROM prompts
        WHERE leaks <> '{}' OR titles <> '{}' OR places <> '{}' OR phrases <> '{}'),
    each AS (
        SELECT * EXCLUDE (found), unnest(map_entries(found::JSON::MAP(VARCHAR, BIGINT))) AS entry
        FROM found WHERE found <> '{}'),
    shown AS (SELECT DISTINCT experiment, prompt_hash FROM current_plans JOIN cells USING (experiment_id)
              WHERE prompt_hash IN (SELECT prompt_hash FROM each))
    SELECT experiment, i.task, i.dataset, i.work, i.item_id, names, prompt, choices, wording, descriptions,
           kind, entry.key AS leak, entry.value AS occurrences, replaced, prompt_hash
    FROM each JOIN shown USING (prompt_hash) JOIN items AS i USING (item_hash);

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

COMMENT ON VIEW vectors IS 'One vector an encoder and target, of whatever dimension.';
COMMENT ON COLUMN vectors.encoder IS 'What made the vectors, by name.';
COMMENT ON COLUMN vectors.pooling IS 'How the pieces of a text become one vector.';
COMMENT ON COLUMN vectors.encoder_id IS 'What made the vectors: the start of a sha256 of its settings, in hex.';
COMMENT ON COLUMN vectors.target_id IS 'What is embedded; joins features.';
COMMENT ON COLUMN vectors.tokens IS 'Tokens of the text (count).';
COMMENT ON COLUMN vectors.left_out IS 'Of those, beyond what the encoder takes (count).';
COMMENT ON COLUMN vectors.pieces IS 'Sub-word pieces whose mean a word''s vector is (count).';
COMMENT ON COLUMN vectors.vector IS 'The numbers.';

COMMENT ON VIEW imported_vectors IS 'Vectors of characters that were made elsewhere.';
COMMENT ON COLUMN imported_vectors.import_id IS 'The import it came with.';
COMMENT ON COLUMN imported_vectors.pipeline IS 'What extracted the features, such as booknlp.';
COMMENT ON COLUMN imported_vectors.kind IS 'Of which features.';
COMMENT ON COLUMN imported_vectors.encoder IS 'What made them, as the file names it.';
COMMENT ON COLUMN imported_vectors.work IS 'The work, as the file names it.';
COMMENT ON COLUMN imported_vectors.character IS 'The character.';
COMMENT ON COLUMN imported_vectors.vector IS 'The numbers.';

COMMENT ON VIEW current_plans IS 'The plan each experiment''s file gave when it was last run; what the other views show.';
COMMENT ON COLUMN current_plans.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN current_plans.experiment_id IS 'That plan.';

COMMENT ON VIEW current_scores IS 'The scores of each task''s newest parser; what it has not come to has none.';
COMMENT ON COLUMN current_scores.prompt_hash IS 'What was sent and what is right: joins prompts.';
COMMENT ON COLUMN current_scores.key IS 'The reply.';
COMMENT ON COLUMN current_scores.version IS 'Of the task''s parser.';
COMMENT ON COLUMN current_scores.answer IS 'What the parser read: label -> answer, a JSON object; NULL where it found none.';
COMMENT ON COLUMN current_scores.unparsed IS 'Why the parser found no answer; NULL where it found one.';
COMMENT ON COLUMN current_scores.units_right IS 'Of units, those that are right (count).';
COMMENT ON COLUMN current_scores.units IS 'Speakers of a scene, or 1 for a title or trait; 0 where answers are more or less good (count).';
COMMENT ON COLUMN current_scores.scored_at IS 'When it was marked (UTC).';
COMMENT ON COLUMN current_scores.measures IS 'What the answer adds to each metric: JSON, taken apart by the view measures.';

COMMENT ON VIEW last_failures IS 'Of each key that was ever given up, the last reason.';
COMMENT ON COLUMN last_failures.key IS 'What stands for the request; joins cells, replies, attempts and scores.';
COMMENT ON COLUMN last_failures.kind IS 'Kind of trouble, as in attempts; unavailable where the server cannot do what is asked.';
COMMENT ON COLUMN last_failures.error IS 'The trouble in words.';
COMMENT ON COLUMN last_failures.permanent IS 'Whether asking again is in vain.';

COMMENT ON COLUMN results.cell_id IS 'The cell, by its place in the design.';
COMMENT ON COLUMN results.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN results.task IS 'Name of the task.';
COMMENT ON COLUMN results.dataset IS 'Name of the dataset.';
COMMENT ON COLUMN results.work IS 'The work that the text is from.';
COMMENT ON COLUMN results.item_id IS 'The item, unique within its task and dataset.';
COMMENT ON COLUMN results.model IS 'Name of the model, as the experiment file gives it.';
COMMENT ON COLUMN results.names IS 'Strategy of the names: original, masked, same_culture or cross_culture.';
COMMENT ON COLUMN results.prompt IS 'Which instructions: baseline, verbatim or gist.';
COMMENT ON COLUMN results.sample IS 'Which repetition, from 0.';
COMMENT ON COLUMN results.outcome IS 'ok, refused, filtered or truncated; without a reply failed, unavailable or pending.';
COMMENT ON COLUMN results.reply IS 'What the model wrote; NULL where nothing came or it was held back.';
COMMENT ON COLUMN results.answer IS 'What was read in the reply, as words; NULL without an answer.';
COMMENT ON COLUMN results.gold IS 'What is right under the names shown, as words.';
COMMENT ON COLUMN results.score IS 'Right share of the units, or the mean of the reply''s headline metrics (fraction, 0 to 1; log-probabilities in nats); NULL without a score.';
COMMENT ON COLUMN results.units_right IS 'Of units, those that are right (count).';
COMMENT ON COLUMN results.units IS 'Speakers of a scene, or 1 for a title or trait; 0 where answers are more or less good (count).';
COMMENT ON COLUMN results.unparsed IS 'Why no answer was found in the reply; NULL where one was.';
COMMENT ON COLUMN results.error IS 'Why there is no reply, where it was given up.';
COMMENT ON COLUMN results.choices IS 'options where they are shown, else open.';
COMMENT ON COLUMN results.chance IS 'Accuracy of a random answer (fraction); NULL for open questions.';
COMMENT ON COLUMN results.prompt_text IS 'What was sent, whole.';
COMMENT ON COLUMN results.replaced IS 'Occurrences of names replaced in the passage (count).';
COMMENT ON COLUMN results.served_model IS 'The model the server says it used.';
COMMENT ON COLUMN results.prompt_tokens IS 'Tokens of the prompt, as the server counts (count).';
COMMENT ON COLUMN results.reply_tokens IS 'Tokens of the reply, those of reasoning included (count).';
COMMENT ON COLUMN results.attempts IS 'Tries the reply took (count).';
COMMENT ON COLUMN results.latency_s IS 'Of the last try, from sending to the last byte (seconds).';
COMMENT ON COLUMN results.received_at IS 'When the reply came (UTC).';
COMMENT ON COLUMN results.prompt_hash IS 'What was sent and what is right: joins prompts.';
COMMENT ON COLUMN results.key IS 'What stands for the request; joins cells, replies, attempts and scores.';
COMMENT ON COLUMN results.is_first IS 'Whether it is the first cell with its key; cells with one key share a reply, bought once.';
COMMENT ON COLUMN results.wording IS 'Which wording of the instructions: own, or one that the experiment file names.';
COMMENT ON COLUMN results.descriptions IS 'Which descriptions of the characters stand before the passage: none, or a file''s name.';
COMMENT ON COLUMN results.scene IS 'What the item shares with its neighbours; the item itself where it stands alone.';
COMMENT ON COLUMN results.document IS 'The text that the item is a window of; the item itself where it is whole.';
COMMENT ON COLUMN results.flags IS 'What to tell items apart by: a JSON list.';
COMMENT ON COLUMN results.measures IS 'What the reply adds to each metric: JSON, taken apart by the view measures.';

COMMENT ON COLUMN accuracy.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN accuracy.task IS 'Name of the task.';
COMMENT ON COLUMN accuracy.dataset IS 'Name of the dataset.';
COMMENT ON COLUMN accuracy.choices IS 'options where they are shown, else open.';
COMMENT ON COLUMN accuracy.model IS 'Name of the model, as the experiment file gives it.';
COMMENT ON COLUMN accuracy.names IS 'Strategy of the names: original, masked, same_culture or cross_culture.';
COMMENT ON COLUMN accuracy.prompt IS 'Which instructions: baseline, verbatim or gist.';
COMMENT ON COLUMN accuracy.wording IS 'Which wording of the instructions: own, or one that the experiment file names.';
COMMENT ON COLUMN accuracy.descriptions IS 'Which descriptions of the characters stand before the passage: none, or a file''s name.';
COMMENT ON COLUMN accuracy.n IS 'Units asked in scored replies, of all samples (count).';
COMMENT ON COLUMN accuracy.items IS 'Items with a scored reply (count).';
COMMENT ON COLUMN accuracy.replies IS 'Scored replies (count).';
COMMENT ON COLUMN accuracy.accuracy IS 'Right units over n (fraction); NULL where n is 0.';
COMMENT ON COLUMN accuracy.low IS 'Lower end of the 95 % Wilson interval (fraction).';
COMMENT ON COLUMN accuracy.high IS 'Upper end (fraction).';
COMMENT ON COLUMN accuracy.chance IS 'Accuracy of random answers to the same units (fraction); NULL for open questions.';
COMMENT ON COLUMN accuracy.unparsed IS 'Replies without an answer; they count as wrong (count).';
COMMENT ON COLUMN accuracy.truncated IS 'Replies cut at their limit (count).';
COMMENT ON COLUMN accuracy.missing IS 'Cells without a score (count).';
COMMENT ON COLUMN accuracy.cells IS 'Cells of the condition (count).';

COMMENT ON COLUMN measures.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN measures.task IS 'Name of the task.';
COMMENT ON COLUMN measures.dataset IS 'Name of the dataset.';
COMMENT ON COLUMN measures.choices IS 'options where they are shown, else open.';
COMMENT ON COLUMN measures.wording IS 'Which wording of the instructions: own, or one that the experiment file names.';
COMMENT ON COLUMN measures.descriptions IS 'Which descriptions of the characters stand before the passage: none, or a file''s name.';
COMMENT ON COLUMN measures.model IS 'Name of the model, as the experiment file gives it.';
COMMENT ON COLUMN measures.names IS 'Strategy of the names: original, masked, same_culture or cross_culture.';
COMMENT ON COLUMN measures.prompt IS 'Which instructions: baseline, verbatim or gist.';
COMMENT ON COLUMN measures.work IS 'The work that the text is from.';
COMMENT ON COLUMN measures.scene IS 'What the item shares with its neighbours; the item itself where it stands alone.';
COMMENT ON COLUMN measures.document IS 'The text that the item is a window of; the item itself where it is whole.';
COMMENT ON COLUMN measures.item_id IS 'The item, unique within its task and dataset.';
COMMENT ON COLUMN measures.flags IS 'What to tell items apart by: a JSON list.';
COMMENT ON COLUMN measures.sample IS 'Which repetition, from 0.';
COMMENT ON COLUMN measures.outcome IS 'ok, refused or truncated.';
COMMENT ON COLUMN measures.unparsed IS 'Why no answer was found in the reply; NULL where one was.';
COMMENT ON COLUMN measures.metric IS 'Name of the metric.';
COMMENT ON COLUMN measures.num IS 'Of den, what is right; or a sum that den divides.';
COMMENT ON COLUMN measures.den IS 'What the answer says, or how much was asked.';
COMMENT ON COLUMN measures.recall_num IS 'Of recall_den, what was found; NULL where the metric is no F1.';
COMMENT ON COLUMN measures.recall_den IS 'What there was to find; NULL where the metric is no F1.';
COMMENT ON COLUMN measures.headline IS 'Whether it is a part of the task''s number in tables.';

COMMENT ON COLUMN metrics.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN metrics.task IS 'Name of the task.';
COMMENT ON COLUMN metrics.dataset IS 'Name of the dataset.';
COMMENT ON COLUMN metrics.choices IS 'options where they are shown, else open.';
COMMENT ON COLUMN metrics.wording IS 'Which wording of the instructions: own, or one that the experiment file names.';
COMMENT ON COLUMN metrics.descriptions IS 'Which descriptions of the characters stand before the passage: none, or a file''s name.';
COMMENT ON COLUMN metrics.model IS 'Name of the model, as the experiment file gives it.';
COMMENT ON COLUMN metrics.names IS 'Strategy of the names: original, masked, same_culture or cross_culture.';
COMMENT ON COLUMN metrics.prompt IS 'Which instructions: baseline, verbatim or gist.';
COMMENT ON COLUMN metrics.metric IS 'Name of the metric.';
COMMENT ON COLUMN metrics.headline IS 'Whether it is a part of the task''s number in tables.';
COMMENT ON COLUMN metrics.value IS 'sum(num) / sum(den), or an F1 (mostly a fraction; nats for log-probabilities); NULL over nothing.';
COMMENT ON COLUMN metrics."precision" IS 'sum(num) / sum(den) of an F1 (fraction); else NULL.';
COMMENT ON COLUMN metrics.recall IS 'sum(recall_num) / sum(recall_den) of an F1 (fraction); else NULL.';
COMMENT ON COLUMN metrics.items IS 'Documents with a scored reply (count).';
COMMENT ON COLUMN metrics.replies IS 'Scored replies that add to the metric (count).';
COMMENT ON COLUMN metrics.unparsed IS 'Of those, without an answer (count).';
COMMENT ON COLUMN metrics.missing IS 'Cells of the condition without a score (count).';
COMMENT ON COLUMN metrics.cells IS 'Cells of the condition (count).';

COMMENT ON COLUMN headlines.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN headlines.task IS 'Name of the task.';
COMMENT ON COLUMN headlines.dataset IS 'Name of the dataset.';
COMMENT ON COLUMN headlines.choices IS 'options where they are shown, else open.';
COMMENT ON COLUMN headlines.wording IS 'Which wording of the instructions: own, or one that the experiment file names.';
COMMENT ON COLUMN headlines.descriptions IS 'Which descriptions of the characters stand before the passage: none, or a file''s name.';
COMMENT ON COLUMN headlines.model IS 'Name of the model, as the experiment file gives it.';
COMMENT ON COLUMN headlines.names IS 'Strategy of the names: original, masked, same_culture or cross_culture.';
COMMENT ON COLUMN headlines.prompt IS 'Which instructions: baseline, verbatim or gist.';
COMMENT ON COLUMN headlines.metric IS 'The headline metrics, joined by +.';
COMMENT ON COLUMN headlines.value IS 'Their mean (mostly a fraction); NULL where one is over nothing.';
COMMENT ON COLUMN headlines.items IS 'Documents with a scored reply (count).';
COMMENT ON COLUMN headlines.replies IS 'Scored replies (count).';
COMMENT ON COLUMN headlines.unparsed IS 'Of those, without an answer (count).';
COMMENT ON COLUMN headlines.missing IS 'Cells of the condition without a score (count).';
COMMENT ON COLUMN headlines.cells IS 'Cells of the condition (count).';

COMMENT ON VIEW contrasts IS 'The paired differences of the tables, over the items with a score under both conditions. The interval (95 %) is computed, not resampled: each cluster''s own part in the difference, to first order, with t of as many degrees of freedom as the clusters are worth. Clusters are works where there are six, else scenes, else documents. `probe table` bootstraps instead and adds exact tests, bounds for what is missing and means over tasks.';
COMMENT ON COLUMN contrasts.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN contrasts.task IS 'Name of the task.';
COMMENT ON COLUMN contrasts.dataset IS 'Name of the dataset.';
COMMENT ON COLUMN contrasts.choices IS 'options where they are shown, else open.';
COMMENT ON COLUMN contrasts.wording IS 'Which wording of the instructions: own, or one that the experiment file names.';
COMMENT ON COLUMN contrasts.descriptions IS 'Which descriptions of the characters stand before the passage: none, or a file''s name.';
COMMENT ON COLUMN contrasts.model IS 'Name of the model, as the experiment file gives it.';
COMMENT ON COLUMN contrasts.contrast IS 'origin - NR, NR - NR+GIST, verbatim - baseline (NAMES) or gist - baseline (NAMES); NR is cross_culture.';
COMMENT ON COLUMN contrasts.a IS 'The first condition: names and prompt.';
COMMENT ON COLUMN contrasts.b IS 'The second, which is taken off the first.';
COMMENT ON COLUMN contrasts.metric IS 'The headline metrics, joined by +.';
COMMENT ON COLUMN contrasts.items IS 'Documents with a score under both (count).';
COMMENT ON COLUMN contrasts.value_a IS 'The headline under the first condition (fraction); NULL over nothing.';
COMMENT ON COLUMN contrasts.value_b IS 'Under the second (fraction).';
COMMENT ON COLUMN contrasts.difference IS 'value_a less value_b (fraction).';
COMMENT ON COLUMN contrasts.low IS 'Lower end of the 95 % interval (fraction); NULL where no document differs or there is one cluster.';
COMMENT ON COLUMN contrasts.high IS 'Upper end (fraction).';
COMMENT ON COLUMN contrasts.clusters IS 'What is taken to move together (count).';
COMMENT ON COLUMN contrasts.clustered_by IS 'work, scene or item.';

COMMENT ON COLUMN progress.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN progress.model IS 'Name of the model, as the experiment file gives it.';
COMMENT ON COLUMN progress.cells IS 'Cells of the plan (count).';
COMMENT ON COLUMN progress.replies IS 'Cells with a reply (count).';
COMMENT ON COLUMN progress.failed IS 'Cells given up (count).';
COMMENT ON COLUMN progress.pending IS 'Cells still to ask (count).';
COMMENT ON COLUMN progress.keys IS 'Requests that the cells come to (count).';
COMMENT ON COLUMN progress.prompt_tokens IS 'Tokens of prompts, each request once (count).';
COMMENT ON COLUMN progress.reply_tokens IS 'Tokens of replies, each request once (count).';
COMMENT ON COLUMN progress.last_reply_at IS 'When the last reply came (UTC).';

COMMENT ON COLUMN tokens.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN tokens.task IS 'Name of the task.';
COMMENT ON COLUMN tokens.dataset IS 'Name of the dataset.';
COMMENT ON COLUMN tokens.work IS 'The work that the text is from.';
COMMENT ON COLUMN tokens.item_id IS 'The item, unique within its task and dataset.';
COMMENT ON COLUMN tokens.model IS 'Name of the model, as the experiment file gives it.';
COMMENT ON COLUMN tokens.names IS 'Strategy of the names: original, masked, same_culture or cross_culture.';
COMMENT ON COLUMN tokens.place IS 'Place of the token, from 1.';
COMMENT ON COLUMN tokens.token IS 'Its words.';
COMMENT ON COLUMN tokens."start" IS 'Where it begins in the text (code points, from 0).';
COMMENT ON COLUMN tokens."end" IS 'Where it ends (code points, exclusive).';
COMMENT ON COLUMN tokens.token_id IS 'In the model''s vocabulary; NULL where the endpoint does not tell.';
COMMENT ON COLUMN tokens.logprob IS 'Natural logarithm of its probability given all before it (nats); NULL for the first.';
COMMENT ON COLUMN tokens.rank IS 'Tokens at least as likely in this place, itself included (count); NULL where the endpoint does not tell.';
COMMENT ON COLUMN tokens.in_name IS 'Whether it is part of a name.';
COMMENT ON COLUMN tokens.key IS 'What stands for the request; joins cells, replies, attempts and scores.';

COMMENT ON COLUMN spend.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN spend.model IS 'Name of the model; NULL where the request belongs to no cell of the plan.';
COMMENT ON COLUMN spend.requests IS 'Attempts (count).';
COMMENT ON COLUMN spend.troubles IS 'Of those, without a reply (count).';
COMMENT ON COLUMN spend.usd IS 'What they cost by the usage the server gave (US dollars); NULL without a price.';
COMMENT ON COLUMN spend.uncertain_usd IS 'What attempts without a bill cost at most (US dollars).';

COMMENT ON VIEW attempts_by_error IS 'Attempts of all runs of an experiment by kind of trouble and HTTP status, those that brought a reply among them.';
COMMENT ON COLUMN attempts_by_error.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN attempts_by_error.model IS 'Name of the model; NULL where the request belongs to no cell of the plan.';
COMMENT ON COLUMN attempts_by_error.error_kind IS 'Kind of trouble, such as rate_limited or timeout; NULL where a reply came.';
COMMENT ON COLUMN attempts_by_error.status IS 'HTTP status; NULL where no answer came.';
COMMENT ON COLUMN attempts_by_error.attempts IS 'Attempts (count).';
COMMENT ON COLUMN attempts_by_error.share IS 'Of the model''s attempts (fraction).';
COMMENT ON COLUMN attempts_by_error.keys IS 'Requests with such an attempt (count).';
COMMENT ON COLUMN attempts_by_error.median_latency_s IS 'Median time from sending to the last byte or the error (seconds).';
COMMENT ON COLUMN attempts_by_error.first_at IS 'When the first was sent (UTC).';
COMMENT ON COLUMN attempts_by_error.last_at IS 'When the last was sent (UTC).';
COMMENT ON COLUMN attempts_by_error.last_error IS 'What the last one said; NULL where a reply came.';

COMMENT ON VIEW leaks IS 'What still tells of the work in the passage of a prompt of a current plan, a row each: names of the cast that were left standing, titles, places and phrases. Under original names places and phrases are there too. Possible names that belong to no one in the cast are in prompts.suspects.';
COMMENT ON COLUMN leaks.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN leaks.task IS 'Name of the task.';
COMMENT ON COLUMN leaks.dataset IS 'Name of the dataset.';
COMMENT ON COLUMN leaks.work IS 'The work that the text is from.';
COMMENT ON COLUMN leaks.item_id IS 'The item, unique within its task and dataset.';
COMMENT ON COLUMN leaks.names IS 'Strategy of the names: original, masked, same_culture or cross_culture.';
COMMENT ON COLUMN leaks.prompt IS 'Which instructions: baseline, verbatim or gist.';
COMMENT ON COLUMN leaks.choices IS 'options where they are shown, else open.';
COMMENT ON COLUMN leaks.wording IS 'Which wording of the instructions: own, or one that the experiment file names.';
COMMENT ON COLUMN leaks.descriptions IS 'Which descriptions of the characters stand before the passage: none, or a file''s name.';
COMMENT ON COLUMN leaks.kind IS 'name, title, place or phrase.';
COMMENT ON COLUMN leaks.leak IS 'The words.';
COMMENT ON COLUMN leaks.occurrences IS 'Times they stand there (count).';
COMMENT ON COLUMN leaks.replaced IS 'Occurrences of names replaced in the passage (count).';
COMMENT ON COLUMN leaks.prompt_hash IS 'What was sent and what is right: joins prompts.';

COMMENT ON COLUMN repeat_rates.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN repeat_rates.model IS 'Name of the model, as the experiment file gives it.';
COMMENT ON COLUMN repeat_rates.repeats IS 'Replies asked for again (count).';
COMMENT ON COLUMN repeat_rates.same IS 'Of those, the same (count).';
COMMENT ON COLUMN repeat_rates.rate IS 'same over repeats (fraction); NULL without repeats.';
COMMENT ON COLUMN repeat_rates.builds IS 'What the server called itself: model and build.';

COMMENT ON VIEW current_imports IS 'Of each part of a corpus, the import made last.';
COMMENT ON COLUMN current_imports.import_id IS 'The import it came with.';
COMMENT ON COLUMN current_imports.corpus IS 'Name of the corpus.';
COMMENT ON COLUMN current_imports.relation IS 'features, characters, groups, pairs, choices or character_vectors.';
COMMENT ON COLUMN current_imports.part IS 'Which part of the relation; empty for the whole.';
COMMENT ON COLUMN current_imports.path IS 'Where the files lay.';
COMMENT ON COLUMN current_imports."rows" IS 'Rows brought in (count).';
COMMENT ON COLUMN current_imports.report IS 'What the reader found and mended: JSON.';
COMMENT ON COLUMN current_imports.imported_at IS 'When (UTC).';

COMMENT ON COLUMN features.corpus IS 'Name of the corpus.';
COMMENT ON COLUMN features.import_id IS 'The import it came with.';
COMMENT ON COLUMN features.ordinal IS 'Place in the import, from 0.';
COMMENT ON COLUMN features.pipeline IS 'What extracted the features, such as booknlp.';
COMMENT ON COLUMN features.kind IS 'event, modifier, quote or assertion.';
COMMENT ON COLUMN features.work IS 'The work, as the file names it.';
COMMENT ON COLUMN features.character IS 'The character it belongs to.';
COMMENT ON COLUMN features.role IS 'agent or patient, of events; else NULL.';
COMMENT ON COLUMN features.text IS 'Its words.';
COMMENT ON COLUMN features.context IS 'The sentence it stands in; NULL for quotes and assertions, or where it is not known.';
COMMENT ON COLUMN features.target_start IS 'Where the text begins in its context (characters, from 0).';
COMMENT ON COLUMN features.target_end IS 'Where it ends there (characters, exclusive).';
COMMENT ON COLUMN features.target_id IS 'What is embedded; equal ones share a vector.';

COMMENT ON COLUMN characters.corpus IS 'Name of the corpus.';
COMMENT ON COLUMN characters.character IS 'The character.';
COMMENT ON COLUMN characters.work IS 'The work it belongs to.';
COMMENT ON COLUMN characters.ordinal IS 'Place in the corpus, from 0.';

COMMENT ON COLUMN character_groups.corpus IS 'Name of the corpus.';
COMMENT ON COLUMN character_groups.part IS 'Which benchmark.';
COMMENT ON COLUMN character_groups.attribute IS 'In what the characters are alike.';
COMMENT ON COLUMN character_groups."group" IS 'Which value of it they share.';
COMMENT ON COLUMN character_groups.character IS 'The character.';
COMMENT ON COLUMN character_groups.ordinal IS 'Place in the import, from 0.';

COMMENT ON COLUMN character_pairs.corpus IS 'Name of the corpus.';
COMMENT ON COLUMN character_pairs.part IS 'Which benchmark.';
COMMENT ON COLUMN character_pairs.a IS 'One character.';
COMMENT ON COLUMN character_pairs.b IS 'The other.';
COMMENT ON COLUMN character_pairs."count" IS 'Experts who call the two alike (count).';
COMMENT ON COLUMN character_pairs.ordinal IS 'Place in the import, from 0.';

COMMENT ON COLUMN character_choices.corpus IS 'Name of the corpus.';
COMMENT ON COLUMN character_choices.system IS 'Who names them.';
COMMENT ON COLUMN character_choices.character IS 'The character that others are likened to.';
COMMENT ON COLUMN character_choices.sample IS 'Which repetition, from 0.';
COMMENT ON COLUMN character_choices.rank IS 'From 1, the most like first.';
COMMENT ON COLUMN character_choices.chosen IS 'The character named.';

COMMENT ON COLUMN answered_choices.experiment IS 'Name of the experiment.';
COMMENT ON COLUMN answered_choices.dataset IS 'Name of the dataset.';
COMMENT ON COLUMN answered_choices.work IS 'The work that the text is from.';
COMMENT ON COLUMN answered_choices.task IS 'Name of the task.';
COMMENT ON COLUMN answered_choices.model IS 'Name of the model, as the experiment file gives it.';
COMMENT ON COLUMN answered_choices.names IS 'Strategy of the names: original, masked, same_culture or cross_culture.';
COMMENT ON COLUMN answered_choices.prompt IS 'Which instructions: baseline, verbatim or gist.';
COMMENT ON COLUMN answered_choices.character IS 'The character that others are likened to.';
COMMENT ON COLUMN answered_choices.sample IS 'Which repetition, from 0.';
COMMENT ON COLUMN answered_choices.rank IS 'From 1, the most like first.';
COMMENT ON COLUMN answered_choices.chosen IS 'The character named.';

COMMENT ON COLUMN character_vectors.corpus IS 'Name of the corpus.';
COMMENT ON COLUMN character_vectors.pipeline IS 'What extracted the features, such as booknlp.';
COMMENT ON COLUMN character_vectors.kind IS 'event, modifier, quote or assertion.';
COMMENT ON COLUMN character_vectors.encoder IS 'What made the vectors, by name.';
COMMENT ON COLUMN character_vectors.encoder_id IS 'What made the vectors: the start of a sha256 of its settings, in hex.';
COMMENT ON COLUMN character_vectors.character IS 'The character.';
COMMENT ON COLUMN character_vectors.vector IS 'The numbers.';
COMMENT ON COLUMN character_vectors.features IS 'Features that the mean is over (count); NULL for an imported vector.';

COMMENT ON COLUMN similarity.corpus IS 'Name of the corpus.';
COMMENT ON COLUMN similarity.pipeline IS 'What extracted the features, such as booknlp.';
COMMENT ON COLUMN similarity.kind IS 'event, modifier, quote or assertion.';
COMMENT ON COLUMN similarity.encoder IS 'What made the vectors, by name.';
COMMENT ON COLUMN similarity.encoder_id IS 'What made the vectors: the start of a sha256 of its settings, in hex.';
COMMENT ON COLUMN similarity.character IS 'One character.';
COMMENT ON COLUMN similarity.work IS 'The work it belongs to.';
COMMENT ON COLUMN similarity.other IS 'The other.';
COMMENT ON COLUMN similarity.other_work IS 'The other''s work.';
COMMENT ON COLUMN similarity.cosine IS 'Of the two vectors, less the mean of all (-1 to 1).';

COMMENT ON MACRO readable IS 'A JSON object of answers in words: the title alone, or `label: answer; label: answer`.';
COMMENT ON MACRO wilson_low IS 'Lower end of the 95 % Wilson interval of r right out of n (fraction); NULL where n is 0. The counts may be fractions.';
COMMENT ON MACRO wilson_high IS 'Upper end of the same (fraction).';
COMMENT ON MACRO share IS 'num over den; 0 where den is 0 or NULL.';
COMMENT ON MACRO pooled IS 'A metric of pooled sums: num over den, or where recall_den is given the F1 of that and of recall_num over recall_den; NULL over nothing.';
COMMENT ON MACRO measured IS 'The measures of a score as a list of structs: metric, num, den, recall_num, recall_den, headline.';
COMMENT ON MACRO parts_by IS 'The parts an item is in: the whole, an empty text, and for each flag wanted that flag where it has it, else the flag behind a minus.';
COMMENT ON MACRO t_95 IS 'What Student''s t of so many degrees of freedom, from 1, exceeds in 2.5 of 100 cases; right to 0.001 %.';
COMMENT ON MACRO slope IS 'The derivative of an F1 by one of its two ratios; 1 where there is no recall.';
COMMENT ON MACRO listed IS 'The names of columns, or an error where the text is anything else.';
COMMENT ON MACRO cosine IS 'Cosine of two vectors, lists of numbers of one length (-1 to 1); NULL for lists of two lengths.';
COMMENT ON MACRO TABLE differences IS 'The differences of pairs of conditions, as in contrasts; what contrasts and paired stand on. Takes a list of {contrast, names_a, prompt_a, names_b, prompt_b}.';
COMMENT ON MACRO TABLE paired IS 'The paired difference of any two conditions, such as paired(''original baseline'', ''masked gist''); columns as in contrasts.';
COMMENT ON MACRO TABLE accuracy_by IS 'Accuracy by any columns of results, such as accuracy_by(''task, model, work''), with 95 % Wilson intervals in which an item counts once, whatever its samples and conditions: n (units, count), items, replies (counts), accuracy, low, high (fractions), missing (cells without a score, count).';
COMMENT ON MACRO TABLE agreement IS 'Whether samples agree, by any columns of results, such as agreement(''task, model''): prompts (asked of one model, with two answers or more, count), answers (count), unanimous (share of prompts whose answers are all the same), pairwise (mean share of pairs of answers that are the same), kappa (pairwise beyond what the shares of answers within the row give by chance, after Fleiss 1971; NULL where all are the same). Replies without an answer are left out.';
COMMENT ON MACRO TABLE cosines IS 'Cosine of two characters by every pipeline, kind and encoder that has both, such as cosines(''Emma'', ''Elizabeth''); see similarity.';
