import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { messagesOf, plantedWord } from '../../../bench/search-executor/mail/message.ts';
import { QUERIES } from '../../../bench/search-executor/sizes.ts';
import { startTestDovecot, type TestDovecot } from '../../support/dovecot.ts';
import type { BigSearch } from './measured.ts';

const MEBIBYTE = 1024 * 1024;
const SHOWN = 100;
const LINE = `${'QUJD'.repeat(19)}\n`;

/** One mbox: generated mail of about 8 KB each, and in its midst one message with an attachment of a tenth of all. */
export function mboxSearch(directory: string, bytes: number): BigSearch {
  const file = path.join(directory, 'mbox');
  const fd = openSync(file, 'wx');
  const found: { readonly at: number; readonly word: string }[] = [];
  let written = 0;
  let records = 0;
  let hasLarge = false;
  const write = (data: Buffer): void => {
    for (let at = 0; at < data.length; ) at += writeSync(fd, data, at);
    written += data.length;
  };
  for (const { raw, receivedAt, matches } of messagesOf(MAX_MESSAGES)) {
    if (matches && receivedAt !== undefined) found.push({ at: receivedAt, word: plantedWord(records) });
    write(Buffer.concat([FROM, raw, Buffer.from('\n')]));
    records += 1;
    if (!hasLarge && written > bytes / 2) {
      hasLarge = true;
      write(Buffer.concat([FROM, Buffer.from(largeHead('\n'))]));
      const block = Buffer.from(LINE.repeat(MEBIBYTE / LINE.length));
      for (let size = 0; size < bytes / 10; size += block.length) write(block);
      write(Buffer.from('--b1--\n\n'));
    }
    if (written >= bytes) break;
  }
  closeSync(fd);
  found.sort((a, b) => a.at - b.at);
  return {
    name: 'mbox',
    scope: { kind: 'emails', store: 'mbox', path: file },
    query: QUERIES.emails,
    maxResults: SHOWN,
    bytes: written,
    records: records + 1,
    expected: { count: found.length, first: found.slice(0, SHOWN).map(({ word }) => word) },
    look: 'words',
  };
}

/** Times of receipt are spread over so many, whatever is written of them. */
const MAX_MESSAGES = 1_000_000;
const FROM = Buffer.from('From sender@example.org Sat Nov 21 08:00:00 2026\n');

function largeHead(end: string): string {
  const lines = ['From: a@example.com', 'Subject: large', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary="b1"', '', '--b1'];
  const parts = ['Content-Type: text/plain', '', 'see attachment', '--b1', 'Content-Type: application/pdf', 'Content-Transfer-Encoding: base64', '', ''];
  return [...lines, ...parts].join(end);
}

/** A mailbox on a real server: small messages, one of 60 MB with an attachment, and one of 24 MB of plain text. */
export async function imapSearch(messages: number): Promise<{ readonly search: BigSearch; readonly server: TestDovecot }> {
  const server = await startTestDovecot();
  const all = Array.from({ length: messages }, (_, n) => ({ raw: small(n), internalDate: new Date(1_700_000_000_000 + ((n * 7919) % messages) * 1000) }));
  const base64 = LINE.replace('\n', '\r\n');
  const attachment = `${largeHead('\r\n')}${base64.repeat(Math.ceil((60 * MEBIBYTE) / base64.length))}--b1--\r\n`;
  const text = `From: a@example.com\r\nSubject: text\r\n\r\n${'lorem ipsum dolor sit amet\r\n'.repeat((24 * MEBIBYTE) / 28)}the ${QUERIES.emails}-last word\r\n`;
  const after = (n: number): Date => new Date(1_700_000_000_000 + (messages + n) * 1000);
  await server.drop([...all, { raw: attachment, internalDate: after(0) }, { raw: text, internalDate: after(1) }]);
  const found = all.map(({ internalDate }, n) => ({ at: internalDate.getTime(), n })).filter(({ n }) => n % EVERY === 0);
  found.sort((a, b) => a.at - b.at);
  const words = [...found.map(({ n }) => plantedWord(n)), `${QUERIES.emails}-last`];
  const search: BigSearch = {
    name: 'imap',
    scope: server.scope(),
    query: QUERIES.emails,
    maxResults: 1000,
    bytes: all.reduce((sum, { raw }) => sum + raw.length, attachment.length + text.length),
    records: messages + 2,
    expected: { count: words.length, first: words },
    look: 'words',
  };
  return { search, server };
}

/** One message in this many matches. */
const EVERY = 50;

function small(n: number): string {
  const word = n % EVERY === 0 ? ` ${plantedWord(n)} ` : '';
  return `From: a@example.com\r\nMessage-ID: <${n}@x>\r\nSubject: message ${n}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${'lorem ipsum dolor sit amet\r\n'.repeat(n % 60)}${word}\r\n`;
}
