import type { IngestOp } from '../../src/contracts/index.ts';
import { openMessagesWriter } from '../../src/messages/store/open.ts';
import { createWriteEngine } from '../../src/messages/store/write/engine.ts';
import { mailbox } from './mailbox.ts';

/** Operations of a batch, as a job has them, and batches of a transaction, as the writer joins them. */
const BATCH = 1000;
const JOINED = 2;

/** Writes the messages 1 to `count` through the writer that everybody uses. Milliseconds, without making the messages. */
export function ingest(file: string, count: number): number {
  const engine = createWriteEngine(file);
  let spent = 0;
  let at = 0;
  try {
    for (const ops of chunks(mailbox(count), BATCH * JOINED)) {
      const batches = [...chunks(ops, BATCH)].map((part) => ({ at: ++at, ops: part }));
      const start = performance.now();
      engine.apply(batches);
      spent += performance.now() - start;
    }
    return spent;
  } finally {
    engine.close();
  }
}

type Message = Extract<IngestOp, { op: 'message' }>;
type Who = Message['to'][number];

/** The same rows by bare statements: names looked up in a map, no key, no edit, no thread. */
export function bareInserts(file: string, count: number): number {
  const db = openMessagesWriter(file);
  const project = db.prepare<[string, string], number>('INSERT INTO projects (slug, human_key, created_at) VALUES (?, ?, 0) RETURNING id').pluck();
  const agent = db
    .prepare<[number, string], number>('INSERT INTO agents (project_id, name, inception_ts, last_active_ts) VALUES (?, ?, 0, 0) RETURNING id')
    .pluck();
  const message = db.prepare(
    `INSERT INTO messages (id, project_id, sender_id, thread_id, subject, body_md, importance, ack_required, created_ts, source_key)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const recipient = db.prepare(`INSERT INTO message_recipients (message_id, agent_id, kind) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`);
  const ids = new Map<string, number>();
  const known = (key: string, make: () => number | undefined): number => {
    const id = ids.get(key) ?? make() ?? 0;
    ids.set(key, id);
    return id;
  };
  const write = db.transaction((ops: readonly Message[]) => {
    for (const op of ops) {
      const place = known(op.project, () => project.get(op.project, op.project));
      const named = (who: Who): number => {
        const name = typeof who === 'string' ? who : who.name;
        return known(`${op.project}/${name}`, () => agent.get(place, name));
      };
      message.run(op.id, place, named(op.from ?? ''), op.thread_id, op.subject, op.body_md, op.importance, op.ack_required ? 1 : 0, op.created_ts, op.key);
      for (const kind of ['to', 'cc', 'bcc'] as const) for (const name of op[kind]) recipient.run(op.id, named(name), kind);
    }
  });
  let spent = 0;
  try {
    for (const ops of chunks(mailbox(count), BATCH * JOINED)) {
      const start = performance.now();
      write.immediate(ops);
      spent += performance.now() - start;
    }
    return spent;
  } finally {
    db.close();
  }
}

/** The items in lists of `size`, the last one shorter. */
function* chunks<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
