import type Database from 'better-sqlite3';
import { Sqlite } from '../../../adapters/sqlite/driver.ts';
import { CONTACT_STATES } from '../../../contracts/index.ts';
import { messageOf, WritError } from '../../../core/errors.ts';
import type { ImportRecord, ImportSource } from '../../../core/ports/index.ts';
import { agentOp, type Judged, judged, mailOp, micros, text, withoutUndefined } from './mail.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * The database of an agent-mail server, its older form with times as text included. Names, not ids, join its rows to ours; a
 * message keeps its id where no other has it. Only read.
 *
 * @throws WritError INVALID_ARGUMENT for another database
 */
export function openAgentMail(path: string): ImportSource {
  const db = opened(path);
  const count = (table: string): number => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  const projects = new Map(
    db
      .prepare<[], { id: number; slug: string }>('SELECT id, slug FROM projects')
      .all()
      .map(({ id, slug }) => [id, slug]),
  );
  const recipients = db.prepare<[unknown], { agent_id: number; kind: string; read_ts: unknown; ack_ts: unknown }>(
    'SELECT r.agent_id, r.kind, r.read_ts, r.ack_ts FROM message_recipients r JOIN agents a ON a.id = r.agent_id WHERE r.message_id = ? ORDER BY a.name',
  );
  const agentOf = new Map(
    db
      .prepare<[], { id: number; project_id: number; name: string }>('SELECT id, project_id, name FROM agents')
      .all()
      .map(({ id, project_id: project, name }) => [id, { project: projects.get(project) ?? '', name }]),
  );

  function mailFrom(row: Row, id: string): Judged {
    const to = recipients.all(BigInt(id));
    const project = projects.get(Number(row['project_id']));
    // Contacts write to each other across projects.
    const person = (agent: number): string | object | undefined => {
      const found = agentOf.get(agent);
      return found?.project === project ? found?.name : found;
    };
    const recipient = ({ agent_id: agent, ...when }: (typeof to)[number]): unknown => {
      const [read, ack] = [micros(when.read_ts), micros(when.ack_ts)];
      const found = person(agent);
      if ((read === undefined && ack === undefined) || found === undefined) return found;
      return withoutUndefined({ ...(typeof found === 'string' ? { name: found } : found), read_ts: read, ack_ts: ack });
    };
    const named = (kind: string): unknown[] => to.filter((one) => one.kind === kind).map(recipient);
    const mail = {
      id,
      project,
      from: person(Number(row['sender_id'])),
      to: named('to'),
      cc: named('cc'),
      bcc: named('bcc'),
      thread: row['thread_id'],
      subject: row['subject'],
      body: row['body_md'],
      importance: row['importance'],
      ackRequired: Number(row['ack_required'] ?? 0) !== 0,
      created: row['created_ts'],
      attachments: row['attachments'],
    };
    return mailOp(mail, `message ${id}`);
  }

  function* others(): Generator<Judged, void, void> {
    for (const row of all(db, 'projects')) {
      const op = { op: 'project', slug: row['slug'], human_key: row['human_key'] ?? undefined, created_at: micros(row['created_at']) };
      yield judged(op, `project ${text(row['slug'])}`);
    }
    for (const row of all(db, 'agents')) yield agentOp(row, projects.get(Number(row['project_id'])), `agent ${text(row['name'])}`);
    const products = new Map<number, string>();
    for (const row of all(db, 'products')) {
      products.set(Number(row['id']), text(row['product_uid']));
      const op = { op: 'product', product_uid: row['product_uid'], name: row['name'], created_at: micros(row['created_at']) };
      yield judged(op, `product ${text(row['name'])}`);
    }
    for (const row of all(db, 'product_project_links')) {
      const op = { op: 'link', product_uid: products.get(Number(row['product_id'])), project: projects.get(Number(row['project_id'])) };
      yield judged(op, `link ${text(row['id'])}`);
    }
    for (const row of all(db, 'agent_links')) {
      const op = {
        op: 'contact',
        from: agentOf.get(Number(row['a_agent_id'])),
        to: agentOf.get(Number(row['b_agent_id'])),
        status: CONTACT_STATES.find((one) => one === row['status']) ?? 'pending',
        reason: text(row['reason']),
        expires_ts: micros(row['expires_ts']) ?? null,
      };
      yield judged(op, `contact ${text(row['id'])}`);
    }
  }

  async function* records(after: string | undefined): AsyncGenerator<ImportRecord, void, void> {
    const last = /^-?\d{1,18}$/.exec(after ?? '')?.[0];
    const from = last === undefined ? FIRST_ID : BigInt(last) + 1n;
    const read = db.prepare<[bigint], number>('SELECT count(*) FROM messages WHERE id < ?').pluck().get(from) ?? 0;
    for (const other of others()) yield { position: after ?? '', read, isAgain: last !== undefined, ...other };
    let done = read;
    // As text: JavaScript cannot tell ids beyond 2^53 apart.
    const rows = db.prepare<[bigint], Row>('SELECT *, CAST(CAST(id AS INTEGER) AS TEXT) AS whole_id FROM messages WHERE id >= ? ORDER BY id');
    for (const row of rows.iterate(from)) {
      done += 1;
      const id = text(row['whole_id']);
      yield { position: id, read: done, ...mailFrom(row, id) };
    }
  }

  return {
    format: 'agent-mail',
    name: `agent-mail ${path}`,
    unit: 'messages',
    total: count('messages'),
    follows: true,
    // What changes before it is seen by the next pass.
    fits: async () => true,
    records,
    async [Symbol.asyncDispose]() {
      db.close();
    },
  };
}

/** What SQLite may number a row by, negative numbers included. */
const FIRST_ID = -(2n ** 63n);

function opened(path: string): Database.Database {
  try {
    const db = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 5000 });
    try {
      // Somebody else wrote its schema: it calls no functions, and what it calls a table must be one.
      db.pragma('trusted_schema = OFF');
      // One state of it, whatever its server writes meanwhile.
      db.exec('BEGIN');
      for (const table of NEEDED) if (!hasTable(db, table)) throw new Error(`it has no table ${table}`);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw new WritError('INVALID_ARGUMENT', `${path} is no database of agent mail: ${messageOf(error)}`, { field: 'path', cause: error });
  }
}

const NEEDED = ['projects', 'agents', 'messages', 'message_recipients'];

/** A view may compute for ever. */
function hasTable(db: Database.Database, table: string): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(table) !== undefined;
}

/** All rows of a table; none where an older server has no such table. */
function all(db: Database.Database, table: string): readonly Row[] {
  return hasTable(db, table) ? db.prepare<[], Row>(`SELECT * FROM ${table} ORDER BY id`).all() : [];
}
