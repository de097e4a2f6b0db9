-- Plans whose answers nobody needs any more (docs/plan-protocol.md 7): one line for each takes their place, for ever.
CREATE TABLE trimmed (
  plan_sha256 TEXT    PRIMARY KEY CHECK (length(plan_sha256) = 64),
  state       TEXT    NOT NULL CHECK (state IN ('success', 'failure')),
  -- Retries: what a delivery from before decides counts for none of them.
  generation  INTEGER NOT NULL CHECK (generation >= 0),
  -- 1: the plan had seen an answer, and is not run again.
  done        INTEGER NOT NULL CHECK (done IN (0, 1)),
  -- When it ended, milliseconds since 1970.
  ended_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER trimmed_is_kept BEFORE DELETE ON trimmed BEGIN
  SELECT RAISE(ABORT, 'what was run is not forgotten');
END;

CREATE TRIGGER trimmed_is_final BEFORE UPDATE ON trimmed WHEN OLD.done = 1 BEGIN
  SELECT RAISE(ABORT, 'what was run is not forgotten');
END;

-- Whatever program writes here: an answer goes only when its plan's line stands, and a plan last.
CREATE TRIGGER entry_is_kept BEFORE DELETE ON entry
WHEN NOT EXISTS (SELECT 1 FROM trimmed WHERE plan_sha256 = OLD.plan_sha256 AND done = 1)
BEGIN
  SELECT RAISE(ABORT, 'answers are not deleted');
END;

CREATE TRIGGER plan_is_kept BEFORE DELETE ON plan
WHEN OLD.state = 'running' OR NOT EXISTS (SELECT 1 FROM trimmed WHERE plan_sha256 = OLD.plan_sha256 AND generation >= OLD.generation)
BEGIN
  SELECT RAISE(ABORT, 'plans are not deleted');
END;

CREATE TRIGGER trimmed_plan_is_not_run_again BEFORE INSERT ON plan
WHEN EXISTS (SELECT 1 FROM trimmed WHERE plan_sha256 = NEW.plan_sha256 AND done = 1)
BEGIN
  SELECT RAISE(ABORT, 'the plan was run before');
END;

CREATE TRIGGER trimmed_plan_does_not_go_on BEFORE UPDATE OF state ON plan
WHEN NEW.state = 'running' AND EXISTS (SELECT 1 FROM trimmed WHERE plan_sha256 = NEW.plan_sha256 AND done = 1)
BEGIN
  SELECT RAISE(ABORT, 'the plan was run before');
END;
