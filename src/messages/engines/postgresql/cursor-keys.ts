import type { Query } from '../../../adapters/postgresql/open.ts';
import type { CursorKey, CursorKeys } from '../../../core/ports/message-cursor-keys.ts';
import { sql } from '../../visibility/sql.ts';

/** How long a process may not notice a new key of the writer's. */
const LOOK_MS = 60_000;

export interface CopiedCursorKeys extends CursorKeys {
  /** Reads the keys again where they are old, or do not have this number; to be called before each search. A server that is away changes nothing. */
  look(id: number | undefined): Promise<void>;
}

/** The keys of cursors out of the copy, kept in memory: a cursor that another host made is opened here, too. */
export function createCopiedCursorKeys(
  read: (work: (query: Query) => Promise<CursorKey[]>) => Promise<readonly CursorKey[] | undefined>,
  elapsed: () => number,
): CopiedCursorKeys {
  let known: readonly CursorKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    newest: () => known[0],
    withId: (id) => known.find((key) => key.id === id),
    async look(id) {
      const isNewer = id !== undefined && id > (known[0]?.id ?? 0);
      if (elapsed() - readAt < LOOK_MS && !isNewer) return;
      const found = await read(keysIn);
      if (found === undefined) return;
      [known, readAt] = [found, elapsed()];
    },
  };
}

async function keysIn(query: Query): Promise<CursorKey[]> {
  await query(sql`SELECT set_config('writ.mode', 'seal', true)`);
  const rows = await query(sql`SELECT id, secret FROM cursor_keys ORDER BY id DESC`);
  return rows.map(([id, secret]) => ({ id: Number(id), secret: Buffer.from(String(secret), 'hex') }));
}
