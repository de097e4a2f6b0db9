-- Agent mail and its full text (message-search.md; notes section 1). Every time is microseconds since 1970, UTC, as INTEGER.
-- Ids are never given twice: a cursor that names a deleted row must not find another one in its place.

-- What is said of the file itself. `data_version` is raised by every transaction that changes anything: whoever keeps an
-- answer compares it. `generation` is the random name of this file: another file's numbers mean nothing here.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (key, value) VALUES ('data_version', 0), ('generation', lower(hex(randomblob(16))));

CREATE TABLE projects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  slug TEXT NOT NULL UNIQUE,
  human_key TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX projects_human_key ON projects (human_key);

CREATE TABLE products (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  product_uid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE product_project_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  product_id INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (product_id, project_id)
) STRICT;
CREATE INDEX product_project_links_project ON product_project_links (project_id);

-- The same name in two projects is two agents.
CREATE TABLE agents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  program TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL DEFAULT '',
  task_description TEXT NOT NULL DEFAULT '',
  inception_ts INTEGER NOT NULL,
  last_active_ts INTEGER NOT NULL,
  attachments_policy TEXT NOT NULL DEFAULT 'auto',
  contact_policy TEXT NOT NULL DEFAULT 'auto',
  UNIQUE (project_id, name)
) STRICT;
-- Names are compared without regard to ASCII case, in one project or in all.
CREATE INDEX agents_name ON agents (name COLLATE NOCASE, project_id);

CREATE TABLE agent_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  a_project_id INTEGER NOT NULL REFERENCES projects (id),
  a_agent_id INTEGER NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  b_project_id INTEGER NOT NULL REFERENCES projects (id),
  b_agent_id INTEGER NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'blocked')),
  reason TEXT NOT NULL DEFAULT '',
  created_ts INTEGER NOT NULL,
  updated_ts INTEGER NOT NULL,
  expires_ts INTEGER,
  UNIQUE (a_project_id, a_agent_id, b_project_id, b_agent_id)
) STRICT;
CREATE INDEX agent_links_a ON agent_links (a_agent_id);
CREATE INDEX agent_links_b ON agent_links (b_agent_id);

-- `source_key` is the name that whoever sent the message has for it in its project: the same key again is the same message.
-- `changed_at` is when that was sent (microseconds): work that is done again late, after newer work, changes nothing.
-- A message outlives its sender: join agents with LEFT JOIN.
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  sender_id INTEGER REFERENCES agents (id) ON DELETE SET NULL,
  thread_id TEXT,
  subject TEXT NOT NULL,
  body_md TEXT NOT NULL,
  importance TEXT NOT NULL DEFAULT 'normal' CHECK (importance IN ('low', 'normal', 'high', 'urgent')),
  ack_required INTEGER NOT NULL DEFAULT 0 CHECK (ack_required IN (0, 1)),
  created_ts INTEGER NOT NULL,
  attachments TEXT NOT NULL DEFAULT '[]',
  source_key TEXT,
  changed_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX messages_source ON messages (project_id, source_key) WHERE source_key IS NOT NULL;
-- An index ends in the rowid, ascending: `created_ts DESC` read forward is the order of answers (newest first, then id), without a sort.
CREATE INDEX messages_created ON messages (created_ts DESC);
CREATE INDEX messages_project ON messages (project_id, created_ts DESC);
CREATE INDEX messages_project_importance ON messages (project_id, importance, created_ts DESC);
CREATE INDEX messages_importance ON messages (importance, created_ts DESC);
CREATE INDEX messages_thread ON messages (thread_id, created_ts DESC) WHERE thread_id IS NOT NULL;
-- A sender belongs to one project, so this serves the project too.
CREATE INDEX messages_sender ON messages (sender_id, created_ts DESC);

-- One kind for each recipient: somebody in To and Cc is in To.
CREATE TABLE message_recipients (
  message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  agent_id INTEGER NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  kind TEXT NOT NULL DEFAULT 'to' CHECK (kind IN ('to', 'cc', 'bcc')),
  read_ts INTEGER,
  ack_ts INTEGER,
  PRIMARY KEY (message_id, agent_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_recipients_agent ON message_recipients (agent_id, message_id);

-- Full text. The rowid is the id of the row it was made from, so a delete finds it without a scan. bm25 weights count the
-- columns that are not indexed too; `rank` holds the right ones.
CREATE VIRTUAL TABLE fts_messages USING fts5 (
  message_id UNINDEXED, subject, body,
  tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2,3'
);
INSERT INTO fts_messages (fts_messages, rank) VALUES ('rank', 'bm25(0.0, 10.0, 1.0)');

CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
  INSERT INTO fts_messages (rowid, message_id, subject, body) VALUES (new.id, new.id, new.subject, new.body_md);
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
  DELETE FROM fts_messages WHERE rowid = old.id;
END;
CREATE TRIGGER messages_fts_update AFTER UPDATE OF subject, body_md ON messages BEGIN
  UPDATE fts_messages SET subject = new.subject, body = new.body_md WHERE rowid = new.id;
END;

CREATE VIRTUAL TABLE fts_agents USING fts5 (
  agent_id UNINDEXED, project_id UNINDEXED, name, task_description, program UNINDEXED, model UNINDEXED,
  tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2,3'
);
INSERT INTO fts_agents (fts_agents, rank) VALUES ('rank', 'bm25(0.0, 0.0, 10.0, 1.0, 0.0, 0.0)');

CREATE TRIGGER agents_fts_insert AFTER INSERT ON agents BEGIN
  INSERT INTO fts_agents (rowid, agent_id, project_id, name, task_description, program, model)
  VALUES (new.id, new.id, new.project_id, new.name, new.task_description, new.program, new.model);
END;
CREATE TRIGGER agents_fts_delete AFTER DELETE ON agents BEGIN
  DELETE FROM fts_agents WHERE rowid = old.id;
END;
CREATE TRIGGER agents_fts_update AFTER UPDATE OF name, task_description, program, model ON agents BEGIN
  UPDATE fts_agents SET name = new.name, task_description = new.task_description, program = new.program, model = new.model
  WHERE rowid = new.id;
END;

CREATE VIRTUAL TABLE fts_projects USING fts5 (
  project_id UNINDEXED, slug, human_key,
  tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2,3'
);
INSERT INTO fts_projects (fts_projects, rank) VALUES ('rank', 'bm25(0.0, 10.0, 1.0)');

CREATE TRIGGER projects_fts_insert AFTER INSERT ON projects BEGIN
  INSERT INTO fts_projects (rowid, project_id, slug, human_key) VALUES (new.id, new.id, new.slug, new.human_key);
END;
CREATE TRIGGER projects_fts_delete AFTER DELETE ON projects BEGIN
  DELETE FROM fts_projects WHERE rowid = old.id;
END;
CREATE TRIGGER projects_fts_update AFTER UPDATE OF slug, human_key ON projects BEGIN
  UPDATE fts_projects SET slug = new.slug, human_key = new.human_key WHERE rowid = new.id;
END;

-- When everything else was last asked for, so that it too is changed only by newer words: `message` (deleted ones, by project
-- and key), `agent`, `link` and the like.
CREATE TABLE stamps (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- How far an import came, written with the batch that it speaks of, so that one that was broken off goes on from there.
CREATE TABLE imports (
  name TEXT PRIMARY KEY,
  position TEXT NOT NULL,
  items INTEGER NOT NULL,
  bad INTEGER NOT NULL,
  finished INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
  changed_at INTEGER NOT NULL DEFAULT 0,
  updated_ts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
