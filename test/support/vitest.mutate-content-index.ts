import { defineConfig } from 'vitest/config';

/** The tests of one group of `npm run mutate:content-index`, which names them. */
export default defineConfig({
  test: {
    include: (process.env['WRIT_MUTATE_TESTS'] ?? '').split(','),
    testTimeout: 60_000,
    pool: 'forks',
  },
});
