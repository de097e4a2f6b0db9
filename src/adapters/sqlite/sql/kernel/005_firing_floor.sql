-- Old firings may go: nothing is ever made again for a planned time up to the floor of its schedule, which stays for ever,
-- also when the schedule is removed, because the same schedule has the same task ids when it is registered again.
CREATE TABLE firing_floor (
  schedule TEXT PRIMARY KEY,
  planned  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER firing_floor_stays BEFORE DELETE ON firing_floor BEGIN SELECT raise(ABORT, 'the floor of a schedule stays'); END;
CREATE TRIGGER firing_floor_rises BEFORE UPDATE ON firing_floor WHEN NEW.planned < OLD.planned OR NEW.schedule <> OLD.schedule
BEGIN SELECT raise(ABORT, 'the floor of a schedule only rises'); END;

DROP TRIGGER firing_stays;
CREATE TRIGGER firing_stays BEFORE DELETE ON firing
WHEN OLD.look_at IS NOT NULL OR OLD.planned > coalesce((SELECT planned FROM firing_floor WHERE schedule = OLD.schedule), -1)
BEGIN SELECT raise(ABORT, 'a firing above the floor, or one that has not ended, stays on record'); END;
CREATE INDEX firing_old ON firing (planned) WHERE look_at IS NULL;
