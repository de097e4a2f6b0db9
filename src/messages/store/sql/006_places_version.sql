-- A number that every change of what says who may see what raises: agents, projects, products, contacts and cursor keys, which
-- `text_changes` does not number or not all of. Whoever keeps a copy elsewhere compares it, so that nothing is shown by rules of before.
INSERT INTO meta (key, value) VALUES ('places', 1);

CREATE TRIGGER projects_places_insert AFTER INSERT ON projects BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
CREATE TRIGGER projects_places_delete AFTER DELETE ON projects BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
CREATE TRIGGER projects_places_update AFTER UPDATE ON projects BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;

CREATE TRIGGER products_places_insert AFTER INSERT ON products BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
CREATE TRIGGER products_places_delete AFTER DELETE ON products BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
CREATE TRIGGER products_places_update AFTER UPDATE ON products BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;

CREATE TRIGGER product_links_places_insert AFTER INSERT ON product_project_links BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
CREATE TRIGGER product_links_places_delete AFTER DELETE ON product_project_links BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
CREATE TRIGGER product_links_places_update AFTER UPDATE ON product_project_links BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;

-- When an agent was last active is no concern of a search, and changes with each of its mails.
CREATE TRIGGER agents_places_insert AFTER INSERT ON agents BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
CREATE TRIGGER agents_places_delete AFTER DELETE ON agents BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
CREATE TRIGGER agents_places_update AFTER UPDATE OF project_id, name, task_description, contact_policy, inception_ts ON agents
WHEN (old.project_id, old.name, old.task_description, old.contact_policy, old.inception_ts)
  IS NOT (new.project_id, new.name, new.task_description, new.contact_policy, new.inception_ts) BEGIN
  UPDATE meta SET value = value + 1 WHERE key = 'places';
END;

CREATE TRIGGER agent_links_places_insert AFTER INSERT ON agent_links BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
CREATE TRIGGER agent_links_places_delete AFTER DELETE ON agent_links BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
CREATE TRIGGER agent_links_places_update AFTER UPDATE ON agent_links BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;

CREATE TRIGGER cursor_keys_places_insert AFTER INSERT ON cursor_keys BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
CREATE TRIGGER cursor_keys_places_delete AFTER DELETE ON cursor_keys BEGIN UPDATE meta SET value = value + 1 WHERE key = 'places'; END;
