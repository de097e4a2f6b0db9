-- A row that changes with every step does not hold what may have a megabyte: SQLite puts a row together as a whole, and reads over what lies before a column.
CREATE TABLE envelope (
  plan_sha256 TEXT PRIMARY KEY REFERENCES plan (plan_sha256),
  -- canonical text of the linked envelope
  text TEXT NOT NULL
) STRICT;
INSERT INTO envelope (plan_sha256, text) SELECT plan_sha256, envelope FROM plan;
ALTER TABLE plan DROP COLUMN envelope;
