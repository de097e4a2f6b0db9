import { closeSync, openSync, writeSync } from 'node:fs';
import { createRandom, type Random } from '../../test/support/random.ts';
import { shuffled } from './shuffle.ts';
import { QUERIES, SEED } from './sizes.ts';

/** Columns of the data set with DuckDB's type of each. Four are text and searched. */
export const COLUMNS = { id: 'BIGINT', name: 'VARCHAR', email: 'VARCHAR', city: 'VARCHAR', note: 'VARCHAR', amount: 'DOUBLE' } as const;
export const KEY = 'id';
export const NUMERIC = ['id', 'amount'] as const;
/** In the order in which a record's fields are looked at: by name. */
export const TEXTS = ['city', 'email', 'name', 'note'] as const;

const MATCHES = 0.001;
const NAMES = 'Anna Bruno Chloé Dörte Emil Fatima Großmann Hana Iñigo Jürgen Kowalski Łucja Müller Nguyễn Oyelaran Petrov Qin Rossi Sørensen 田中'.split(' ');
const CITIES = ['Berlin', 'München', 'Kraków', 'Paris', 'São Paulo', '東京', 'Reykjavík', 'Oslo', 'Denver', 'Nairobi', 'Perth', 'Lima'];
const WORDS = 'paid open reminder shipped returned partial credit waiting approved second manual review late goods damaged, "urgent" größe café'.split(' ');
const CHUNK = 4 * 1024 * 1024;

/** Record `index` of `count` as a line of CSV. Keys are in no order, so sorting is work. */
function line(index: number, count: number, random: Random): string {
  const planted = random.number() < MATCHES ? random.pick(['city', 'note', 'note', 'note'] as const) : undefined;
  const first = random.pick(NAMES);
  const last = random.pick(NAMES);
  const city = `${random.pick(CITIES)}${planted === 'city' ? ` ${QUERIES.datasets}` : ''}`;
  const words = Array.from({ length: 2 + random.integer(6) }, () => random.pick(WORDS));
  if (planted === 'note') words.splice(random.integer(words.length), 0, QUERIES.datasets);
  const id = shuffled(index, count) + 1;
  return `${id},${first} ${last},user${id}@mail${random.integer(50)}.example,${city},${quoted(words.join(' '))},${random.integer(1_000_000) / 100}\n`;
}

/** RFC 4180. */
function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The file's text in pieces of some MiB. */
export function* csvOf(count: number): Generator<string, void, void> {
  const random = createRandom(SEED);
  let text = `${Object.keys(COLUMNS).join(',')}\n`;
  for (let index = 0; index < count; index += 1) {
    text += line(index, count, random);
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Returns its size in bytes. */
export function writeCsv(file: string, count: number): number {
  const fd = openSync(file, 'wx');
  let bytes = 0;
  try {
    for (const text of csvOf(count)) {
      const piece = Buffer.from(text);
      for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at);
      bytes += piece.length;
    }
  } finally {
    closeSync(fd);
  }
  return bytes;
}
