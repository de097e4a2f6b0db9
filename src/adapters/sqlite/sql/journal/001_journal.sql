-- The journal of file effects (docs/protocol.md 5). Paths are '/'-joined segments below a base; an identity is
-- 'dev ino size mtime_ns ctime_ns' in decimal text, because inode numbers and nanoseconds exceed what a reader's
-- floating point holds. Times are milliseconds since 1970, exp is seconds.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row per journalled try. Rows are never deleted: a SUCCESS answers the same task for ever. A rowid table, although
-- the key is (task_id, n): rows that are written together then lie together, which halves the work of a commit (measured).
CREATE TABLE attempt (
  task_id          TEXT    NOT NULL CHECK (task_id <> ''),
  n                INTEGER NOT NULL CHECK (n >= 1),
  manifest_sha256  TEXT    NOT NULL CHECK (length(manifest_sha256) = 64),
  jti              TEXT    NOT NULL,
  exp              INTEGER NOT NULL,
  kid              TEXT    NOT NULL,
  instance         TEXT    NOT NULL CHECK (instance <> ''),
  pid              INTEGER NOT NULL,
  start_time       TEXT    NOT NULL,
  operation        TEXT    NOT NULL CHECK (operation IN ('move', 'copy', 'delete')),
  method           TEXT    NOT NULL CHECK (method IN ('rename', 'link', 'copy')),
  source_base      TEXT    NOT NULL,
  source_path      TEXT    NOT NULL CHECK (source_path <> ''),
  destination_base TEXT    NOT NULL,
  destination_path TEXT    NOT NULL CHECK (destination_path <> ''),
  source_identity  TEXT    NOT NULL,
  temporary        TEXT,
  retired_base     TEXT,
  retired_path     TEXT,
  undo_of          TEXT,
  opened_at        INTEGER NOT NULL,
  stage            TEXT    NOT NULL DEFAULT 'intent' CHECK (stage IN ('intent', 'sealed', 'published')),
  sealed_identity  TEXT,
  sealed_sha256    TEXT CHECK (length(sealed_sha256) = 64),
  state            TEXT    NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'success', 'failure')),
  closed_at        INTEGER,
  result           TEXT,
  outcome_identity TEXT,
  undone_by        TEXT,
  -- Of the file that stands for this effect again, after an undo of its undo; a move across file systems makes a new one.
  standing_identity TEXT,
  -- 1: a failure of which nobody can tell whether its effect happened; only a new lease may try again.
  doubtful         INTEGER NOT NULL DEFAULT 0 CHECK (doubtful IN (0, 1)),
  PRIMARY KEY (task_id, n),
  -- Only a copied file has a temporary name, can be sealed, and only a move of one retires its source.
  CONSTRAINT copy_has_temporary CHECK ((method = 'copy') = (temporary IS NOT NULL)),
  CONSTRAINT copy_is_copied CHECK (operation <> 'copy' OR method = 'copy'),
  CONSTRAINT delete_is_not_copied CHECK (operation <> 'delete' OR method <> 'copy'),
  CONSTRAINT copied_move_retires CHECK ((operation = 'move' AND method = 'copy') = (retired_path IS NOT NULL)),
  CONSTRAINT retired_is_whole CHECK ((retired_base IS NULL) = (retired_path IS NULL)),
  CONSTRAINT sealed_has_identity CHECK ((stage = 'intent') = (sealed_identity IS NULL)),
  CONSTRAINT hash_is_of_the_sealed CHECK (sealed_sha256 IS NULL OR sealed_identity IS NOT NULL),
  CONSTRAINT only_copies_are_sealed CHECK (stage = 'intent' OR method = 'copy'),
  CONSTRAINT only_moves_are_published CHECK (stage <> 'published' OR operation = 'move'),
  -- An attempt ends once, with the exact signed result; only a standing effect has a file to name and can be undone.
  CONSTRAINT closed_has_result CHECK ((state = 'open') = (result IS NULL)),
  CONSTRAINT closed_has_time CHECK ((state = 'open') = (closed_at IS NULL)),
  CONSTRAINT success_has_outcome CHECK ((state = 'success') = (outcome_identity IS NOT NULL)),
  CONSTRAINT only_success_is_undone CHECK (undone_by IS NULL OR state = 'success'),
  CONSTRAINT only_failure_is_doubtful CHECK (doubtful = 0 OR state = 'failure'),
  CONSTRAINT only_success_stands CHECK (standing_identity IS NULL OR state = 'success'),
  CONSTRAINT undo_is_no_copy CHECK (undo_of IS NULL OR (operation <> 'copy' AND undo_of <> task_id))
) STRICT;

