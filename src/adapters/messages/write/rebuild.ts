import type { RebuildNews } from '../../../core/ports/index.ts';
import type { SqliteDatabase } from '../../sqlite/open.ts';

/** Each table of full text, and what it is made from. */
const SOURCES = [
  ['fts_messages', 'rowid, message_id, subject, body', 'SELECT id, id, subject, body_md FROM messages'],
  [
    'fts_agents',
    'rowid, agent_id, project_id, name, task_description, program, model',
    'SELECT id, id, project_id, name, task_description, program, model FROM agents',
  ],
  ['fts_projects', 'rowid, project_id, slug, human_key', 'SELECT id, id, slug, human_key FROM projects'],
] as const;

/** Makes the full text anew from the rows, in the caller's transaction: readers see the old one until it is complete. */
export function rebuildFullText(db: SqliteDatabase, onStart: (documents: number) => void): RebuildNews {
  onStart(SOURCES.reduce((sum, [, , rows]) => sum + (db.prepare<[], number>(`SELECT count(*) FROM (${rows})`).pluck().get() ?? 0), 0));
  const start = performance.now();
  let documents = 0;
  for (const [table, columns, rows] of SOURCES) {
    db.exec(`DELETE FROM ${table}`);
    documents += db.prepare(`INSERT INTO ${table} (${columns}) ${rows}`).run().changes;
  }
  return { documents, durationMs: performance.now() - start };
}
