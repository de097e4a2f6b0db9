import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { decide, folding } from '../fixtures/content-index/decide.ts';
import { file, patternOf, search } from '../fixtures/content-index/hostile.ts';
import { cases } from '../support/oracle-runs.ts';

const BACKENDS = [
  { name: 'ripgrep', program: rgPath, args: ['--no-config', '-a', '-l', '--no-mmap'], strategy: 'UNICODE_SIMPLE' },
  { name: 'ugrep', program: 'ugrep', args: ['-a', '-l'], strategy: 'ASCII' },
] as const;

const directory = mkdtempSync(path.join(os.tmpdir(), 'writ-index-gate-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('a file that the gate lets be excluded', () => {
  it.each(BACKENDS)(
    'has no match for the backend itself: $name, in the mode that was asked for',
    { tags: ['FR-LSI-CAND-01'] },
    ({ program, args, strategy }) => {
      let excluded = 0;
      const files = fc.array(file, { minLength: 60, maxLength: 60 });
      const searches = fc.array(fc.tuple(search, fc.nat(), fc.boolean()), { minLength: 8, maxLength: 8 });
      fc.assert(
        fc.property(files, searches, (contents, asked) => {
          for (const [at, bytes] of contents.entries()) writeFileSync(path.join(directory, String(at)), bytes);
          for (const [how, of, fixedStrings] of asked) {
            const pattern = patternOf(contents.at(of % contents.length) ?? Buffer.alloc(0), how);
            const planned = { pattern, fixedStrings, ignoreCase: how.ignoreCase, fuzzy: 0 };
            const left = [...contents.keys()]
              .filter((at) => decide(contents[at] ?? Buffer.alloc(0), planned, folding(strategy, how.proven)) === 'excluded')
              .map(String);
            if (left.length === 0) continue;
            excluded += left.length;
            const options = [...(fixedStrings ? ['-F'] : []), ...(how.ignoreCase ? ['-i'] : [])];
            const { status, stdout } = spawnSync(program, [...args, ...options, '-e', pattern, '--', ...left], { cwd: directory, encoding: 'utf8' });
            // 1: searched and found nothing; 2 would be a pattern that it does not take.
            expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
          }
        }),
        // So many that the counts below stand far above their bounds, in a quarter of them, too.
        { numRuns: cases(32) },
      );
      expect(excluded).toBeGreaterThan(100);
    },
  );
});
