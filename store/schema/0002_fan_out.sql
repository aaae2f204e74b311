ALTER TABLE experiments ADD COLUMN items BIGINT;
COMMENT ON COLUMN experiments.items IS 'Items of the plan (count); NULL for a plan of an earlier version, which is recorded whole.';
COMMENT ON COLUMN experiments.cells IS 'Cells of the design (count), those of items that are set aside included.';

CREATE TABLE plan_chunks (
    experiment_id VARCHAR NOT NULL,
    items BIGINT NOT NULL,
    cells BIGINT NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE plan_chunks IS 'How far a plan is recorded: the largest row of an experiment_id counts.';
COMMENT ON COLUMN plan_chunks.items IS 'Items whose cells are all recorded (count), in the plan''s order.';
COMMENT ON COLUMN plan_chunks.cells IS 'Cells recorded (count).';

ALTER TABLE cells ADD COLUMN ordinal BIGINT;
ALTER TABLE cells ADD COLUMN is_first BOOLEAN;
COMMENT ON COLUMN cells.is_first IS 'Whether it is its plan''s first cell with its key: the one that is asked for all that share it.';
COMMENT ON COLUMN cells.ordinal IS 'Place in the order of asking: shuffled within blocks of items that hold every condition.';

ALTER TABLE attempts ADD COLUMN usd DOUBLE;
ALTER TABLE attempts ADD COLUMN usd_at_most DOUBLE;
ALTER TABLE attempts ADD COLUMN request_id VARCHAR;
COMMENT ON COLUMN attempts.usd IS 'What it cost by the usage the server gave (US dollars); NULL without a price or a usage.';
COMMENT ON COLUMN attempts.usd_at_most IS 'What it may have cost where the server gave no usage (US dollars): the whole reservation.';
COMMENT ON COLUMN attempts.request_id IS 'The server''s own name for the request, for asking its makers.';

ALTER TABLE replies ADD COLUMN reasoning VARCHAR;
ALTER TABLE replies ADD COLUMN reasoning_tokens BIGINT;
ALTER TABLE replies ADD COLUMN cached_tokens BIGINT;
COMMENT ON COLUMN replies.reasoning IS 'What the model thought before it answered, where the server shows it.';
COMMENT ON COLUMN replies.reasoning_tokens IS 'Of reply_tokens, those spent on reasoning (count).';
COMMENT ON COLUMN replies.cached_tokens IS 'Of prompt_tokens, those the server had cached (count).';

COMMENT ON COLUMN items.item_hash IS 'Stands for the row''s other columns: the start of their sha256, in hex.';
COMMENT ON COLUMN prompts.prompt_hash IS 'Stands for what is sent and what is right: the start of a sha256, in hex.';
