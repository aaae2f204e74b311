CREATE TABLE batches (
    batch_id VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    experiment_id VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    provider VARCHAR NOT NULL,
    server VARCHAR NOT NULL,
    intended_at TIMESTAMPTZ NOT NULL,
    requests BIGINT NOT NULL,
    size_bytes BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    file_sha256 VARCHAR NOT NULL,
    usd_at_most DOUBLE
);
COMMENT ON TABLE batches IS 'Requests handed to a provider many at a time; a row is written before anything of it is sent.';
COMMENT ON COLUMN batches.batch_id IS 'Our own name for the batch, which providers that take one are sent.';
COMMENT ON COLUMN batches.run_id IS 'The run that made it; later ones may take its results.';
COMMENT ON COLUMN batches.experiment_id IS 'The plan it was made for.';
COMMENT ON COLUMN batches.model IS 'Who is asked, by the name in the experiment file.';
COMMENT ON COLUMN batches.provider IS 'Kind of provider: openai or anthropic.';
COMMENT ON COLUMN batches.server IS 'What stands for the server it is handed to in the cells'' keys: its address, or the name the file gives it.';
COMMENT ON COLUMN batches.intended_at IS 'When it was made (UTC); the attempts of its lines start then.';
COMMENT ON COLUMN batches.requests IS 'Its lines (count).';
COMMENT ON COLUMN batches.size_bytes IS 'Of the file that is sent (bytes).';
COMMENT ON COLUMN batches.tokens IS 'Of its prompts, estimated (count).';
COMMENT ON COLUMN batches.file_sha256 IS 'Of the file that is sent, in hex.';
COMMENT ON COLUMN batches.usd_at_most IS 'The most it can cost (US dollars), reserved before it is sent; NULL without a price.';

CREATE TABLE batch_lines (
    batch_id VARCHAR NOT NULL,
    custom_id VARCHAR NOT NULL,
    key VARCHAR NOT NULL,
    choice BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    usd_at_most DOUBLE
);
COMMENT ON TABLE batch_lines IS 'Which keys the lines of a batch ask for; lines of a batch_id that batches does not have were never sent.';
COMMENT ON COLUMN batch_lines.batch_id IS 'The batch.';
COMMENT ON COLUMN batch_lines.custom_id IS 'Name of the line: its first key.';
COMMENT ON COLUMN batch_lines.key IS 'A key it asks for.';
COMMENT ON COLUMN batch_lines.choice IS 'Which of the replies that the line brings is the key''s, from 0.';
COMMENT ON COLUMN batch_lines.attempt IS 'Which try at the key it is, from 1, since the key was last given up.';
COMMENT ON COLUMN batch_lines.usd_at_most IS 'The most the line can cost (US dollars); NULL without a price.';

CREATE TABLE batch_events (
    batch_id VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    happened_at TIMESTAMPTZ NOT NULL,
    event VARCHAR NOT NULL,
    provider_id VARCHAR,
    status VARCHAR,
    detail VARCHAR
);
COMMENT ON TABLE batch_events IS 'What became of batches, in order.';
COMMENT ON COLUMN batch_events.batch_id IS 'The batch.';
COMMENT ON COLUMN batch_events.run_id IS 'The run that saw it.';
COMMENT ON COLUMN batch_events.happened_at IS 'When (UTC).';
COMMENT ON COLUMN batch_events.event IS 'submitting, created or status; it is closed by not created, failed, taken or forgotten.';
COMMENT ON COLUMN batch_events.provider_id IS 'The provider''s own name for the batch, from created on.';
COMMENT ON COLUMN batch_events.status IS 'What the provider says of it, in its words.';
COMMENT ON COLUMN batch_events.detail IS 'Of submitting, the file that was sent before; of what closed it, why.';

COMMENT ON COLUMN run_ends.how IS 'done, interrupted, stopped (a model could not be asked), spent, broken, or waiting: cells are in batches that are still open.';
