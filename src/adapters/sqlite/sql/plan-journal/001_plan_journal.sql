-- What the plan role remembers (docs/plan-protocol.md 2).
CREATE TABLE plan (
  plan_sha256 TEXT PRIMARY KEY,
  -- canonical text of the linked envelope
  envelope TEXT NOT NULL,
  -- the newest plan lease
  lease TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'success', 'failure')),
  -- the step whose result ended the plan; null where no call has
  ended_by TEXT,
  code TEXT,
  message TEXT,
  -- the signed end
  result TEXT,
  -- the queue knows of the end
  settled INTEGER NOT NULL DEFAULT 0,
  -- workers lost since the last entry
  losses INTEGER NOT NULL DEFAULT 0,
  changed_at INTEGER NOT NULL,
  CHECK ((state = 'running') = (result IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX plan_running ON plan (changed_at) WHERE state = 'running';

CREATE TABLE entry (
  plan_sha256 TEXT NOT NULL REFERENCES plan (plan_sha256),
  path TEXT NOT NULL,
  generation INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  task_id TEXT NOT NULL,
  -- the executor's signed result
  executor_result TEXT NOT NULL,
  voided INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (plan_sha256, path, generation)
) STRICT, WITHOUT ROWID;

-- One result of a place counts at a time.
CREATE UNIQUE INDEX entry_counts ON entry (plan_sha256, path) WHERE voided = 0;
CREATE UNIQUE INDEX entry_order ON entry (plan_sha256, seq);
