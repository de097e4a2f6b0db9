import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openImport } from '../../../src/adapters/messages/import/index.ts';
import { openMessagesReader } from '../../../src/adapters/messages/open.ts';
import { createWriteEngine, importMark, type WriteEngine } from '../../../src/adapters/messages/write/engine.ts';
import type { IngestOp } from '../../../src/contracts/index.ts';
import type { ImportWish, IngestEnd, MessageDoor } from '../../../src/core/ports/index.ts';
import { fieldText, mailDate, readMail } from '../../../src/executors/search/index.ts';
import { type ImportSummary, importMessages } from '../../../src/producers/messages/import.ts';

const READER = { read: readMail, text: fieldText, date: mailDate };
const SIGNAL = new AbortController().signal;

let directory: string;
let database: string;
let engine: WriteEngine;
let now = 0;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'writ-import-'));
  database = join(directory, 'messages', 'messages.sqlite');
  engine = createWriteEngine(database);
});
afterEach(() => engine.close());

/** The writer without its queue. `most`: jobs until it is stopped, as a person does. */
function door(most = Number.POSITIVE_INFINITY, jobs: (readonly IngestOp[])[] = []): MessageDoor & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  const ends = new Map<string, IngestEnd>();
  return {
    signal: stop.signal,
    async submit(ops) {
      now += 1;
      jobs.push(ops);
      const outcome = engine.apply([{ at: now, ops }]).outcomes[0];
      if (outcome === undefined) throw new Error('no outcome');
      ends.set(String(now), { ok: true, outcome });
      if (ends.size >= most) stop.abort();
      return { job: String(now) };
    },
    settled: async (job, signal) => (signal.aborted ? undefined : ends.get(job)),
  };
}

const wish = (more: Partial<ImportWish> = {}): ImportWish => ({ format: undefined, project: undefined, ...more });
const rows = (sql: string): readonly unknown[][] => {
  const db = openMessagesReader(database);
  try {
    return db.prepare<[], unknown[]>(sql).raw().all();
  } finally {
    db.close();
  }
};

async function run(path: string, more: Partial<ImportWish> = {}, through = door()): Promise<ImportSummary & { told: string[] }> {
  await using source = await openImport(path, wish(more), READER);
  const db = openMessagesReader(database);
  const mark = importMark(db, source.name);
  db.close();
  const told: string[] = [];
  const report = { bad: (where: string, why: string) => void told.push(`${where}: ${why}`), progress: () => undefined };
  const signal = 'signal' in through ? (through.signal as AbortSignal) : SIGNAL;
  return { ...(await importMessages(source, through, mark, report, signal)), told };
}

const line = (i: number, more: object = {}): string =>
  JSON.stringify({ key: `k${i}`, from: 'Ann', to: ['Bob'], subject: `s${i}`, body_md: `b${i}`, created_ts: i, ...more });

