import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ITEM_BYTES, type RawItem } from '../../../../../src/surfaces/shared/input/raw-item.ts';
import { createDetectingFeeder, readItems, shapeOf } from '../../../../../src/surfaces/shared/input/read-items.ts';
import { liveBytes } from '../../../../support/live-bytes.ts';
import { cases } from '../../../../support/oracle-runs.ts';

function read(bytes: Uint8Array, cuts: readonly number[] = []): RawItem[] {
  const feeder = createDetectingFeeder();
  const items: RawItem[] = [];
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    items.push(...feeder.push(bytes.subarray(from, cut)));
    from = cut;
  }
  return [...items, ...feeder.push(bytes.subarray(from)), ...feeder.end()];
}

const texts = (input: string): (string | undefined)[] => read(Buffer.from(input)).map((item) => (item.kind === 'text' ? item.text : undefined));
const lines = (input: string): number[] => read(Buffer.from(input)).map(({ line }) => line);

const json = fc.dictionary(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.integer(), fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 })),
  { maxKeys: 4 },
);
const anyInput = fc.oneof(
  fc.array(json, { maxLength: 6 }).map((docs) => docs.map((doc) => JSON.stringify(doc)).join('\n')),
  fc.array(json, { maxLength: 6 }).map((docs) => JSON.stringify(docs)),
  fc.array(json, { maxLength: 6 }).map((docs) => JSON.stringify(docs, undefined, 2)),
  fc.array(json, { maxLength: 4 }).map((docs) => docs.map((doc) => JSON.stringify(doc, undefined, 2)).join('\n')),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc
    .array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', '\n', 'a', '{"a":1}', ' ', '\r\n', '\u00e9', '\ufeff'), { maxLength: 30 })
    .map((parts) => parts.join('')),
);

