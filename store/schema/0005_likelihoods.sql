CREATE TABLE likelihoods (
    key VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    offsets INTEGER[] NOT NULL,
    logprobs FLOAT[] NOT NULL,
    token_ids INTEGER[],
    ranks INTEGER[],
    means FLOAT[],
    variances FLOAT[],
    exact BOOLEAN NOT NULL
);
COMMENT ON TABLE likelihoods IS 'How likely a model found the text of a prompt, token by token; at most one row a key, beside its reply.';
COMMENT ON COLUMN likelihoods.offsets IS 'First code point of each token in the text of the prompt, from 0.';
COMMENT ON COLUMN likelihoods.logprobs IS 'Natural logarithm of each token''s probability given all before it, at temperature 1; NULL where nothing stands before (nats).';
COMMENT ON COLUMN likelihoods.token_ids IS 'In the model''s vocabulary; NULL where the endpoint does not tell.';
COMMENT ON COLUMN likelihoods.ranks IS 'Tokens at least as likely in this place, itself included; NULL where the endpoint does not tell (count).';
COMMENT ON COLUMN likelihoods.means IS 'Mean log-probability of a token drawn from the model''s own distribution in this place; NULL where that is not told (nats).';
COMMENT ON COLUMN likelihoods.variances IS 'Variance of the same (nats squared).';
COMMENT ON COLUMN likelihoods.exact IS 'Whether means and variances are over the whole vocabulary; else over its likeliest tokens.';

ALTER TABLE prompts ADD COLUMN names_at JSON;
COMMENT ON COLUMN prompts.names_at IS 'Where names stand in the text, for tasks that ask for a likelihood: start and end (code points, half-open).';

CREATE TABLE served (
    run_id VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    opened_at TIMESTAMPTZ NOT NULL,
    facts JSON NOT NULL,
    unavailable JSON NOT NULL
);
COMMENT ON TABLE served IS 'What answered for each model of a run, as far as it says.';
COMMENT ON COLUMN served.facts IS 'What the server tells of itself and of the model, such as version, weights and revision.';
COMMENT ON COLUMN served.unavailable IS 'What is asked for and it cannot do (reply, continuation or likelihood), with the reason.';
COMMENT ON COLUMN runs.provenance IS 'Code revision, package versions and machine; up to version 5 of the schema also the models as served.';

CREATE TABLE repeats (
    key VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    asked_at TIMESTAMPTZ NOT NULL,
    same BOOLEAN NOT NULL,
    text VARCHAR,
    served_model VARCHAR,
    fingerprint VARCHAR
);
COMMENT ON TABLE repeats IS 'Cells asked again through a run to see whether they get the reply they had; that reply stays.';
COMMENT ON COLUMN repeats.same IS 'Whether the reply was the same, word for word; of a likelihood, to a thousandth of a nat in every token.';
COMMENT ON COLUMN repeats.text IS 'What came instead; NULL where it was the same.';
