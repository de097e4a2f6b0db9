import { migratePostgresql } from '../../../adapters/postgresql/migrate.ts';
import type { Postgresql, Query } from '../../../adapters/postgresql/open.ts';
import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { MessageIndexEvent } from '../../../core/ports/index.ts';
import { type Sql, sql } from '../../visibility/sql.ts';
import { ABOVE, SCHEMA } from './schema.ts';
import type { Counts } from './scoring.ts';
import { createSource, type Places, type SourceBatch } from './source.ts';
import { createTokens } from './tokens.ts';

const MIGRATIONS = new URL('./sql/', import.meta.url);

/** Messages of one transaction. */
const BATCH = 500;

export interface PostgresqlMirror {
  /** Brings the copy up to the newest change of the store. */
  follow(): Promise<void>;
  /** Makes the copy anew. */
  rebuild(): Promise<void>;
}

interface MirrorParts {
  readonly postgresql: Postgresql;
  /** The database of messages, for reading. It stays its owner's. */
  readonly db: SqliteDatabase;
  readonly emit: (event: MessageIndexEvent) => void;
  /** Name of this host, for others that want messages written. */
  readonly writer?: string;
  /** Messages of one transaction. */
  readonly batch?: number;
}

/**
 * Keeps a copy of the messages in PostgreSQL. A step is one transaction there, which holds the row that says how far the copy is: a
 * kill costs one step, a step that is done twice changes nothing, and of several mirrors one works at a time, each going on where
 * the copy is.
 */
export function createPostgresqlMirror({ postgresql, db, emit, writer = '', batch: most = BATCH }: MirrorParts): PostgresqlMirror {
  const source = createSource(db, createTokens());
  let isReady = false;

  async function ready(): Promise<void> {
    if (isReady) return;
    await postgresql.transaction('write', async (query) => {
      const [[isAbove] = []] = await query(sql`SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user`);
      if (isAbove === true) throw new Error(ABOVE);
      await migratePostgresql(query, SCHEMA, MIGRATIONS);
    });
    isReady = true;
  }

  /** One step; whether the copy is what the store is. */
  async function step(): Promise<{ readonly isLast: boolean; readonly documents: number }> {
    return writing(async (query) => {
      const [mirror] = await query(sql`SELECT store, seq, places, places_version, whole, writer FROM mirror FOR UPDATE`);
      const batch = source.batch(Number(mirror?.[1] ?? 0), most);
      if (mirror !== undefined && mirror[0] !== batch.store)
        throw new Error('the database has a copy of other messages; give each store a database of its own');
      if (mirror === undefined)
        await query(sql`INSERT INTO mirror (store, seq, places, version, messages, words)
          SELECT ${batch.store}, 0, '', 0, count(*), coalesce(sum(word_count), 0) FROM messages ON CONFLICT DO NOTHING`);
      if (mirror?.[2] !== batch.places.hash) await writePlaces(query, batch.places);
      const more = await writeMessages(query, batch);
      const { hash, version } = batch.places;
      const changed = mirror?.[1] !== batch.seq || mirror[2] !== hash || mirror[3] !== version || (batch.isLast && mirror[4] !== true) || mirror[5] !== writer;
      if (changed)
        await query(sql`UPDATE mirror SET seq = ${batch.seq}, places = ${hash}, places_version = ${version}, version = version + 1,
          whole = whole OR ${String(batch.isLast)}::boolean, writer = ${writer}, messages = messages + ${more.rows}, words = words + ${more.words}`);
      return { isLast: batch.isLast, documents: batch.messages.length + batch.gone.length };
    });
  }

  async function writing<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return postgresql.transaction('write', async (query) => {
      await query(sql`SELECT set_config('writ.mode', 'write', true)`);
      return work(query);
    });
  }

  async function follow(): Promise<void> {
    await ready();
    for (;;) {
      const started = performance.now();
      const { isLast, documents } = await step();
      if (documents > 0) emit({ event: 'index.incremental.batch', batch_size: documents, duration_ms: performance.now() - started });
      if (isLast) return;
    }
  }

  return {
    follow,
    async rebuild() {
      await ready();
      const started = performance.now();
      const doc_count = db.prepare<[], number>('SELECT count(*) FROM messages').pluck().get() ?? 0;
      emit({ event: 'index.rebuild.start', doc_count });
      await writing(async (query) => {
        await query(sql`DELETE FROM mirror`);
        await query(sql`DELETE FROM messages`);
      });
      await follow();
      emit({ event: 'index.rebuild.complete', doc_count, duration_ms: performance.now() - started });
    },
  };
}

