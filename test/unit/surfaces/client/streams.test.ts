import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchesOf } from '../../../../src/surfaces/client/batches.ts';
import { linesOf } from '../../../../src/surfaces/client/lines.ts';
import { ndjsonOf } from '../../../../src/surfaces/client/ndjson.ts';
import { serverSentOf } from '../../../../src/surfaces/client/sse.ts';

/** The bytes of a text, cut wherever the numbers say, also inside a character and with empty pieces. */
async function* cut(text: string, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const borders = [0, ...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (const [index, from] of borders.slice(0, -1).entries()) yield bytes.slice(from, borders[index + 1]);
}
async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}
const cuts = fc.array(fc.nat(), { maxLength: 40 });
const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((line) => line.replace(/[\r\n\uFEFF]|\p{Surrogate}/gu, '·'));

describe('the stream readers', () => {
  it('find the same lines wherever the chunks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, fc.constantFrom('\n', '\r\n')), { maxLength: 8 }), cuts, async (lines, at) => {
        expect(await all(linesOf(cut(lines.flat().join(''), at)))).toEqual(lines.map(([line]) => line));
      }),
    );
  });

  it('read JSON lines wherever the chunks are cut, with or without a last end of line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ a: text, n: fc.integer() })), cuts, fc.boolean(), async (values, at, ended) => {
        const lines = values.map((value) => JSON.stringify(value)).join('\n') + (ended ? '\n' : '');
        expect(await all(ndjsonOf(cut(lines, at)))).toEqual(values);
      }),
    );
  });

  it('read server-sent events wherever the chunks are cut, with every kind of line end and comments in between', async () => {
    const event = fc.record({ id: fc.nat(), data: fc.array(text, { minLength: 1, maxLength: 3 }), name: fc.constantFrom('task', 'problem') });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 6 }), cuts, fc.constantFrom('\n', '\r\n', '\r'), async (events, at, end) => {
        const lines = events.flatMap(({ id, data, name }) => [': alive', '', `id: ${id}`, `event: ${name}`, ...data.map((line) => `data: ${line}`), '', '']);
        const read = await all(serverSentOf(cut(lines.map((line) => line + end).join(''), at)));
        expect(read).toEqual(events.map(({ id, data, name }) => ({ kind: 'event', event: name, data: data.join('\n'), id: String(id) })));
      }),
    );
  });

  it('drop an event that the end of the stream cuts off, and read the pause for reconnecting', async () => {
    expect(await all(serverSentOf(cut('retry: 2000\n\nid: 1\ndata: whole\n\nid: 2\ndata: half\n', [])))).toEqual([
      { kind: 'retry', ms: 2000 },
      { kind: 'event', event: 'message', data: 'whole', id: '1' },
    ]);
  });

  it('refuse a line without an end', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(1024 * 1024).fill(97);
    }
    await expect(all(linesOf(endless()))).rejects.toThrow('line without an end');
  });
});

describe('batches', () => {
  const limits = { lines: 3, chars: 100, lingerMs: 5 };
  async function* source(lines: readonly string[]): AsyncGenerator<string> {
    yield* lines;
  }

  it('keep every line and its order, within both limits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 60 })), async (lines) => {
        const batches = await all(batchesOf(source(lines), limits));
        expect(batches.flat()).toEqual(lines);
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(3);
          expect(batch.slice(0, -1).join('').length).toBeLessThan(100);
        }
      }),
    );
  });

  it('send what a source gave before it paused, and lose nothing of what comes later', async () => {
    let goOn = (): void => {};
    const paused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* slow(): AsyncGenerator<string> {
      yield 'a';
      await paused;
      yield 'b';
    }
    const batches = batchesOf(slow(), limits);
    expect((await batches.next()).value).toEqual(['a']);
    goOn();
    expect((await batches.next()).value).toEqual(['b']);
    expect((await batches.next()).done).toBe(true);
  });

  it('ask nothing more of the source while a batch is worked on, and end it when they are left', async () => {
    let given = 0;
    let ended = false;
    async function* counted(): AsyncGenerator<string> {
      try {
        for (;;) {
          given += 1;
          yield 'x';
        }
      } finally {
        ended = true;
      }
    }
    for await (const batch of batchesOf(counted(), limits)) {
      expect(batch).toHaveLength(3);
      expect(given).toBe(3);
      break;
    }
    expect({ given, ended }).toEqual({ given: 3, ended: true });
  });
});
