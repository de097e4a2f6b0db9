-- The canonical text of every leased manifest: an undo is signed over it, long after the queue has forgotten the job.
-- A table of its own, so that the issue log, which every lease asks, stays small.
CREATE TABLE manifest (
  task_id TEXT PRIMARY KEY REFERENCES issue (task_id),
  text    TEXT NOT NULL CHECK (json_valid(text))
) STRICT;

CREATE TRIGGER manifest_stays BEFORE DELETE ON manifest BEGIN SELECT raise(ABORT, 'the issue log is append-only'); END;
CREATE TRIGGER manifest_is_fixed BEFORE UPDATE ON manifest BEGIN SELECT raise(ABORT, 'a task id keeps its manifest'); END;
