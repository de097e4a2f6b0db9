import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { RebuildNews } from '../../../core/ports/index.ts';
import { finishFullText, MESSAGE_TEXTS } from './full-text.ts';
import { renumberMessages } from './message-ids.ts';

/** Each table of full text, its weights, and what it is made from. */
const SOURCES = [
  ...MESSAGE_TEXTS,
  [
    'fts_agents',
    'bm25(0.0, 0.0, 10.0, 1.0, 0.0, 0.0)',
    'rowid, agent_id, project_id, name, task_description, program, model',
    'SELECT id, id, project_id, text_bare(name), text_bare(task_description), program, model FROM agents',
  ],
  ['fts_projects', 'bm25(0.0, 10.0, 1.0)', 'rowid, project_id, slug, human_key', 'SELECT id, id, text_bare(slug), text_bare(human_key) FROM projects'],
] as const;

/**
 * Makes the full text anew from the rows, which have ids within their bounds afterwards, in the caller's transaction: readers see the old one until it is complete. The
 * tables themselves are made anew, because deleting from damaged ones reads them.
 */
export function rebuildFullText(db: SqliteDatabase, onStart: (documents: number) => void): RebuildNews {
  finishFullText(db);
  const renumbered = renumberMessages(db);
  onStart(
    SOURCES.filter(([, weights]) => weights !== undefined).reduce(
      (sum, [, , , rows]) => sum + (db.prepare<[], number>(`SELECT count(*) FROM (${rows})`).pluck().get() ?? 0),
      0,
    ),
  );
  const start = performance.now();
  const definition = db.prepare<[string], string>('SELECT sql FROM sqlite_master WHERE name = ?').pluck();
  let documents = 0;
  for (const [table, weights, columns, rows] of SOURCES) {
    const create = definition.get(table) ?? '';
    db.exec(`DROP TABLE ${table}; ${create}`);
    if (weights !== undefined) db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('rank', '${weights}')`);
    const { changes } = db.prepare(`INSERT INTO ${table} (${columns}) ${rows}`).run();
    if (weights !== undefined) documents += changes;
  }
  return { documents, renumbered, durationMs: performance.now() - start };
}
