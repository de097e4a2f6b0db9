import { compareCodePoints } from '../../../core/code-points.ts';
import type { DatasetKey } from '../../../core/ports/dataset-source.ts';
import { ScanError } from '../scan-error.ts';

/**
 * The one written form of a primary key, which is the id of a hit: text as it stands; a whole number in plain digits
 * (1.0, 1e0 and 1 are all `1`, -0 is `0`); any other number in the shortest form that reads back as the same double.
 */
export function keyText(key: DatasetKey): string {
  if (typeof key === 'string') return key;
  return typeof key === 'number' && Number.isInteger(key) ? BigInt(key).toString() : String(key);
}

/** Text by code points, numbers by their exact value. Keys of one data set are of one kind (`createKeyKindCheck`). */
export function compareKeys(a: DatasetKey, b: DatasetKey): number {
  if (typeof a === 'string') return typeof b === 'string' ? compareCodePoints(a, b) : 1;
  if (typeof b === 'string') return -1;
  // JavaScript compares a bigint and a double without rounding either.
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** Refuses a data set whose keys are text here and a number there (search-executor.md 7.3 asks for one order). */
export function createKeyKindCheck(): (isText: boolean) => void {
  let first: boolean | undefined;
  return (isText) => {
    first ??= isText;
    if (isText !== first) throw new ScanError('EXECUTION_FAILED', 'the primary key is text in some records and a number in others');
  };
}
