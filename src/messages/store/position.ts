import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import { createChanges } from './changes.ts';

/** How far a store is, or a copy of one. Numbers of another store mean nothing. */
export interface Position {
  readonly store: string;
  /** The newest change of texts and recipients. */
  readonly seq: number;
  /** The newest change of who may see what: agents, projects, products, contacts, cursor keys. */
  readonly places: number;
}

/** Where the store is now, of a database of messages open for reading. It stays its owner's. */
export function createPositionReader(db: SqliteDatabase): () => Position {
  const changes = createChanges(db);
  const places = db.prepare<[], number>(`SELECT value FROM meta WHERE key = 'places'`).pluck();
  return () => ({ store: changes.store(), seq: changes.newest(), places: places.get() ?? 0 });
}
