-- Imports that follow their source: each reading of the whole of it is a pass, numbered by the time at which it began. What an
-- earlier pass has told of and a whole later one has not was deleted where it came from.
ALTER TABLE imports ADD COLUMN pass INTEGER NOT NULL DEFAULT 0;

-- A name is a path and stands here once.
CREATE TABLE import_sources (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE import_messages (
  source_id INTEGER NOT NULL REFERENCES import_sources (id),
  message_id INTEGER NOT NULL REFERENCES messages (id) ON UPDATE CASCADE ON DELETE CASCADE,
  pass INTEGER NOT NULL,
  PRIMARY KEY (source_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX import_messages_message ON import_messages (message_id);
