ALTER TABLE items ADD COLUMN question VARCHAR;
ALTER TABLE items ADD COLUMN spans JSON;
ALTER TABLE items ADD COLUMN scene VARCHAR;
ALTER TABLE items ADD COLUMN document VARCHAR;
ALTER TABLE items ADD COLUMN part BIGINT;
ALTER TABLE items ADD COLUMN parts BIGINT;
ALTER TABLE items ADD COLUMN flags JSON;
COMMENT ON COLUMN items.question IS 'What is asked about the passage; empty where the task asks the same of every item.';
COMMENT ON COLUMN items.spans IS 'Mentions and answers in the text: label of the gold answer, start and end (code points, half-open).';
COMMENT ON COLUMN items.scene IS 'What the item shares with its neighbours, such as an episode; empty where it stands alone.';
COMMENT ON COLUMN items.document IS 'The longer text that the item is a window of; empty for a whole.';
COMMENT ON COLUMN items.part IS 'Which window of its document, from 0.';
COMMENT ON COLUMN items.parts IS 'Windows of its document (count).';
COMMENT ON COLUMN items.flags IS 'What to tell items apart by, such as title_in_text.';

ALTER TABLE prompts ADD COLUMN wording VARCHAR;
ALTER TABLE prompts ADD COLUMN descriptions VARCHAR;
ALTER TABLE prompts ADD COLUMN answer_schema JSON;
ALTER TABLE prompts ADD COLUMN titles JSON;
ALTER TABLE prompts ADD COLUMN places JSON;
ALTER TABLE prompts ADD COLUMN phrases JSON;
COMMENT ON COLUMN prompts.wording IS 'Which wording of the instructions: own, or one that the experiment file names.';
COMMENT ON COLUMN prompts.descriptions IS 'Which descriptions of the characters stand before the passage: none, or a file the experiment names.';
COMMENT ON COLUMN prompts.answer_schema IS 'JSON schema of an answer, sent to models that take one; NULL where answers are prose.';
COMMENT ON COLUMN prompts.titles IS 'Titles of the work that the passage names -> occurrences.';
COMMENT ON COLUMN prompts.places IS 'Places known from the work that the passage names -> occurrences.';
COMMENT ON COLUMN prompts.phrases IS 'Phrases known from the work that stand in the passage -> occurrences.';

ALTER TABLE set_aside ADD COLUMN descriptions VARCHAR;
COMMENT ON COLUMN set_aside.descriptions IS 'Which descriptions it could not be shown with; NULL where the names alone are the reason.';

ALTER TABLE scores ADD COLUMN measures JSON;
COMMENT ON COLUMN scores.measures IS 'What the answer adds to each metric: sums that pool over any set of answers; see the view measures.';
COMMENT ON COLUMN scores.units IS 'Speakers of a scene, or 1 for a title or trait; 0 where answers are more or less good (count).';
