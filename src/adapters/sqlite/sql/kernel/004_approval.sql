-- Questions that steps of plans have asked, and what became of each: docs/plan-protocol.md 10. Times are milliseconds since 1970.
CREATE TABLE approval (
  task_id         TEXT PRIMARY KEY,
  plan_sha256     TEXT NOT NULL CHECK (length(plan_sha256) = 64),
  path            TEXT NOT NULL,
  manifest_sha256 TEXT NOT NULL CHECK (length(manifest_sha256) = 64),
  role            TEXT NOT NULL,
  question        TEXT NOT NULL,
  asked_at        INTEGER NOT NULL,
  until           INTEGER NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('open', 'approved', 'denied', 'expired')),
  decided_at      INTEGER,
  decided_by      TEXT,
  note            TEXT,
  data            TEXT CHECK (json_valid(data)),
  CHECK ((state = 'open') = (decided_at IS NULL)),
  CHECK (state IN ('approved', 'denied') OR (decided_by IS NULL AND note IS NULL AND data IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_of_plan ON approval (plan_sha256, asked_at);
CREATE INDEX approval_open ON approval (until) WHERE state = 'open';

-- Who said what stays written.
CREATE TRIGGER approval_stays BEFORE DELETE ON approval BEGIN SELECT raise(ABORT, 'an approval stays on record'); END;
CREATE TRIGGER approval_begins_open BEFORE INSERT ON approval WHEN NEW.state <> 'open'
BEGIN SELECT raise(ABORT, 'an approval is asked before it is decided'); END;
CREATE TRIGGER approval_is_decided_once BEFORE UPDATE ON approval WHEN OLD.state <> 'open'
BEGIN SELECT raise(ABORT, 'an approval is decided once'); END;
CREATE TRIGGER approval_keeps_its_question BEFORE UPDATE ON approval
WHEN NEW.task_id <> OLD.task_id OR NEW.plan_sha256 <> OLD.plan_sha256 OR NEW.path <> OLD.path OR NEW.manifest_sha256 <> OLD.manifest_sha256
  OR NEW.role <> OLD.role OR NEW.question <> OLD.question OR NEW.asked_at <> OLD.asked_at OR NEW.until <> OLD.until
BEGIN SELECT raise(ABORT, 'an approval keeps its question and its deadline'); END;