/** PostgreSQL's texts have no NUL. */
function json(rows: readonly object[]): string {
  return JSON.stringify(rows).replaceAll('\\u0000', '\\ufffd');
}

async function writePlaces(query: Query, { projects, agents, product_project_links, agent_links, products, cursor_keys }: Places): Promise<void> {
  await query(sql`DELETE FROM projects`);
  await query(sql`DELETE FROM agents`);
  await query(sql`DELETE FROM product_project_links`);
  await query(sql`DELETE FROM agent_links`);
  await query(sql`DELETE FROM products`);
  await query(sql`DELETE FROM cursor_keys`);
  await query(sql`INSERT INTO projects (id, slug, human_key, created_at, words, word_count)
    SELECT id, slug, human_key, created_at, words::tsvector, word_count FROM json_to_recordset(${json(projects)}::json)
    AS r (id bigint, slug text, human_key text, created_at bigint, words text, word_count int)`);
  await query(sql`INSERT INTO agents (id, project_id, name, task_description, contact_policy, inception_ts, words, word_count)
    SELECT id, project_id, name, task_description, contact_policy, inception_ts, words::tsvector, word_count FROM json_to_recordset(${json(agents)}::json)
    AS r (id bigint, project_id bigint, name text, task_description text, contact_policy text, inception_ts bigint, words text, word_count int)`);
  await query(
    sql`INSERT INTO product_project_links SELECT * FROM json_to_recordset(${json(product_project_links)}::json) AS r (product_id bigint, project_id bigint)`,
  );
  await query(sql`INSERT INTO agent_links SELECT * FROM json_to_recordset(${json(agent_links)}::json)
    AS r (a_agent_id bigint, b_agent_id bigint, status text, expires_ts bigint)`);
  await query(sql`INSERT INTO products SELECT * FROM json_to_recordset(${json(products)}::json) AS r (id bigint, product_uid text, name text)`);
  await query(sql`INSERT INTO cursor_keys SELECT * FROM json_to_recordset(${json(cursor_keys)}::json) AS r (id bigint, secret text)`);
}

/** Answers how many messages and words more there are then. */
async function writeMessages(query: Query, { messages, gone }: SourceBatch): Promise<Counts> {
  const ids = [...gone, ...messages.map((message) => ('id' in message ? Number(message.id) : 0))];
  if (ids.length === 0) return { rows: 0, words: 0 };
  const before = await counted(query, sql`DELETE FROM messages WHERE id = ANY (${`{${ids.join()}}`}::bigint[])`);
  if (messages.length === 0) return { rows: -before.rows, words: -before.words };
  const after = await counted(
    query,
    sql`INSERT INTO messages (id, project_id, sender_id, thread_id, subject, body_md, importance, ack_required, created_ts, recipients, cc, bcc, words, word_count)
    SELECT id, project_id, sender_id, thread_id, subject, body_md, importance, ack_required = 1, created_ts, recipients, cc, bcc, words::tsvector, word_count
    FROM json_to_recordset(${json(messages)}::json)
    AS r (id bigint, project_id bigint, sender_id bigint, thread_id text, subject text, body_md text, importance text, ack_required int, created_ts bigint,
      recipients bigint[], cc bigint[], bcc bigint[], words text, word_count int)`,
  );
  return { rows: after.rows - before.rows, words: after.words - before.words };
}

/** Does it, and says of how many messages and words. */
async function counted(query: Query, write: Sql): Promise<Counts> {
  const [[rows, words] = []] = await query(sql`WITH done AS (${write} RETURNING word_count) SELECT count(*), coalesce(sum(word_count), 0) FROM done`);
  return { rows: Number(rows), words: Number(words) };
}
