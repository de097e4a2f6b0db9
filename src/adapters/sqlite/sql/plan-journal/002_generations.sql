-- A decision about a plan counts for the generation that it was made in: retries of the plan so far.
ALTER TABLE plan ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;

-- The capability of the manifest that the answer was signed for: a tool may be bound in another way since. Null in entries from before.
ALTER TABLE entry ADD COLUMN capability_id TEXT;
