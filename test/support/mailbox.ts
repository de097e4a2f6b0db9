import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SqliteDatabase } from '../../src/adapters/sqlite/open.ts';
import type { Importance } from '../../src/contracts/index.ts';
import { openMessagesWriter } from '../../src/messages/store/open.ts';

/** Rows of a generated mailbox, as plain data. */
export interface Agent {
  readonly id: number;
  readonly project_id: number;
  readonly name: string;
  readonly task: string;
  readonly policy: string;
}
export interface Mail {
  readonly id: number;
  readonly project_id: number;
  readonly sender_id: number | null;
  readonly thread_id: string | null;
  readonly subject: string;
  readonly body: string;
  readonly importance: Importance;
  readonly ack: boolean;
  readonly created_ts: number;
  readonly recipients: readonly { readonly agent_id: number; readonly kind: 'to' | 'cc' | 'bcc' }[];
}
export interface Link {
  readonly a: number;
  readonly b: number;
  readonly status: 'pending' | 'approved' | 'blocked';
  readonly expires: number | null;
}
export interface Mailbox {
  readonly projects: readonly { readonly id: number; readonly slug: string; readonly key: string }[];
  readonly products: readonly { readonly id: number; readonly name: string; readonly project_ids: readonly number[] }[];
  readonly agents: readonly Agent[];
  readonly links: readonly Link[];
  readonly mails: readonly Mail[];
}

/** A database file in a directory of its own, filled with a mailbox by plain SQL. */
export function mailboxFile(box: Mailbox): { file: string; db: SqliteDatabase; remove: () => void } {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-mailbox-'));
  const file = path.join(directory, 'messages.sqlite');
  const db = newStore(file);
  fill(db, box);
  return {
    file,
    db,
    remove() {
      db.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** An empty store as its migrations leave it; they cost more than most tests do with it. */
let empty: Buffer | undefined;

function newStore(file: string): SqliteDatabase {
  if (empty === undefined) {
    openMessagesWriter(file).close();
    empty = readFileSync(file);
  } else writeFileSync(file, empty, { mode: 0o600 });
  const db = openMessagesWriter(file);
  // What no two stores have in common.
  db.exec(`UPDATE meta SET value = lower(hex(randomblob(16))) WHERE key = 'generation'; UPDATE cursor_keys SET secret = randomblob(32)`);
  return db;
}

function fill(db: SqliteDatabase, { projects, products, agents, links, mails }: Mailbox): void {
  const project = db.prepare('INSERT INTO projects (id, slug, human_key, created_at) VALUES (?, ?, ?, ?)');
  const product = db.prepare('INSERT INTO products (id, product_uid, name, created_at) VALUES (?, ?, ?, 0)');
  const joined = db.prepare('INSERT INTO product_project_links (product_id, project_id, created_at) VALUES (?, ?, 0)');
  const agent = db.prepare(
    'INSERT INTO agents (id, project_id, name, task_description, contact_policy, inception_ts, last_active_ts) VALUES (?, ?, ?, ?, ?, ?, 0)',
  );
  const link = db.prepare(
    `INSERT INTO agent_links (a_project_id, a_agent_id, b_project_id, b_agent_id, status, expires_ts, created_ts, updated_ts)
     SELECT a.project_id, a.id, b.project_id, b.id, ?, ?, 0, 0 FROM agents a, agents b WHERE a.id = ? AND b.id = ?`,
  );
  db.transaction(() => {
    for (const { id, slug, key } of projects) project.run(id, slug, key, id);
    for (const { id, name, project_ids } of products) {
      product.run(id, `uid-${id}`, name);
      for (const project_id of project_ids) joined.run(id, project_id);
    }
    for (const { id, project_id, name, task, policy } of agents) agent.run(id, project_id, name, task, policy, id);
    for (const { a, b, status, expires } of links) link.run(status, expires, a, b);
  })();
  addMails(db, mails);
}

export function addMails(db: SqliteDatabase, mails: readonly Mail[]): void {
  const mail = db.prepare(
    'INSERT INTO messages (id, project_id, sender_id, thread_id, subject, body_md, importance, ack_required, created_ts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const recipient = db.prepare('INSERT INTO message_recipients (message_id, agent_id, kind) VALUES (?, ?, ?)');
  change(db, () => {
    for (const one of mails) {
      mail.run(one.id, one.project_id, one.sender_id, one.thread_id, one.subject, one.body, one.importance, Number(one.ack), one.created_ts);
      for (const { agent_id, kind } of one.recipients) recipient.run(one.id, agent_id, kind);
    }
  });
}

export function removeMails(db: SqliteDatabase, ids: readonly number[]): void {
  const remove = db.prepare('DELETE FROM messages WHERE id = ?');
  change(db, () => {
    for (const id of ids) remove.run(id);
  });
}

/** A writing transaction raises the number of the data, as the writer does. */
function change(db: SqliteDatabase, work: () => void): void {
  db.transaction(() => {
    work();
    db.exec(`UPDATE meta SET value = value + 1 WHERE key = 'data_version'`);
  })();
}