describe('an import of JSON Lines', () => {
  it('stores messages and other operations, and reports what is none without losing the rest', async () => {
    const file = join(directory, 'mail.jsonl');
    const lines = [
      line(1, { created_ts: '2026-01-02T03:04:05Z' }),
      '{"broken',
      '',
      line(2, { importance: 'extreme' }),
      JSON.stringify({ op: 'agent', name: 'Ann', task_description: 'writes parsers' }),
      JSON.stringify({ op: 'rebuild' }),
      JSON.stringify({ op: 'explode' }),
      JSON.stringify({ subject: 'no key', project: 'web' }),
      '[]',
      line(3),
    ];
    await writeFile(file, lines.join('\n'));
    const { counts, bad, told, finished } = await run(file, { project: 'backend' });
    expect({ counts, bad, finished }).toEqual({ counts: { inserted: 3, updated: 1, deleted: 0, unchanged: 0, refused: 0 }, bad: 5, finished: true });
    expect(told.map((text) => text.slice(0, text.indexOf(':')))).toEqual(['line 2', 'line 4', 'line 6', 'line 7', 'line 9']);
    expect(rows('SELECT p.slug, m.subject FROM messages m JOIN projects p ON p.id = m.project_id ORDER BY m.id')).toEqual([
      ['backend', 's1'],
      ['web', 'no key'],
      ['backend', 's3'],
    ]);
    expect(rows(`SELECT created_ts FROM messages WHERE subject = 's1'`)).toEqual([[Date.UTC(2026, 0, 2, 3, 4, 5) * 1000]]);
  });

  it('goes on where it was stopped, and takes what was added since; a file that is another one begins anew', async () => {
    const file = join(directory, 'mail.jsonl');
    await writeFile(file, `${Array.from({ length: 1700 }, (_, i) => line(i)).join('\n')}\n`);
    const first = await run(file, { project: 'p' }, door(2));
    expect(first.finished).toBe(false);
    const jobs: (readonly IngestOp[])[] = [];
    const second = await run(file, { project: 'p' }, door(undefined, jobs));
    expect(second.finished).toBe(true);
    expect(rows('SELECT count(*) FROM messages')).toEqual([[1700]]);
    await appendFile(file, `${line(1700)}\n`);
    expect((await run(file, { project: 'p' })).counts).toMatchObject({ inserted: 1, unchanged: 0 });
    await writeFile(file, `${line(9000)}\n${line(5)}\n`);
    expect((await run(file, { project: 'p' })).counts).toMatchObject({ inserted: 1, unchanged: 1 });
  });

  it('writes a position only when everything before it is stored', async () => {
    const file = join(directory, 'mail.jsonl');
    await writeFile(file, Array.from({ length: 3000 }, (_, i) => line(i)).join('\n'));
    const jobs: (readonly IngestOp[])[] = [];
    await run(file, { project: 'p' }, door(undefined, jobs));
    let sent = 0;
    for (const ops of jobs) {
      for (const op of ops) if (op.op === 'mark') expect(op.items).toBeLessThanOrEqual(sent);
      sent += ops.filter(({ op }) => op === 'message').length;
    }
    expect(jobs.at(-1)).toMatchObject([{ op: 'mark', items: 3000, finished: true }]);
  });
});

const MAIL = [
  'From: =?utf-8?q?J=C3=BCrgen?= <Juergen@Example.org>',
  'To: "Doe, Jane" <jane@example.org>, team: bob@example.org, carl@example.org;',
  'Cc: jane@example.org, (nobody) dora@example.org',
  'Bcc: hidden@example.org',
  'Subject: =?utf-8?b?UGzDpG5l?= for',
  ' the release',
  'Date: Fri, 02 Jan 2026 04:05:06 +0100',
  'Message-ID: <root@example.org>',
  'X-Priority: 1 (Highest)',
  'Disposition-Notification-To: juergen@example.org',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Wir verschieben die Ver=C3=B6ffentlichung.',
].join('\r\n');
const REPLY = [
  'From: bob@example.org',
  'To: juergen@example.org',
  'References: <root@example.org> <x@y>',
  'Message-ID: <r1@example.org>',
  'Date: 3 Jan 2026 10:00 GMT',
  '',
  'ok',
].join('\n');
const DEEP = ['From: dora@example.org', 'To: bob@example.org', 'In-Reply-To: <r1@example.org>', 'Message-ID: <r2@example.org>', '', 'me too'].join('\n');

async function expectMail(project: string): Promise<void> {
  expect(
    rows(`SELECT a.name, m.subject, m.body_md, m.importance, m.ack_required, m.created_ts, m.thread_id FROM messages m LEFT JOIN agents a ON a.id = m.sender_id
          WHERE source_key = 'root@example.org'`),
  ).toEqual([
    [
      'juergen@example.org',
      'Pläne for the release',
      'Wir verschieben die Veröffentlichung.',
      'high',
      1,
      Date.UTC(2026, 0, 2, 3, 5, 6) * 1000,
      'root@example.org',
    ],
  ]);
  expect(rows('SELECT DISTINCT thread_id FROM messages')).toEqual([['root@example.org']]);
  expect(
    rows(`SELECT a.name, r.kind FROM message_recipients r JOIN agents a ON a.id = r.agent_id JOIN messages m ON m.id = r.message_id
          WHERE m.source_key = 'root@example.org' ORDER BY a.name`),
  ).toEqual([
    ['bob@example.org', 'to'],
    ['carl@example.org', 'to'],
    ['dora@example.org', 'cc'],
    ['hidden@example.org', 'bcc'],
    ['jane@example.org', 'to'],
  ]);
  expect(rows(`SELECT name, task_description FROM agents WHERE task_description <> '' ORDER BY name`)).toEqual([
    ['jane@example.org', 'Doe, Jane'],
    ['juergen@example.org', 'Jürgen'],
  ]);
  expect(rows('SELECT slug FROM projects')).toEqual([[project]]);
}

