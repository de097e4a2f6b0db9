import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { MAX_RESULTS } from '../sizes.ts';
import { messagesOf, plantedWord } from './message.ts';

/** What both mailboxes hold, and what a search of them must answer. */
export interface MailFacts {
  readonly messages: number;
  readonly mboxBytes: number;
  readonly maildirBytes: number;
  /** Messages to be found, and the planted words of the first of them by time of receipt. */
  readonly matches: number;
  readonly first: readonly string[];
}

/** One in this many messages is not read yet. */
const NEW_EVERY = 50;

/** The same messages as `<folder>/mbox` and as the Maildir `<folder>/maildir`. */
export function writeMail(folder: string, count: number): MailFacts {
  const maildir = path.join(folder, 'maildir');
  for (const name of ['new', 'cur', 'tmp']) mkdirSync(path.join(maildir, name), { recursive: true });
  const mbox = openSync(path.join(folder, 'mbox'), 'wx');
  const found: { receivedAt: number; word: string }[] = [];
  let mboxBytes = 0;
  let maildirBytes = 0;
  let index = 0;
  try {
    for (const { raw, receivedAt, matches } of messagesOf(count)) {
      if (matches && receivedAt !== undefined) found.push({ receivedAt, word: plantedWord(index) });
      mboxBytes += append(mbox, Buffer.concat([Buffer.from('From sender@example.org Sat Nov 21 08:00:00 2026\n'), raw, Buffer.from('\n')]));
      writeFileSync(path.join(maildir, placeOf(index)), raw, { flag: 'wx' });
      maildirBytes += raw.length;
      index += 1;
    }
  } finally {
    closeSync(mbox);
  }
  found.sort((a, b) => a.receivedAt - b.receivedAt);
  return { messages: count, mboxBytes, maildirBytes, matches: found.length, first: found.slice(0, MAX_RESULTS).map(({ word }) => word) };
}

function placeOf(index: number): string {
  const unique = `${1_704_067_200 + index}.M${index}P77.mail`;
  return index % NEW_EVERY === 0 ? path.join('new', unique) : path.join('cur', `${unique}:2,S`);
}

function append(fd: number, bytes: Buffer): number {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  return bytes.length;
}
