-- Tables are append-only and carry no secondary index and no primary key: a database that was
-- killed in the middle of a write must always replay its log.

CREATE TABLE experiments (
    experiment_id VARCHAR NOT NULL,
    experiment VARCHAR NOT NULL,
    seed BIGINT NOT NULL,
    spec VARCHAR NOT NULL,
    cells BIGINT NOT NULL,
    planned_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE experiments IS 'One plan of an experiment; a change of its file or data gives a new one.';
COMMENT ON COLUMN experiments.experiment_id IS 'sha256 over the plan''s cells and keys, in hex.';
COMMENT ON COLUMN experiments.spec IS 'The experiment file, as it was read.';

CREATE TABLE models (
    experiment_id VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    provider VARCHAR NOT NULL,
    identity JSON NOT NULL,
    note VARCHAR
);
COMMENT ON COLUMN models.identity IS 'What stands for the model in its cells'' keys: api, endpoint, model, params.';
COMMENT ON COLUMN models.note IS 'What the model can and cannot show, where that is known.';

CREATE TABLE items (
    item_hash VARCHAR NOT NULL,
    task VARCHAR NOT NULL,
    dataset VARCHAR NOT NULL,
    item_id VARCHAR NOT NULL,
    work VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    gold JSON NOT NULL,
    accepted JSON NOT NULL,
    options JSON NOT NULL,
    "cast" JSON NOT NULL,
    culture VARCHAR NOT NULL,
    notes JSON NOT NULL
);
COMMENT ON TABLE items IS 'One question of a dataset, as its dataset gives it.';
COMMENT ON COLUMN items.item_hash IS 'sha256 of the row''s other columns, in hex.';
COMMENT ON COLUMN items.notes IS 'What the reader had to mend, in words.';

CREATE TABLE prompts (
    prompt_hash VARCHAR NOT NULL,
    item_hash VARCHAR NOT NULL,
    names VARCHAR NOT NULL,
    prompt VARCHAR NOT NULL,
    choices VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    gold JSON NOT NULL,
    accepted JSON NOT NULL,
    options JSON NOT NULL,
    chance DOUBLE,
    name_map JSON NOT NULL,
    replaced BIGINT NOT NULL,
    leaks JSON NOT NULL,
    suspects JSON NOT NULL
);
COMMENT ON TABLE prompts IS 'One item under one condition: what is sent, what is right, what the names became.';
COMMENT ON COLUMN prompts.chance IS 'Accuracy of a random answer, in [0, 1]; NULL for open questions.';
COMMENT ON COLUMN prompts.replaced IS 'Occurrences of names replaced in the passage (count).';
COMMENT ON COLUMN prompts.leaks IS 'Names of the cast still in the passage -> occurrences.';
COMMENT ON COLUMN prompts.suspects IS 'Possible names that belong to no one in the cast -> occurrences.';

CREATE TABLE cells (
    experiment_id VARCHAR NOT NULL,
    cell_id VARCHAR NOT NULL,
    key VARCHAR NOT NULL,
    prompt_hash VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    sample BIGINT NOT NULL
);
COMMENT ON TABLE cells IS 'item x condition x model x sample, for every plan.';
COMMENT ON COLUMN cells.cell_id IS 'Names the cell by its place in the design; stays when an item''s text is edited.';
COMMENT ON COLUMN cells.key IS 'sha256 of everything that changes the reply, in hex; cells with one key share a reply.';

CREATE TABLE set_aside (
    experiment_id VARCHAR NOT NULL,
    task VARCHAR NOT NULL,
    dataset VARCHAR NOT NULL,
    item_id VARCHAR NOT NULL,
    names VARCHAR NOT NULL,
    reason VARCHAR NOT NULL
);
COMMENT ON TABLE set_aside IS 'Items that a name strategy could not show, with the reason.';

CREATE TABLE runs (
    run_id VARCHAR NOT NULL,
    experiment_id VARCHAR NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    provenance JSON NOT NULL
);
COMMENT ON COLUMN runs.provenance IS 'Code revision, package versions, machine, and the models as served.';

CREATE TABLE run_ends (
    run_id VARCHAR NOT NULL,
    ended_at TIMESTAMPTZ NOT NULL,
    how VARCHAR NOT NULL,
    asked BIGINT NOT NULL,
    failed BIGINT NOT NULL
);
COMMENT ON TABLE run_ends IS 'How a run ended: done, interrupted or stopped; a run without a row was killed.';

CREATE TABLE attempts (
    key VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    attempt BIGINT NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    latency_s DOUBLE NOT NULL,
    status BIGINT,
    error_kind VARCHAR,
    error VARCHAR
);
COMMENT ON TABLE attempts IS 'Every try at a cell, successful or not.';
COMMENT ON COLUMN attempts.latency_s IS 'From sending to the last byte or the error (seconds).';
COMMENT ON COLUMN attempts.status IS 'HTTP status; NULL where no answer came.';

CREATE TABLE replies (
    key VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    text VARCHAR,
    finish_reason VARCHAR,
    served_model VARCHAR,
    fingerprint VARCHAR,
    prompt_tokens BIGINT,
    reply_tokens BIGINT,
    attempts BIGINT NOT NULL,
    latency_s DOUBLE NOT NULL,
    received_at TIMESTAMPTZ NOT NULL,
    raw VARCHAR NOT NULL
);
COMMENT ON TABLE replies IS 'What came back; at most one row a key.';
COMMENT ON COLUMN replies.outcome IS 'ok, refused, filtered or truncated.';
COMMENT ON COLUMN replies.served_model IS 'The model the server says it used.';
COMMENT ON COLUMN replies.raw IS 'The response body as it came.';

CREATE TABLE failures (
    key VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    attempts BIGINT NOT NULL,
    kind VARCHAR NOT NULL,
    error VARCHAR NOT NULL,
    permanent BOOLEAN NOT NULL,
    failed_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE failures IS 'Every giving-up on a key; the next run asks again unless it is permanent.';

CREATE TABLE scores (
    prompt_hash VARCHAR NOT NULL,
    key VARCHAR NOT NULL,
    version BIGINT NOT NULL,
    answer JSON,
    unparsed VARCHAR,
    units_right BIGINT NOT NULL,
    units BIGINT NOT NULL,
    scored_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE scores IS 'Replies read and marked; one row a prompt, key and parser version.';
COMMENT ON COLUMN scores.unparsed IS 'Why the parser found no answer; NULL where it found one.';
COMMENT ON COLUMN scores.units IS 'Speakers of a scene, or 1 for a title (count).';

CREATE TABLE journal_positions (
    segment VARCHAR NOT NULL,
    position BIGINT NOT NULL
);
COMMENT ON TABLE journal_positions IS 'How far each journal file is held by the database (bytes); the largest counts.';
