-- Linked envelopes of scheduled plans, by their hashes: as they were registered, while a schedule or a firing under way needs them.
CREATE TABLE schedule_envelope (
  sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  text   TEXT NOT NULL CHECK (json_valid(text))
) STRICT;
CREATE TRIGGER schedule_envelope_is_fixed BEFORE UPDATE ON schedule_envelope
BEGIN SELECT raise(ABORT, 'an envelope stays as it was registered'); END;
CREATE TRIGGER schedule_envelope_is_needed BEFORE DELETE ON schedule_envelope
WHEN EXISTS (SELECT 1 FROM schedule WHERE json_extract(definition, '$.plan_sha256') = OLD.sha256)
  OR EXISTS (SELECT 1 FROM firing WHERE look_at IS NOT NULL AND json_extract(manifest, '$.envelope_sha256') = OLD.sha256)
BEGIN SELECT raise(ABORT, 'a schedule needs this envelope, or a firing that has not ended'); END;
