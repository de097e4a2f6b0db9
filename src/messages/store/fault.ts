import { messageOf } from '../../core/errors.ts';
import type { SearchError } from '../../core/ports/message-engine.ts';

/** SQLite's codes for a file that is no database, or one in which something is wrong. */
const DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB)/;

/** What SQLite says of the damage that an error was about; `undefined` for every other one. */
export function damageIn(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if ('code' in at && DAMAGE.test(String(at.code))) return at.message;
  return undefined;
}

/** Why the store could not be asked, as an engine tells it. Where its file lies is nobody's business who searches. */
export function storeFault(kind: 'index_not_ready' | 'engine_error', error: unknown): SearchError {
  const damage = damageIn(error);
  if (damage !== undefined) return { kind, message: `the database of messages is damaged: ${damage}`, damaged: true };
  const cause = error instanceof Error ? error.cause : undefined;
  return {
    kind,
    message: kind === 'index_not_ready' && cause !== undefined ? `the database of messages cannot be opened: ${messageOf(cause)}` : messageOf(error),
  };
}
