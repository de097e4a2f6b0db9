import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { DocKind } from '../../../contracts/index.ts';

/** Where the texts of a kind lie: what FTS5 indexes. */
const TEXTS = {
  message: { table: 'messages', title: 'subject', body: 'body_md' },
  agent: { table: 'agents', title: 'name', body: 'task_description' },
  project: { table: 'projects', title: 'slug', body: 'human_key' },
} satisfies Record<DocKind, { readonly table: string; readonly title: string; readonly body: string }>;

export interface TextChange {
  readonly seq: number;
  readonly id: number;
  /** `null`: the document is gone. */
  readonly title: string | null;
  readonly body: string | null;
}

/** Documents whose text changed after a number, the oldest change first, at most `most`; `head` is the newest number of all kinds. */
export function textChanges(
  db: SqliteDatabase,
  kind: DocKind,
  after: number,
  most: number,
): { readonly head: number; readonly changes: readonly TextChange[] } {
  const { table, title, body } = TEXTS[kind];
  const head = db.prepare<[], number | null>('SELECT max(seq) FROM text_changes').pluck();
  const changes = db.prepare<[string, number, number], TextChange>(
    `SELECT c.seq, c.doc_id AS id, t.${title} AS title, t.${body} AS body FROM text_changes c LEFT JOIN ${table} t ON t.id = c.doc_id
     WHERE c.kind = ? AND c.seq > ? ORDER BY c.seq LIMIT ?`,
  );
  return db.transaction(() => ({ head: head.get() ?? 0, changes: changes.all(kind, after, most) }))();
}

/** The random name of this file of messages: the numbers of another one mean nothing. */
export function messagesGeneration(db: SqliteDatabase): string {
  return db.prepare<[], string>(`SELECT value FROM meta WHERE key = 'generation'`).pluck().get() ?? '';
}

export function documentCount(db: SqliteDatabase, kind: DocKind): number {
  return db.prepare<[], number>(`SELECT count(*) FROM ${TEXTS[kind].table}`).pluck().get() ?? 0;
}
