import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareCodePoints } from '../../../../../src/core/code-points.ts';
import { scanJsonLines } from '../../../../../src/executors/search/datasets/json-lines.ts';
import { parseRecord } from '../../../../../src/executors/search/datasets/json-record.ts';
import { compareKeys, keyText } from '../../../../../src/executors/search/datasets/keys.ts';
import { ScanError } from '../../../../../src/executors/search/scan-error.ts';

const SCOPE = { kind: 'datasets', format: 'jsonl', path: 'rows', table: '', primaryKey: 'k', numeric: [] } as const;

/** Searches bytes that are read in chunks of `size`, all in one memory, as a file is. */
async function search(bytes: Buffer, size: number, query = 'a', maxResults = 3): Promise<unknown> {
  const memory = Buffer.alloc(size);
  async function* chunks(): AsyncIterable<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield memory.subarray(0, bytes.copy(memory, 0, at, at + size));
  }
  try {
    return await scanJsonLines({ open: async () => ({ ok: true, chunks, close: async () => undefined }) }, SCOPE, { query, maxResults });
  } catch (error) {
    if (error instanceof ScanError) return error.code;
    throw error;
  }
}

/** The same by parsing every line, with a list of everything. */
function plainly(bytes: Buffer, query = 'a', maxResults = 3): unknown {
  if (!isUtf8(bytes)) return 'EXECUTION_FAILED';
  const lines = bytes
    .toString()
    .replace(/^\ufeff/, '')
    .split('\n');
  try {
    const records = lines.filter((line) => /[^ \t\r]/.test(line)).map((line) => parseRecord(line, 1, 'k'));
    const ids = records.map(({ key }) => keyText(key));
    if (new Set(ids).size !== ids.length || new Set(records.map(({ key }) => typeof key === 'string')).size > 1) return 'EXECUTION_FAILED';
    const found = records.flatMap(({ row, key }) => {
      const field = Object.keys(row)
        .sort(compareCodePoints)
        .find((name) => typeof row[name] === 'string' && row[name].includes(query));
      return field === undefined ? [] : [{ key, hit: { id: keyText(key), match_field: field, match_snippet: row[field] } }];
    });
    return {
      count: found.length,
      hits: found
        .sort((a, b) => compareKeys(a.key, b.key))
        .map(({ hit }) => hit)
        .slice(0, maxResults),
    };
  } catch (error) {
    if (error instanceof ScanError) return error.code;
    throw error;
  }
}

const line = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(fc.nat(60), fc.constantFrom('a', 'xa', 'b', 'é', '\\u0061', '\\n')).map(([key, text]) => `{"k":${key},"t":"${text}"}`) },
  { weight: 3, arbitrary: fc.nat(60).map((key) => `{"u":"a","k":${key}.0, "t":"b"}`) },
  { weight: 3, arbitrary: fc.constantFrom('', ' ', '\t\r') },
  { weight: 1, arbitrary: fc.constantFrom('{"k":"1"}', '{"k":', '\0', '{"k":1}}', '\ufeff{"k":61}', '{"k":"\\ud800"}') },
);
const file = fc
  .tuple(
    fc.uniqueArray(line, { maxLength: 9, selector: (one) => /"k":\d+/.exec(one)?.[0] ?? one }),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\ufeff'),
    fc.nat(20),
  )
  .map(([lines, end, mark, last]) => {
    const bytes = Buffer.from(mark + lines.join(end) + (last % 2 === 0 ? end : ''));
    return last === 7 ? Buffer.concat([bytes, Buffer.from([0xc3])]) : bytes;
  });

describe('a search of JSON Lines', () => {
  it('answers like parsing every line, wherever the file is cut into chunks', { tags: ['SE-48', 'SE-49'] }, async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.integer({ min: 1, max: 80 }), async (bytes, size) => {
        expect(await search(bytes, size), bytes.toString()).toEqual(plainly(bytes));
      }),
      { numRuns: 120 },
    );
  });

  it('refuses a key that repeats however it is written', { tags: ['SE-48'] }, async () => {
    const pairs = [
      ['1', '1.0'],
      ['1', '1'],
      ['"a"', '"\\u0061"'],
      ['-0', '0'],
      ['12345678901234567168', '12345678901234567168.0'],
    ];
    for (const [one = '', other = ''] of pairs) {
      const between = one.startsWith('"') ? '"b"' : '2';
      expect(await search(Buffer.from(`{"k":${one}}\n{"k":${between}}\n{"k":${other}}`), 64)).toBe('EXECUTION_FAILED');
    }
  });

  it('refuses keys that are text here and a number there', { tags: ['SE-49'] }, async () => {
    expect(await search(Buffer.from('{"k":1}\n{"k":"1"}'), 64)).toBe('EXECUTION_FAILED');
  });

  it('refuses a line above 16 MiB before it is held as a whole', { tags: ['SE-69'] }, async () => {
    expect(await search(Buffer.alloc(17 * 1024 * 1024, '{'), 1024 * 1024)).toBe('RESOURCE_EXHAUSTED');
  });
});
