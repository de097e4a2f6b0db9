import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../config/package.ts';
import type { Boundary } from '../support/fuzz/boundary.ts';
import { keptCorpus, openCorpus } from '../support/fuzz/corpus.ts';
import { caseOf, drive, judged } from '../support/fuzz/drive.ts';
import { BOUNDARIES } from '../support/fuzz/table.ts';
import { patient } from '../support/patience.ts';

const FINDINGS = path.join(packageRoot(), 'test/fixtures/fuzz');
const SEED = 20_261_127;
/** Times the weight of a boundary; `npm run test:long -- fuzz` has hundreds of thousands. */
const CASES = 150;
const FEWEST = 5;

/** What was answered wrongly once, by the file that keeps it. */
function findingsOf(name: string): [string, Buffer][] {
  const kept = path.join(FINDINGS, name);
  return existsSync(kept) ? readdirSync(kept).map((file) => [file, readFileSync(path.join(kept, file))]) : [];
}

describe.each(Object.entries(BOUNDARIES) as [string, Boundary][])('what comes in at %s', (name, boundary) => {
  it(
    'is answered by a code or a valid result, whatever was made of it; and what once was not, is now',
    async () => {
      const open = await boundary.open();
      try {
        const valid = await Promise.all([...open.seeds].slice(0, 1).map((seed) => judged(boundary, open, Buffer.from(seed as Uint8Array))));
        expect(valid.map(({ fault }) => fault)).toEqual([undefined]);
        const to = Math.max(FEWEST, Math.round(CASES * (boundary.weight ?? 1)));
        expect((await drive(boundary, open, { seed: SEED, from: 0, to })).findings).toEqual([]);
        for (const [file, input] of [...findingsOf(name), ...keptCorpus(name).entries()]) {
          const { fault } = await judged(boundary, open, input);
          expect(fault, `${file}`).toBeUndefined();
        }
      } finally {
        await open.close?.();
      }
    },
    patient(60_000),
  );
});

describe('a case of the fuzz', () => {
  it('is the same one for the same seed, and another one for another', async () => {
    const { cel } = BOUNDARIES;
    const open = await cel.open();
    const some = (seed: number): string[] => Array.from({ length: 20 }, (_, index) => caseOf(cel, open, seed, index).toString('base64'));
    expect(some(1)).toEqual(some(1));
    expect(some(1)).not.toEqual(some(2));
  });

  it('that is answered wrongly is a finding, with an input made small', async () => {
    const boundary: Boundary = { shape: 'bytes', what: 'a parser with a fault', open: async () => open };
    const open = {
      seeds: ['aaaaaaaaXbbbbbbbb'],
      run: (input: Buffer) => {
        if (input.includes('X')) throw new TypeError('it meets an X');
        return 'ok';
      },
    };
    const { findings } = await drive(boundary, open, { seed: 1, from: 0, to: 10 });
    expect(findings.length).toBeGreaterThan(0);
    expect(Buffer.from(findings[0]?.input ?? '', 'base64').toString()).toBe('X');
  });
});

describe('a guided fuzz', () => {
  it('changes what reached new code further, and keeps the fewest inputs that reach all of it', async () => {
    const { cel } = BOUNDARIES;
    const open = await cel.open();
    using corpus = await openCorpus(open, []);
    const some = Array.from({ length: 150 }, (_, index) => caseOf(cel, open, SEED, index));
    for (const input of some) await judged(cel, open, input);
    await corpus.learn(some);
    const found = corpus.inputs.slice(open.seeds.length);
    const smallest = await corpus.smallest();
    expect(smallest.length).toBeGreaterThan(1);
    expect(found).toEqual(expect.arrayContaining(smallest));
    // Nothing that was found reaches what the kept ones do not.
    using again = await openCorpus(open, smallest);
    await again.learn(found as Buffer[]);
    expect(again.inputs).toEqual([...open.seeds, ...smallest]);
  });

  it('learns nothing from what has run before', async () => {
    const { cursor } = BOUNDARIES;
    const open = await cursor.open();
    using corpus = await openCorpus(open, []);
    const again = open.seeds.map((seed) => Buffer.from(seed));
    for (const input of again) await judged(cursor, open, input);
    await corpus.learn(again);
    expect(corpus.inputs).toEqual(open.seeds);
  });
});
