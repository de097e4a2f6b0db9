import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Sqlite } from '../../../src/adapters/sqlite/driver.ts';

/** A mail as an agent-mail server has it. */
export interface ServedMail {
  readonly id: number;
  readonly subject: string;
  readonly body: string;
  readonly to?: readonly string[];
  readonly read?: string;
  readonly ack?: string;
}

const CREATED = '2026-11-20 08:09:10.123456';
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS projects (id INTEGER PRIMARY KEY, slug TEXT, human_key TEXT, created_at);
  CREATE TABLE IF NOT EXISTS agents (id INTEGER PRIMARY KEY, project_id INT, name TEXT);
  CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, project_id INT, sender_id INT, thread_id TEXT, subject TEXT, body_md TEXT, importance TEXT, ack_required INT, created_ts, attachments TEXT);
  CREATE TABLE IF NOT EXISTS message_recipients (message_id INT, agent_id INT, kind TEXT, read_ts, ack_ts);
  DELETE FROM projects; DELETE FROM agents; DELETE FROM messages; DELETE FROM message_recipients;
  INSERT INTO projects VALUES (1, 'backend', '/srv/backend', 5);
  INSERT INTO agents VALUES (1, 1, 'BlueLake'), (2, 1, 'RedStone');`;

/** Makes its database say just this: one project, BlueLake who writes, RedStone who is written to. */
export function serveDatabase(file: string, mails: readonly ServedMail[]): void {
  const db = new Sqlite(file);
  db.exec(`BEGIN; ${SCHEMA}`);
  const message = db.prepare(`INSERT INTO messages VALUES (?, 1, 1, NULL, ?, ?, 'high', 1, ?, '[]')`);
  const recipient = db.prepare(`INSERT INTO message_recipients VALUES (?, 2, 'to', ?, ?)`);
  for (const { id, subject, body, read, ack } of mails) {
    message.run(id, subject, body, CREATED);
    recipient.run(id, read ?? null, ack ?? null);
  }
  db.exec('COMMIT');
  db.close();
}

/** Makes its archive say just this, in the form of such a server: sorted JSON, two blanks deep, a blank line, the body. */
export function serveArchive(root: string, mails: readonly ServedMail[]): void {
  const project = join(root, 'projects', 'backend');
  rmSync(join(project, 'messages'), { recursive: true, force: true });
  write(join(project, 'agents', 'BlueLake', 'profile.json'), JSON.stringify({ name: 'BlueLake', program: 'codex', model: 'gpt', contact_policy: 'open' }));
  for (const { id, subject, body, to = ['RedStone'] } of mails) {
    const front = {
      ack_required: true,
      attachments: [],
      bcc: [],
      cc: [],
      created: `${CREATED.replace(' ', 'T')}+00:00`,
      from: 'BlueLake',
      id,
      importance: 'high',
      project: '/srv/backend',
      project_slug: 'backend',
      subject,
      thread_id: null,
      to,
    };
    const text = `---json\n${JSON.stringify(front, null, 2)}\n---\n\n${body}\n`;
    const name = `2026-11-20T08-09-10Z__${subject.toLowerCase()}__${id}.md`;
    for (const box of ['messages', 'agents/BlueLake/outbox']) write(join(project, box, '2026', '11', name), text);
  }
  write(join(project, 'messages', 'threads', 'TKT-1.md'), '# Thread TKT-1\n');
}

export function write(file: string, text: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
