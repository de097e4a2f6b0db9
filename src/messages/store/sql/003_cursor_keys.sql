-- What cursors of readers with a scope are authenticated with (docs/message-search.md, Pages). They lie beside the messages:
-- whoever may read this file may see every message anyway, and every process that searches has them. The writer adds a key
-- now and then, and takes the oldest away; `made_us` is microseconds since 1970.
CREATE TABLE cursor_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  secret BLOB NOT NULL CHECK (length(secret) = 32),
  made_us INTEGER NOT NULL
) STRICT;
INSERT INTO cursor_keys (secret, made_us) VALUES (randomblob(32), CAST(unixepoch('subsec') * 1000000 AS INTEGER));
