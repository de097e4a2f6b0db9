import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRecords, type LineEnd } from '../../../../src/adapters/duckdb/csv-records.ts';

const CASES = ['LF', 'CRLF'] satisfies LineEnd[];
const parts = fc.array(fc.constantFrom('"', '""', ',', '\n', '\r\n', '\r', 'a', ' ', '"b"'), { maxLength: 14 }).map((all) => all.join(''));

/** What is wrong with the file, read through a window that gets `step` bytes at a time. */
function verdict(text: string, lineEnd: LineEnd, step: number, isThorough = false): string {
  const bytes = Buffer.from(text);
  let window = Buffer.alloc(0);
  try {
    for (let at = 0; at <= bytes.length + step - 1; at += step) {
      window = Buffer.concat([window, bytes.subarray(at, at + step)]);
      window = window.subarray(checkRecords(window, { columns: 2, lineEnd, isThorough }, false));
    }
    checkRecords(window, { columns: 2, lineEnd, isThorough }, true);
    return 'good';
  } catch (error) {
    return String(error);
  }
}

describe('the check of CSV records', () => {
  it('says the same wherever the file is cut', () => {
    fc.assert(
      fc.property(parts, fc.constantFrom(...CASES), fc.integer({ min: 1, max: 5 }), fc.boolean(), (text, lineEnd, step, isThorough) => {
        expect(verdict(text, lineEnd, step, isThorough)).toBe(verdict(text, lineEnd, text.length + 1, isThorough));
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves the record that is not complete to the next window', () => {
    const window = Buffer.from('k,a\n1,"x\n');
    expect(checkRecords(window, { columns: 2, lineEnd: 'LF', isThorough: false }, false)).toBe(4);
    expect(checkRecords(Buffer.from('1,x"\n'.slice(0, 3)), { columns: 2, lineEnd: 'LF', isThorough: false }, false)).toBe(0);
  });
});
