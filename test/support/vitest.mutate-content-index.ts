import { defineConfig } from 'vitest/config';

/** Mutation tests of what decides whether a file is left out run the unit tests of the index, and no others. */
export default defineConfig({ test: { include: ['test/unit/content-search/index/**/*.test.ts'], testTimeout: 20_000, pool: 'forks' } });
