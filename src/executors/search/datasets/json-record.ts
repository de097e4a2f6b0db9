import type { DatasetKey } from '../../../core/ports/dataset-source.ts';
import { ScanError } from '../scan-error.ts';
import { membersOf } from './json-members.ts';

/** A record: the members of one JSON object. */
export type Row = Readonly<Record<string, unknown>>;

/** Digits that an integer key may have: more than any database's numbers, few enough to read quickly. */
export const MAX_DIGITS = 400;
const LONE_SURROGATE = /\p{Cs}/u;
/** Only an escape can write half of a surrogate pair: the bytes of a line are UTF-8. */
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/**
 * One line of a JSON Lines file.
 *
 * @param number of the line, from 1, for messages
 * @throws ScanError EXECUTION_FAILED for what is no JSON object, names a member twice, has a text that is no Unicode, or no
 *   usable key
 */
export function parseRecord(line: string, number: number, primaryKey: string): { row: Row; key: DatasetKey } {
  const row = parse(line, number);
  const members = membersOf(line, primaryKey);
  if (members.count !== Object.keys(row).length) throw broken(number, 'names a member twice');
  if (ESCAPED_SURROGATE.test(line) && hasLoneSurrogate(row)) throw broken(number, 'has a text with half of a surrogate pair');
  return { row, key: keyOf(Object.hasOwn(row, primaryKey) ? row[primaryKey] : undefined, members.value, number) };
}

function parse(line: string, number: number): Row {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw broken(number, 'is not JSON');
  }
  if (!isRow(value)) throw broken(number, 'is not a JSON object');
  return value;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** In any name or text, however deep: what UTF-8 cannot hold is corruption, whether it matches or not. */
function hasLoneSurrogate(row: Row): boolean {
  const rest: unknown[] = [row];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === 'string') {
      if (LONE_SURROGATE.test(value)) return true;
    } else if (typeof value === 'object' && value !== null) {
      // The names of an array are its numbers.
      for (const inner of [Object.keys(value), Object.values(value)].flat()) rest.push(inner);
    }
  }
  return false;
}

/** @param written the key's value as it stands in the line: a double would round large integers */
function keyOf(value: unknown, written: string, number: number): DatasetKey {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') throw broken(number, 'has no primary key that is text or a number');
  if (Number.isSafeInteger(value) && written.length <= 16) return value;
  if (/^-?[0-9]+$/.test(written)) {
    if (written.length > MAX_DIGITS) throw broken(number, 'has a primary key with too many digits');
    return BigInt(written);
  }
  if (!Number.isFinite(value)) throw broken(number, 'has a primary key that is too large');
  return value;
}

function broken(number: number, what: string): ScanError {
  return new ScanError('EXECUTION_FAILED', `line ${number} ${what}`);
}
