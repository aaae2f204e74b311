-- What is brought into a store from files: each file's rows carry the import they came with, and the
-- newest import of a part is the one that the views show. Vectors lie in a table a dimension, made
-- when the first of that dimension arrives (vectors_384, character_vectors_4096, …).

CREATE TABLE imports (
    import_id VARCHAR NOT NULL,
    corpus VARCHAR NOT NULL,
    relation VARCHAR NOT NULL,
    part VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    "rows" BIGINT NOT NULL,
    report JSON NOT NULL,
    imported_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE imports IS 'What was brought in from files; the newest row of a corpus, relation and part counts.';
COMMENT ON COLUMN imports.import_id IS 'Stands for the content: the start of a sha256 over the files and how they are read, in hex.';
COMMENT ON COLUMN imports.relation IS 'features, characters, groups, pairs, choices or character_vectors.';
COMMENT ON COLUMN imports.part IS 'Which part of the relation, such as booknlp/event/persuasion; empty for the whole.';
COMMENT ON COLUMN imports.report IS 'What the reader found and mended.';

CREATE TABLE feature_rows (
    import_id VARCHAR NOT NULL,
    ordinal BIGINT NOT NULL,
    pipeline VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    work VARCHAR NOT NULL,
    character VARCHAR NOT NULL,
    role VARCHAR,
    text VARCHAR NOT NULL,
    context VARCHAR,
    target_start BIGINT,
    target_end BIGINT,
    target_id VARCHAR NOT NULL
);
COMMENT ON TABLE feature_rows IS 'Events, modifiers, quotes and assertions of characters, as a pipeline extracted them.';
COMMENT ON COLUMN feature_rows.ordinal IS 'Place in the import, from 0.';
COMMENT ON COLUMN feature_rows.kind IS 'event, modifier, quote or assertion.';
COMMENT ON COLUMN feature_rows.role IS 'agent or patient, of events; else NULL.';
COMMENT ON COLUMN feature_rows.context IS 'The sentence an event or modifier stands in; NULL for quotes and assertions, or where it is not known.';
COMMENT ON COLUMN feature_rows.target_start IS 'Where the text begins in its context (characters, from 0).';
COMMENT ON COLUMN feature_rows.target_end IS 'Where it ends there (characters, exclusive).';
COMMENT ON COLUMN feature_rows.target_id IS 'Stands for what is embedded: the text, or the word at its place in the context. Equal ones share a vector.';

CREATE TABLE cast_rows (
    import_id VARCHAR NOT NULL,
    ordinal BIGINT NOT NULL,
    character VARCHAR NOT NULL,
    work VARCHAR NOT NULL
);
COMMENT ON TABLE cast_rows IS 'The characters of a corpus and the work each belongs to.';

CREATE TABLE group_rows (
    import_id VARCHAR NOT NULL,
    ordinal BIGINT NOT NULL,
    attribute VARCHAR NOT NULL,
    "group" VARCHAR NOT NULL,
    character VARCHAR NOT NULL
);
COMMENT ON TABLE group_rows IS 'Which characters are alike in an attribute: a benchmark of groups.';

CREATE TABLE pair_rows (
    import_id VARCHAR NOT NULL,
    ordinal BIGINT NOT NULL,
    a VARCHAR NOT NULL,
    b VARCHAR NOT NULL,
    "count" BIGINT NOT NULL
);
COMMENT ON TABLE pair_rows IS 'How often experts call two characters alike: a benchmark of pairs.';

CREATE TABLE choice_rows (
    import_id VARCHAR NOT NULL,
    ordinal BIGINT NOT NULL,
    system VARCHAR NOT NULL,
    character VARCHAR NOT NULL,
    sample BIGINT NOT NULL,
    rank BIGINT NOT NULL,
    chosen VARCHAR NOT NULL
);
COMMENT ON TABLE choice_rows IS 'Whom a system names as most like a character; rank counts from 1 within a sample.';
COMMENT ON COLUMN choice_rows.sample IS 'Which repetition, from 0.';

CREATE TABLE encoders (
    encoder_id VARCHAR NOT NULL,
    encoder VARCHAR NOT NULL,
    dim BIGINT NOT NULL,
    identity JSON NOT NULL,
    added_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE encoders IS 'What vectors were made with.';
COMMENT ON COLUMN encoders.encoder_id IS 'Stands for the identity: the start of its sha256, in hex.';
COMMENT ON COLUMN encoders.encoder IS 'Its name, as `probe embed` and tables take it.';
COMMENT ON COLUMN encoders.identity IS 'Everything that changes a vector: model, revision, pooling, dtype, window, instruction.';

COMMENT ON COLUMN scores.units IS 'Speakers of a scene, or 1 for a title (count); 0 where nothing is right or wrong.';
