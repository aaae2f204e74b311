-- What the first migrations left unsaid: every table and every column has a comment, with its unit.

COMMENT ON TABLE schema_migrations IS 'Which steps of the schema the database has.';
COMMENT ON COLUMN schema_migrations.version IS 'Number of the step, from 1.';
COMMENT ON COLUMN schema_migrations.name IS 'File it stands in.';
COMMENT ON COLUMN schema_migrations.applied_at IS 'When it was applied (UTC).';

COMMENT ON COLUMN experiments.experiment IS 'Name, as its file gives it.';
COMMENT ON COLUMN experiments.seed IS 'What every draw of the experiment starts from.';
COMMENT ON COLUMN experiments.planned_at IS 'When the plan was made (UTC).';

COMMENT ON TABLE models IS 'A model of a plan, and what stands for it in the keys of its cells.';
COMMENT ON COLUMN models.experiment_id IS 'The plan.';
COMMENT ON COLUMN models.model IS 'Name, as the experiment file gives it.';
COMMENT ON COLUMN models.provider IS 'Kind of provider, such as openai or embedded.';

COMMENT ON COLUMN items.task IS 'Name of the task.';
COMMENT ON COLUMN items.dataset IS 'Name of the dataset, as the experiment file gives it.';
COMMENT ON COLUMN items.item_id IS 'Name of the item, unique within its task and dataset.';
COMMENT ON COLUMN items.work IS 'The work that the text is from.';
COMMENT ON COLUMN items.text IS 'The passage, before any name is changed.';
COMMENT ON COLUMN items.gold IS 'What is right: label -> answer.';
COMMENT ON COLUMN items.accepted IS 'Further answers that count as right.';
COMMENT ON COLUMN items.options IS 'What can be chosen from, in the dataset''s order; empty for open questions.';
COMMENT ON COLUMN items."cast" IS 'The characters, with their aliases and gender.';
COMMENT ON COLUMN items.culture IS 'Where the names are from, such as english.';

COMMENT ON COLUMN prompts.item_hash IS 'The item.';
COMMENT ON COLUMN prompts.names IS 'Strategy of the names: original, masked, same_culture or cross_culture.';
COMMENT ON COLUMN prompts.prompt IS 'Which instructions: baseline, verbatim or gist.';
COMMENT ON COLUMN prompts.choices IS 'options where they are shown, else open.';
COMMENT ON COLUMN prompts.text IS 'What is sent, whole.';
COMMENT ON COLUMN prompts.gold IS 'What is right under the names shown: label -> answer.';
COMMENT ON COLUMN prompts.accepted IS 'Further answers that count as right, under the names shown.';
COMMENT ON COLUMN prompts.options IS 'What can be chosen from, as shown and in the order shown.';
COMMENT ON COLUMN prompts.name_map IS 'Names of the item -> names shown.';

COMMENT ON COLUMN cells.experiment_id IS 'The plan.';
COMMENT ON COLUMN cells.prompt_hash IS 'What is sent.';
COMMENT ON COLUMN cells.model IS 'Who is asked, by the name in the experiment file.';
COMMENT ON COLUMN cells.sample IS 'Which repetition, from 0.';

COMMENT ON COLUMN set_aside.experiment_id IS 'The plan.';
COMMENT ON COLUMN set_aside.task IS 'Name of the task.';
COMMENT ON COLUMN set_aside.dataset IS 'Name of the dataset.';
COMMENT ON COLUMN set_aside.item_id IS 'The item.';
COMMENT ON COLUMN set_aside.names IS 'Strategy of the names that could not be followed.';
COMMENT ON COLUMN set_aside.reason IS 'Why, in words.';

COMMENT ON TABLE runs IS 'A start of `probe run`.';
COMMENT ON COLUMN runs.run_id IS 'When it started, with a few random digits.';
COMMENT ON COLUMN runs.experiment_id IS 'The plan that it worked on.';
COMMENT ON COLUMN runs.started_at IS 'When it started (UTC).';

COMMENT ON COLUMN run_ends.run_id IS 'The run.';
COMMENT ON COLUMN run_ends.ended_at IS 'When it ended (UTC).';
COMMENT ON COLUMN run_ends.how IS 'done, interrupted or stopped.';
COMMENT ON COLUMN run_ends.asked IS 'Requests that brought a reply (count).';
COMMENT ON COLUMN run_ends.failed IS 'Keys that were given up (count).';

COMMENT ON COLUMN attempts.key IS 'What was asked for.';
COMMENT ON COLUMN attempts.run_id IS 'The run that asked.';
COMMENT ON COLUMN attempts.attempt IS 'Which try of that run, from 1.';
COMMENT ON COLUMN attempts.started_at IS 'When it was sent (UTC).';
COMMENT ON COLUMN attempts.error_kind IS 'Kind of trouble, such as rate_limited or timeout; NULL where a reply came.';
COMMENT ON COLUMN attempts.error IS 'The trouble in the words of whoever had it; NULL where a reply came.';

