import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../src/content-search/backends/dialects.ts';
import { decide, folding } from '../fixtures/content-index/decide.ts';
import { file } from '../fixtures/content-index/hostile.ts';
import { randomExpression } from '../support/content/random-expression.ts';
import { cases } from '../support/oracle-runs.ts';
import { createRandom } from '../support/random.ts';

const BACKENDS = [
  { name: 'ripgrep', program: rgPath, dialect: DIALECTS.rg, strategy: 'UNICODE_SIMPLE' },
  { name: 'ugrep', program: 'ugrep', dialect: DIALECTS.ugrep, strategy: 'ASCII' },
] as const;
const FILES = 40;

const directory = mkdtempSync(path.join(os.tmpdir(), 'writ-index-expressions-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Files in which the program finds a match; undefined if it does not take the expression. */
function matched(program: string, options: readonly string[]): ReadonlySet<number> | undefined {
  const names = Array.from({ length: FILES }, (_, at) => `./${at}`);
  const { status, stdout, stderr } = spawnSync(program, [...options, '-l', '--', ...names], { cwd: directory, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status === 2) return undefined;
  expect({ status, stderr }).toEqual({ status: stdout === '' ? 1 : 0, stderr: '' });
  return new Set(stdout.split(/[\n\0]/).flatMap((name) => (name === '' ? [] : [Number(name.replace('./', ''))])));
}

describe('a file that lacks the n-grams of a regular expression', () => {
  it.each(BACKENDS)(
    'has no match of it for the backend itself, whatever the expression and with case or without: $name',
    { tags: ['FR-LSI-CAND-01', 'FR-LSI-CAND-RE-01'] },
    ({ program, dialect, strategy }) => {
      const seen = { excluded: 0, matched: 0, asked: 0 };
      fc.assert(
        fc.property(fc.array(file, { minLength: FILES, maxLength: FILES }), fc.nat(), (contents, seed) => {
          const random = createRandom(seed);
          for (const [at, bytes] of contents.entries()) writeFileSync(path.join(directory, String(at)), bytes);
          for (let turn = 0; turn < 12; turn += 1) {
            const line = random.pick([
              ...random
                .pick(contents)
                .toString('utf8')
                .split(/[\r\n\0]+/),
              'foo needle',
            ]);
            const from = random.integer(Math.max(1, line.length - 3));
            const pattern = randomExpression(
              random,
              Array.from(line)
                .slice(from, from + 3 + random.integer(6))
                .join(''),
            );
            if (pattern === '' || /[\n\0]/.test(pattern) || !pattern.isWellFormed()) continue;
            const search = { pattern, fixedStrings: false, ignoreCase: random.chance(0.5), fuzzy: 0 };
            const decisions = contents.map((bytes) => decide(bytes, search, folding(strategy, true)));
            const excluded = [...decisions.keys()].filter((at) => decisions[at] === 'excluded');
            if (excluded.length === 0) continue;
            const found = matched(program, dialect.options({ ...search, wordRegexp: random.chance(0.2), context: 0, maxCount: 1 }));
            if (found === undefined) continue;
            seen.asked += 1;
            seen.excluded += excluded.length;
            seen.matched += found.size;
            expect({ pattern, lost: excluded.filter((at) => found.has(at)) }).toEqual({ pattern, lost: [] });
          }
        }),
        // So many that the counts below stand far above their bounds, in a quarter of them, too.
        { numRuns: cases(32) },
      );
      expect(seen.excluded).toBeGreaterThan(100);
      expect(seen.matched).toBeGreaterThan(3);
    },
  );
});
