-- The full text of messages with the parts of their words (src/messages/text/parts.ts), an index of trigrams for substrings, and
-- the words that a mistyped one may have meant (D235, D236).
--
-- Both indexes are made in steps beside the old one, which answers until they are whole; then they take the names `fts_messages`
-- and `fts_grams` (src/messages/store/write/full-text.ts). Rows with ids up to `full_text_done` are in them. The
-- trigrams keep no copy of the texts; the words do, because without one SQLite counts deleted rows in bm25 for ever. `text_parts` and `body_parts` are functions of the writer's connection.
CREATE VIRTUAL TABLE fts_next USING fts5 (
  message_id UNINDEXED, subject, body, subject_parts, body_parts,
  tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2,3'
);
INSERT INTO fts_next (fts_next, rank) VALUES ('rank', 'bm25(0.0, 10.0, 1.0, 5.0, 0.5)');
CREATE VIRTUAL TABLE grams_next USING fts5 (
  text, content = '', contentless_delete = 1, detail = 'none', tokenize = 'trigram case_sensitive 0 remove_diacritics 1'
);
INSERT INTO meta (key, value) VALUES ('full_text_done', 0);

CREATE TRIGGER messages_next_insert AFTER INSERT ON messages WHEN new.id <= (SELECT value FROM meta WHERE key = 'full_text_done') BEGIN
  INSERT INTO fts_next (rowid, message_id, subject, body, subject_parts, body_parts)
    VALUES (new.id, new.id, new.subject, new.body_md, text_parts(new.subject), body_parts(new.body_md, new.attachments));
  INSERT INTO grams_next (rowid, text) VALUES (new.id, new.subject || char(10) || new.body_md);
END;
CREATE TRIGGER messages_next_delete AFTER DELETE ON messages WHEN old.id <= (SELECT value FROM meta WHERE key = 'full_text_done') BEGIN
  DELETE FROM fts_next WHERE rowid = old.id;
  DELETE FROM grams_next WHERE rowid = old.id;
END;
CREATE TRIGGER messages_next_update AFTER UPDATE OF subject, body_md, attachments ON messages
WHEN new.id <= (SELECT value FROM meta WHERE key = 'full_text_done')
  AND (old.subject <> new.subject OR old.body_md <> new.body_md OR old.attachments <> new.attachments) BEGIN
  DELETE FROM fts_next WHERE rowid = new.id;
  DELETE FROM grams_next WHERE rowid = new.id;
  INSERT INTO fts_next (rowid, message_id, subject, body, subject_parts, body_parts)
    VALUES (new.id, new.id, new.subject, new.body_md, text_parts(new.subject), body_parts(new.body_md, new.attachments));
  INSERT INTO grams_next (rowid, text) VALUES (new.id, new.subject || char(10) || new.body_md);
END;

-- Words of letters of all messages that ever were, without case and accents. A word is only told to somebody who sees a message
-- that has it. Texts whose change has a number up to `words_seq` are in it.
CREATE TABLE words (
  word TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO meta (key, value) VALUES ('words_seq', 0);
