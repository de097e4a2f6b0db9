-- A task may leave several files in vaults: a copy that a failed attempt has withdrawn, and what a later one puts aside. Only
-- the key of a place changes; a table cannot drop a UNIQUE, so it is made anew.
CREATE TABLE vault_place (
  base    TEXT    NOT NULL,
  name    TEXT    NOT NULL CHECK (name <> ''),
  task_id TEXT    NOT NULL,
  n       INTEGER NOT NULL,
  bytes   INTEGER NOT NULL CHECK (bytes >= 0),
  since   INTEGER NOT NULL,
  kept    INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)),
  PRIMARY KEY (base, name),
  UNIQUE (task_id, n),
  FOREIGN KEY (task_id, n) REFERENCES attempt (task_id, n)
) STRICT, WITHOUT ROWID;
INSERT INTO vault_place (base, name, task_id, n, bytes, since, kept) SELECT base, name, task_id, n, bytes, since, kept FROM vault;
DROP TABLE vault;
ALTER TABLE vault_place RENAME TO vault;

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
