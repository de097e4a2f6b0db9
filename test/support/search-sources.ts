import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Sqlite } from '../../src/adapters/sqlite/driver.ts';
import { createRandom } from './random.ts';

/** Words in whose order code points, UTF-16 and the rules of languages differ, and which only some of these hold for equal. */
const WORDS = ['ä', 'a\u0308', 'z', 'Z', 'I', 'ı', 'i', 'ß', 'ss', '\uff5e', '\u{1f600}', '10', '9', 'é', 'e\u0301', 'ñ', '-', '_', 'å'];

/**
 * One source of each kind below `root`, always the same, but for the order in which everything is written.
 *
 * @param order seed of that order
 * @returns the scopes as `[search.scopes]` has them
 */
export function plantSearchSources(root: string, order: number): Record<string, Record<string, unknown>> {
  const random = createRandom(order);
  const records = WORDS.map((word, at) => ({
    id: at * 7 - 30,
    key: `${word}${at % 3}`,
    city: `${word} needle ${word}`,
    note: at % 2 === 0 ? `a needle "${word}", ${at}` : '',
  }));
  const shuffled = <T>(all: readonly T[]): T[] =>
    all
      .map((one) => ({ one, key: random.number() }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ one }) => one);
  const at = (...names: string[]): string => path.join(root, ...names);

  for (const directory of ['files', 'eml', 'maildir', 'maildir/new', 'maildir/cur', 'maildir/tmp']) mkdirSync(at(directory), { recursive: true });
  for (const word of shuffled(WORDS)) {
    mkdirSync(at('files', word), { recursive: true });
    for (const name of shuffled(WORDS)) writeFileSync(at('files', word, `${name} needle.txt`), '');
  }
  const mails = WORDS.map((word, n) => mailOf(word, n));
  for (const [n, mail] of shuffled([...mails.entries()])) {
    writeFileSync(at('eml', `${n}.eml`), mail);
    writeFileSync(at('maildir', n % 2 === 0 ? 'new' : 'cur', `${n}.m${n % 2 === 0 ? '' : ':2,S'}`), mail);
  }
  writeFileSync(
    at('mbox'),
    shuffled(mails)
      .map((mail) => `From a@b Sat Jan  3 01:05:34 1996\n${mail}\n`)
      .join(''),
  );

  const quoted = (value: string | number): string => `"${String(value).replaceAll('"', '""')}"`;
  writeFileSync(at('rows.csv'), ['id,key,city,note', ...shuffled(records).map((record) => Object.values(record).map(quoted).join(','))].join('\r\n'));
  // Their members come in any order as well.
  writeFileSync(
    at('rows.jsonl'),
    shuffled(records)
      .map((record) => `${JSON.stringify(Object.fromEntries(shuffled(Object.entries(record))))}\n`)
      .join(''),
  );
  const db = new Sqlite(at('rows.db'));
  db.exec(`CREATE TABLE t (${shuffled(['id INTEGER PRIMARY KEY', 'key TEXT', 'city TEXT', 'note TEXT']).join(', ')})`);
  for (const { id, key, city, note } of shuffled(records)) db.prepare('INSERT INTO t (id, key, city, note) VALUES (?, ?, ?, ?)').run(id, key, city, note);
  db.close();
  copyFileSync(fileURLToPath(new URL('../fixtures/datasets/text.parquet', import.meta.url)), at('rows.parquet'));

  const dataset = { kind: 'datasets', primary_key: 'key' };
  return {
    files: { kind: 'files', path: at('files') },
    eml: { kind: 'emails', store: 'eml', path: at('eml') },
    maildir: { kind: 'emails', store: 'maildir', path: at('maildir') },
    mbox: { kind: 'emails', store: 'mbox', path: at('mbox') },
    csv: { ...dataset, format: 'csv', path: at('rows.csv'), numeric: ['id'] },
    'csv-by-id': { ...dataset, format: 'csv', path: at('rows.csv'), primary_key: 'id', numeric: ['id'] },
    jsonl: { ...dataset, format: 'jsonl', path: at('rows.jsonl') },
    sqlite: { ...dataset, format: 'sqlite', path: at('rows.db'), table: 't' },
    'sqlite-by-id': { ...dataset, format: 'sqlite', path: at('rows.db'), table: 't', primary_key: 'id' },
    parquet: { ...dataset, format: 'parquet', path: at('rows.parquet') },
    gone: { kind: 'files', path: at('gone') },
    broken: { ...dataset, format: 'csv', path: at('rows.csv'), primary_key: 'none' },
  };
}

/** Every third without a Message-ID, every fourth in the same second as the one before, every fifth without a date. */
function mailOf(word: string, n: number): string {
  const second = n % 4 === 3 ? n - 1 : n;
  const encoded = `=?utf-8?B?${Buffer.from(`${word} needle`).toString('base64')}?=`;
  return [
    ...(n % 5 === 4 ? [] : [`Received: from a by b; Thu, 1 Jan 2026 00:00:${String(second).padStart(2, '0')} +0000`]),
    ...(n % 3 === 2 ? [] : [`Message-ID: <${n % 7}@x>`]),
    `From: ${n % 2 === 0 ? encoded : 'Ann'} <ann@x>`,
    `Subject: ${n % 6 === 0 ? encoded : 'none'}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    `A needle in ${word}`,
    '',
  ].join('\n');
}
