import { openPostgresql, type PostgresqlTarget } from '../../adapters/postgresql/open.ts';
import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import type { MessageEngine } from '../../core/ports/message-engine.ts';
import { createPostgresqlEngine } from '../engines/postgresql/engine.ts';
import { SCHEMA } from '../engines/postgresql/schema.ts';
import { createTokens } from '../engines/postgresql/tokens.ts';
import { createChanges } from '../store/changes.ts';

/** Milliseconds of a statement of a search, less than any deadline of a search that is not shorter than a second. */
const STATEMENT_MS = 1000;
/** A process searches one thing at a time. */
const CONNECTIONS = 2;
/** After a server could not be reached it is asked again in this time, milliseconds: nobody waits for each try. */
const AWAY_MS = 5000;

/** PostgreSQL as an engine of message search, and the end of its connections. */
export function createPostgresqlSearch(target: PostgresqlTarget, database: () => SqliteDatabase): { readonly engine: MessageEngine; close(): Promise<void> } {
  const postgresql = openPostgresql(target, { schema: SCHEMA, statementMs: STATEMENT_MS, most: CONNECTIONS, awayMs: AWAY_MS });
  return { engine: createPostgresqlEngine({ postgresql, changes: () => createChanges(database()), tokens: createTokens() }), close: () => postgresql.close() };
}
