import { compareCodePoints } from '../../../core/code-points.ts';
import type { DatasetKey } from '../../../core/ports/dataset-source.ts';
import { digitsEnd } from './json-grammar.ts';
import { MAX_DIGITS, parseRecord, type Row } from './json-record.ts';
import { createWalker, KIND } from './json-walk.ts';
import { keyText } from './keys.ts';

/** The record of one line at a time: what is asked after `read` is about its line. */
export interface RecordReader {
  /** Takes the line from `from` to `to`, where a line feed stands. Throws ScanError EXECUTION_FAILED for what is no record. */
  read(bytes: Buffer, from: number, to: number, number: number): void;
  hasTextKey(): boolean;
  key(): DatasetKey;
  /** The one written form of the key (`keyText`). */
  id(): string;
  /** The bytes of that form, good during the call. */
  writtenKey(use: (bytes: Uint8Array, from: number, to: number) => void): void;
  /** Whether a text field contains the query. */
  matches(): boolean;
  /** The first that does, in code point order of the names; only after `matches` said so. */
  field(): Field;
}

export interface Field {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads records as bytes and decodes only what is asked for. What the walker leaves open, oddities and malformed lines, is
 * parsed as a whole (`parseRecord`): both ways give the same answers.
 */
export function createRecordReader(primaryKey: string, query: string): RecordReader {
  const { walked, walk } = createWalker(primaryKey);
  const needle = Buffer.from(query);
  let bytes: Buffer = Buffer.alloc(0);
  let lineStart = 0;
  let lineEnd = 0;
  /** Where the query stands next in these bytes, as bytes. */
  let hit = -1;
  let parsed: { readonly row: Row; readonly key: DatasetKey } | undefined;
  let found: Field | undefined;
  /** Place of the member that matches. */
  let place = -1;

  function read(block: Buffer, from: number, to: number, number: number): void {
    if (bytes !== block) hit = -1;
    bytes = block;
    lineStart = from;
    lineEnd = to;
    parsed = walk(bytes, from) && isPlainKey() ? undefined : parseRecord(bytes.toString('utf8', from, to), number, primaryKey);
  }

  const start = (member: number): number => walked.starts[member] ?? 0;
  const end = (member: number): number => walked.ends[member] ?? 0;

  /** Whether the key's bytes are its written form. */
  function isPlainKey(): boolean {
    const { key } = walked.shape;
    if (key < 0 || walked.kinds[key] === KIND.text) return key >= 0;
    if (walked.kinds[key] !== KIND.number || end(key) - start(key) > MAX_DIGITS) return false;
    const isNegative = bytes[start(key)] === 0x2d;
    if (isNegative && bytes[start(key) + 1] === 0x30) return false;
    return digitsEnd(bytes, start(key) + (isNegative ? 1 : 0)) === end(key);
  }

  function hasTextKey(): boolean {
    return parsed === undefined ? walked.kinds[walked.shape.key] === KIND.text : typeof parsed.key === 'string';
  }

  function id(): string {
    return parsed === undefined ? bytes.toString('utf8', start(walked.shape.key), end(walked.shape.key)) : keyText(parsed.key);
  }

  function key(): DatasetKey {
    if (parsed !== undefined) return parsed.key;
    if (hasTextKey()) return id();
    return end(walked.shape.key) - start(walked.shape.key) <= EXACT_DIGITS ? Number(id()) : BigInt(id());
  }

  function writtenKey(use: (bytes: Uint8Array, from: number, to: number) => void): void {
    const written = parsed === undefined ? bytes : Buffer.from(keyText(parsed.key));
    if (parsed === undefined) use(written, start(walked.shape.key), end(walked.shape.key));
    else use(written, 0, written.length);
  }

  function matches(): boolean {
    if (parsed !== undefined) {
      found = firstMatch(parsed.row, query);
      return found !== undefined;
    }
    if (hit < lineStart) hit = next(bytes.indexOf(needle, lineStart));
    if (hit >= lineEnd && !walked.hasEscapes) return false;
    place = walked.shape.order.find(contains) ?? -1;
    return place >= 0;
  }

  /** Whether a member is a text with the query in it. Texts without escapes are UTF-8 as they stand, in which the same code points are the same bytes. */
  function contains(member: number): boolean {
    const kind = walked.kinds[member];
    if (kind === KIND.escaped) return textOf(member).includes(query);
    if (kind !== KIND.text || end(member) < hit + needle.length) return false;
    return start(member) <= hit || bytes.subarray(start(member), end(member)).includes(needle);
  }

  function textOf(member: number): string {
    if (walked.kinds[member] === KIND.text) return bytes.toString('utf8', start(member), end(member));
    return String(JSON.parse(bytes.toString('utf8', start(member) - 1, end(member) + 1)));
  }

  function field(): Field {
    if (parsed === undefined) return { name: walked.shape.names[place] ?? '', text: textOf(place) };
    return found ?? { name: '', text: '' };
  }

  return { read, hasTextKey, key, id, writtenKey, matches, field };
}

/** So many digits are exact in a double. */
const EXACT_DIGITS = 15;

function next(found: number): number {
  return found < 0 ? Number.POSITIVE_INFINITY : found;
}

function firstMatch(row: Row, query: string): Field | undefined {
  let first: Field | undefined;
  for (const [name, text] of Object.entries(row)) {
    if (typeof text !== 'string' || (first !== undefined && compareCodePoints(first.name, name) < 0)) continue;
    if (text.includes(query)) first = { name, text };
  }
  return first;
}