describe('an import of mail', () => {
  it('reads a Maildir: threads from References, recipients from To, Cc and Bcc, one project', async () => {
    const maildir = join(directory, 'release');
    for (const folder of ['new', 'cur', 'tmp']) await mkdir(join(maildir, folder), { recursive: true });
    await writeFile(join(maildir, 'cur', 'a:2,S'), MAIL);
    await writeFile(join(maildir, 'cur', 'b:2,S'), REPLY);
    await writeFile(join(maildir, 'cur', 'empty:2,S'), '');
    const { counts, told } = await run(maildir);
    await writeFile(join(maildir, 'new', 'c'), DEEP);
    expect(counts.inserted).toBeGreaterThan(1);
    expect(told).toEqual([expect.stringMatching(/^message \d: it has no header$/)]);
    await run(maildir);
    await expectMail('release');
    expect((await run(maildir)).counts).toMatchObject({ inserted: 0, updated: 0 });
  });

  it('leaves out what no job could carry, and never the mails beside it', async () => {
    const mbox = join(directory, 'odd.mbox');
    const entry = (id: string, to: string, body = 'x'): string => `From a Fri Jan  2 04:05:06 2026\nMessage-ID: <${id}>\nTo: ${to}\n\n${body}\n\n`;
    const crowd = Array.from({ length: 1500 }, (_, i) => `"Person ${i}" <p${i}@x>`).join(', ');
    await writeFile(mbox, entry('a@x', crowd) + entry('b@x', 'nul\0l@x, ok@x') + entry('c@x', 'ok@x', '\u0001'.repeat(2_000_000)) + entry('d@x', 'ok@x'));
    const { told, finished } = await run(mbox);
    expect({ told, finished }).toEqual({ told: [expect.stringMatching(/too large/)], finished: true });
    expect(rows('SELECT source_key, (SELECT count(*) FROM message_recipients WHERE message_id = m.id) FROM messages m ORDER BY id')).toEqual([
      ['a@x', 1000],
      ['b@x', 1],
      ['d@x', 1],
    ]);
  });

  it('takes what the HTML says where a mail has no plain text', async () => {
    const mbox = join(directory, 'html.mbox');
    const html =
      '<html><head><title>no</title><style>p { x }</style></head><!-- not this --><body><p>Build <b>failed</b>&nbsp;&amp; stopped</p>Caf&#233;<br>1 < 2</body></html>';
    const head = ['From a Fri Jan  2 04:05:06 2026', 'Message-ID: <h@x>', 'MIME-Version: 1.0'];
    const parts = [
      'Content-Type: multipart/alternative; boundary=B',
      '',
      '--B',
      'Content-Type: text/plain',
      '',
      ' ',
      '--B',
      'Content-Type: text/html; charset=utf-8',
      '',
      html,
      '--B--',
    ];
    await writeFile(mbox, [...head, ...parts, ''].join('\n'));
    await run(mbox);
    expect(rows('SELECT body_md FROM messages')).toEqual([['Build failed & stopped\nCafé\n1 < 2']]);
  });

  it('reads an mbox, goes on behind its last message, and begins anew when messages were taken out', async () => {
    const mbox = join(directory, 'release.mbox');
    const entry = (mail: string): string => `From someone Fri Jan  2 04:05:06 2026\n${mail.replaceAll('\r\n', '\n')}\n\n`;
    await writeFile(mbox, entry(MAIL) + entry(REPLY));
    expect((await run(mbox)).items).toBe(3);
    await appendFile(mbox, entry(DEEP));
    expect((await run(mbox)).items).toBe(2);
    await expectMail('release');
    await writeFile(mbox, entry(REPLY) + entry(DEEP) + entry(DEEP.replace('r2@', 'r3@')));
    expect((await run(mbox)).items).toBe(4);
    expect(rows('SELECT count(*) FROM messages')).toEqual([[4]]);
  });
});

