import { isUtf8 } from 'node:buffer';
import { read } from 'node:fs';
import { promisify } from 'node:util';
import type { LineEnd } from './csv-records.ts';
import { BrokenDataSet } from './layout.ts';

const readAt = promisify(read);
const LONGEST = 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const MARK = Buffer.from('\ufeff');

export interface CsvHeader {
  readonly names: readonly string[];
  /** Where it begins: behind the mark of UTF-8, if there is one. */
  readonly start: number;
  /** How its line ends; every other must do so too. */
  readonly lineEnd: LineEnd;
}

/** A CSV file's first record, at most 1 MiB long: the names of its columns. Throws Broken. */
export async function readCsvHeader(fd: number): Promise<CsvHeader> {
  const buffer = Buffer.alloc(LONGEST);
  let filled = 0;
  while (filled < LONGEST) {
    const { bytesRead } = await readAt(fd, buffer, filled, LONGEST - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
    // Nearly every header is in the first page.
    if (buffer.subarray(0, filled).includes(LF) && filled >= 65_536) break;
  }
  const bytes = buffer.subarray(0, filled);
  const end = recordEnd(bytes);
  if (end === undefined && filled === LONGEST) throw new BrokenDataSet('the header row is longer than 1 MiB');
  const header = bytes.subarray(0, end ?? filled);
  if (!isUtf8(header)) throw new BrokenDataSet('the header row is not UTF-8');
  const start = header.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
  return { names: fieldsOf(header.toString('utf8', start)), start, lineEnd: end !== undefined && bytes[end] === CR ? 'CRLF' : 'LF' };
}

/** Where the first line break outside of quotes is. */
function recordEnd(bytes: Buffer): number | undefined {
  let quoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === 0x22) quoted = !quoted;
    else if (!quoted && (bytes[at] === LF || bytes[at] === CR)) return at;
  }
  return undefined;
}

/** RFC 4180: fields between commas, plain or in quotes, with a quote doubled inside. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/uy;

function fieldsOf(record: string): string[] {
  const fields: string[] = [];
  if (record === '') throw new BrokenDataSet('there is no header row');
  FIELD.lastIndex = 0;
  for (;;) {
    const match = FIELD.exec(record);
    if (match === null) throw new BrokenDataSet('the header row is not CSV');
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') return fields;
  }
}
