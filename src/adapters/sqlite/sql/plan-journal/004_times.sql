-- When a step's turn began and when its answer was kept, milliseconds since 1970. Null in entries from before.
ALTER TABLE entry ADD COLUMN since INTEGER;
ALTER TABLE entry ADD COLUMN at INTEGER;

-- Pages of plans, newest change first; there are three states, and a search without one merges three courses.
CREATE INDEX plan_by_state ON plan (state, changed_at, plan_sha256, code);
