-- A bound on what the outbox keeps (docs/webhooks.md, Room).

-- What makes the text of a notice again, beside its task: NULL in notices of older versions, whose text cannot be made again.
ALTER TABLE notice ADD COLUMN capability TEXT;
ALTER TABLE notice ADD COLUMN outcome_at INTEGER;
-- Its text could not be made again; who asks for all leaves it out.
ALTER TABLE notice ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;

CREATE INDEX notice_dead_text ON notice (endpoint, seq) WHERE state = 'dead' AND body <> '';
CREATE INDEX notice_dead_bare ON notice (endpoint, seq) WHERE state = 'dead' AND body = '' AND lost = 0;
DROP INDEX notice_ended;
CREATE INDEX notice_over ON notice (state, ended_at) WHERE ended_at IS NOT NULL;

-- Counted by every change of a notice, so that nobody counts rows.
CREATE TABLE tally (
  endpoint TEXT NOT NULL,
  state TEXT NOT NULL,
  notices INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (endpoint, state)
) STRICT, WITHOUT ROWID;
INSERT INTO tally SELECT endpoint, state, count(*), sum(octet_length(body)) FROM notice GROUP BY endpoint, state;

CREATE TRIGGER notice_comes AFTER INSERT ON notice BEGIN
  INSERT INTO tally VALUES (NEW.endpoint, NEW.state, 1, octet_length(NEW.body))
  ON CONFLICT (endpoint, state) DO UPDATE SET notices = notices + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER notice_goes AFTER DELETE ON notice BEGIN
  UPDATE tally SET notices = notices - 1, bytes = bytes - octet_length(OLD.body) WHERE endpoint = OLD.endpoint AND state = OLD.state;
END;
CREATE TRIGGER notice_changes AFTER UPDATE OF state, body ON notice BEGIN
  UPDATE tally SET notices = notices - 1, bytes = bytes - octet_length(OLD.body) WHERE endpoint = OLD.endpoint AND state = OLD.state;
  INSERT INTO tally VALUES (NEW.endpoint, NEW.state, 1, octet_length(NEW.body))
  ON CONFLICT (endpoint, state) DO UPDATE SET notices = notices + 1, bytes = bytes + excluded.bytes;
END;
