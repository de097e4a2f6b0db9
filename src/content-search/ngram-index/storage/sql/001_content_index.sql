-- What is known of content indexes: keys, safety records, checkpoints, dirty queues (docs/index-safety.md). A cache: may be
-- deleted at any time. Times in milliseconds since 1970. No contents of files, no names beside the dirty queue's.

-- One row per index key, one column per component of the key (FR-LSI-IDX-KEY-02).
CREATE TABLE content_index (
  key_hash               TEXT PRIMARY KEY,
  root_path              TEXT NOT NULL,
  hidden                 INTEGER NOT NULL CHECK (hidden IN (0, 1)),
  follow                 INTEGER NOT NULL CHECK (follow IN (0, 1)),
  no_ignore              INTEGER NOT NULL CHECK (no_ignore IN (0, 1)),
  backend_id             TEXT NOT NULL,
  backend_capabilities   TEXT NOT NULL,
  tokenizer_id           TEXT NOT NULL,
  casefold_strategy      TEXT NOT NULL CHECK (casefold_strategy IN ('ASCII', 'UNICODE_SIMPLE')),
  unicode_normalization  TEXT NOT NULL CHECK (unicode_normalization IN ('NONE', 'NFC', 'NFD')),
  schema_version         INTEGER NOT NULL,
  implementation_version TEXT NOT NULL,

  bloom_ngram            INTEGER NOT NULL,
  bloom_m_bits           INTEGER NOT NULL,
  bloom_hashes           INTEGER NOT NULL,
  -- Bit pattern of an unsigned number.
  bloom_seed             INTEGER NOT NULL,
  bloom_target_fp_rate   REAL NOT NULL,
  bloom_basis_ngrams     INTEGER NOT NULL,
  max_tokenized_bytes    INTEGER NOT NULL,

  created                INTEGER NOT NULL,
  updated                INTEGER NOT NULL,
  accessed               INTEGER NOT NULL,
  size_bytes             INTEGER NOT NULL,
  generation             TEXT,
  enumerate_errors       INTEGER NOT NULL,

  safety_state           TEXT NOT NULL CHECK (safety_state IN ('ABSENT', 'BUILDING', 'COMPLETE', 'UNCERTAIN', 'CORRUPT', 'DISABLED')),
  uncertain_reason       TEXT,
  -- [reason, mark] of everything that is not resolved, as JSON.
  causes                 TEXT NOT NULL,
  mark                   INTEGER NOT NULL,
  building               INTEGER,
  watcher_lost           INTEGER NOT NULL CHECK (watcher_lost IN (0, 1)),
  coverage_epoch         INTEGER NOT NULL,
  disabled_until         INTEGER,

  -- SHA-256 over the columns above except `accessed`: SQLite's pages have no checksums, and one bit makes COMPLETE of nothing.
  row_check              TEXT NOT NULL,

  CHECK (CASE safety_state
    WHEN 'UNCERTAIN' THEN coalesce(uncertain_reason, '') IN ('WATCHER_OVERFLOW', 'WATCHER_OVERFLOW_DURING_BUILD', 'WATCHER_DOWN', 'ELIGIBILITY_CHANGED',
      'POLICY_CHANGED', 'ENUMERATION_ERROR', 'RENAME_UNCERTAIN', 'OPEN_REQUIRES_VALIDATION', 'BUILD_BUDGET_EXCEEDED', 'MAINT_BUDGET_EXCEEDED', 'DIRTY_BACKLOG')
    WHEN 'DISABLED' THEN uncertain_reason IS NULL OR uncertain_reason IN ('BELOW_THRESHOLD', 'PERSISTENCE_NOT_PERMITTED', 'MEMORY_BUDGET_EXCEEDED')
    ELSE uncertain_reason IS NULL
  END),
  CHECK (safety_state <> 'COMPLETE' OR (causes = '[]' AND watcher_lost = 0 AND building IS NULL))
) STRICT, WITHOUT ROWID;

-- How far a build came; at most one per index.
CREATE TABLE checkpoint (
  key_hash   TEXT PRIMARY KEY REFERENCES content_index (key_hash) ON DELETE CASCADE,
  generation TEXT NOT NULL,
  last_path  BLOB,
  epoch      INTEGER NOT NULL,
  files      INTEGER NOT NULL,
  bytes      INTEGER NOT NULL,
  saved      INTEGER NOT NULL,
  -- Why it stopped, and the ground on which it did: set together.
  stop_why   TEXT CHECK (stop_why IN ('DISK', 'TIME', 'FILES', 'BYTES')),
  settings   TEXT,
  eligible_files INTEGER,
  eligible_bytes INTEGER
) STRICT, WITHOUT ROWID;

-- What decides about eligibility from outside of the catalog.
CREATE TABLE eligibility_input (
  key_hash    TEXT NOT NULL REFERENCES content_index (key_hash) ON DELETE CASCADE,
  name        TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  PRIMARY KEY (key_hash, name)
) STRICT, WITHOUT ROWID;

-- FR-LSI-TRK-05, -10. Paths are bytes; the order key is compared bytewise, as BLOBs are.
CREATE TABLE dirty (
  key_hash  TEXT NOT NULL REFERENCES content_index (key_hash) ON DELETE CASCADE,
  path      BLOB NOT NULL,
  order_key BLOB NOT NULL,
  kind      TEXT NOT NULL CHECK (kind IN ('FILE', 'SUBTREE')),
  queued    INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (key_hash, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX dirty_in_order ON dirty (key_hash, queued, order_key, path);
