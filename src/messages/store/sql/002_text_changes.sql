-- The newest change in the text of each row, numbered in the order of the transactions. Whoever keeps something that is made
-- of texts elsewhere (vectors, an index) remembers the number up to which it went, and asks for what lies above: rows from
-- 0 are everything. A row that was deleted keeps its number here: it has to vanish elsewhere too.
-- AUTOINCREMENT: a number that was given is never given again, also when it was the last one and its row changed once more.
CREATE TABLE text_changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('message', 'agent', 'project')),
  doc_id INTEGER NOT NULL,
  UNIQUE (kind, doc_id)
) STRICT;
INSERT INTO text_changes (kind, doc_id) SELECT 'project', id FROM projects ORDER BY id;
INSERT INTO text_changes (kind, doc_id) SELECT 'agent', id FROM agents ORDER BY id;
INSERT INTO text_changes (kind, doc_id) SELECT 'message', id FROM messages ORDER BY id;

-- DELETE and INSERT, not REPLACE: a trigger takes its conflict clause from the statement that fired it. Also for a new row:
-- an import may bring back the id of one that was deleted.
CREATE TRIGGER messages_changes_insert AFTER INSERT ON messages BEGIN
  DELETE FROM text_changes WHERE kind = 'message' AND doc_id = new.id;
  INSERT INTO text_changes (kind, doc_id) VALUES ('message', new.id);
END;
CREATE TRIGGER messages_changes_delete AFTER DELETE ON messages BEGIN
  DELETE FROM text_changes WHERE kind = 'message' AND doc_id = old.id;
  INSERT INTO text_changes (kind, doc_id) VALUES ('message', old.id);
END;
CREATE TRIGGER messages_changes_update AFTER UPDATE OF subject, body_md ON messages BEGIN
  DELETE FROM text_changes WHERE kind = 'message' AND doc_id = new.id;
  INSERT INTO text_changes (kind, doc_id) VALUES ('message', new.id);
END;

CREATE TRIGGER agents_changes_insert AFTER INSERT ON agents BEGIN
  DELETE FROM text_changes WHERE kind = 'agent' AND doc_id = new.id;
  INSERT INTO text_changes (kind, doc_id) VALUES ('agent', new.id);
END;
CREATE TRIGGER agents_changes_delete AFTER DELETE ON agents BEGIN
  DELETE FROM text_changes WHERE kind = 'agent' AND doc_id = old.id;
  INSERT INTO text_changes (kind, doc_id) VALUES ('agent', old.id);
END;
CREATE TRIGGER agents_changes_update AFTER UPDATE OF name, task_description ON agents
WHEN old.name <> new.name OR old.task_description <> new.task_description BEGIN
  DELETE FROM text_changes WHERE kind = 'agent' AND doc_id = new.id;
  INSERT INTO text_changes (kind, doc_id) VALUES ('agent', new.id);
END;

CREATE TRIGGER projects_changes_insert AFTER INSERT ON projects BEGIN
  DELETE FROM text_changes WHERE kind = 'project' AND doc_id = new.id;
  INSERT INTO text_changes (kind, doc_id) VALUES ('project', new.id);
END;
CREATE TRIGGER projects_changes_delete AFTER DELETE ON projects BEGIN
  DELETE FROM text_changes WHERE kind = 'project' AND doc_id = old.id;
  INSERT INTO text_changes (kind, doc_id) VALUES ('project', old.id);
END;
CREATE TRIGGER projects_changes_update AFTER UPDATE OF slug, human_key ON projects
WHEN old.slug <> new.slug OR old.human_key <> new.human_key BEGIN
  DELETE FROM text_changes WHERE kind = 'project' AND doc_id = new.id;
  INSERT INTO text_changes (kind, doc_id) VALUES ('project', new.id);
END;
