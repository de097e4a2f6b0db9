import { describe, expect, it } from 'vitest';
import { createRepeatedFaults, describeFault } from '../../../processors/repeated-faults.ts';
import { WritError } from '../../../src/core/errors.ts';

describe('crashes of a task', () => {
  it('are counted in a row, and apart for the same fault, whatever numbers it names', () => {
    const faults = createRepeatedFaults();
    const notes = [
      new WritError('INTERNAL', 'attempt 1 is not open'),
      new WritError('INTERNAL', 'attempt 2 is not open'),
      new TypeError('x'),
      new WritError('REDIS_UNAVAILABLE', 'away'),
      new TypeError('y'),
    ].map((error) => faults.note('a', error));
    expect(notes.map(({ inRow, same }) => [inRow, same])).toEqual([
      [1, 1],
      [2, 2],
      [3, 1],
      [4, 0],
      [5, 1],
    ]);
    expect(faults.note('b', new TypeError('x'))).toMatchObject({ inRow: 1, same: 1 });
    faults.forget('a');
    expect(faults.note('a', new TypeError('x'))).toMatchObject({ inRow: 1, same: 1 });
  });

  it.each<readonly [unknown, string]>([
    [new WritError('WRONG_STATE', 'our own sentence'), 'WRONG_STATE: our own sentence'],
    [new RangeError('of /srv/secret'), 'RangeError'],
    [Object.assign(new Error('of 10.0.0.7'), { code: 'SQLITE_MISMATCH' }), 'Error (SQLITE_MISMATCH)'],
    ['a text', 'something was thrown that is no error'],
  ])('are described without words of others: %s', (error, words) => {
    expect(describeFault(error)).toBe(words);
  });
});
