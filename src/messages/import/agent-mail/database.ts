import type Database from 'better-sqlite3';
import { Sqlite } from '../../../adapters/sqlite/driver.ts';
import { CONTACT_STATES, IngestOp, MAX_BODY_CHARS, MAX_SUBJECT_CHARS, MAX_WISHED_ID, MESSAGE_IMPORTANCES } from '../../../contracts/index.ts';
import { messageOf, WritError } from '../../../core/errors.ts';
import type { ImportRecord, ImportSource } from '../../../core/ports/index.ts';
import { boundedId } from '../bounded-id.ts';

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

  function messageOp(row: Row, id: string): unknown {
    const created = micros(row['created_ts']);
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
    return {
      op: 'message',
      project,
      key: `agent-mail:${id}:${created ?? ''}`,
      id: wishOf(id),
      from: person(Number(row['sender_id'])),
      to: named('to'),
      cc: named('cc'),
      bcc: named('bcc'),
      thread_id: boundedId(text(row['thread_id']).trim()) || null,
      subject: text(row['subject']).slice(0, MAX_SUBJECT_CHARS).replaceAll('\0', '\ufffd').toWellFormed(),
      body_md: text(row['body_md']).slice(0, MAX_BODY_CHARS).replaceAll('\0', '\ufffd').toWellFormed(),
      importance: MESSAGE_IMPORTANCES.find((one) => one === text(row['importance']).toLowerCase()) ?? 'normal',
      ack_required: Number(row['ack_required'] ?? 0) !== 0,
      created_ts: created,
      attachments: objects(row['attachments']),
    };
  }

  function* others(): Generator<readonly [string, unknown], void, void> {
    for (const row of all(db, 'projects')) {
      yield [
        `project ${text(row['slug'])}`,
        { op: 'project', slug: row['slug'], human_key: row['human_key'] ?? undefined, created_at: micros(row['created_at']) },
      ];
    }
    for (const row of all(db, 'agents')) yield [`agent ${text(row['name'])}`, agentOp(row, projects.get(Number(row['project_id'])))];
    const products = new Map<number, string>();
    for (const row of all(db, 'products')) {
      products.set(Number(row['id']), text(row['product_uid']));
      yield [`product ${text(row['name'])}`, { op: 'product', product_uid: row['product_uid'], name: row['name'], created_at: micros(row['created_at']) }];
    }
    for (const row of all(db, 'product_project_links')) {
      const link = { op: 'link', product_uid: products.get(Number(row['product_id'])), project: projects.get(Number(row['project_id'])) };
      yield [`link ${text(row['id'])}`, link];
    }
    for (const row of all(db, 'agent_links')) {
      yield [
        `contact ${text(row['id'])}`,
        {
          op: 'contact',
          from: agentOf.get(Number(row['a_agent_id'])),
          to: agentOf.get(Number(row['b_agent_id'])),
          status: CONTACT_STATES.find((one) => one === row['status']) ?? 'pending',
          reason: text(row['reason']),
          expires_ts: micros(row['expires_ts']) ?? null,
        },
      ];
    }
  }

  async function* records(after: string | undefined): AsyncGenerator<ImportRecord, void, void> {
    const last = /^-?\d{1,18}$/.exec(after ?? '')?.[0];
    const from = last === undefined ? FIRST_ID : BigInt(last) + 1n;
    const read = db.prepare<[bigint], number>('SELECT count(*) FROM messages WHERE id < ?').pluck().get(from) ?? 0;
    for (const [where, op] of others()) yield { position: after ?? '', read, ...judged(op, where) };
    let done = read;
    // As text: JavaScript cannot tell ids beyond 2^53 apart.
    const rows = db.prepare<[bigint], Row>('SELECT *, CAST(CAST(id AS INTEGER) AS TEXT) AS whole_id FROM messages WHERE id >= ? ORDER BY id');
    for (const row of rows.iterate(from)) {
      done += 1;
      const id = text(row['whole_id']);
      yield { position: id, read: done, ...judged(messageOp(row, id), `message ${id}`) };
    }
  }

  return {
    format: 'agent-mail',
    name: `agent-mail ${path}`,
    unit: 'messages',
    total: count('messages'),
    records,
    async [Symbol.asyncDispose]() {
      db.close();
    },
  };
}

/** What SQLite may number a row by, negative numbers included. */
const FIRST_ID = -(2n ** 63n);

/** The id that a message should keep; none where nobody may wish for it. */
function wishOf(id: string): number | undefined {
  const wish = Number(id);
  return wish >= 1 && wish <= MAX_WISHED_ID ? wish : undefined;
}

function agentOp(row: Row, project: string | undefined): unknown {
  return {
    op: 'agent',
    project,
    name: row['name'],
    program: text(row['program']),
    model: text(row['model']),
    task_description: text(row['task_description']).slice(0, 4096).replaceAll('\0', '\ufffd').toWellFormed(),
    inception_ts: micros(row['inception_ts']),
    last_active_ts: micros(row['last_active_ts']),
    attachments_policy: text(row['attachments_policy']) || 'auto',
    contact_policy: text(row['contact_policy']) || 'auto',
  };
}

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

function judged(op: unknown, where: string): { ops: readonly IngestOp[] } | { bad: string; where: string } {
  const parsed = IngestOp.safeParse(withoutUndefined(op));
  if (parsed.success) return { ops: [parsed.data] };
  return { where, bad: 'it names a row that is not there, or a value that cannot be' };
}

function withoutUndefined(op: unknown): unknown {
  return typeof op === 'object' && op !== null ? Object.fromEntries(Object.entries(op).filter(([, value]) => value !== undefined)) : op;
}

/** Microseconds, or the naive UTC text of the older server. */
function micros(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const time = typeof value === 'string' ? Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(value) ? value : `${value.replace(' ', 'T')}Z`) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  // The older server wrote six digits of the second; Date keeps three.
  const rest = /\.\d{3}(\d{3})/.exec(String(value))?.[1] ?? '0';
  return time * 1000 + Number(rest);
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function objects(value: unknown): unknown[] {
  try {
    const list: unknown = JSON.parse(text(value));
    return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one)) : [];
  } catch {
    return [];
  }
}
