-- A wish is of one manifest (of a plan its hash): who is refused because another one has the id is told nothing of that one's end (D419).
-- '': of a version before, which did not keep it; of any.
DROP TRIGGER wish_comes;
DROP TRIGGER wish_goes;
DROP TRIGGER wish_is_told;
CREATE TABLE wanted_of (
  task_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  manifest_sha256 TEXT NOT NULL,
  until INTEGER NOT NULL,
  told INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (task_id, endpoint, manifest_sha256)
) STRICT, WITHOUT ROWID;
INSERT INTO wanted_of (task_id, endpoint, manifest_sha256, until, told) SELECT task_id, endpoint, '', until, told FROM wanted;
DROP TABLE wanted;
ALTER TABLE wanted_of RENAME TO wanted;
CREATE INDEX wanted_until ON wanted (until);
CREATE INDEX wanted_told ON wanted (until) WHERE told = 1;
CREATE TRIGGER wish_comes AFTER INSERT ON wanted BEGIN UPDATE wishes SET rows = rows + 1; END;
CREATE TRIGGER wish_goes AFTER DELETE ON wanted BEGIN UPDATE wishes SET rows = rows - 1; END;
CREATE TRIGGER wish_is_told AFTER INSERT ON notice BEGIN
  UPDATE wanted SET told = 1 WHERE task_id = NEW.task_id AND endpoint = NEW.endpoint;
END;
