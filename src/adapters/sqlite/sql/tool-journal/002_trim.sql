-- Attempts whose answers nobody needs any more (docs/protocol.md 5): one line for each task takes their place, for ever.
CREATE TABLE trimmed (
  task_id         TEXT    PRIMARY KEY CHECK (task_id <> ''),
  manifest_sha256 BLOB    NOT NULL CHECK (length(manifest_sha256) = 32),
  attempts        INTEGER NOT NULL CHECK (attempts >= 1),
  -- 1: a request was sent; that of a plan's step, or one that succeeded, is never sent again.
  done            INTEGER NOT NULL CHECK (done IN (0, 1)),
  -- When the last one was closed, milliseconds since 1970.
  closed_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER trimmed_is_kept BEFORE DELETE ON trimmed BEGIN
  SELECT RAISE(ABORT, 'what was done is not forgotten');
END;

CREATE TRIGGER trimmed_is_final BEFORE UPDATE ON trimmed WHEN OLD.done = 1 BEGIN
  SELECT RAISE(ABORT, 'what was done is not forgotten');
END;

DROP TRIGGER attempt_is_kept;
CREATE TRIGGER attempt_is_kept BEFORE DELETE ON attempt
WHEN OLD.state = 'open'
  OR NOT EXISTS (SELECT 1 FROM trimmed WHERE task_id = OLD.task_id AND attempts >= OLD.n AND done >= (OLD.state = 'success'))
BEGIN
  SELECT RAISE(ABORT, 'attempts are not deleted');
END;

CREATE TRIGGER trimmed_task_is_not_sent_again BEFORE INSERT ON attempt
WHEN EXISTS (SELECT 1 FROM trimmed WHERE task_id = NEW.task_id AND done = 1)
BEGIN
  SELECT RAISE(ABORT, 'the request was sent before');
END;
