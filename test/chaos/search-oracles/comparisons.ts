import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../config/package.ts';
import { COUNTS_VARIABLE } from '../../support/oracle-counts.ts';

const COMMAND = [
  'run',
  '--config',
  'test/support/vitest.oracles.ts',
  'test/property/search-files.test.ts',
  'test/property/search-emails.test.ts',
  'test/property/datasets.test.ts',
  'test/property/content-index-expressions.test.ts',
  'test/integration/content-search/match-here.test.ts',
  'test/property/plan',
  'test/unit/content-search/enumerate/rules.test.ts',
  'test/unit/content-search/ngram-index/build',
  'test/unit/content-search/ngram-index/query',
  'test/unit/contracts/json-schema.test.ts',
  'test/unit/kernel/schedules/occurrence.test.ts',
  'test/unit/surfaces/shared/input/read-items.test.ts',
];

export interface Comparisons {
  readonly passed: boolean;
  /** Generated cases, over all comparisons. */
  readonly cases: number;
}

/** The properties that compare with other implementations, or with what a plain look finds, with many times the cases of `npm test`. */
export async function compare(directory: string): Promise<Comparisons> {
  const counts = path.join(directory, 'counts');
  const child = spawn(path.join(packageRoot(), 'node_modules/.bin/vitest'), COMMAND, {
    cwd: packageRoot(),
    env: { ...process.env, [COUNTS_VARIABLE]: counts },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  const lines = existsSync(counts) ? readFileSync(counts, 'utf8').trim().split('\n') : [];
  return { passed: code === 0, cases: lines.map(Number).reduce((sum, count) => sum + count, 0) };
}