COMMENT ON COLUMN replies.key IS 'What was asked for.';
COMMENT ON COLUMN replies.run_id IS 'The run that asked.';
COMMENT ON COLUMN replies.text IS 'The reply; NULL where it was held back.';
COMMENT ON COLUMN replies.finish_reason IS 'Why the model stopped, in the server''s word.';
COMMENT ON COLUMN replies.fingerprint IS 'What the server calls its build; NULL where it does not say.';
COMMENT ON COLUMN replies.prompt_tokens IS 'Tokens of the prompt, as the server counts; NULL where it does not (count).';
COMMENT ON COLUMN replies.reply_tokens IS 'Tokens of the reply, likewise, with those of reasoning (count).';
COMMENT ON COLUMN replies.attempts IS 'Tries it took (count).';
COMMENT ON COLUMN replies.latency_s IS 'Of the last try, from sending to the last byte (seconds).';
COMMENT ON COLUMN replies.received_at IS 'When it came (UTC).';

COMMENT ON COLUMN failures.key IS 'What was asked for.';
COMMENT ON COLUMN failures.run_id IS 'The run that gave up.';
COMMENT ON COLUMN failures.attempts IS 'Tries before (count).';
COMMENT ON COLUMN failures.kind IS 'Kind of trouble, as in attempts; unavailable where the server cannot do what is asked.';
COMMENT ON COLUMN failures.error IS 'The trouble in words.';
COMMENT ON COLUMN failures.permanent IS 'Whether asking again is in vain.';
COMMENT ON COLUMN failures.failed_at IS 'When it was given up (UTC).';

COMMENT ON COLUMN scores.prompt_hash IS 'The prompt by whose gold answer it is marked.';
COMMENT ON COLUMN scores.key IS 'The reply.';
COMMENT ON COLUMN scores.version IS 'Of the task''s parser.';
COMMENT ON COLUMN scores.answer IS 'What the parser read: label -> answer; NULL where it found none.';
COMMENT ON COLUMN scores.units_right IS 'Of units, those that are right (count).';
COMMENT ON COLUMN scores.scored_at IS 'When it was marked (UTC).';

COMMENT ON COLUMN journal_positions.segment IS 'File of the journal.';
COMMENT ON COLUMN journal_positions.position IS 'Up to where its events are in the tables (bytes).';

COMMENT ON COLUMN plan_chunks.experiment_id IS 'The plan.';
COMMENT ON COLUMN plan_chunks.recorded_at IS 'When so much of it was recorded (UTC).';

COMMENT ON COLUMN imports.corpus IS 'Name of the corpus.';
COMMENT ON COLUMN imports.path IS 'Where the files lay.';
COMMENT ON COLUMN imports."rows" IS 'Rows brought in (count).';
COMMENT ON COLUMN imports.imported_at IS 'When (UTC).';

COMMENT ON COLUMN feature_rows.import_id IS 'The import it came with.';
COMMENT ON COLUMN feature_rows.pipeline IS 'What extracted it, such as booknlp.';
COMMENT ON COLUMN feature_rows.work IS 'The work, as the file names it.';
COMMENT ON COLUMN feature_rows.character IS 'The character it belongs to.';
COMMENT ON COLUMN feature_rows.text IS 'Its words.';

COMMENT ON COLUMN cast_rows.import_id IS 'The import it came with.';
COMMENT ON COLUMN cast_rows.ordinal IS 'Place in the import, from 0.';
COMMENT ON COLUMN cast_rows.character IS 'The character.';
COMMENT ON COLUMN cast_rows.work IS 'The work it belongs to.';

COMMENT ON COLUMN group_rows.import_id IS 'The import it came with.';
COMMENT ON COLUMN group_rows.ordinal IS 'Place in the import, from 0.';
COMMENT ON COLUMN group_rows.attribute IS 'In what the characters are alike.';
COMMENT ON COLUMN group_rows."group" IS 'Which value of it they share.';
COMMENT ON COLUMN group_rows.character IS 'The character.';

COMMENT ON COLUMN pair_rows.import_id IS 'The import it came with.';
COMMENT ON COLUMN pair_rows.ordinal IS 'Place in the import, from 0.';
COMMENT ON COLUMN pair_rows.a IS 'One character.';
COMMENT ON COLUMN pair_rows.b IS 'The other.';
COMMENT ON COLUMN pair_rows."count" IS 'Experts who call the two alike (count).';

COMMENT ON COLUMN choice_rows.import_id IS 'The import it came with.';
COMMENT ON COLUMN choice_rows.ordinal IS 'Place in the import, from 0.';
COMMENT ON COLUMN choice_rows.system IS 'Who names them.';
COMMENT ON COLUMN choice_rows.character IS 'The character that others are likened to.';
COMMENT ON COLUMN choice_rows.rank IS 'From 1, the most like first.';
COMMENT ON COLUMN choice_rows.chosen IS 'The character named.';

COMMENT ON COLUMN encoders.dim IS 'Numbers a vector (count).';
COMMENT ON COLUMN encoders.added_at IS 'When its first vector came (UTC).';

COMMENT ON COLUMN likelihoods.key IS 'What was asked for.';
COMMENT ON COLUMN likelihoods.run_id IS 'The run that asked.';

COMMENT ON COLUMN served.run_id IS 'The run.';
COMMENT ON COLUMN served.model IS 'Name, as the experiment file gives it.';
COMMENT ON COLUMN served.opened_at IS 'When the run reached it (UTC).';

COMMENT ON COLUMN repeats.key IS 'What was asked again.';
COMMENT ON COLUMN repeats.run_id IS 'The run that asked again.';
COMMENT ON COLUMN repeats.asked_at IS 'When (UTC).';
COMMENT ON COLUMN repeats.served_model IS 'The model the server says it used.';
COMMENT ON COLUMN repeats.fingerprint IS 'What the server calls its build.';
