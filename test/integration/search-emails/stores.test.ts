import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMailFolderSource } from '../../../src/adapters/mail/index.ts';
import type { MailFolderScope } from '../../../src/core/ports/index.ts';
import { createEmailsScan } from '../../../src/executors/search/emails/scan.ts';
import { askPython } from '../../support/mail-oracle.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-mail-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const source = createMailFolderSource();
const imap = { open: async () => ({ ok: false, code: 'SCOPE_UNAVAILABLE', message: '' }) as const };
const scan = createEmailsScan({ folder: source, imap });
const scopeOf = (store: MailFolderScope['store'], place: string): MailFolderScope => ({ kind: 'emails', store, path: place });

const mail = (n: number, body = `needle ${n}`): string =>
  `Received: by b; Mon, 1 Jan 2024 00:00:${String(n % 60).padStart(2, '0')} +0000\nMessage-ID: <${n}@x>\nSubject: s\n\n${body}\n`;

async function found(store: MailFolderScope['store'], place: string, query = 'needle') {
  const { count, hits } = await scan(scopeOf(store, place), { query, maxResults: 1000 });
  expect(count).toBe(hits.length);
  return hits.map(({ id }) => id);
}

function maildir(): string {
  const place = path.join(root, 'Maildir');
  for (const folder of ['', 'cur', 'new', 'tmp', '.Sent', '.Sent/cur']) mkdirSync(path.join(place, folder));
  return place;
}

describe('a message with more text than a search holds', () => {
  const head = 'Received: by b; Mon, 1 Jan 2024 00:00:00 +0000\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n';
  const big = `${head}${`${'QUJD'.repeat(19)}\n`.repeat(450_000)}`;

  it.each([
    ['eml', () => root, 'big mail.eml', 'the file "big mail.eml"'],
    ['maildir', maildir, 'cur/1.a:2,S', 'the file "cur/1.a:2,S"'],
    ['mbox', () => path.join(root, 'mbox'), '', 'message 2 of the mbox'],
  ] as const)(
    'fails the search of a store of kind %s, which says which one it is and no place of the host',
    { tags: ['SE-69'] },
    async (store, make, name, who) => {
      const place = make();
      if (store === 'mbox') writeFileSync(place, `From a\n${mail(1)}\nFrom b\n${big}\nFrom c\n${mail(3)}`);
      else writeFileSync(path.join(place, name), big);
      const message = `${who} has more than 32 MiB of headers and plain text`;
      await expect(found(store, place)).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED', message });
    },
  );
});

