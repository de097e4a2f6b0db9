-- Schedules, and the tasks that they made. Planned times are whole minutes since 1970, other times milliseconds.
CREATE TABLE schedule (
  id         TEXT PRIMARY KEY,
  definition TEXT NOT NULL CHECK (json_valid(definition)),
  state      TEXT NOT NULL CHECK (state IN ('active', 'paused')),
  cursor     INTEGER NOT NULL,      -- the minute up to which every planned time is decided
  next       INTEGER,               -- the planned time after it
  by         TEXT,
  at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE firing (
  task_id         TEXT PRIMARY KEY,
  schedule        TEXT NOT NULL,
  planned         INTEGER NOT NULL,
  manifest_sha256 TEXT NOT NULL CHECK (length(manifest_sha256) = 64),
  manifest        TEXT NOT NULL CHECK (json_valid(manifest)),
  terms           TEXT NOT NULL CHECK (json_valid(terms)),
  state           TEXT NOT NULL CHECK (state IN ('due', 'pushed', 'ended', 'refused', 'skipped')),
  detail          TEXT,             -- SUCCESS, an error code, why it was skipped
  pushes          INTEGER NOT NULL,
  look_at         INTEGER           -- when it is looked at next; null when nothing more comes
) STRICT, WITHOUT ROWID;
CREATE INDEX firing_of_schedule ON firing (schedule, planned);
CREATE INDEX firing_open ON firing (schedule) WHERE look_at IS NOT NULL;
CREATE INDEX firing_to_look_at ON firing (look_at) WHERE look_at IS NOT NULL;

CREATE TRIGGER firing_stays BEFORE DELETE ON firing BEGIN SELECT raise(ABORT, 'a firing stays on record'); END;
CREATE TRIGGER firing_keeps_its_manifest BEFORE UPDATE ON firing
WHEN NEW.manifest_sha256 <> OLD.manifest_sha256 OR NEW.manifest <> OLD.manifest OR NEW.planned <> OLD.planned OR NEW.schedule <> OLD.schedule
BEGIN SELECT raise(ABORT, 'a firing keeps its manifest and its planned time'); END;

-- Who registered, paused, resumed and removed which schedule.
CREATE TABLE schedule_audit (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  at       INTEGER NOT NULL,
  action   TEXT NOT NULL CHECK (action IN ('add', 'pause', 'resume', 'remove')),
  schedule TEXT NOT NULL,
  by       TEXT,
  details  TEXT NOT NULL CHECK (json_valid(details))
) STRICT;
CREATE TRIGGER schedule_audit_stays BEFORE DELETE ON schedule_audit BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER schedule_audit_is_fixed BEFORE UPDATE ON schedule_audit BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
