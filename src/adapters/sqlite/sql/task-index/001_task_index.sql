-- A copy of what queues and ledger know, for finding tasks (docs/task-index.md). May be deleted at any time.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How far each source was read: stream ids of the queues, generation of the ledger.
CREATE TABLE position (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

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
  UNIQUE (queue, job_id)
) STRICT;

-- Each index ends with the row's number, so that "newest change first" needs no sorting.
CREATE INDEX task_by_id ON task (task_id);
CREATE INDEX task_by_time ON task (updated);
CREATE INDEX task_by_state ON task (state, updated);
CREATE INDEX task_by_capability ON task (capability_id, updated);
CREATE INDEX task_by_state_and_capability ON task (state, capability_id, updated);
CREATE INDEX task_by_code ON task (error_code, updated) WHERE error_code IS NOT NULL;
CREATE INDEX task_by_plan ON task (plan, updated) WHERE plan IS NOT NULL;
CREATE INDEX task_by_source ON task (source_path, updated) WHERE source_path IS NOT NULL;
CREATE INDEX task_by_destination ON task (destination_path, updated) WHERE destination_path IS NOT NULL;

-- The newest changes, in order.
CREATE TABLE event (
  id            INTEGER PRIMARY KEY,
  at            INTEGER NOT NULL,
  task_id       TEXT NOT NULL,
  capability_id TEXT NOT NULL,
  state         TEXT NOT NULL,
  error_code    TEXT
) STRICT;
