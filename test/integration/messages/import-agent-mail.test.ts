import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sqlite } from '../../../src/adapters/sqlite/driver.ts';
import { type ImportSite, importSite } from './import-site.ts';

let site: ImportSite;
beforeEach(() => {
  site = importSite();
});
afterEach(() => site[Symbol.dispose]());

describe('an import of the database of an agent-mail server', () => {
  it('brings projects, agents, products, contacts and messages with their ids, in both forms of time', async () => {
    const file = join(site.directory, 'storage.sqlite3');
    const db = new Sqlite(file);
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
      INSERT INTO message_recipients VALUES (11, 4, 'bcc', 1700000000000005, '2025-01-02 03:04:05.123456'), (12, 4, 'to', NULL, NULL);
      INSERT INTO products VALUES (1, 'a1b2', 'Suite', 5);
      INSERT INTO product_project_links VALUES (1, 1, 7, 5), (2, 1, 8, 5);
      INSERT INTO agent_links VALUES (1, 7, 3, 8, 4, 'approved', 'why', NULL);
    `);
    db.close();
    const { told, finished } = await site.run(file);
    expect({ told, finished }).toEqual({ told: [expect.stringMatching(/^message 13: /)], finished: true });
    expect(site.rows('SELECT m.id, a.name, thread_id, importance, created_ts FROM messages m LEFT JOIN agents a ON a.id = m.sender_id ORDER BY m.id')).toEqual([
      [11, 'BlueLake', null, 'urgent', 1_700_000_000_000_001],
      [12, null, '11', 'normal', Date.UTC(2025, 0, 2, 3, 4, 5) * 1000 + 123_456],
    ]);
    const receipts = [
      [11, 'bcc', 1_700_000_000_000_005, Date.UTC(2025, 0, 2, 3, 4, 5) * 1000 + 123_456],
      [12, 'to', null, null],
    ];
    expect(site.rows('SELECT message_id, kind, read_ts, ack_ts FROM message_recipients ORDER BY message_id')).toEqual(receipts);
    expect(site.rows('SELECT contact_policy, model FROM agents ORDER BY name')).toEqual([
      ['contacts_only', 'gpt'],
      ['auto', ''],
    ]);
    expect(site.rows('SELECT count(*) FROM product_project_links')).toEqual([[2]]);
    expect(site.rows('SELECT status, reason FROM agent_links')).toEqual([['approved', 'why']]);
    expect((await site.run(file)).counts).toMatchObject({ inserted: 0, updated: 0, refused: 0 });
  });

  it('loses no message for its id or its thread', async () => {
    const file = join(site.directory, 'odd.sqlite3');
    const db = new Sqlite(file);
    db.exec(`
      CREATE TABLE projects (id INTEGER PRIMARY KEY, slug TEXT, human_key TEXT, created_at);
      CREATE TABLE agents (id INTEGER PRIMARY KEY, project_id INT, name TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, project_id INT, sender_id INT, thread_id TEXT, subject TEXT, body_md TEXT, importance TEXT, ack_required INT, created_ts, attachments TEXT);
      CREATE TABLE message_recipients (message_id INT, agent_id INT, kind TEXT, read_ts, ack_ts);
      INSERT INTO projects VALUES (7, 'backend', '/srv/backend', 5);
      INSERT INTO agents VALUES (3, 7, 'BlueLake');`);
    const thread = 'br-'.repeat(500);
    const put = db.prepare(`INSERT INTO messages VALUES (?, 7, 3, ?, ?, '', 'low', 0, 5, '[]')`);
    const ids = [-9_223_372_036_854_775_808n, -1n, 0n, 4n, 9_007_199_254_740_991n, 9_007_199_254_740_992n, 9_007_199_254_740_993n];
    for (const id of ids) {
      put.run(id, id < 0n ? ' ' : `${thread}${id % 2n}`, `mail ${id}`);
      db.prepare(`INSERT INTO message_recipients VALUES (?, 3, 'to', NULL, NULL)`).run(id);
    }
    db.close();
    expect(await site.run(file)).toMatchObject({ told: [], finished: true });
    const rows = site.rows('SELECT m.subject, m.id, r.kind, m.thread_id FROM messages m JOIN message_recipients r ON r.message_id = m.id ORDER BY m.id');
    expect(rows.map(([subject, id, kind]) => [subject, id, kind])).toEqual([
      [`mail ${ids[0]}`, 1, 'to'],
      ['mail -1', 2, 'to'],
      ['mail 0', 3, 'to'],
      ['mail 4', 4, 'to'],
      ...ids.slice(4).map((id, at) => [`mail ${id}`, 5 + at, 'to']),
    ]);
    // Two long threads stay two, each of them one.
    const threads = rows.map(([, , , id]) => String(id));
    expect(threads.slice(0, 2)).toEqual(['null', 'null']);
    expect([new Set(threads.slice(2)).size, threads[2], threads.every((id) => id.length <= 1000)]).toEqual([2, threads[3], true]);
    expect((await site.run(file)).counts).toMatchObject({ inserted: 0, updated: 0, refused: 0 });
  });

  it('says what is no source', async () => {
    await expect(site.open(join(site.directory, 'none'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(site.open(site.directory)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const other = join(site.directory, 'other.db');
    new Sqlite(other).exec('CREATE TABLE t (a)').close();
    await expect(site.open(other)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const views = join(site.directory, 'views.db');
    const endless = 'WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n';
    new Sqlite(views).exec(['projects', 'agents', 'messages', 'message_recipients'].map((name) => `CREATE VIEW ${name} AS ${endless};`).join('')).close();
    await expect(site.open(views)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('no table projects') });
    const pipe = join(site.directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const format of [undefined, 'jsonl', 'agent-mail'] as const)
      await expect(site.open(pipe, { format })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
