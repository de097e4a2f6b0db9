import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { DocKind } from '../../../contracts/index.ts';
import type { DocumentChange } from '../../../core/ports/message-changes.ts';
import { createChanges } from '../../store/changes.ts';

const TABLES = { message: 'messages', agent: 'agents', project: 'projects' } satisfies Record<DocKind, string>;

/** Documents of a kind whose text changed after a number, the oldest change first, at most `most`; `head` is the newest number of all kinds. */
export function textChanges(
  db: SqliteDatabase,
  kind: DocKind,
  after: number,
  most: number,
): { readonly head: number; readonly changes: readonly DocumentChange[] } {
  const changes = createChanges(db);
  return db.transaction(() => ({ head: changes.newest(), changes: changes.after(after, most, kind) }))();
}

export function documentCount(db: SqliteDatabase, kind: DocKind): number {
  return db.prepare<[], number>(`SELECT count(*) FROM ${TABLES[kind]}`).pluck().get() ?? 0;
}
