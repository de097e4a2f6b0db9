-- Pages by every pair of filters. The rows are a copy: without positions the feed fills them again.

DELETE FROM position;
DELETE FROM meta WHERE key = 'generation';
DROP TABLE task;

-- One row per job. Times in milliseconds since 1970.
CREATE TABLE task (
  n                INTEGER PRIMARY KEY,
  queue            TEXT NOT NULL,
  job_id           TEXT NOT NULL,
  task_id          TEXT NOT NULL,
  capability_id    TEXT NOT NULL,
  state            TEXT NOT NULL CHECK (state IN ('waiting', 'delayed', 'running', 'success', 'failure')),
  error_code       TEXT,
  message          TEXT,
  source_path      TEXT,
  destination_path TEXT,
  plan             TEXT,
  attempts         INTEGER NOT NULL,
  submitted        INTEGER NOT NULL,
  updated          INTEGER NOT NULL,
  lease_expires    INTEGER,
  -- Redis' time of the look that this row comes from.
  seen             INTEGER NOT NULL,
  -- Enough of the plan to tell nearly all others apart where a whole one would take too much room.
  plan_key         TEXT,
  UNIQUE (job_id, queue)
) STRICT;

-- A job that Writ pushed is found by its job id, so that only strangers' jobs are here.
CREATE INDEX task_by_id ON task (task_id) WHERE job_id <> 't_' || task_id;

-- Each index ends with time and row number, the order of the pages. The state leads where it can: there are five, and a
-- search that does not name one merges five courses.
CREATE INDEX task_by_time ON task (updated);
CREATE INDEX task_by_state ON task (state, updated);
CREATE INDEX task_by_capability ON task (state, capability_id, updated);
CREATE INDEX task_by_code ON task (state, error_code, updated) WHERE error_code IS NOT NULL;
CREATE INDEX task_by_code_and_capability ON task (state, error_code, capability_id, updated) WHERE error_code IS NOT NULL;

-- Plans and directories are narrow, and carry the other filters: no row is fetched in vain.
CREATE INDEX task_by_plan ON task (plan, updated, n, state, capability_id, error_code) WHERE plan IS NOT NULL;
CREATE INDEX task_by_source ON task (source_path, updated, state, capability_id, error_code, plan_key) WHERE source_path IS NOT NULL;
CREATE INDEX task_by_destination ON task (destination_path, updated, state, capability_id, error_code, plan_key) WHERE destination_path IS NOT NULL;
