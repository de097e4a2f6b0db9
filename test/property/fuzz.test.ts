import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../config/package.ts';
import type { Boundary } from '../support/fuzz/boundary.ts';
import { caseOf, drive, judged } from '../support/fuzz/drive.ts';
import { BOUNDARIES } from '../support/fuzz/table.ts';
import { patient } from '../support/patience.ts';

const CORPUS = path.join(packageRoot(), 'test/fixtures/fuzz');
const SEED = 20_261_127;
/** Times the weight of a boundary; `npm run test:long -- fuzz` has hundreds of thousands. */
const CASES = 150;
const FEWEST = 5;

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
        const kept = path.join(CORPUS, name);
        for (const file of existsSync(kept) ? readdirSync(kept) : []) {
          const { fault } = await judged(boundary, open, readFileSync(path.join(kept, file)));
          expect(fault, file).toBeUndefined();
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