describe('an import of the database of an agent-mail server', () => {
  it('brings projects, agents, products, contacts and messages with their ids, in both forms of time', async () => {
    const file = join(directory, 'storage.sqlite3');
    const db = new Database(file);
    db.exec(`
      CREATE TABLE projects (id INTEGER PRIMARY KEY, slug TEXT, human_key TEXT, created_at);
      CREATE TABLE agents (id INTEGER PRIMARY KEY, project_id INT, name TEXT, program TEXT, model TEXT, task_description TEXT, inception_ts, last_active_ts, contact_policy TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, project_id INT, sender_id INT, thread_id TEXT, subject TEXT, body_md TEXT, importance TEXT, ack_required INT, created_ts, attachments TEXT);
      CREATE TABLE message_recipients (message_id INT, agent_id INT, kind TEXT, read_ts, ack_ts);
      CREATE TABLE products (id INTEGER PRIMARY KEY, product_uid TEXT, name TEXT, created_at);
      CREATE TABLE product_project_links (id INTEGER PRIMARY KEY, product_id INT, project_id INT, created_at);
      CREATE TABLE agent_links (id INTEGER PRIMARY KEY, a_project_id INT, a_agent_id INT, b_project_id INT, b_agent_id INT, status TEXT, reason TEXT, expires_ts);
      INSERT INTO projects VALUES (7, 'backend', '/srv/backend', 1700000000000000), (8, 'web', '/srv/web', '2025-01-02 03:04:05.123456');
      INSERT INTO agents VALUES (3, 7, 'BlueLake', 'codex', 'gpt', 'parsers', 1, 2, 'contacts_only'), (4, 8, 'RedStone', '', '', '', 1, 2, 'auto');
      INSERT INTO messages VALUES (11, 7, 3, NULL, 'plan', 'body', 'urgent', 1, 1700000000000001, '[]'), (12, 8, 99, '11', 're: plan', 'ok', 'odd', 0, '2025-01-02 03:04:05.123456', 'x');
      INSERT INTO messages VALUES (13, 99, 3, NULL, 'lost', '', 'low', 0, 5, '[]');
      INSERT INTO message_recipients VALUES (11, 4, 'bcc', NULL, NULL);
      INSERT INTO products VALUES (1, 'a1b2', 'Suite', 5);
      INSERT INTO product_project_links VALUES (1, 1, 7, 5), (2, 1, 8, 5);
      INSERT INTO agent_links VALUES (1, 7, 3, 8, 4, 'approved', 'why', NULL);
    `);
    db.close();
    const { told, finished } = await run(file);
    expect({ told, finished }).toEqual({ told: [expect.stringMatching(/^message 13: /)], finished: true });
    expect(rows('SELECT m.id, a.name, thread_id, importance, created_ts FROM messages m LEFT JOIN agents a ON a.id = m.sender_id ORDER BY m.id')).toEqual([
      [11, 'BlueLake', null, 'urgent', 1_700_000_000_000_001],
      [12, null, '11', 'normal', Date.UTC(2025, 0, 2, 3, 4, 5) * 1000 + 123_456],
    ]);
    expect(rows('SELECT contact_policy, model FROM agents ORDER BY name')).toEqual([
      ['contacts_only', 'gpt'],
      ['auto', ''],
    ]);
    expect(rows('SELECT count(*) FROM product_project_links')).toEqual([[2]]);
    expect(rows('SELECT status, reason FROM agent_links')).toEqual([['approved', 'why']]);
    expect((await run(file)).counts).toMatchObject({ inserted: 0, updated: 0, refused: 0 });
  });

  it('says what is no source', async () => {
    await expect(openImport(join(directory, 'none'), wish(), READER)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(openImport(directory, wish(), READER)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const other = join(directory, 'other.db');
    new Database(other).exec('CREATE TABLE t (a)').close();
    await expect(openImport(other, wish(), READER)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const views = join(directory, 'views.db');
    const endless = 'WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n';
    new Database(views).exec(['projects', 'agents', 'messages', 'message_recipients'].map((name) => `CREATE VIEW ${name} AS ${endless};`).join('')).close();
    await expect(openImport(views, wish(), READER)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('no table projects') });
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const format of [undefined, 'jsonl', 'agent-mail'] as const)
      await expect(openImport(pipe, { ...wish(), ...(format === undefined ? {} : { format }) }, READER)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
