import { defineConfig } from 'vitest/config';

/** Mutation tests of what decides whether a file is left out run the unit tests of just that, and no others. */
export default defineConfig({
  test: {
    include: [
      'test/unit/content-search/index/*.test.ts',
      'test/unit/content-search/index/safety/*.test.ts',
      'test/unit/content-search/index/query/candidates.test.ts',
    ],
    testTimeout: 60_000,
    pool: 'forks',
  },
});
