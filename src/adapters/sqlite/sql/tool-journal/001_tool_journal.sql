-- The journal of once-only requests to tools (docs/tools.md). Times are milliseconds since 1970, exp is seconds.

-- One row per journalled try. Rows are never deleted: what was sent is never forgotten.
CREATE TABLE attempt (
  task_id         TEXT    NOT NULL CHECK (task_id <> ''),
  n               INTEGER NOT NULL CHECK (n >= 1),
  manifest_sha256 TEXT    NOT NULL CHECK (length(manifest_sha256) = 64),
  jti             TEXT    NOT NULL,
  exp             INTEGER NOT NULL,
  kid             TEXT    NOT NULL,
  tool            TEXT    NOT NULL CHECK (tool <> ''),
  operation       TEXT    NOT NULL CHECK (operation <> ''),
  opened_at       INTEGER NOT NULL,
  -- withdrawn: nothing was sent, and nothing is answered.
  state           TEXT    NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'success', 'failure', 'withdrawn')),
  closed_at       INTEGER,
  result          TEXT,
  -- 1: the request of this failure was sent; under the same lease no other one is.
  sent            INTEGER NOT NULL DEFAULT 0 CHECK (sent IN (0, 1)),
  PRIMARY KEY (task_id, n),
  CONSTRAINT closed_has_time CHECK ((state = 'open') = (closed_at IS NULL)),
  CONSTRAINT ended_has_result CHECK ((state IN ('success', 'failure')) = (result IS NOT NULL)),
  CONSTRAINT only_ends_were_sent CHECK (sent = 0 OR state IN ('success', 'failure'))
) STRICT;

CREATE UNIQUE INDEX attempt_one_open ON attempt (task_id) WHERE state = 'open';
CREATE UNIQUE INDEX attempt_one_success ON attempt (task_id) WHERE state = 'success';
CREATE UNIQUE INDEX attempt_one_request_per_lease ON attempt (task_id, jti) WHERE sent = 1;

CREATE TRIGGER attempt_is_final BEFORE UPDATE ON attempt WHEN OLD.state <> 'open' BEGIN
  SELECT RAISE(ABORT, 'a closed attempt does not change');
END;

CREATE TRIGGER attempt_is_kept BEFORE DELETE ON attempt BEGIN
  SELECT RAISE(ABORT, 'attempts are not deleted');
END;
