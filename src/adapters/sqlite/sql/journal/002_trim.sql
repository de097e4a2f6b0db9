-- Attempts whose answers nobody needs any more (docs/protocol.md 5): one line for each task takes their place, for ever.
CREATE TABLE trimmed (
  task_id         TEXT    PRIMARY KEY CHECK (task_id <> ''),
  manifest_sha256 BLOB    NOT NULL CHECK (length(manifest_sha256) = 32),
  -- How many there were: their numbers are in names of files, and are not used twice.
  attempts        INTEGER NOT NULL CHECK (attempts >= 1),
  -- 1: the effect of the last one stands, or stood until it was undone.
  done            INTEGER NOT NULL CHECK (done IN (0, 1)),
  -- When the last one was closed, milliseconds since 1970.
  closed_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO tally (what, rows) VALUES ('trimmed', 0);

CREATE TRIGGER task_trimmed AFTER INSERT ON trimmed BEGIN
  UPDATE tally SET rows = rows + 1 WHERE what = 'trimmed';
END;

CREATE TRIGGER trimmed_is_kept BEFORE DELETE ON trimmed BEGIN
  SELECT RAISE(ABORT, 'what was done is not forgotten');
END;

CREATE TRIGGER trimmed_is_final BEFORE UPDATE ON trimmed WHEN OLD.done = 1 BEGIN
  SELECT RAISE(ABORT, 'what was done is not forgotten');
END;

-- What was done is never forgotten, whatever program writes here: a success goes only when its line stands.
DROP TRIGGER attempt_is_kept;
CREATE TRIGGER attempt_is_kept BEFORE DELETE ON attempt
WHEN OLD.state = 'open'
  OR NOT EXISTS (SELECT 1 FROM trimmed WHERE task_id = OLD.task_id AND attempts >= OLD.n AND done >= (OLD.state = 'success'))
BEGIN
  SELECT RAISE(ABORT, 'attempts are not deleted');
END;

CREATE TRIGGER attempt_deleted AFTER DELETE ON attempt BEGIN
  UPDATE tally SET rows = rows - 1 WHERE what = OLD.state;
END;

CREATE TRIGGER trimmed_task_is_not_done_again BEFORE INSERT ON attempt
WHEN EXISTS (SELECT 1 FROM trimmed WHERE task_id = NEW.task_id AND done = 1)
BEGIN
  SELECT RAISE(ABORT, 'the task was done before');
END;
