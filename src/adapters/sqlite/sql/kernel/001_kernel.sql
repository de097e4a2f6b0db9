-- The kernel's own records. Times are milliseconds since 1970 unless a column says otherwise.

-- Which manifest a task id belongs to: for ever, because the id is the idempotency key.
CREATE TABLE issue (
  task_id         TEXT PRIMARY KEY,
  manifest_sha256 TEXT NOT NULL CHECK (length(manifest_sha256) = 64),
  capability_id   TEXT NOT NULL,
  jti             TEXT NOT NULL,     -- the newest lease
  leases          INTEGER NOT NULL CHECK (leases > 0),
  confirmed_by    TEXT,              -- who confirmed a manifest with hrc_required
  first_at        INTEGER NOT NULL,
  last_at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The revocation log; entry n is the signed token that workers copy.
CREATE TABLE revocation (
  n     INTEGER PRIMARY KEY CHECK (n > 0),
  jti   TEXT NOT NULL UNIQUE,
  exp   INTEGER NOT NULL,            -- seconds
  at    INTEGER NOT NULL,            -- seconds, as signed
  token TEXT NOT NULL
) STRICT;

-- Numbers have no gaps: workers accept nothing but the next one.
CREATE TRIGGER revocation_is_next BEFORE INSERT ON revocation
WHEN NEW.n <> (SELECT coalesce(max(n), 0) + 1 FROM revocation)
BEGIN SELECT raise(ABORT, 'a revocation must have the next number'); END;

CREATE TABLE audit (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  at      INTEGER NOT NULL,
  action  TEXT NOT NULL CHECK (action IN ('confirm', 'regrant', 'undo', 'revoke')),
  task_id TEXT,
  jti     TEXT NOT NULL,
  by      TEXT,
  details TEXT NOT NULL CHECK (json_valid(details))
) STRICT;

-- What was written stays written.
CREATE TRIGGER issue_keeps_its_manifest BEFORE UPDATE ON issue
WHEN NEW.manifest_sha256 <> OLD.manifest_sha256 OR NEW.task_id <> OLD.task_id
BEGIN SELECT raise(ABORT, 'a task id keeps its manifest'); END;
CREATE TRIGGER issue_stays BEFORE DELETE ON issue BEGIN SELECT raise(ABORT, 'the issue log is append-only'); END;
CREATE TRIGGER revocation_stays BEFORE DELETE ON revocation BEGIN SELECT raise(ABORT, 'the revocation log is append-only'); END;
CREATE TRIGGER revocation_is_fixed BEFORE UPDATE ON revocation BEGIN SELECT raise(ABORT, 'the revocation log is append-only'); END;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_is_fixed BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
