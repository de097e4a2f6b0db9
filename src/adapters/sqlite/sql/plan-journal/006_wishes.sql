-- Which asks to run a plan were served (docs/plan-protocol.md 2, Wishes): a delivery that names another one runs a failed plan on.
CREATE TABLE wish (
  plan_sha256 TEXT NOT NULL REFERENCES plan (plan_sha256),
  -- SHA-256 over the figures of the job; empty: the end of before the upgrade is told once, whoever asks
  wish TEXT NOT NULL CHECK (length(wish) IN (0, 64)),
  -- Order of a plan's wishes; the oldest of many go.
  seq INTEGER NOT NULL,
  PRIMARY KEY (plan_sha256, wish)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX wish_order ON wish (plan_sha256, seq);

-- The queue did not know of these ends: their jobs come back by themselves.
INSERT INTO wish (plan_sha256, wish, seq) SELECT plan_sha256, '', 1 FROM plan WHERE state = 'failure' AND settled = 0;
ALTER TABLE plan DROP COLUMN settled;
