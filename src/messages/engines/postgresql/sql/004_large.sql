-- For copies of millions of messages.

-- How many messages are in here, and how many words they have: what scores need where nothing is hidden, without counting all of them.
ALTER TABLE mirror ADD COLUMN messages bigint NOT NULL DEFAULT 0, ADD COLUMN words bigint NOT NULL DEFAULT 0;
SELECT set_config('writ.mode', 'write', true);
UPDATE mirror SET messages = (SELECT count(*) FROM messages), words = (SELECT coalesce(sum(word_count), 0) FROM messages);

-- A condition of row-level security comes before those of a search, whose operators PostgreSQL does not know to be free of leaks: with
-- one, no index finds words. So what a transaction says of itself is known when a statement is planned: these are declared immutable,
-- which they are for as long as one statement takes. For who may see everything nothing is left of the conditions, and of a reader's
-- own the lists stand in the plan. No plan may outlive its statement: nothing here is ever prepared by name.
CREATE OR REPLACE FUNCTION said(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$ BEGIN
  RETURN coalesce(current_setting('writ.' || name, true), '');
END $$;
CREATE OR REPLACE FUNCTION ids(name text) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$ BEGIN
  RETURN CASE WHEN current_setting('writ.' || name, true) LIKE '{%' THEN current_setting('writ.' || name, true) ELSE '{}' END;
END $$;

ALTER POLICY mirrored ON messages USING (said('mode') = 'write');
ALTER POLICY mirrored ON agents USING (said('mode') = 'write');
ALTER POLICY mirrored ON projects USING (said('mode') = 'write');
ALTER POLICY mirrored ON products USING (said('mode') = 'write');
ALTER POLICY mirrored ON cursor_keys USING (said('mode') = 'write');
ALTER POLICY seen ON messages USING (
  said('mode') = 'read'
  AND (said('projects') = 'all' OR project_id = ANY (ids('projects')))
  AND (said('viewers') = '0' OR (
    sender_id = ANY (ids('agents_1')) OR recipients && ids('agents_1') OR bcc && ids('agents_1')
    OR sender_id = ANY (ids('contacts_1'))
    OR (project_id = ANY (ids('open_1')) AND coalesce(sender_id, 0) <> ALL (ids('closed')))))
  AND (said('viewers') IN ('0', '1') OR (
    sender_id = ANY (ids('agents_2')) OR recipients && ids('agents_2') OR bcc && ids('agents_2')
    OR sender_id = ANY (ids('contacts_2'))
    OR (project_id = ANY (ids('open_2')) AND coalesce(sender_id, 0) <> ALL (ids('closed')))))
);
ALTER POLICY seen ON agents USING (
  said('mode') = 'resolve' OR (said('mode') = 'read' AND (said('places') = 'all' OR project_id = ANY (ids('places'))))
);
ALTER POLICY seen ON projects USING (
  said('mode') = 'resolve' OR (said('mode') = 'read' AND (said('places') = 'all' OR id = ANY (ids('places'))))
);
ALTER POLICY seen ON products USING (said('mode') = 'resolve');
ALTER POLICY seen ON cursor_keys USING (said('mode') = 'seal');
