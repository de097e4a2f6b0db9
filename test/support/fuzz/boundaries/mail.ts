import { closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createMboxReader } from '../../../../src/adapters/mail/mbox-reader.ts';
import { readHead } from '../../../../src/executors/search/emails/head.ts';
import { bodyText, matchOf } from '../../../../src/executors/search/emails/match.ts';
import { createNeedle } from '../../../../src/executors/search/emails/needle.ts';
import { openJsonl } from '../../../../src/messages/import/jsonl.ts';
import { type Boundary, FuzzFault, shown } from '../boundary.ts';
import { scratch } from '../scratch.ts';

const WORDS = [
  'From: ',
  'To: ',
  'Subject: ',
  'Content-Type: ',
  'multipart/mixed; boundary="b"',
  'text/html',
  'text/plain; charset=',
  'utf-8',
  'utf-16',
  'iso-2022-jp',
  'x-unknown',
  'Content-Transfer-Encoding: ',
  'base64',
  'quoted-printable',
  '=?utf-8?q?',
  '=?=',
  '?=',
  '=E9',
  '=\n',
  '--b',
  '--b--',
  '\r\n\r\n',
  '<script>',
  '&#x110000;',
  '<!--',
  'format=flowed; delsp=yes',
  '\nFrom ',
  '\n>From ',
];
const MAILS = [
  'From: A <a@x>\r\nTo: b@y, "C, D" <c@z>\r\nSubject: =?utf-8?b?aMOpbGxv?= needle\r\nMessage-ID: <1@x>\r\nDate: Fri, 27 Nov 2026 10:00:00 +0100\r\n\r\nThe needle is here.\r\n',
  'From: a@x\nContent-Type: multipart/alternative; boundary="b"\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nn=E9edle=\n needle\n--b\nContent-Type: text/html\n\n<p>needle &amp; <b>more</b>\n--b--\n',
  'Subject: x\nContent-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: message/rfc822\n\nSubject: inner needle\nContent-Transfer-Encoding: base64\n\nbmVlZGxl\n--o--\n',
];

/** A mail as the search executor takes it apart; with and without short cuts the same is found. */
export const mail: Boundary = {
  shape: 'bytes',
  what: 'mail: headers, parts, charsets, and what a search finds in it',
  boundMs: 3000,
  async open() {
    const needle = createNeedle('needle');
    return {
      seeds: MAILS,
      words: WORDS,
      run(input) {
        const head = readHead(input, 0, () => false);
        const found = matchOf(input, head, needle);
        const body = bodyText(input, head);
        if (found === undefined && body.includes('needle')) throw new FuzzFault('a short cut overlooks what the body says');
        return found === undefined ? 'nothing' : 'ok';
      },
    };
  },
};

/** A mailbox in one file. */
export const mbox: Boundary = {
  shape: 'bytes',
  what: 'mailboxes in one file (mbox)',
  weight: 0.2,
  async open() {
    const { home, remove } = scratch('mbox');
    const file = path.join(home, 'box');
    const box = MAILS.map((text) => `From a@b Sat Jan  3 01:05:34 1996\n${text}\n`).join('');
    return {
      seeds: [box],
      words: WORDS,
      async run(input) {
        writeFileSync(file, input);
        const fd = openSync(file, 'r');
        try {
          let count = 0;
          for (const message of createMboxReader(fd).messages()) {
            if (!Buffer.isBuffer(message)) for await (const piece of message) void piece;
            count += 1;
          }
          return count > 0 ? 'ok' : 'empty';
        } catch (error) {
          if ((error as { code?: unknown }).code === 'NOT_AN_MBOX') return 'NOT_AN_MBOX';
          throw error;
        } finally {
          closeSync(fd);
        }
      },
      close: remove,
    };
  },
};

/** Messages to be imported, as JSON Lines. */
export const messageLines: Boundary = {
  shape: 'bytes',
  what: 'messages to import, as JSON Lines',
  weight: 0.5,
  async open() {
    const { home, remove } = scratch('jsonl');
    const file = path.join(home, 'mail.jsonl');
    const ops = [
      {
        op: 'message',
        project: 'backend',
        key: 'k',
        from: 'BlueLake',
        to: ['GreenHill', { project: 'x', name: 'y', read_ts: 1 }],
        subject: 's',
        body_md: 'b',
        created_ts: '2026-01-01T00:00:00Z',
      },
      { op: 'delete', project: 'backend', key: 'k' },
      { op: 'project', slug: 'backend', human_key: '/x' },
      { from: 'A', to: ['B'], subject: 's', body_md: 'x' },
    ];
    return {
      seeds: [ops.map((op) => JSON.stringify(op)).join('\n')],
      words: ['"op":', '"message"', '"delete"', '"created_ts":', '"importance":"high"', '"to":[]', '\n', '{', '}', 'null', '1e400'],
      async run(input) {
        writeFileSync(file, input);
        const source = await openJsonl(file, 'backend');
        try {
          let [good, bad] = [0, 0];
          for await (const record of source.records(undefined)) {
            if ('bad' in record && record.bad !== undefined) {
              shown(record.bad);
              bad += 1;
            } else good += 1;
          }
          return good > 0 ? 'ok' : bad > 0 ? 'bad' : 'empty';
        } finally {
          await source[Symbol.asyncDispose]();
        }
      },
      close: remove,
    };
  },
};
