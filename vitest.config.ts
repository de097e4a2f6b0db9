import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { requirementTags } from './scripts/trace/register.ts';
import { LongFirst } from './test/support/long-first.ts';
import { testFiles } from './test/support/parts.ts';
import { measuredSlowness } from './test/support/slowness.ts';

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Times after which something counts as hung; no test passes or fails by how fast it is (`test/support/patience.ts`). */
const slowness = measuredSlowness();
const [wait, whole] = [60_000 * slowness, 120_000 * slowness];

export default defineConfig({
  // Threads and processes of the tests start from compiled twins of their entries.
  resolve: {
    alias: ['threads/thread-entry', 'core/process-entry'].map((module) => ({
      find: new RegExp(`^\\.{1,2}/(.*/)?${module}\\.ts$`),
      replacement: at(`test/support/compiled/${path.basename(module)}.ts`),
    })),
  },
  test: {
    ...testFiles(process.env['WRIT_TEST_PART']),
    globalSetup: [at('test/support/own-temporary.ts'), at('test/support/compiled/setup.ts')],
    // A test names the requirements that it shows as tags; another word is refused.
    tags: requirementTags(readFileSync(at('docs/requirements.tsv'), 'utf8')),
    // A quarter of what each property names: the long suite `search-oracles` has 25 times as many of all.
    provide: { caseFactor: 0.25 },
    env: { WRIT_TEST_SLOWNESS: String(slowness) },
    testTimeout: whole,
    hookTimeout: whole,
    teardownTimeout: wait,
    expect: { poll: { timeout: wait, interval: 20 } },
    // Processes, not threads: native addons, worker threads and signals belong to one test file at a time.
    pool: 'forks',
    // A process serves many files one after the other: half of the time went into starting and into importing anew.
    // No test relies on a fresh module; each has its own directory, server and ports.
    isolate: false,
    sequence: { sequencer: LongFirst },
    // One more than the cores of a small machine: many tests wait for locks, servers and processes; with two more, some wait too long.
    maxWorkers: 3,
    reporters: ['default', at('test/support/tally-reporter.ts')],
  },
});
