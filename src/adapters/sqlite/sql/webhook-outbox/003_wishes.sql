-- A bound on wishes (docs/webhooks.md, Room): those whose task was told make room first.
ALTER TABLE wanted ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
UPDATE wanted SET told = 1 WHERE EXISTS (SELECT 1 FROM notice AS n WHERE n.task_id = wanted.task_id AND n.endpoint = wanted.endpoint);
CREATE INDEX wanted_told ON wanted (until) WHERE told = 1;

-- Counted by every change, so that nobody counts rows.
CREATE TABLE wishes (one INTEGER PRIMARY KEY CHECK (one = 1), rows INTEGER NOT NULL) STRICT;
INSERT INTO wishes SELECT 1, count(*) FROM wanted;
CREATE TRIGGER wish_comes AFTER INSERT ON wanted BEGIN UPDATE wishes SET rows = rows + 1; END;
CREATE TRIGGER wish_goes AFTER DELETE ON wanted BEGIN UPDATE wishes SET rows = rows - 1; END;
CREATE TRIGGER wish_is_told AFTER INSERT ON notice BEGIN
  UPDATE wanted SET told = 1 WHERE task_id = NEW.task_id AND endpoint = NEW.endpoint;
END;