describe('the input of push', () => {
  it('gives the same items however the bytes are cut', () => {
    fc.assert(
      fc.property(anyInput, fc.array(fc.nat(400), { maxLength: 12 }), (input, cuts) => {
        const bytes = Buffer.from(input);
        const whole = read(bytes);
        expect(
          read(
            bytes,
            cuts.map((cut) => cut % (bytes.length + 1)),
          ),
        ).toEqual(whole);
        expect(
          read(
            bytes,
            Array.from(bytes, (_, at) => at),
          ),
        ).toEqual(whole);
      }),
      { numRuns: cases(100) },
    );
  });

  it('reads the same documents from lines, from an array and from printed JSON', () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 5 }), (docs) => {
        const expected = docs.map((doc) => JSON.stringify(doc));
        const parsed = (input: string): string[] => texts(input).map((text) => JSON.stringify(JSON.parse(text ?? 'null')));
        expect(parsed(expected.join('\n'))).toEqual(expected);
        expect(parsed(`${expected.join('\r\n')}\r\n\r\n`)).toEqual(expected);
        expect(parsed(JSON.stringify(docs))).toEqual(expected);
        expect(parsed(JSON.stringify(docs, undefined, 2))).toEqual(expected);
        // An empty object on the first line is a line of its own; no task is empty.
        const printed = docs.map((doc) => ({ task_id: 'a', ...doc }));
        expect(parsed(printed.map((doc) => JSON.stringify(doc, undefined, '\t')).join('\n\n'))).toEqual(printed.map((doc) => JSON.stringify(doc)));
      }),
      { numRuns: cases(40) },
    );
  });

  it('counts lines from 1 and passes over blank ones', () => {
    expect(lines('{"a":1}\n\n  \n{"b":2}')).toEqual([1, 4]);
    expect(lines('[\n  {"a":1},\n  {\n    "b":2}\n]')).toEqual([2, 3]);
  });

  it('goes on after a bad first line of NDJSON', () => {
    expect(texts('{"a": \n{"b":1}\n{"c":2}\n')).toEqual(['{"a":', '{"b":1}', '{"c":2}']);
    expect(texts('{"a": "x\n{"b":1}\n')).toEqual(['{"a": "x', '{"b":1}']);
    expect(texts('garbage\n{"b":1}\n')).toEqual(['garbage', '{"b":1}']);
  });

  it('tells a broken printed document once, not once per line', () => {
    expect(read(Buffer.from('{\n  "a": 1,\n  "b"\n}\n'))).toHaveLength(1);
    expect(read(Buffer.from('{\n  "a": {\n    "b": 1\n'))).toEqual([{ kind: 'problem', line: 1, message: 'is not complete: the input ends inside of it' }]);
  });

  it('says where an array breaks and what is not read', () => {
    expect(read(Buffer.from('[{"a":1}\n{"b":2}]'))).toEqual([
      { kind: 'text', line: 1, text: '{"a":1}' },
      { kind: 'problem', line: 2, message: 'has no comma between two items; the rest is not read' },
    ]);
    expect(read(Buffer.from('[{"a":1}'))).toContainEqual({ kind: 'problem', line: 1, message: 'the array is not closed' });
    expect(read(Buffer.from('[{"a":1}] {"b":2}'))).toContainEqual({
      kind: 'problem',
      line: 1,
      message: 'has text after the end of the array; the rest is not read',
    });
  });

  it('goes on behind what is no object in an array, however the input is cut', () => {
    const array = Buffer.from('[1, "a, ]\\" {", {"b":1},\n tru,, -1.5e3 ,{"c":2} , null]');
    const found = [
      { kind: 'problem', line: 1, message: 'is not a JSON object' },
      { kind: 'problem', line: 1, message: 'is not a JSON object' },
      { kind: 'text', line: 1, text: '{"b":1}' },
      { kind: 'problem', line: 2, message: 'is not a JSON object' },
      { kind: 'problem', line: 2, message: 'is empty: there is a comma without an item before it' },
      { kind: 'problem', line: 2, message: 'is not a JSON object' },
      { kind: 'text', line: 2, text: '{"c":2}' },
      { kind: 'problem', line: 2, message: 'is not a JSON object' },
    ];
    expect(read(array)).toEqual(found);
    for (const cut of array.keys()) expect(read(array, [cut])).toEqual(found);
    expect(read(Buffer.from('["a\n", {"b":1}]'))).toContainEqual({ kind: 'problem', line: 1, message: 'ends inside a string; the rest is not read' });
    expect(read(Buffer.from('[1'))).toContainEqual({ kind: 'problem', line: 1, message: 'the array is not closed' });
  });

  it('passes over a byte order mark and refuses what is not UTF-8', () => {
    expect(texts('\ufeff{"a":1}')).toEqual(['{"a":1}']);
    expect(read(Buffer.concat([Buffer.from('{"a":1}\n'), Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from('{"b":1}')]))).toEqual([
      { kind: 'text', line: 1, text: '{"a":1}' },
      { kind: 'problem', line: 2, message: 'is not UTF-8' },
      { kind: 'text', line: 3, text: '{"b":1}' },
    ]);
  });

  it('drops a line that is too long and goes on', () => {
    const long = `{"a":"${'x'.repeat(MAX_ITEM_BYTES)}"}`;
    for (const input of [`{"b":1}\n${long}\n{"c":1}`, `[{"b":1},\n${long},\n{"c":1}]`]) {
      const items = read(Buffer.from(input), [100, 5_000, 700_000]);
      expect(items.map(({ kind, line }) => `${kind} ${line}`)).toEqual(['text 1', 'problem 2', 'text 3']);
    }
  });

  it('decides by one item of input at most', () => {
    expect(shapeOf(Buffer.from('{"a":'), false)).toBeUndefined();
    expect(shapeOf(Buffer.concat([Buffer.from('{"a":\n'), Buffer.alloc(MAX_ITEM_BYTES, 0x20)]), false)).toBe('documents');
    expect(shapeOf(Buffer.alloc(MAX_ITEM_BYTES, 0x20), false)).toBe('lines');
  });

  it('reads 60000 lines without keeping them', async () => {
    const block = Buffer.from(Array.from({ length: 1_000 }, (_, at) => `{"task_id":"t${at}","filler":"${'x'.repeat(180)}"}\n`).join(''));
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let round = 0; round < 60; round += 1) yield block;
    }
    let count = 0;
    let most = 0;
    let looks = 0;
    const before = liveBytes();
    for await (const { items } of readItems(source())) {
      count += items.length;
      // To look is to collect all garbage of a process that has run many tests.
      if (count < 20_000 * (looks + 1)) continue;
      looks += 1;
      most = Math.max(most, liveBytes() - before);
    }
    expect([count, looks]).toEqual([60_000, 3]);
    // All lines together are 13 MB as bytes and more as strings; what is alive at once is one block's items.
    expect(most).toBeLessThan(8 * 1024 * 1024);
  });
});
