-- The full text is of texts without the accents and points that FTS5 keeps (`text_bare`, src/messages/text/marks.ts; D471). Rows of
-- messages with ids up to `marks_done` are; the writer goes on in steps, and takes the number away when all are
-- (src/messages/store/write/full-text.ts). `text_bare` is a function of the writer's connection.
INSERT INTO meta (key, value) VALUES ('marks_done', 0);

DROP TRIGGER agents_fts_insert;
DROP TRIGGER agents_fts_update;
CREATE TRIGGER agents_fts_insert AFTER INSERT ON agents BEGIN
  INSERT INTO fts_agents (rowid, agent_id, project_id, name, task_description, program, model)
  VALUES (new.id, new.id, new.project_id, text_bare(new.name), text_bare(new.task_description), new.program, new.model);
END;
CREATE TRIGGER agents_fts_update AFTER UPDATE OF name, task_description, program, model ON agents BEGIN
  UPDATE fts_agents SET name = text_bare(new.name), task_description = text_bare(new.task_description), program = new.program, model = new.model
  WHERE rowid = new.id;
END;

DROP TRIGGER projects_fts_insert;
DROP TRIGGER projects_fts_update;
CREATE TRIGGER projects_fts_insert AFTER INSERT ON projects BEGIN
  INSERT INTO fts_projects (rowid, project_id, slug, human_key) VALUES (new.id, new.id, text_bare(new.slug), text_bare(new.human_key));
END;
CREATE TRIGGER projects_fts_update AFTER UPDATE OF slug, human_key ON projects BEGIN
  UPDATE fts_projects SET slug = text_bare(new.slug), human_key = text_bare(new.human_key) WHERE rowid = new.id;
END;
