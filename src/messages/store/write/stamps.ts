import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';

/** When something was last asked for. */
export interface Stamps {
  /** Whether newer words than these have been heard. */
  overtaken(kind: StampKind, name: string, at: number): boolean;
  set(kind: StampKind, name: string, at: number): void;
}

export type StampKind = 'message' | 'project' | 'product' | 'link' | 'agent' | 'contact';

/** A job that failed may be tried again for a week; after a month nothing comes back any more. */
const KEPT_MICROS = 30 * 86_400_000_000;

export function createStamps(db: SqliteDatabase, now: number): Stamps {
  const find = db.prepare<[string, string], number>('SELECT changed_at FROM stamps WHERE kind = ? AND name = ?').pluck();
  const put = db.prepare('INSERT INTO stamps (kind, name, changed_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET changed_at = excluded.changed_at');
  db.prepare(`DELETE FROM stamps WHERE kind = 'message' AND changed_at < ?`).run(now - KEPT_MICROS);
  return {
    overtaken: (kind, name, at) => (find.get(kind, name) ?? Number.NEGATIVE_INFINITY) > at,
    set(kind, name, at) {
      put.run(kind, name, at);
    },
  };
}