CREATE UNIQUE INDEX attempt_one_open ON attempt (task_id) WHERE state = 'open';
CREATE UNIQUE INDEX attempt_one_success ON attempt (task_id) WHERE state = 'success';

-- A place in the vault of a base: reserved by an open attempt (kept = 0), or holding a file (kept = 1).
-- The path that the file had is the source of its attempt.
CREATE TABLE vault (
  base    TEXT    NOT NULL,
  name    TEXT    NOT NULL CHECK (name <> ''),
  task_id TEXT    NOT NULL UNIQUE,
  n       INTEGER NOT NULL,
  bytes   INTEGER NOT NULL CHECK (bytes >= 0),
  since   INTEGER NOT NULL,
  kept    INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)),
  PRIMARY KEY (base, name),
  FOREIGN KEY (task_id, n) REFERENCES attempt (task_id, n)
) STRICT, WITHOUT ROWID;

-- Sums that the quota and the metrics ask for on every call, kept by triggers so that they cannot drift.
CREATE TABLE vault_usage (
  base  TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  files INTEGER NOT NULL CHECK (files >= 0)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER vault_enter AFTER INSERT ON vault BEGIN
  INSERT INTO vault_usage (base, bytes, files) VALUES (NEW.base, NEW.bytes, 1)
    ON CONFLICT (base) DO UPDATE SET bytes = bytes + NEW.bytes, files = files + 1;
END;

CREATE TRIGGER vault_leave AFTER DELETE ON vault BEGIN
  UPDATE vault_usage SET bytes = bytes - OLD.bytes, files = files - 1 WHERE base = OLD.base;
END;

CREATE TRIGGER vault_bytes_are_fixed BEFORE UPDATE OF base, bytes ON vault BEGIN
  SELECT RAISE(ABORT, 'the bytes of a vault entry do not change');
END;

-- Something that a person has to look at.
CREATE TABLE incident (
  id      INTEGER PRIMARY KEY,
  task_id TEXT    NOT NULL,
  what    TEXT    NOT NULL,
  details TEXT    NOT NULL CHECK (json_valid(details)),
  at      INTEGER NOT NULL
) STRICT;

CREATE TABLE tally (
  what TEXT PRIMARY KEY,
  rows INTEGER NOT NULL CHECK (rows >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO tally (what, rows) VALUES ('open', 0), ('success', 0), ('failure', 0), ('incident', 0);

CREATE TRIGGER attempt_opened AFTER INSERT ON attempt BEGIN
  UPDATE tally SET rows = rows + 1 WHERE what = NEW.state;
END;

CREATE TRIGGER attempt_closed AFTER UPDATE OF state ON attempt WHEN OLD.state <> NEW.state BEGIN
  UPDATE tally SET rows = rows - 1 WHERE what = OLD.state;
  UPDATE tally SET rows = rows + 1 WHERE what = NEW.state;
END;

CREATE TRIGGER incident_reported AFTER INSERT ON incident BEGIN
  UPDATE tally SET rows = rows + 1 WHERE what = 'incident';
END;

-- Ended is ended, and what was done is never forgotten, whatever program writes here.
CREATE TRIGGER attempt_is_final BEFORE UPDATE OF state, result, outcome_identity ON attempt WHEN OLD.state <> 'open' BEGIN
  SELECT RAISE(ABORT, 'a closed attempt does not change');
END;

CREATE TRIGGER attempt_is_kept BEFORE DELETE ON attempt BEGIN
  SELECT RAISE(ABORT, 'attempts are not deleted');
END;
