-- The minute since which the times of a schedule count: of its registration, or of its last resumption, which earlier editions did not keep.
ALTER TABLE schedule ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
UPDATE schedule SET since = at / 60000;
