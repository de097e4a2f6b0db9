import { isUtf8 } from 'node:buffer';
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { Broken } from './layout.ts';

const readAt = promisify(read);
const LONGEST = 1024 * 1024;

/** Names of a CSV file's columns: its first record, at most 1 MiB long. Throws Broken. */
export async function readCsvHeader(fd: number): Promise<string[]> {
  const buffer = Buffer.alloc(LONGEST);
  let filled = 0;
  while (filled < LONGEST) {
    const { bytesRead } = await readAt(fd, buffer, filled, LONGEST - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
    // Nearly every header is in the first page.
    if (buffer.subarray(0, filled).includes(0x0a) && filled >= 65_536) break;
  }
  const bytes = buffer.subarray(0, filled);
  const end = recordEnd(bytes);
  if (end === undefined && filled === LONGEST) throw new Broken('the header row is longer than 1 MiB');
  const header = bytes.subarray(0, end ?? filled);
  if (!isUtf8(header)) throw new Broken('the header row is not UTF-8');
  return fieldsOf(header.toString('utf8').replace(/^\ufeff/u, ''));
}

/** Where the first line break outside of quotes is. */
function recordEnd(bytes: Buffer): number | undefined {
  let quoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === 0x22) quoted = !quoted;
    else if (!quoted && (bytes[at] === 0x0a || bytes[at] === 0x0d)) return at;
  }
  return undefined;
}

/** RFC 4180: fields between commas, plain or in quotes, with a quote doubled inside. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/uy;

function fieldsOf(record: string): string[] {
  const fields: string[] = [];
  if (record === '') throw new Broken('there is no header row');
  FIELD.lastIndex = 0;
  for (;;) {
    const match = FIELD.exec(record);
    if (match === null) throw new Broken('the header row is not CSV');
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') return fields;
  }
}