describe('a Maildir', () => {
  it('is the messages in new and cur, nothing else', { tags: ['SE-15', 'SE-42'] }, async () => {
    const place = maildir();
    const put = (name: string, text: string) => writeFileSync(path.join(place, name), text);
    put('new/1.a', mail(1));
    put('cur/2.a:2,S', mail(2));
    put('tmp/3.a', mail(3));
    put('cur/.4.a', mail(4));
    put('.Sent/cur/5.a:2,S', mail(5));
    put('cur/.writ-tmp-6', mail(6));
    writeFileSync(path.join(root, 'outside'), mail(7));
    symlinkSync(path.join(root, 'outside'), path.join(place, 'cur/7.a:2,S'));
    mkdirSync(path.join(place, 'cur/8.a'));
    execFileSync('mkfifo', [path.join(place, 'cur/9.a')]);
    linkSync(path.join(place, 'cur/2.a:2,S'), path.join(place, 'cur/10.a:2,S'));
    writeFileSync(Buffer.concat([Buffer.from(`${place}/cur/`), Buffer.from([0xff, 0x3a, 0x32])]), mail(11));
    const ids = await found('maildir', place);
    expect(ids.map((id) => id.replace(/ sha256:[0-9a-f]{64}/, ' H'))).toEqual(['<1@x>', '<2@x> H', '<2@x> H.0000002', '<11@x>']);
  });

  it('counts a message once that a mail reader moves from new to cur meanwhile, and finds one whose flags change', async () => {
    const place = maildir();
    writeFileSync(path.join(place, 'new/1.a'), mail(1));
    for (let n = 2; n < 40; n += 1) writeFileSync(path.join(place, `cur/${n}.a:2,`), mail(n));
    const opened = await source.open(scopeOf('maildir', place));
    if (!opened.ok) throw new Error(opened.message);
    const subjects: string[] = [];
    for await (const { raw } of opened.messages) {
      if (!(raw instanceof Uint8Array)) throw new Error('whole messages were expected');
      subjects.push(/<\d+@x>/.exec(Buffer.from(raw).toString())?.[0] ?? '');
      if (subjects.length === 1) renameSync(path.join(place, 'new/1.a'), path.join(place, 'cur/1.a:2,S'));
      if (subjects.length === 2) {
        for (let n = 2; n < 40; n += 1) renameSync(path.join(place, `cur/${n}.a:2,`), path.join(place, `cur/${n}.a:2,S`));
      }
    }
    expect(subjects.toSorted()).toEqual(Array.from({ length: 39 }, (_, i) => `<${i + 1}@x>`).toSorted());
  });

  it('gives the same answer whatever the order of its directory', { tags: ['SE-61'] }, async () => {
    const answers = await Promise.all(
      [1, 7, 11].map(async (step) => {
        const place = path.join(root, String(step));
        for (const folder of ['', 'cur', 'new']) mkdirSync(path.join(place, folder));
        for (let i = 0; i < 60; i += 1) {
          const n = (i * step) % 60;
          writeFileSync(path.join(place, `cur/${step}.${n}`), mail(n % 20, `needle ${n % 30}`));
        }
        return found('maildir', place);
      }),
    );
    expect(new Set(answers[0]).size).toBe(60);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it.each([
    ['nothing there', (place: string) => place],
    ['a directory without cur and new', (place: string) => mkdirSync(place, { recursive: true }) ?? place],
    ['a file', (place: string) => writeFileSync(place, '') ?? place],
  ])('is unavailable: %s', { tags: ['SE-67'] }, async (_, make) => {
    await expect(found('maildir', make(path.join(root, 'x')))).rejects.toMatchObject({ code: 'SCOPE_UNAVAILABLE', message: expect.not.stringContaining(root) });
  });

  it('does not follow a link in the place of cur', async () => {
    const place = maildir();
    rmSync(path.join(place, 'cur'), { recursive: true });
    mkdirSync(path.join(root, 'elsewhere'));
    symlinkSync(path.join(root, 'elsewhere'), path.join(place, 'cur'));
    await expect(found('maildir', place)).rejects.toMatchObject({ code: 'SCOPE_UNAVAILABLE' });
  });
});

describe('a folder of .eml files', () => {
  it('is the files directly in it that end in .eml', { tags: ['SE-15', 'SE-42'] }, async () => {
    mkdirSync(path.join(root, 'sub'));
    for (const [n, name] of ['a.eml', 'b.EML', 'c.txt', 'sub/d.eml', '.writ-e.eml'].entries()) writeFileSync(path.join(root, name), mail(n));
    expect(await found('eml', root)).toEqual(['<0@x>', '<1@x>']);
    await expect(found('eml', path.join(root, 'none'))).rejects.toMatchObject({ code: 'SCOPE_UNAVAILABLE' });
  });
});

const mboxOf = (...messages: string[]): string => messages.map((text) => `From a@b Mon Jan  1 00:00:00 2024\n${text}\n`).join('');

async function messagesOf(bytes: string | Buffer): Promise<string[]> {
  const place = path.join(root, 'mbox');
  writeFileSync(place, bytes);
  const opened = await source.open(scopeOf('mbox', place));
  if (!opened.ok) throw new Error(opened.message);
  const all: string[] = [];
  for await (const { raw } of opened.messages) {
    if (raw instanceof Uint8Array) all.push(Buffer.from(raw).toString('latin1'));
    else {
      const pieces: Buffer[] = [];
      for await (const piece of raw) pieces.push(Buffer.from(piece));
      all.push(Buffer.concat(pieces).toString('latin1'));
    }
  }
  return all;
}

/** Python knows the empty line between messages only as LF, and takes CRLF for a part of the message. */
function withoutEmptyLine(text: string): string {
  return text.replace(/\r\n$/, '');
}

describe('an mbox', () => {
  it('undoes the quoting of both dialects, splits behind empty lines only, and does not believe Content-Length', async () => {
    const first = 'Content-Length: 3\n\nx\n>From a\n>>From b\n> From c\nFrom d\n';
    const unquoted = 'Content-Length: 3\n\nx\nFrom a\n>From b\n> From c\nFrom d\n';
    expect(await messagesOf(mboxOf(first, 'b\n'))).toEqual([unquoted, 'b\n']);
    const crlf = mboxOf(first, 'b\n').replaceAll('\n', '\r\n');
    expect(await messagesOf(crlf)).toEqual([unquoted, 'b\n'].map((text) => text.replaceAll('\n', '\r\n')));
  });

  it('is split like the mailbox package of Python splits it', async () => {
    const line = fc.constantFrom('', 'a', 'Subject: x', '>From a', '>>From b', '> From', 'Fro', 'x From c', 'From', '>');
    const messages = fc.array(
      fc.array(line, { maxLength: 8 }).map((lines) => `S: x\n${lines.map((text) => `${text}\n`).join('')}`),
      { minLength: 1, maxLength: 5 },
    );
    const samples = fc
      .sample(fc.tuple(messages, fc.boolean()), { numRuns: 200, seed: 3 })
      .map(([texts, crlf]) => (crlf ? mboxOf(...texts).replaceAll('\n', '\r\n') : mboxOf(...texts)));
    const { mboxes } = askPython({ mboxes: samples.map((text) => Buffer.from(text)) });
    for (const [i, text] of samples.entries()) {
      expect(await messagesOf(text), text).toEqual(mboxes[i]?.map((base64) => Buffer.from(base64, 'base64').toString('latin1')).map(withoutEmptyLine));
    }
  });

  it('reads messages across its window, large ones in pieces, also when they are passed over', async () => {
    const large = `Received: by b; Mon, 1 Jan 2024 00:00:00 +0000\nMessage-ID: <0@x>\n\n${`>From x\n${'line of text\n\n'.repeat(2000)}`.repeat(320)}needle\n`;
    const rest = Array.from({ length: 300 }, (_, n) => mail(n + 1, `needle\n${'y'.repeat(40 * n)}\n>From z`));
    const text = mboxOf(...rest, large, ...rest, large);
    const all = await messagesOf(text);
    expect(all.length).toBe(602);
    expect(all[300]).toBe(large.replaceAll('>From', 'From'));
    expect(all.at(-1)).toBe(large.replaceAll('>From', 'From'));
    const opened = await source.open(scopeOf('mbox', path.join(root, 'mbox')));
    if (!opened.ok) throw new Error(opened.message);
    let count = 0;
    for await (const _ of opened.messages) count += 1;
    expect(count).toBe(602);
  });

  it('may be empty; a file of another kind is corruption, a missing one is unavailable', { tags: ['SE-67', 'SE-68'] }, async () => {
    expect(await messagesOf('')).toEqual([]);
    expect(await messagesOf('\n\n')).toEqual([]);
    await expect(messagesOf('PK\x03\x04')).rejects.toMatchObject({ code: 'NOT_AN_MBOX' });
    await expect(found('mbox', root)).rejects.toMatchObject({ code: 'SCOPE_UNAVAILABLE' });
    await expect(found('mbox', path.join(root, 'none'))).rejects.toMatchObject({ code: 'SCOPE_UNAVAILABLE' });
  });
});
