-- Notices to receivers of webhooks (docs/webhooks.md 2).
CREATE TABLE notice (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  endpoint TEXT NOT NULL,
  task_id TEXT NOT NULL,
  -- The exact bytes; empty once they are delivered.
  body TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  first_at INTEGER,
  next_at INTEGER NOT NULL,
  problem TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX notice_due ON notice (endpoint, next_at, seq) WHERE state = 'pending';
CREATE INDEX notice_order ON notice (endpoint, task_id, seq) WHERE state = 'pending';
CREATE INDEX notice_state ON notice (state, endpoint, seq);
CREATE INDEX notice_ended ON notice (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX notice_task ON notice (task_id, seq);

-- Tasks whose pusher wants them told: by its key, or because it named the endpoint.
CREATE TABLE wanted (
  task_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (task_id, endpoint)
) STRICT, WITHOUT ROWID;
CREATE INDEX wanted_until ON wanted (until);

-- How far the events of the task index were looked at: the last event, and the time up to which everything was seen.
CREATE TABLE place (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  event INTEGER,
  seen_at INTEGER NOT NULL
) STRICT;
