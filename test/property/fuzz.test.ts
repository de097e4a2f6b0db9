import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../config/package.ts';
import type { Boundary, OpenBoundary } from '../support/fuzz/boundary.ts';
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
  /** A part of the product that nobody has run yet: V8 counts the blocks of what is compiled while it counts. */
  const twoDoors = `(input) => {
    const [first, second] = String(input);
    if (first !== 'b') return 'closed';
    return second === 'c' ? 'inside' : 'between';
  }`;
  const inputs = ['a', 'bd', 'b', 'bx', 'bcc', 'bc', 'bccc'].map((text) => Buffer.from(text));

  it('changes what reached new code further, and keeps the fewest and shortest inputs that reach all of it', async () => {
    const open: OpenBoundary = { seeds: ['a'], run: (input) => run(input) };
    using corpus = await openCorpus(open, []);
    const run = runInThisContext(twoDoors, { filename: 'file:///src/two-doors.js' }) as OpenBoundary['run'];
    expect(await Promise.all(inputs.map(run))).toEqual(['closed', 'between', 'between', 'between', 'inside', 'inside', 'inside']);
    await corpus.learn(inputs);
    expect(corpus.inputs.map(String)).toEqual(['a', 'a', 'bd', 'bcc']);
    expect((await corpus.smallest()).map(String)).toEqual(['bd', 'bcc']);
    // What has run before reaches nothing new.
    await corpus.learn(inputs);
    expect(corpus.inputs).toHaveLength(4);
  });
});
