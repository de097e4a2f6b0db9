-- A copy of agent mail that PostgreSQL searches (docs/message-postgresql.md). Ids and times are those of the store. Nothing is
-- written here but by the mirror, and nothing is read without the settings of a transaction: every table with mail has
-- row-level security, for its owner too, and shows no row where `writ.mode` is not set.
DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'pg_trgm is not there: substrings are looked for in every row';
END $$;

-- How far the copy is: the name of the store, the number of its newest change that is in here, what of its agents, projects and
-- contacts is in here (a hash), and a number that every change raises.
CREATE TABLE mirror (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  store text NOT NULL,
  seq bigint NOT NULL,
  places text NOT NULL,
  version bigint NOT NULL
);

CREATE TABLE projects (
  id bigint PRIMARY KEY,
  slug text NOT NULL,
  human_key text NOT NULL,
  created_at bigint NOT NULL,
  words tsvector NOT NULL,
  word_count int NOT NULL
);
CREATE TABLE product_project_links (
  product_id bigint NOT NULL,
  project_id bigint NOT NULL,
  PRIMARY KEY (product_id, project_id)
);
CREATE TABLE agents (
  id bigint PRIMARY KEY,
  project_id bigint NOT NULL,
  name text NOT NULL,
  task_description text NOT NULL,
  contact_policy text NOT NULL,
  inception_ts bigint NOT NULL,
  words tsvector NOT NULL,
  word_count int NOT NULL
);
-- Names are compared without regard to ASCII case.
CREATE INDEX agents_name ON agents USING hash (lower(name COLLATE "C"));
CREATE TABLE agent_links (
  a_agent_id bigint NOT NULL,
  b_agent_id bigint NOT NULL,
  status text NOT NULL,
  expires_ts bigint,
  PRIMARY KEY (a_agent_id, b_agent_id)
);

-- `recipients` are those in To and Cc. `words` are the tokens that the store's full text has, with their places: A subject, B body,
-- C and D the parts of their words.
CREATE TABLE messages (
  id bigint PRIMARY KEY,
  project_id bigint NOT NULL,
  sender_id bigint,
  thread_id text,
  subject text NOT NULL,
  body_md text NOT NULL,
  importance text NOT NULL,
  ack_required boolean NOT NULL,
  created_ts bigint NOT NULL,
  recipients bigint[] NOT NULL,
  bcc bigint[] NOT NULL,
  words tsvector NOT NULL,
  word_count int NOT NULL
);
CREATE INDEX messages_words ON messages USING gin (words);
CREATE INDEX messages_created ON messages (created_ts DESC, id);
CREATE INDEX messages_project ON messages (project_id, created_ts DESC, id);
CREATE INDEX messages_sender ON messages (sender_id, created_ts DESC, id);
-- A thread is a text of any length, for which a tree has no room.
CREATE INDEX messages_thread ON messages USING hash (thread_id);
CREATE INDEX messages_recipients ON messages USING gin (recipients);
CREATE INDEX messages_bcc ON messages USING gin (bcc);
DO $$ BEGIN
  CREATE INDEX messages_substrings ON messages USING gin (lower(subject COLLATE "C") public.gin_trgm_ops, lower(body_md COLLATE "C") public.gin_trgm_ops);
EXCEPTION WHEN undefined_object THEN
  NULL;
END $$;

-- What the transaction says of itself. `writ.mode`: `write` for the mirror, `resolve` while it is found out who a reader is, `read`.
CREATE FUNCTION said(name text) RETURNS text LANGUAGE sql STABLE AS $$ SELECT coalesce(current_setting('writ.' || name, true), '') $$;
-- A list of ids; none where nothing was said.
CREATE FUNCTION ids(name text) RETURNS bigint[] LANGUAGE sql STABLE AS $$ SELECT coalesce(nullif(current_setting('writ.' || name, true), ''), '{}')::bigint[] $$;

ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
ALTER TABLE agents ENABLE ROW LEVEL SECURITY;
ALTER TABLE agents FORCE ROW LEVEL SECURITY;
ALTER TABLE projects ENABLE ROW LEVEL SECURITY;
ALTER TABLE projects FORCE ROW LEVEL SECURITY;

CREATE POLICY mirrored ON messages USING ((SELECT said('mode')) = 'write');
CREATE POLICY mirrored ON agents USING ((SELECT said('mode')) = 'write');
CREATE POLICY mirrored ON projects USING ((SELECT said('mode')) = 'write');

-- `writ.projects`: all, or the projects of a bound key. `writ.viewers`: how many must be allowed to see a message, 0 to 2; each has
-- its agents, the projects open to them, and the agents that are contacts. `writ.closed`: agents whose mail is for contacts only.
CREATE POLICY seen ON messages FOR SELECT USING (
  (SELECT said('mode')) = 'read'
  AND ((SELECT said('projects')) = 'all' OR project_id = ANY ((SELECT ids('projects'))::bigint[]))
  AND ((SELECT said('viewers')) = '0' OR (
    sender_id = ANY ((SELECT ids('agents_1'))::bigint[]) OR recipients && (SELECT ids('agents_1')) OR bcc && (SELECT ids('agents_1'))
    OR sender_id = ANY ((SELECT ids('contacts_1'))::bigint[])
    OR (project_id = ANY ((SELECT ids('open_1'))::bigint[]) AND coalesce(sender_id, 0) <> ALL ((SELECT ids('closed'))::bigint[]))))
  AND ((SELECT said('viewers')) IN ('0', '1') OR (
    sender_id = ANY ((SELECT ids('agents_2'))::bigint[]) OR recipients && (SELECT ids('agents_2')) OR bcc && (SELECT ids('agents_2'))
    OR sender_id = ANY ((SELECT ids('contacts_2'))::bigint[])
    OR (project_id = ANY ((SELECT ids('open_2'))::bigint[]) AND coalesce(sender_id, 0) <> ALL ((SELECT ids('closed'))::bigint[]))))
);
-- Agents and projects are no secret but to bound keys (`writ.places`: all, or the projects that such a key knows).
CREATE POLICY seen ON agents FOR SELECT USING (
  (SELECT said('mode')) = 'resolve'
  OR ((SELECT said('mode')) = 'read' AND ((SELECT said('places')) = 'all' OR project_id = ANY ((SELECT ids('places'))::bigint[])))
);
CREATE POLICY seen ON projects FOR SELECT USING (
  (SELECT said('mode')) = 'resolve'
  OR ((SELECT said('mode')) = 'read' AND ((SELECT said('places')) = 'all' OR id = ANY ((SELECT ids('places'))::bigint[])))
);
