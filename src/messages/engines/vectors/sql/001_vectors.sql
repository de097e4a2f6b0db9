-- What is known of vectors beside their files: a copy of what the messages say, to be thrown away and made anew at any time.
-- One process writes (it holds the messages' lock), every search reads.

-- One row for each kind of document and embedder. `source` is the generation of the messages; changes of text up to
-- `done_seq` are in. `whole` once everything that there was at a time is in: before, nobody searches here. `change` is raised
-- by every transaction that changes vectors, `file` by everything that replaces the file; `in_file` are the vectors in it, 0: there
-- is none.
CREATE TABLE sets (
  kind TEXT NOT NULL CHECK (kind IN ('message', 'agent', 'project')),
  embedder TEXT NOT NULL,
  source TEXT NOT NULL,
  done_seq INTEGER NOT NULL DEFAULT 0,
  whole INTEGER NOT NULL DEFAULT 0 CHECK (whole IN (0, 1)),
  change INTEGER NOT NULL DEFAULT 0,
  file INTEGER NOT NULL DEFAULT 0,
  in_file INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (kind, embedder)
) STRICT, WITHOUT ROWID;

-- Vectors that are newer than the file: halves, little-endian; NULL for a document that is gone.
CREATE TABLE fresh (
  kind TEXT NOT NULL,
  embedder TEXT NOT NULL,
  doc_id INTEGER NOT NULL,
  change INTEGER NOT NULL,
  vector BLOB,
  PRIMARY KEY (kind, embedder, doc_id),
  FOREIGN KEY (kind, embedder) REFERENCES sets ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX fresh_change ON fresh (kind, embedder, change);
