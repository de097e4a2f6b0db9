import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { messageOf } from '../../core/errors.ts';

export interface PostgresqlTarget {
  /** `postgresql://user@host:5432/database`, or `postgresql:///database?host=/run/postgresql&user=writ`; it has no password in it. */
  readonly url: string;
  /** A file with nothing but the password; empty: the server asks for none. */
  readonly passwordFile: string;
}

/** What a statement answers: rows of cells. Whole numbers of 64 bits and floats are numbers, lists are texts. */
export type Cell = string | number | boolean | null;
/** A statement with `?` where its values stand. */
export interface Statement {
  readonly text: string;
  readonly params: readonly (string | number | bigint | null)[];
}
export type Query = (statement: Statement) => Promise<Cell[][]>;

export interface Postgresql {
  /** The work in one transaction, which sees one state of the data; what it throws undoes it. Each statement ends after `statementMs`. */
  transaction<T>(mode: 'read' | 'write', work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Milliseconds in which a server must take a connection, where nobody says otherwise. */
const CONNECT_MS = 2000;
/** Milliseconds on top of a statement's own time after which its answer is not waited for. */
const GRACE_MS = 250;
const BEGIN = { read: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', write: 'BEGIN' };
/** Numbers of types: int8, int4, float8, and bool. */
const NUMBERS = new Set([20, 23, 701]);
const BOOL = 16;

export interface PostgresqlWishes {
  /** Where names are looked up first. */
  readonly schema: string;
  readonly statementMs: number;
  /** Connections at a time. */
  readonly most: number;
  /** Milliseconds in which a server that could not be reached is not tried again. */
  readonly awayMs: number;
  /**
   * Milliseconds in which a server must take a connection, and say its first word in a transaction. Of one that has them,
   * answers are not waited for beyond their time either, so that one that is stopped or cut off holds nobody up.
   */
  readonly promptMs?: number;
}

/** Connections to a server of PostgreSQL, opened as they are needed. */
export function openPostgresql(target: PostgresqlTarget, { schema, statementMs, most, awayMs, promptMs }: PostgresqlWishes): Postgresql {
  let opened: Promise<pg.Pool> | undefined;
  // Statements here are compiled for longer than they run.
  const settings = `SET LOCAL statement_timeout = ${statementMs}; SET LOCAL search_path = ${schema}, public; SET LOCAL jit = off`;

  /** The package is loaded by the first question: most processes have none. */
  async function openPool(): Promise<pg.Pool> {
    const { default: driver } = await import('pg');
    const pool = new driver.Pool({
      connectionString: target.url,
      ...(target.passwordFile !== '' && { password: () => readFileSync(target.passwordFile, 'utf8').trim() }),
      max: most,
      connectionTimeoutMillis: promptMs ?? CONNECT_MS,
      ...(promptMs !== undefined && { query_timeout: statementMs + GRACE_MS }),
      allowExitOnIdle: true,
      application_name: 'writ',
    });
    // A connection that is lost while nobody uses it: the next question opens another.
    pool.on('error', () => undefined);
    // Of one that is lost in use its question is told; the event beside that would end the process.
    pool.on('connect', (client) => void client.on('error', () => undefined));
    return pool;
  }

  let away: { readonly until: number; readonly error: unknown } | undefined;

  async function connect(): Promise<pg.PoolClient> {
    if (away !== undefined && performance.now() < away.until) throw away.error;
    try {
      opened ??= openPool();
      const client = await (await opened).connect();
      away = undefined;
      return client;
    } catch (error) {
      away = { until: performance.now() + awayMs, error };
      throw error;
    }
  }

  return {
    async transaction(mode, work) {
      const client = await connect();
      let done: Awaited<ReturnType<typeof work>>;
      try {
        await client.query({ text: `${BEGIN[mode]}; ${settings}`, ...(promptMs !== undefined && { query_timeout: promptMs }) });
        done = await work(async (statement) => (await client.query<Cell[]>(queryOf(statement))).rows);
        if (mode === 'write') await client.query('COMMIT');
      } catch (error) {
        if (isSilent(error)) client.release(error);
        else await giveBack(client, 'ROLLBACK');
        throw error;
      }
      // What was read is known before the server has heard that this was all.
      if (mode === 'write') client.release();
      else void giveBack(client, 'COMMIT');
      return done;
    },
    close: async () => (await opened)?.end(),
  };
}

/** A connection that cannot even end its transaction is dropped. Never rejects. */
function giveBack(client: pg.PoolClient, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  return client.query(how).then(
    () => client.release(),
    (failed: Error) => client.release(failed),
  );
}

/** Text of every type but numbers and booleans, which are what they are here. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number) => (text: string) => {
    if (oid === BOOL) return text === 't';
    return NUMBERS.has(oid) ? Number(text) : text;
  },
};

function queryOf({ text, params }: Statement): pg.QueryArrayConfig {
  let count = 0;
  const numbered = text.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
  return { text: numbered, values: params.map((value) => (typeof value === 'bigint' ? String(value) : value)), rowMode: 'array', types };
}

/** Codes of a server that refuses a connection; its words name users, databases and addresses. */
const REFUSED = /^(?:28|3D|57P)/u;

/** What may be told of an error to whoever searches: where the database is, and who asks it, is nobody's business. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return messageOf(error);
  if ('severity' in error) return REFUSED.test(error.code) ? `PostgreSQL takes no connection (${error.code})` : error.message;
  return `PostgreSQL cannot be reached (${error.code})`;
}

/** Whether a server did not answer in time: then nobody knows what its connection is at. */
function isSilent(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Whether a statement was ended, or not waited for, because it took too long. */
export function isTooLate(error: unknown): boolean {
  return isSilent(error) || (error instanceof Error && 'code' in error && error.code === '57014');
}
