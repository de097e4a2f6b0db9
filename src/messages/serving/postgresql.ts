import { openPostgresql, type Postgresql } from '../../adapters/postgresql/open.ts';
import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import { systemClock } from '../../core/clock.ts';
import type { MessageEngine } from '../../core/ports/message-engine.ts';
import { unfitFor } from '../engines/postgresql/copy.ts';
import { createPostgresqlEngine } from '../engines/postgresql/engine.ts';
import { SCHEMA } from '../engines/postgresql/schema.ts';
import { createServers, type ServerEvent, type Standard } from '../engines/postgresql/servers.ts';
import { createTokens } from '../engines/postgresql/tokens.ts';
import { createPositionReader } from '../store/position.ts';
import type { PostgresqlServers } from './postgresql-target.ts';

/** Milliseconds of a statement of a search, less than any deadline of a search that is not shorter than a second. */
const STATEMENT_MS = 1000;
/** A process searches one thing at a time. */
const CONNECTIONS = 2;
/** After a server could not be reached it is asked again in this time, milliseconds: nobody waits for each try. */
const AWAY_MS = 5000;
/** Milliseconds in which a replica must be there: another server can answer, within the same deadline. */
const PROMPT_MS = 500;

/** Connections to the servers, as a search has them; opened as they are needed. */
export function openServers({ url, passwordFile, replicas }: PostgresqlServers): {
  readonly primary: Postgresql;
  readonly replicas: readonly Postgresql[];
  close(): Promise<void>;
} {
  const wishes = { schema: SCHEMA, statementMs: STATEMENT_MS, most: CONNECTIONS };
  const primary = openPostgresql({ url, passwordFile }, { ...wishes, awayMs: AWAY_MS });
  // Who is away is left by whoever chooses among the servers.
  const others = replicas.map((replica) => openPostgresql({ url: replica, passwordFile }, { ...wishes, awayMs: 0, promptMs: PROMPT_MS }));
  return {
    primary,
    replicas: others,
    async close() {
      await Promise.all([primary, ...others].map((server) => server.close()));
    },
  };
}

/** Where there is a store, a server has what the store has, or is not asked. */
export function standardOfStore(database: () => SqliteDatabase): Standard {
  const now = () => createPositionReader(database())();
  return {
    ofPrimary: (copy, textsCount) => unfitFor(copy, now(), textsCount),
    ofReplicas: async () => (copy) => unfitFor(copy, now(), true),
  };
}

/** PostgreSQL as an engine of message search, and the end of its connections. */
export function createPostgresqlSearch(
  target: PostgresqlServers,
  database: () => SqliteDatabase,
  emit?: (event: ServerEvent) => void,
): { readonly engine: MessageEngine; close(): Promise<void> } {
  const { primary, replicas, close } = openServers(target);
  const standard = standardOfStore(database);
  const servers = createServers({ primary, replicas, standard, elapsed: systemClock.monotonic, ...(emit && { emit }) });
  return { engine: createPostgresqlEngine({ servers, tokens: createTokens() }), close };
}
