import { randomBytes } from 'node:crypto';
import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import type { CursorKey, CursorKeys } from '../../core/ports/message-cursor-keys.ts';

/** A new key is made when the newest is as old, by a writer that starts. */
const ROTATED_AFTER_US = 30 * 86_400_000_000;
/** A cursor is good until two more keys were made: one month at the least. */
const KEPT = 3;
/** How long a process may not notice a new key of the writer's. */
const LOOK_MS = 60_000;

/** The keys as a reader has them. They are read again for a number that is not known, at most once for each number of changes. */
export function createCursorKeys(database: () => SqliteDatabase, elapsed: () => number): CursorKeys {
  let known: readonly CursorKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;

  function read(): readonly CursorKey[] {
    try {
      known = database().prepare<[], CursorKey>('SELECT id, secret FROM cursor_keys ORDER BY id DESC').all();
      readAt = elapsed();
    } catch {
      // No store, or a damaged one: the search says so itself.
    }
    return known;
  }

  const current = (): readonly CursorKey[] => (elapsed() - readAt < LOOK_MS ? known : read());
  return {
    newest: () => current()[0],
    withId: (id) => current().find((key) => key.id === id) ?? (id > (known[0]?.id ?? 0) ? read().find((key) => key.id === id) : undefined),
  };
}

/** Makes a new key where the newest is old, and takes the oldest away. For the writer, when it opens. */
export function rotateCursorKeys(db: SqliteDatabase, nowUs: number): void {
  const newest = db.prepare<[], { made_us: number }>('SELECT made_us FROM cursor_keys ORDER BY id DESC LIMIT 1').get();
  if (newest !== undefined && nowUs - newest.made_us < ROTATED_AFTER_US) return;
  db.transaction(() => {
    db.prepare('INSERT INTO cursor_keys (secret, made_us) VALUES (?, ?)').run(randomBytes(32), nowUs);
    db.prepare('DELETE FROM cursor_keys WHERE id NOT IN (SELECT id FROM cursor_keys ORDER BY id DESC LIMIT ?)').run(KEPT);
  }).immediate();
}
