import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImportSite, importSite } from './import-site.ts';

let site: ImportSite;
beforeEach(() => {
  site = importSite();
});
afterEach(() => site[Symbol.dispose]());

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
    site.rows(`SELECT a.name, m.subject, m.body_md, m.importance, m.ack_required, m.created_ts, m.thread_id FROM messages m LEFT JOIN agents a ON a.id = m.sender_id
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
  expect(site.rows('SELECT DISTINCT thread_id FROM messages')).toEqual([['root@example.org']]);
  expect(
    site.rows(`SELECT a.name, r.kind FROM message_recipients r JOIN agents a ON a.id = r.agent_id JOIN messages m ON m.id = r.message_id
          WHERE m.source_key = 'root@example.org' ORDER BY a.name`),
  ).toEqual([
    ['bob@example.org', 'to'],
    ['carl@example.org', 'to'],
    ['dora@example.org', 'cc'],
    ['hidden@example.org', 'bcc'],
    ['jane@example.org', 'to'],
  ]);
  expect(site.rows(`SELECT name, task_description FROM agents WHERE task_description <> '' ORDER BY name`)).toEqual([
    ['jane@example.org', 'Doe, Jane'],
    ['juergen@example.org', 'Jürgen'],
  ]);
  expect(site.rows('SELECT slug FROM projects')).toEqual([[project]]);
}

describe('an import of mail', () => {
  it('reads a Maildir: threads from References, recipients from To, Cc and Bcc, one project', async () => {
    const maildir = join(site.directory, 'release');
    for (const folder of ['new', 'cur', 'tmp']) await mkdir(join(maildir, folder), { recursive: true });
    await writeFile(join(maildir, 'cur', 'a:2,S'), MAIL);
    await writeFile(join(maildir, 'cur', 'b:2,S'), REPLY);
    await writeFile(join(maildir, 'cur', 'empty:2,S'), '');
    const { counts, told } = await site.run(maildir);
    await writeFile(join(maildir, 'new', 'c'), DEEP);
    expect(counts.inserted).toBeGreaterThan(1);
    expect(told).toEqual([expect.stringMatching(/^message \d: it has no header$/)]);
    await site.run(maildir);
    await expectMail('release');
    expect((await site.run(maildir)).counts).toMatchObject({ inserted: 0, updated: 0 });
  });

  it('leaves out what no job could carry, and never the mails beside it', async () => {
    const mbox = join(site.directory, 'odd.mbox');
    const entry = (id: string, to: string, body = 'x'): string => `From a Fri Jan  2 04:05:06 2026\nMessage-ID: <${id}>\nTo: ${to}\n\n${body}\n\n`;
    const crowd = Array.from({ length: 1500 }, (_, i) => `"Person ${i}" <p${i}@x>`).join(', ');
    await writeFile(mbox, entry('a@x', crowd) + entry('b@x', 'nul\0l@x, ok@x') + entry('c@x', 'ok@x', '\u0001'.repeat(2_000_000)) + entry('d@x', 'ok@x'));
    const { told, finished } = await site.run(mbox);
    expect({ told, finished }).toEqual({ told: [expect.stringMatching(/too large/)], finished: true });
    expect(site.rows('SELECT source_key, (SELECT count(*) FROM message_recipients WHERE message_id = m.id) FROM messages m ORDER BY id')).toEqual([
      ['a@x', 1000],
      ['b@x', 1],
      ['d@x', 1],
    ]);
  });

  it('takes what the HTML says where a mail has no plain text', async () => {
    const mbox = join(site.directory, 'html.mbox');
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
    await site.run(mbox);
    expect(site.rows('SELECT body_md FROM messages')).toEqual([['Build failed & stopped\nCafé\n1 < 2']]);
  });

  it('reads an mbox, goes on behind its last message, and begins anew when messages were taken out', async () => {
    const mbox = join(site.directory, 'release.mbox');
    const entry = (mail: string): string => `From someone Fri Jan  2 04:05:06 2026\n${mail.replaceAll('\r\n', '\n')}\n\n`;
    await writeFile(mbox, entry(MAIL) + entry(REPLY));
    expect((await site.run(mbox)).items).toBe(2);
    // What the mailbox has, however often it is imported: its project is no mail.
    for (let run = 0; run < 2; run += 1) expect((await site.run(mbox)).items).toBe(0);
    expect(site.rows('SELECT items, bad, finished FROM imports')).toEqual([[2, 0, 1]]);
    await appendFile(mbox, entry(DEEP));
    expect((await site.run(mbox)).items).toBe(1);
    expect(site.rows('SELECT items FROM imports')).toEqual([[3]]);
    await expectMail('release');
    await writeFile(mbox, entry(REPLY) + entry(DEEP) + entry(DEEP.replace('r2@', 'r3@')));
    expect((await site.run(mbox)).items).toBe(3);
    expect(site.rows('SELECT count(*) FROM messages')).toEqual([[4]]);
  });

  it('sees a message of an mbox that has taken the place of another one before its position, and one that is no longer too large', async () => {
    const mbox = join(site.directory, 'release.mbox');
    const entry = (id: string, body = 'x'): string => `From a Fri Jan  2 04:05:06 2026\nMessage-ID: <${id}@x>\nTo: ok@x\n\n${body}\n\n`;
    await writeFile(mbox, entry('a') + entry('b', 'x'.repeat(5 * 1024 * 1024)) + entry('c'));
    for (let i = 0; i < 2; i += 1) expect(await site.run(mbox)).toMatchObject({ bad: 1, told: ['message 2: it has more than 4 MiB'] });
    await writeFile(mbox, entry('a') + entry('b') + entry('c'));
    expect(await site.run(mbox)).toMatchObject({ bad: 0, counts: { inserted: 1 } });
    await writeFile(mbox, entry('d') + entry('b') + entry('c'));
    expect(await site.run(mbox)).toMatchObject({ counts: { inserted: 1 } });
    expect(site.rows('SELECT source_key FROM messages ORDER BY source_key').flat()).toEqual(['a@x', 'b@x', 'c@x', 'd@x']);
  });
});
