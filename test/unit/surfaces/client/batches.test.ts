import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchesOf } from '../../../../src/surfaces/client/batches.ts';
import { all } from './pieces.ts';

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
