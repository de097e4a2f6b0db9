import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Processes, not threads: native addons, worker threads and signals belong to one test file each.
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', './test/support/tally-reporter.ts'],
  },
});
